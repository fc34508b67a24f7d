import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { Bones, Empty, Problem } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { type FlowRow, stock } from '../../stock/contract.ts'
import { locale as stockTexts } from '../../stock/locale.ts'
import { type Visit, visitsOf } from '../refills.ts'
import styles from './refills.module.css'

registerLocale('stock', stockTexts)

const days = 90
const most = 200

/** Who filled the machine when, and what he put in. */
export function DeviceRefills({ deviceId, rtuNumber }: { deviceId: number; rtuNumber: string }) {
  const { t } = useTranslation('devices')
  const from = addDays(shanghaiDay(new Date()), -days)
  const read = useRead(
    stock.flows,
    { deviceId, type: 'MERCHANT_REPLENISH', from, pageSize: most },
    { inline: true, keep: true },
  )
  useLive('stock', [stock.flows.path])
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Bones rows={6} />
  const { list, total } = read.data
  return (
    <div className={styles.visits}>
      <Link
        className={styles.all}
        to={`/stock/waste?${new URLSearchParams({ rtuNumber, type: 'MERCHANT_REPLENISH', from })}`}
      >
        {t('refills.all')}
      </Link>
      {list.length === 0 ? <Empty title={t('refills.empty')} /> : null}
      {visitsOf(list).map((visit) => (
        <VisitCard key={visit.lines[0]?.id} visit={visit} />
      ))}
      {total > list.length ? (
        <p className={styles.more}>{t('refills.only', { n: list.length })}</p>
      ) : null}
    </div>
  )
}

function VisitCard({ visit }: { visit: Visit<FlowRow> }) {
  const { t } = useTranslation(['devices', 'stock'])
  return (
    <article className={styles.visit}>
      <header>
        <Time at={visit.to} style="full" />
        <strong>{visit.actorName ?? t(`stock:enums.actorKind.${visit.actorKind}`)}</strong>
        <span>{t('refills.visit', { lanes: visit.lanes, pieces: visit.pieces })}</span>
      </header>
      <ul>
        {visit.lines.map((line) => (
          <li key={line.id}>
            <span className={styles.road}>{t('refills.road', { n: line.cargoRoad })}</span>
            <span className={styles.product} title={line.productName}>
              {line.productName}
            </span>
            <b>+{line.changeTotal}</b>
            <span className={styles.stock}>
              {line.beforeChangeTotal} → {line.afterChangeTotal}
            </span>
            {line.reason === 'REFILL' ? null : (
              <small>{t(`stock:enums.reason.${line.reason}`)}</small>
            )}
          </li>
        ))}
      </ul>
    </article>
  )
}
