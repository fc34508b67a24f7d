import { Button, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Empty } from '../../../web/Problem.tsx'
import { useDirty } from '../../../web/shell/tabs.ts'
import { toast } from '../../../web/toast.ts'
import { useAct } from '../../../web/useAct.ts'
import { type Batch, type LaneRow, replenishment, type Visit } from '../contract.ts'
import { LaneLine } from './LaneLine.tsx'
import styles from './replenishment.module.css'
import { says, sumsOf, useVisitDrafts } from './useVisitDrafts.ts'

type Props = {
  visit: Visit
  lanes: readonly LaneRow[]
  batches: readonly Batch[]
  onPosted: () => void
  onGivenUp: () => void
}

const stale = ['/api/replenishment-visits', '/api/replenishment-tasks', '/api/replenishment-lanes']

/** Lanes of the machine with what was done there; kept, then submitted. */
export function VisitPanel({ visit, lanes, batches, onPosted, onGivenUp }: Props) {
  const { t } = useTranslation('replenishment')
  const confirm = useConfirm()
  const { drafts, dirty, kept, change, changeAll } = useVisitDrafts(visit)
  const [every, setEvery] = useState(true)
  useDirty(dirty)
  const save = useWrite(replenishment.saveItems, { invalidates: stale, onSuccess: kept })
  const submit = useWrite(replenishment.submit, { invalidates: stale })
  const cancel = useAct(replenishment.cancel, {
    ask: t('giveAsk'),
    ok: t('give'),
    invalidates: stale,
    onSuccess: onGivenUp,
  })
  const errors = new Map(visit.items.map((item) => [item.laneId, item.error]))
  const shown = every
    ? lanes
    : lanes.filter((lane) => lane.productStock - lane.reserved - lane.failedHold <= lane.warnQty)
  const sums = sumsOf(drafts, lanes)
  const room = (lane: LaneRow) => Math.max(0, lane.roadCapacity - lane.productStock)
  const expiresFirst = (lane: LaneRow) =>
    batches.find((batch) => batch.productId === lane.productId)?.id ?? null
  /** What the pick list brought, as far as the lane takes it now. */
  const asPicked = () =>
    changeAll(
      visit.planned.flatMap(({ laneId, planned }) => {
        const lane = lanes.find((one) => one.id === laneId)
        const some = lane ? Math.min(planned, room(lane)) : 0
        return lane && some
          ? [[laneId, { addedQty: some, batchId: expiresFirst(lane) }] as const]
          : []
      }),
    )
  const keep = () =>
    save.mutateAsync({
      id: visit.id,
      items: [...drafts.values()].filter(says),
      sentAt: new Date().toISOString(),
    })
  const send = async () => {
    if (!(await confirm({ title: t('submitAsk', sums), ok: t('submit') }))) return
    await keep()
    const { state } = await submit.mutateAsync({ id: visit.id })
    if (state === 'DRAFT') return toast('error', t('none'))
    toast(state === 'PARTIAL' ? 'warning' : 'success', t(state === 'PARTIAL' ? 'partly' : 'done'))
    onPosted()
  }
  if (lanes.length === 0)
    return (
      <Empty
        title={t('noLanes')}
        action={<Button onClick={() => void cancel({ id: visit.id })}>{t('give')}</Button>}
      />
    )
  const busy = save.isPending || submit.isPending
  return (
    <>
      <section className={`hd-sheet ${styles.sheet}`}>
        <header className={styles.tools}>
          <Segmented
            value={every}
            options={[
              { value: true, label: t('everyLane') },
              { value: false, label: t('shortOnly') },
            ]}
            onChange={setEvery}
          />
          <Button
            onClick={() =>
              changeAll(
                shown
                  .filter((lane) => room(lane) > 0)
                  .map((lane) => [lane.id, { addedQty: room(lane), batchId: expiresFirst(lane) }]),
              )
            }
          >
            {t('fillAll')}
          </Button>
          {visit.planned.length ? <Button onClick={asPicked}>{t('asPicked')}</Button> : null}
          <Button
            onClick={() =>
              changeAll(shown.map((lane) => [lane.id, { countedQty: lane.productStock }]))
            }
          >
            {t('countAll')}
          </Button>
        </header>
        <ul className={styles.lanes}>
          {shown.map((lane) => (
            <LaneLine
              key={lane.id}
              lane={lane}
              item={drafts.get(lane.id)}
              error={errors.get(lane.id) ?? null}
              batches={batches}
              onChange={(next) => change(lane.id, next)}
            />
          ))}
        </ul>
      </section>
      <footer className={styles.bar}>
        <span>
          {t('fields.addedQty')} <b>{sums.a}</b> · {t('fields.withdrawnQty')} <b>{sums.b}</b> ·{' '}
          {t('fields.difference')} <b>{sums.c}</b>
        </span>
        <Button danger onClick={() => void cancel({ id: visit.id })}>
          {t('give')}
        </Button>
        <Button
          loading={save.isPending}
          disabled={!dirty}
          onClick={() =>
            void keep().then(
              () => toast('success', t('kept')),
              () => undefined,
            )
          }
        >
          {t('keep')}
        </Button>
        <Button type="primary" loading={busy} onClick={() => void send().catch(() => undefined)}>
          {t('submit')}
        </Button>
      </footer>
    </>
  )
}
