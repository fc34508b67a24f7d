import CheckCircleFilled from '@ant-design/icons/es/icons/CheckCircleFilled'
import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Picture } from '../../../../web/Picture.tsx'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { differences, withdrawReasons } from '../../contract.ts'
import { CodesField } from './CodesField.tsx'
import { type Change, type Entry, isOff, says } from './entries.ts'
import { PhotoField } from './PhotoField.tsx'
import styles from './phone.module.css'
import { Chips, Stepper } from './Stepper.tsx'
import { type Machine, type PhoneLane, small } from './store.ts'
import { batchesFor, firstBatch, whyNotLoaded, whyNotPut } from './takeAlong.ts'
import { type LaneState, mostAdded, stateOf, useSay } from './visit.ts'

/** They are told in words. */
const faults = ['MOTOR', 'STUCK', 'DAMAGED', 'OTHER'] as const
const tones: Readonly<Record<Exclude<LaneState, 'fine'>, Tone>> = {
  count: 'locked',
  locked: 'locked',
  faulty: 'fault',
  disabled: 'closed',
  soldOut: 'soldOut',
  low: 'warn',
}

type Props = {
  clientId: string
  lane: PhoneLane
  entry: Entry | undefined
  machine: Machine
  /** What has to be mended before it is submitted, or why it was not posted. */
  problem: string | null
  onChange: (change: Change) => void
}

