import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { Problem } from '../../../web/Problem.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { orders } from '../../orders/contract.ts'
import { locale as orderTexts } from '../../orders/locale.ts'
import styles from './complaints.module.css'
import { laneNo, type Piece } from './pieces.ts'

// vend results and reasons have their words there
registerLocale('orders', orderTexts)

const tones: Readonly<Record<Piece['vendState'], Tone>> = {
  WAIT: 'paid',
  SENT: 'paid',
  ACKED: 'paid',
  SUCCESS: 'success',
  FAILED: 'fault',
  UNKNOWN: 'warn',
  VOID: 'closed',
}

/** What came out of the machine and what did not, piece by piece. */
export function OrderPieces({ orderNum }: { orderNum: string }) {
  const { t } = useTranslation(['complaints', 'orders'])
  const read = useRead(orders.get, { orderNum }, { inline: true })
  useLive('orders', [orders.get.path])
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton active paragraph={{ rows: 3 }} />
  return (
    <>
      <ol className={styles.units}>
        {read.data.units.map((unit) => (
          <li key={unit.id}>
            <span className={styles.what}>
              <strong>
                {unit.productName} {unit.model}
              </strong>
              <small>{facts(unit).join(' · ')}</small>
            </span>
            <Money fen={unit.paid} />
            <span className={styles.verdict}>
              <StatusTag tone={tones[unit.vendState]}>
                {t(`orders:enums.vendState.${unit.vendState}`)}
              </StatusTag>
              {unit.refund ? (
                <small>{t(`orders:enums.refundState.${unit.refund.state}`)}</small>
              ) : null}
            </span>
          </li>
        ))}
      </ol>
      <Link to={`/order/order-details/${orderNum}`}>{t('detail.toOrder')}</Link>
    </>
  )

  function facts(unit: Piece): string[] {
    return [
      ...(unit.road === null ? [] : [t('onLane', { n: laneNo(unit.road) })]),
      ...(unit.failReason
        ? [t(`orders:enums.failReason.${unit.failReason}`, { defaultValue: unit.failReason })]
        : []),
      ...(unit.vendState === 'SUCCESS'
        ? [t(unit.dropConfirmed ? 'detail.dropped' : 'detail.notDropped')]
        : []),
    ]
  }
}
