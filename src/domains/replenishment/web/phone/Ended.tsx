import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { closeTab, useTabPath } from '../../../../web/shell/tabs.ts'
import { Bad } from '../../../../web/ui/Text.tsx'
import { visitTones } from '../../contract.ts'
import { whyNot } from '../shown.ts'
import styles from './phone.module.css'
import { machineOf, opsOfVisit, type PhoneVisit, useStored } from './store.ts'
import { useSyncState } from './sync.ts'

/** A visit that was submitted: on its way, or what became of it. */
export function Ended({ visit }: { visit: PhoneVisit }) {
  const { t } = useTranslation('replenishment')
  const navigate = useNavigate()
  const path = useTabPath()
  const { offline } = useSyncState()
  const found = useStored(
    async (db) => ({
      lanes: (await machineOf(db, visit.deviceId))?.lanes ?? [],
      ops: await opsOfVisit(db, visit.clientId),
    }),
    visit.clientId,
  )
  const road = (laneId: number) => found?.lanes.find((lane) => lane.id === laneId)?.roadIndex ?? '—'
  // what the server did not take of it while it was open, and what it did not post
  const left = [
    ...(found?.ops ?? []).flatMap(({ op, result }) =>
      result?.reason ? [{ laneId: op.laneId, why: result.reason }] : [],
    ),
    ...(visit.answer?.errors ?? []).map(({ laneId, error }) => ({ laneId, why: whyNot(error) })),
  ]
  return (
    <>
      <section className={`hd-sheet ${styles.sheet}`}>
        {visit.state === 'SUBMITTED' ? (
          <p role="status" className={styles.sums}>
            {offline ? t('phone.waits') : t('phone.sending')}
          </p>
        ) : visit.state === 'REFUSED' ? (
          <>
            <StatusTag chip tone="fault">
              {t('phone.refused')}
            </StatusTag>
            <p role="alert" className={styles.sums}>
              {visit.problem}
            </p>
            <p>{t('phone.refusedHint')}</p>
          </>
        ) : visit.answer ? (
          <p role="status" className={styles.sums}>
            <StatusTag chip tone={visitTones[visit.answer.state]}>
              {t(`enums.state.${visit.answer.state}`)}
            </StatusTag>{' '}
            {visit.answer.conflicts
              ? t('phone.conflicts', { n: visit.answer.conflicts })
              : left.length
                ? t('phone.partly')
                : null}
          </p>
        ) : null}
        {left.length ? (
          <ul className={styles.lines}>
            {left.map(({ laneId, why }) => (
              <li key={`${laneId} ${why}`}>
                <b>{t('phone.laneNo', { n: road(laneId) })}</b>
                <Bad>{why}</Bad>
              </li>
            ))}
          </ul>
        ) : null}
      </section>
      <footer className={styles.bar}>
        {visit.answer?.conflicts ? (
          <button type="button" onClick={() => void navigate('/stock/replenish/sync')}>
            {t('views.sync')}
          </button>
        ) : null}
        <button
          type="button"
          data-main
          onClick={() => {
            closeTab(path)
            void navigate('/stock/replenish')
          }}
        >
          {t('phone.toList')}
        </button>
      </footer>
    </>
  )
}
