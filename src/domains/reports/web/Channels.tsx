import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { formatCount } from '../../../web/Money.tsx'
import { Problem } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { reports } from '../contract.ts'
import { periodOf } from '../rules.ts'
import styles from './Home.module.css'
import { Bone } from './Kpis.tsx'

const pages = {
  MACHINE: ['channel.machine', '/offline-equipment'],
  ONLINE: ['channel.online', '/online-platform'],
} as const

/** One tile per channel the server knows, with the value of an order beside it. */
export function Channels({ days, every }: { days: 7 | 30; every: number | false }) {
  const { t } = useTranslation('reports')
  const target = useTarget()
  const may = useMay()
  const read = useRead(reports.channels, { days }, { inline: true, keep: true, every })
  if (read.isError && !read.data)
    return (
      <section className="hd-sheet">
        <Problem
          error={read.error}
          title={t('channel.failed')}
          onRetry={() => void read.refetch()}
        />
      </section>
    )
  const period = t(days === 7 ? 'period.d7' : 'period.d30')
  const tiles = (read.data?.list ?? []).flatMap((row) => {
    const [name, page] = pages[row.channel]
    const to = may('device-report:read') && target(`${page}?${periodOf(days)}`)
    const label = `${t(name)} · ${period}`
    const average =
      row.orders === 0 || row.turnover === null ? null : Math.round(row.turnover / row.orders)
    return [
      <Tile
        key={row.channel}
        label={to ? <Link to={to}>{label}</Link> : label}
        value={yuan(row.turnover ?? 0)}
        note={t('orders', { n: formatCount(row.orders) })}
      />,
      ...(read.data?.list.length === 1
        ? [
            <Tile
              key="average"
              label={`${t('channel.average')} · ${period}`}
              value={average === null ? '—' : yuan(average)}
              note={t('channel.refunded', { value: yuan(row.refunded ?? 0) })}
            />,
          ]
        : []),
    ]
  })
  return (
    <section className={`hd-sheet ${styles.channels}`} aria-busy={read.isPending}>
      {read.data
        ? tiles
        : [1, 2].map((n) => (
            <Tile
              key={n}
              label={<Bone width={96} />}
              value={<Bone width={110} />}
              note={<Bone width={60} />}
            />
          ))}
    </section>
  )
}

const Tile = ({
  label,
  value,
  note,
}: {
  label: React.ReactNode
  value: React.ReactNode
  note: React.ReactNode
}) => (
  <div className={styles.tile}>
    <span>{label}</span>
    <strong>{value}</strong>
    <small>{note}</small>
  </div>
)
