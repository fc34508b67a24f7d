import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call, messageOf } from '../../../../web/call.ts'
import { canScan } from '../../../../web/camera.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import { useMay, useUser } from '../../../../web/session.ts'
import { closeTab, useTabPath } from '../../../../web/shell/tabs.ts'
import { toast } from '../../../../web/toast.ts'
import { Bad } from '../../../../web/ui/Text.tsx'
import { deviceCommands } from '../../../device-commands/contract.ts'
import { checks } from '../../contract.ts'
import { signed } from '../shown.ts'
import { openDb } from './db.ts'
import { says, sumsOf } from './entries.ts'
import { PhotoField } from './PhotoField.tsx'
import styles from './phone.module.css'
import { Scanner } from './Scanner.tsx'
import { changeVisit, type Machine, type PhoneVisit } from './store.ts'
import { giveUp, syncNow, useSyncState } from './sync.ts'
import type { Entries } from './useVisitWork.ts'
import { problemOf, useSay } from './visit.ts'

/** What is on the label, or enough of its end to be no other machine. */
const isMachine = (said: string, rtuNumber: string): boolean => {
  const typed = said.trim().toUpperCase()
  return (
    typed.includes(rtuNumber.toUpperCase()) ||
    (typed.length >= 4 && rtuNumber.toUpperCase().endsWith(typed))
  )
}

/** The right machine, before anything is put into a wrong one. */
export function ArriveStep({ visit, onNext }: { visit: PhoneVisit; onNext: () => void }) {
  const { t } = useTranslation('replenishment')
  const { offline } = useSyncState()
  const may = useMay()
  const [typed, setTyped] = useState('')
  const [scanning, setScanning] = useState(false)
  const [wrong, setWrong] = useState(false)
  const arrive = (said: string) => {
    const right = isMachine(said, visit.rtuNumber)
    setWrong(!right)
    setScanning(false)
    if (right) onNext()
  }
  const open = () =>
    void call(deviceCommands.openDoor, { id: visit.deviceId }).then(
      () => toast('success', t('phone.doorDone')),
      (error: unknown) => toast('error', messageOf(error)),
    )
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        arrive(typed)
      }}
    >
      <section className={`hd-sheet ${styles.sheet}`}>
        <h2>{t('phone.arrive')}</h2>
        <p>{t('phone.arriveHint')}</p>
        {canScan() ? (
          <button type="button" onClick={() => setScanning(true)}>
            {t('phone.scan')}
          </button>
        ) : null}
        <input
          aria-label={t('phone.arriveNo')}
          placeholder={t('phone.arriveNo')}
          autoCapitalize="characters"
          autoComplete="off"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value)
            setWrong(false)
          }}
        />
        {wrong ? (
          <small role="alert">
            <Bad>{t('phone.wrong')}</Bad>
          </small>
        ) : null}
        {may('device:open-door') && !offline ? (
          <button type="button" onClick={open}>
            {t('phone.openDoor')}
          </button>
        ) : null}
      </section>
      {scanning ? <Scanner onCode={arrive} onEnd={() => setScanning(false)} /> : null}
      <footer className={styles.bar}>
        <GiveUp visit={visit} />
        <button type="submit" data-main disabled={typed.trim() === ''}>
          {t('phone.begin')}
        </button>
      </footer>
    </form>
  )
}

function GiveUp({ visit }: { visit: PhoneVisit }) {
  const { t } = useTranslation('replenishment')
  const confirm = useConfirm()
  const navigate = useNavigate()
  const path = useTabPath()
  const { id } = useUser()
  const leave = async () => {
    if (!(await confirm({ title: t('phone.giveAsk'), ok: t('phone.give'), danger: true }))) return
    try {
      await giveUp(id, visit.clientId)
      closeTab(path)
      void navigate('/stock/replenish')
    } catch (error) {
      toast('error', messageOf(error))
    }
  }
  return (
    <button type="button" onClick={() => void leave()}>
      {t('phone.give')}
    </button>
  )
}

