import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { clockOffset } from '../../../../web/clock.ts'
import { Empty, Skeleton } from '../../../../web/Problem.tsx'
import { useUser } from '../../../../web/session.ts'
import { useTabTitle } from '../../../../web/shell/tabs.ts'
import { shortTime } from '../../../../web/time.ts'
import { clockLimitMs } from '../../rules.ts'
import { openDb } from './db.ts'
import { Ended } from './Ended.tsx'
import { LanesStep } from './LanesStep.tsx'
import styles from './phone.module.css'
import { ArriveStep, CheckStep, FinishStep } from './Steps.tsx'
import { SyncChip } from './SyncChip.tsx'
import {
  changeVisit,
  machineOf,
  useStored,
  type PhoneVisit as Visit,
  type VisitStep,
  visitOf,
  visitSteps,
} from './store.ts'
import { useSyncState } from './sync.ts'
import { isOld, knowsRules, takeMachine } from './takeAlong.ts'
import { useVisitWork } from './useVisitWork.ts'

/** A visit as it is done at the machine, with the network or without it. */
export function PhoneVisit() {
  const { t } = useTranslation('replenishment')
  const clientId = useParams().id ?? ''
  const found = useStored(async (db) => {
    const visit = await visitOf(db, clientId)
    return { visit, machine: visit && (await machineOf(db, visit.deviceId)) }
  }, clientId)
  useTabTitle(found?.visit?.rtuNumber)
  if (!found) return <Skeleton rows={8} />
  const { visit, machine } = found
  if (!visit)
    return (
      <section className="hd-sheet">
        <Empty title={t('phone.missing')} hint={t('phone.missingHint')} />
      </section>
    )
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <span>
          <b>{visit.nickname || visit.rtuNumber}</b>
          <small>
            {visit.rtuNumber}
            {machine ? (
              <>
                {' · '}
                {t('phone.takenAt', { at: shortTime(new Date(machine.takenAt), new Date()) })}
              </>
            ) : null}
          </small>
        </span>
        <SyncChip />
      </header>
      {machine && isOld(machine.takenAt) ? <p className={styles.warn}>{t('phone.old')}</p> : null}
      {machine && !knowsRules(machine) ? <p className={styles.warn}>{t('phone.rules')}</p> : null}
      {Math.abs(clockOffset()) > clockLimitMs ? (
        <p className={styles.warn}>{t('phone.clock')}</p>
      ) : null}
      {visit.state === 'OPEN' ? <Open visit={visit} /> : <Ended visit={visit} />}
    </div>
  )
}

function Open({ visit }: { visit: Visit }) {
  const { t } = useTranslation('replenishment')
  const { id } = useUser()
  const { clientId, deviceId, step } = visit
  const { offline } = useSyncState()
  const machine = useStored((db) => machineOf(db, deviceId), String(deviceId))
  const work = useVisitWork(clientId)
  const [target, setTarget] = useState<number>()
  const missing = machine === undefined
  useEffect(() => {
    if (missing && !offline)
      void openDb(id)
        .then((db) => takeMachine(db, deviceId))
        .catch(() => undefined)
  }, [id, missing, offline, deviceId])
  const to = (next: VisitStep) =>
    void openDb(id).then((db) => changeVisit(db, clientId, () => ({ step: next })))
  const at = visitSteps.indexOf(step)
  return (
    <>
      <ol className={styles.steps}>
        {visitSteps.map((one, index) => (
          <li key={one} aria-current={one === step ? 'step' : undefined}>
            <button type="button" disabled={index > at} onClick={() => to(one)}>
              {t(`phone.steps.${one}`)}
            </button>
          </li>
        ))}
      </ol>
      {step === 'ARRIVE' ? (
        <ArriveStep visit={visit} onNext={() => to('LANES')} />
      ) : !machine || !work.entries ? (
        <section className="hd-sheet">
          <Empty title={t('phone.noData')} hint={t('phone.noDataHint')} />
        </section>
      ) : step === 'LANES' ? (
        <LanesStep
          visit={visit}
          machine={machine}
          entries={work.entries}
          onChange={work.change}
          target={target}
          onNext={() => to('FINISH')}
        />
      ) : step === 'FINISH' ? (
        <FinishStep visit={visit} onNext={() => to('CHECK')} />
      ) : (
        <CheckStep
          visit={visit}
          machine={machine}
          entries={work.entries}
          onBack={(laneId) => {
            setTarget(laneId)
            to('LANES')
          }}
        />
      )}
    </>
  )
}