/** A lane under the thumb: what is there, what was counted, what goes in and what comes out. */
export function LaneCard({ clientId, lane, entry, machine, problem, onChange }: Props) {
  const { t } = useTranslation('replenishment')
  const [more, setMore] = useState(false)
  const { addedQty = 0, countedQty = null, withdrawnQty = 0, skipped = false } = entry ?? {}
  const state = stateOf(lane)
  const own = batchesFor(machine.batches, lane.productId)
  const say = useSay()
  // what lies in it may still be counted and taken out
  const refused = whyNotPut(machine, lane)
  const first = firstBatch(machine.batches, lane.productId)
  const add = (n: number) =>
    onChange({
      addedQty: n,
      skipped: false,
      // what expires first is put in first
      ...(n > 0 && !entry?.batchId && first ? { batchId: first.id } : {}),
    })
  const done = entry !== undefined && (says(entry) || skipped)
  const off = entry !== undefined && isOff(entry)
  const most = refused ? 0 : mostAdded(lane, entry)
  const label = (field: string) => `${t(`phone.${field}`)} ${lane.roadIndex}`
  return (
    <li
      className={styles.card}
      data-state={off ? 'off' : done ? 'done' : 'open'}
      id={`lane-${lane.id}`}
    >
      <div className={styles.head}>
        <Picture src={lane.productImg && small(lane.productImg)} size={44} />
        <span className={styles.goods}>
          <span>
            <b>{String(lane.roadIndex).padStart(2, '0')}</b> {lane.productName}{' '}
            <Muted small>{lane.model}</Muted>
          </span>
          <span className={styles.facts}>
            <span>
              {t('phone.now')} <b data-state={state}>{lane.quantity}</b> / {lane.capacity}
            </span>
            {state === 'fine' ? null : (
              <StatusTag chip tone={tones[state]}>
                {t(
                  {
                    count: 'toCountTag',
                    locked: 'locked',
                    faulty: 'faulty',
                    disabled: 'disabled',
                    soldOut: 'phone.filters.soldOut',
                    low: 'phone.low',
                  }[state],
                )}
              </StatusTag>
            )}
            {skipped ? <Muted small>{t('phone.skipped')}</Muted> : null}
          </span>
        </span>
        {done && !skipped ? <CheckCircleFilled className={styles.tick} data-off={off} /> : null}
        <button
          type="button"
          className={styles.icon}
          aria-expanded={more}
          aria-label={`${t(more ? 'phone.less' : 'phone.more')} ${lane.roadIndex}`}
          onClick={() => setMore(!more)}
        >
          <MoreOutlined />
        </button>
      </div>
      <div className={styles.pair}>
        <div>
          <Muted small>{t('phone.count')}</Muted>
          {countedQty === null ? (
            <button
              type="button"
              className={styles.same}
              aria-label={label('count')}
              onClick={() => onChange({ countedQty: lane.quantity, skipped: false })}
            >
              {t('phone.countSame')}
            </button>
          ) : (
            <Stepper
              label={label('count')}
              value={countedQty}
              most={999}
              onChange={(n) => onChange({ countedQty: n })}
            />
          )}
        </div>
        <div>
          <Muted small>
            {t('phone.add')} · {t('phone.planned', { n: lane.planned })}
          </Muted>
          <Stepper plus label={label('add')} value={addedQty} most={most} onChange={add} />
        </div>
      </div>
      {addedQty > 0 && own.length > 0 ? (
        <>
          <Chips
            label={t('phone.batch')}
            value={entry?.batchId ?? null}
            options={own.map((batch) => {
              const why = whyNotLoaded(batch)
              return {
                value: batch.id,
                label: batch.batchNo,
                note: why ? t(`phone.${why}`) : batch.expiresOn,
                disabled: why !== null,
              }
            })}
            onChange={(batchId) => onChange({ batchId })}
          />
          {lane.quantity > 0 ? <Muted small>{t('phone.behind')}</Muted> : null}
        </>
      ) : null}
      {addedQty > 0 && lane.traceRequired ? (
        <CodesField
          label={`${t('fields.codes')} ${lane.roadIndex}`}
          codes={entry?.codes ?? []}
          of={addedQty}
          onChange={(codes) => onChange({ codes })}
        />
      ) : null}
      {off ? (
        <Chips
          label={t('phone.differs')}
          value={entry.differs}
          options={differences.map((value) => ({ value, label: t(`phone.difference.${value}`) }))}
          onChange={(differs) => onChange({ differs })}
        />
      ) : null}
      {more || withdrawnQty > 0 ? (
        <>
          <div className={styles.pair}>
            <div>
              <Muted small>{t('phone.withdraw')}</Muted>
              <Stepper
                label={label('withdraw')}
                value={withdrawnQty}
                most={countedQty ?? lane.quantity}
                onChange={(n) =>
                  onChange({
                    withdrawnQty: n,
                    skipped: false,
                    ...(n === 0 ? { withdrawReason: null } : {}),
                  })
                }
              />
            </div>
          </div>
          {withdrawnQty > 0 ? (
            <Chips
              label={t('fields.withdrawReason')}
              value={entry?.withdrawReason ?? null}
              options={withdrawReasons.map((value) => ({
                value,
                label: t(`enums.withdrawReason.${value}`),
              }))}
              onChange={(withdrawReason) => onChange({ withdrawReason })}
            />
          ) : null}
        </>
      ) : null}
      {more ? (
        <>
          <Chips
            label={t('phone.fault')}
            value={entry?.fault ?? null}
            options={faults.map((key) => {
              const label = t(`phone.faults.${key}`)
              return { value: label, label }
            })}
            onChange={(fault) => onChange({ fault })}
          />
          {entry?.fault ? <PhotoField clientId={clientId} laneId={lane.id} /> : null}
          <div className={styles.buttons}>
            <button type="button" onClick={() => add(Math.min(most, lane.planned))}>
              {t('phone.asPlanned')}
            </button>
            <button type="button" onClick={() => add(most)}>
              {t('phone.full')}
            </button>
            <button type="button" onClick={() => onChange({ ...untouched, skipped: !skipped })}>
              {t('phone.skip')}
            </button>
            <button type="button" onClick={() => onChange({ ...untouched, skipped: false })}>
              {t('phone.undo')}
            </button>
          </div>
        </>
      ) : null}
      {problem ? (
        <small role="alert">
          <Bad>{problem}</Bad>
        </small>
      ) : refused ? (
        <small>
          <Bad>{say(refused)}</Bad>
        </small>
      ) : null}
    </li>
  )
}

const untouched: Change = {
  countedQty: null,
  addedQty: 0,
  withdrawnQty: 0,
  withdrawReason: null,
  batchId: null,
  codes: [],
  differs: null,
}
