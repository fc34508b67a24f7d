import { Button, Skeleton, Tabs } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { Mark } from '../../../web/StatusTag.tsx'
import { useDirty, useTabTitle } from '../../../web/shell/tabs.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { lanes, type Planogram } from '../contract.ts'
import { type GridActions, LaneGrid } from './LaneGrid.tsx'
import { LaneHead } from './LaneHead.tsx'
import { LanePanel } from './LanePanel.tsx'
import { LaneTable } from './LaneTable.tsx'
import { LaneTools } from './LaneTools.tsx'
import styles from './lanes.module.css'
import { PrintPlan } from './PrintPlan.tsx'
import { type Goods, roadsOf, type ShownRoad } from './shown.ts'
import { type Clip, useDrafts } from './useDrafts.ts'

const LevelsDialog = lazyDialog(() => import('./LevelsDialog.tsx').then((m) => m.LevelsDialog))

export function CargoRoad() {
  const { t } = useTranslation('lanes')
  const deviceId = Number(useParams().id ?? 0)
  const read = useRead(lanes.plan, { deviceId }, { inline: true })
  useLive('lanes', [lanes.plan.path, lanes.schedules.path, lanes.versions.path])
  useLive('shadows', [lanes.plan.path])
  useTabTitle(read.data?.device.rtuNumber)
  if (read.error && !read.data)
    return (
      <section className="hd-sheet">
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      </section>
    )
  if (!read.data)
    return (
      <section className={`hd-sheet ${styles.head}`} aria-label={t('title')}>
        <Skeleton active paragraph={{ rows: 10 }} />
      </section>
    )
  if (read.data.floors.length === 0)
    return (
      <>
        <LaneHead plan={read.data} />
        <NoLanes plan={read.data} />
      </>
    )
  return <Editor plan={read.data} onStale={() => void read.refetch()} />
}

const clipOf = ({ productId, price, retailPrice, roadCapacity, warnQty, restriction }: ShownRoad): Clip => ({
  productId,
  price,
  retailPrice,
  roadCapacity,
  warnQty,
  restriction,
})