/** What is looked after before the door is closed. */
export function FinishStep({ visit, onNext }: { visit: PhoneVisit; onNext: () => void }) {
  const { t } = useTranslation('replenishment')
  const { id } = useUser()
  const toggle = (check: (typeof checks)[number]) =>
    void openDb(id).then((db) =>
      changeVisit(db, visit.clientId, ({ checks: done }) => ({
        checks: done.includes(check) ? done.filter((one) => one !== check) : [...done, check],
      })),
    )
  return (
    <>
      <section className={`hd-sheet ${styles.sheet}`}>
        <h2>{t('phone.checksTitle')}</h2>
        {checks.map((check) => (
          <label key={check} className={styles.check}>
            <input
              type="checkbox"
              checked={visit.checks.includes(check)}
              onChange={() => toggle(check)}
            />
            {t(`phone.checks.${check}`)}
          </label>
        ))}
      </section>
      <section className={`hd-sheet ${styles.sheet}`}>
        <h2>{t('phone.photos')}</h2>
        <PhotoField clientId={visit.clientId} />
      </section>
      <footer className={styles.bar}>
        <button type="button" data-main onClick={onNext}>
          {t('phone.next')}
        </button>
      </footer>
    </>
  )
}

/** All of it once more, and what is not right yet. */
export function CheckStep({
  visit,
  machine,
  entries,
  onBack,
}: {
  visit: PhoneVisit
  machine: Machine
  entries: Entries
  onBack: (laneId?: number) => void
}) {
  const { t } = useTranslation('replenishment')
  const { id } = useUser()
  const say = useSay()
  const { lanes } = machine
  const all = [...entries.values()]
  const done = lanes.flatMap((lane) => {
    const entry = entries.get(lane.id)
    return entry && says(entry) ? [{ lane, entry }] : []
  })
  const bad = done.flatMap(({ lane, entry }) => {
    const problem = problemOf(machine, lane, entry)
    return problem ? [{ lane, problem }] : []
  })
  const submit = async () => {
    const db = await openDb(id)
    await changeVisit(db, visit.clientId, ({ state }) =>
      state === 'OPEN'
        ? { state: 'SUBMITTED', submittedAt: new Date().toISOString(), problem: null, answer: null }
        : {},
    )
    await syncNow(id)
  }
  const said = ({ entry }: (typeof done)[number]) =>
    [
      entry.countedQty !== null && `${t('phone.count')} ${entry.countedQty}`,
      entry.withdrawnQty > 0 && `${t('phone.withdraw')} −${entry.withdrawnQty}`,
      entry.addedQty > 0 && `${t('phone.add')} ${signed(entry.addedQty)}`,
    ]
      .filter(Boolean)
      .join(' · ')
  return (
    <>
      <section className={`hd-sheet ${styles.sheet}`}>
        <p className={styles.sums}>{t('phone.sums', sumsOf(all, lanes))}</p>
        {visit.problem ? (
          <small role="alert">
            <Bad>{visit.problem}</Bad>
          </small>
        ) : null}
        {bad.length ? (
          <>
            <h2>{t('phone.mend')}</h2>
            <ul className={styles.lines}>
              {bad.map(({ lane, problem }) => (
                <li key={lane.id}>
                  <button type="button" className={styles.jump} onClick={() => onBack(lane.id)}>
                    <b>{t('phone.laneNo', { n: lane.roadIndex })}</b>
                    <Bad>{say(problem)}</Bad>
                  </button>
                </li>
              ))}
            </ul>
          </>
        ) : null}
        {done.length ? (
          <ul className={styles.lines}>
            {done.map((one) => (
              <li key={one.lane.id}>
                <b>{String(one.lane.roadIndex).padStart(2, '0')}</b>
                <span>
                  {one.lane.productName}
                  <small>{said(one)}</small>
                </span>
              </li>
            ))}
          </ul>
        ) : (
          <p>{t('phone.nothing')}</p>
        )}
      </section>
      <footer className={styles.bar}>
        <button type="button" onClick={() => onBack()}>
          {t('phone.steps.LANES')}
        </button>
        <button
          type="button"
          data-main
          disabled={done.length === 0 || bad.length > 0}
          onClick={() => void submit()}
        >
          {t('phone.submit')}
        </button>
      </footer>
    </>
  )
}
