import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shortTime } from '../../../../web/time.ts'
import { Muted } from '../../../../web/ui/Text.tsx'
import { signed, whyNot } from '../shown.ts'
import { type Change, says, sumsOf } from './entries.ts'
import { LaneCard } from './LaneCard.tsx'
import styles from './phone.module.css'
import type { Machine, PhoneLane, PhoneVisit } from './store.ts'
import { firstBatch, whyNotPut } from './takeAlong.ts'
import type { Entries } from './useVisitWork.ts'
import { isShown, type LaneFilter, laneFilters, mostAdded, problemOf, useSay } from './visit.ts'

type Props = {
  visit: PhoneVisit
  machine: Machine
  entries: Entries
  onChange: (changes: readonly { lane: PhoneLane; change: Change }[]) => void
  /** The lane to begin with. */
  target: number | undefined
  onNext: () => void
}

/** All lanes of the machine in the order in which they are there, level by level. */
export function LanesStep({ visit, machine, entries, target, onChange, onNext }: Props) {
  const { t } = useTranslation('replenishment')
  const say = useSay()
  const { lanes, batches } = machine
  const counts = (filter: LaneFilter) => lanes.filter((lane) => isShown(lane, filter)).length
  const [filter, setFilter] = useState<LaneFilter>(() =>
    target === undefined && counts('todo') > 0 ? 'todo' : 'all',
  )
  useEffect(() => document.getElementById(`lane-${target}`)?.scrollIntoView(), [target])
  const shown = lanes.filter((lane) => isShown(lane, filter))
  const levels = [...new Set(shown.map((lane) => lane.level))]
  const all = [...entries.values()]
  const done = all.filter((entry) => says(entry) || entry.skipped)
  const sums = sumsOf(all, lanes)
  const last = all
    .map((entry) => entry.doneAt)
    .sort()
    .at(-1)
  const refused = new Map(visit.answer?.errors.map(({ laneId, error }) => [laneId, error]))
  const open = lanes.reduce(
    (sum, lane) => sum + Math.max(0, lane.planned - (entries.get(lane.id)?.addedQty ?? 0)),
    0,
  )
  const fill = (some: readonly PhoneLane[]) =>
    onChange(
      some.flatMap((lane) => {
        const entry = entries.get(lane.id)
        const addedQty = mostAdded(lane, entry)
        if (addedQty === 0 || lane.traceRequired || addedQty === entry?.addedQty) return []
        if (whyNotPut(machine, lane)) return []
        const batchId = entry?.batchId ?? firstBatch(batches, lane.productId)?.id ?? null
        return [{ lane, change: { addedQty, batchId, skipped: false } }]
      }),
    )
  const problem = (lane: PhoneLane) => {
    const error = refused.get(lane.id)
    if (error) return whyNot(error)
    const own = problemOf(machine, lane, entries.get(lane.id))
    return own && say(own)
  }
  return (
    <>
      <section className={styles.progress}>
        <span>
          {t('phone.progress', { n: done.length, of: lanes.length })}
          <span>{t('phone.left', { n: open })}</span>
        </span>
        <progress max={lanes.length || 1} value={done.length} />
        <fieldset className={styles.filters}>
          {laneFilters.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === filter}
              onClick={() => setFilter(one)}
            >
              {t(`phone.filters.${one}`)} {counts(one)}
            </button>
          ))}
        </fieldset>
      </section>
      {levels.map((level) => {
        const own = shown.filter((lane) => lane.level === level)
        return (
          <section key={level}>
            <header className={styles.level}>
              <h2>{t('phone.level', { n: level })}</h2>
              <button type="button" onClick={() => fill(own)}>
                {t('phone.fillLevel')}
              </button>
            </header>
            <ul className={styles.cards}>
              {own.map((lane) => (
                <LaneCard
                  key={lane.id}
                  clientId={visit.clientId}
                  lane={lane}
                  entry={entries.get(lane.id)}
                  machine={machine}
                  problem={problem(lane)}
                  onChange={(change) => onChange([{ lane, change }])}
                />
              ))}
            </ul>
          </section>
        )
      })}
      {shown.length === 0 ? <p className={styles.none}>{t('phone.none')}</p> : null}
      <footer className={styles.bar}>
        <p>
          <span>
            {t('phone.short.a')} <b>{sums.a}</b>
          </span>
          <span>
            {t('phone.short.b')} <b>{sums.b}</b>
          </span>
          <span>
            {t('phone.short.c')} <b>{signed(sums.c)}</b>
          </span>
          {last ? (
            <Muted small>{t('phone.keptAt', { at: shortTime(new Date(last), new Date()) })}</Muted>
          ) : null}
        </p>
        <button type="button" onClick={() => fill(shown)}>
          {t('phone.fillAll')}
        </button>
        <button type="button" data-main onClick={onNext}>
          {t('phone.next')}
        </button>
      </footer>
    </>
  )
}