function Editor({ plan, onStale }: { plan: Planogram; onStale: () => void }) {
  const { t } = useTranslation(['lanes', 'web'])
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [tab, setTab] = useState('plan')
  const [printing, setPrinting] = useState(false)
  const phone = usePhone()
  const side = useRef<HTMLDivElement>(null)
  const clips = useRef<Clip[]>([])
  const roads = useMemo(() => roadsOf(plan), [plan])
  const drafts = useDrafts(plan, roads, onStale)
  const takeBack = useTakeBack(plan, drafts.setLastSave)
  useDirty(drafts.dirty)
  const chosen = drafts.shown.filter((road) => selected.has(road.id) && road.status !== 'MERGED')
  const ids = chosen.map((road) => road.id)
  const undo = drafts.dirty ? drafts.back : drafts.canUndo ? takeBack : undefined
  const can = plan.can.update
  /** A product for the lane it fell on, or for the whole selection when the lane is part of it. */
  const place = (goods: Goods, onto: readonly number[]) => drafts.set(onto, 'productId', goods.id, goods)
  const paste = () => {
    if (!can || clips.current.length === 0) return
    // several lanes go to as many from the first chosen one on
    const open = drafts.shown.filter((road) => road.status !== 'MERGED')
    const from = open.findIndex((road) => road.id === ids[0])
    const onto = clips.current.length === 1 || ids.length > 1 ? ids : open.slice(from, from + clips.current.length).map((road) => road.id)
    drafts.paste(onto, clips.current)
  }
  const actions: GridActions = {
    onSelect: (next) => setSelected(new Set(next)),
    onOpen: () => setTimeout(() => side.current?.querySelector<HTMLElement>('[class*=item] input')?.focus()),
    onCopy: () => {
      clips.current = chosen.map(clipOf)
    },
    onPaste: paste,
    onClear: () => {
      const filled = chosen.filter((road) => road.productId !== null).map((road) => road.id)
      if (can && filled.length) drafts.set(filled, 'productId', null)
    },
    onUndo: () => undo?.(),
    onSave: () => can && drafts.save(),
    onDrop: (id, goods) => place(goods, selected.has(id) ? ids : [id]),
  }
  const wrong = useMemo(() => new Set(drafts.errors.keys()), [drafts.errors])
  const bar = (
    <LaneTools
      plan={plan}
      roads={roads}
      chosen={chosen}
      dirty={drafts.dirty}
      onUndo={drafts.canUndo && can ? takeBack : undefined}
      onSaved={drafts.setLastSave}
      onPrint={() => setPrinting(true)}
    />
  )
  const first = drafts.shown.find((road) => wrong.has(road.id))
  return (
    <>
      <LaneHead plan={plan} dirty={drafts.dirty} />
      <div className={styles.work}>
        <section className={`hd-sheet ${styles.main}`} aria-label={t('title')}>
          {phone ? bar : <div className={styles.beside}>{bar}</div>}
          <Tabs
            activeKey={tab}
            onChange={setTab}
            items={[
              {
                key: 'plan',
                label: t('planTab'),
                children: <LaneGrid plan={plan} roads={drafts.shown} selected={selected} wrong={wrong} actions={actions} />,
              },
              { key: 'stock', label: t('stockTab'), children: <LaneTable roads={drafts.shown} selected={selected} onSelect={actions.onSelect} /> },
            ]}
          />
          <div className={styles.foot}>
            <span role="status">
              {first ? (
                <button type="button" className={styles.wrongLink} onClick={() => setSelected(new Set([first.id]))}>
                  {t('wrongLanes', { n: wrong.size, road: first.roadIndex, why: Object.values(drafts.errors.get(first.id) ?? {})[0] ?? '' })}
                </button>
              ) : drafts.dirty ? (
                t('unsaved', { n: drafts.drafts.size })
              ) : phone ? null : (
                t('keys')
              )}
            </span>
            <span className={styles.legend}>
              {(['low', 'soldOut', 'fault', 'locked'] as const).map((view) => (
                <span key={view}>
                  <Mark tone={view === 'low' ? 'warn' : view} />
                  {t(`enums.view.${view}`)}
                </span>
              ))}
            </span>
          </div>
        </section>
        <div ref={side} className={styles.side} data-open={chosen.length > 0 || drafts.dirty}>
          <LanePanel plan={plan} chosen={chosen} drafts={drafts} onPick={(goods) => place(goods, ids)} onClose={() => setSelected(new Set())} />
        </div>
      </div>
      {printing ? <PrintPlan plan={plan} onDone={() => setPrinting(false)} /> : null}
    </>
  )
}

/** Takes the last save of this page back: the version before it, as far as the rules allow. */
function useTakeBack(plan: Planogram, saved: (version: number | null) => void): () => void {
  const { t } = useTranslation('lanes')
  const confirm = useConfirm()
  const restore = useWrite(lanes.restore, { success: 'lanes:success.undo', onSuccess: () => saved(null) })
  return () => {
    void confirm({ title: t('undoAsk', { n: plan.version }), content: t('undoHint') }).then((yes) => {
      if (yes) restore.mutate({ deviceId: plan.device.id, target: plan.version - 1, version: plan.version, undo: true })
    })
  }
}

function NoLanes({ plan }: { plan: Planogram }) {
  const { t } = useTranslation('lanes')
  const [open, setOpen] = useState(false)
  return (
    <section className={`hd-sheet ${styles.none}`}>
      <Empty
        title={t('empty')}
        action={
          plan.can.update ? (
            <Button type="primary" onClick={() => setOpen(true)}>
              {t('create')}
            </Button>
          ) : null
        }
      />
      {open ? <LevelsDialog plan={plan} onClose={() => setOpen(false)} /> : null}
    </section>
  )
}
