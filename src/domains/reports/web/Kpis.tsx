import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Sparkline } from '../../../web/charts.tsx'
import { Figure, FigureRow } from '../../../web/Figure.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import type { Summary } from '../contract.ts'
import { changeShare } from '../rules.ts'
import styles from './Home.module.css'

export function Kpis({ summary, money }: { summary: Summary | undefined; money: boolean }) {
  const { t } = useTranslation('reports')
  if (!summary)
    return (
      <FigureRow>
        {(money ? [1, 2, 3, 4] : [1, 2]).map((n) => (
          <Figure
            key={n}
            label={<Bone width={72} />}
            value={<Bone width={150} />}
            note={<Bone width={120} />}
          />
        ))}
      </FigureRow>
    )
  const { today, total } = summary
  // the running hour and day would always look like a slump
  const hours = {
    orders: today.hours.orders.slice(0, -1),
    turnover: today.hours.turnover?.slice(0, -1) ?? [],
  }
  const days = {
    orders: total.days.orders.slice(0, -1),
    turnover: total.days.turnover?.slice(0, -1) ?? [],
  }
  const orders = (n: number) => t('orders', { n: formatCount(n) })
  return (
    <FigureRow>
      {today.turnover === null ? null : (
        <Figure
          label={t('kpi.todayTurnover')}
          value={<Amount fen={today.turnover} sums={today} />}
          change={
            today.before.turnover === null
              ? null
              : changeShare(today.turnover, today.before.turnover)
          }
          note={t('kpi.before', { value: yuan(today.before.turnover ?? 0) })}
          chart={<Sparkline values={hours.turnover} label={t('kpi.sparkToday')} />}
        />
      )}
      <Figure
        label={t('kpi.todayOrders')}
        value={formatCount(today.orders)}
        change={changeShare(today.orders, today.before.orders)}
        note={t('kpi.before', { value: formatCount(today.before.orders) })}
        chart={<Sparkline values={hours.orders} label={t('kpi.sparkToday')} />}
      />
      {total.turnover === null ? null : (
        <Figure
          label={t('kpi.totalTurnover')}
          value={<Amount fen={total.turnover} sums={total.last30} />}
          note={t('kpi.last30', { value: yuan(total.last30.turnover ?? 0) })}
          chart={<Sparkline values={days.turnover} label={t('kpi.sparkDays')} />}
        />
      )}
      <Figure
        label={t('kpi.totalOrders')}
        value={formatCount(total.orders)}
        note={t('kpi.last30', { value: orders(total.last30.orders) })}
        chart={<Sparkline values={days.orders} label={t('kpi.sparkDays')} />}
      />
    </FigureRow>
  )
}

/**
 * Turnover is before discounts; what was paid and given back stands in the tooltip (of today, or of
 * the last 30 days).
 */
function Amount({
  fen,
  sums,
}: {
  fen: number
  sums: { paid: number | null; refunded: number | null }
}) {
  const { t } = useTranslation('reports')
  const lines = [
    t('kpi.paid', { value: yuan(sums.paid ?? 0) }),
    t('kpi.refunded', { value: yuan(sums.refunded ?? 0) }),
    t('kpi.turnoverHint'),
  ]
  return (
    <Tooltip title={lines.map((line) => <div key={line}>{line}</div>)}>
      <span>{yuan(fen)}</span>
    </Tooltip>
  )
}

/** A grey bar where text is about to stand. */
export const Bone = ({ width }: { width: number | string }) => (
  <span className={styles.bone} style={{ width }} />
)
