import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { FlowRow, stock } from '../contract.ts'
import styles from './stock.module.css'

/** Losses stand out; what comes in is marked by its sign, what is sold stays plain. */
const losses: readonly FlowRow['reason'][] = ['COUNT_LOSS', 'WASTE', 'EXPIRED', 'RECALL']
const signed = (count: number) => (count > 0 ? `+${formatCount(count)}` : formatCount(count))
const Change = ({ row }: { row: FlowRow }) => (
  <span
    className={
      row.changeTotal > 0 ? styles.plus : losses.includes(row.reason) ? styles.loss : undefined
    }
  >
    {signed(row.changeTotal)}
  </span>
)

export function FlowList() {
  const { t } = useTranslation(['stock', 'web'])
  const col = useCols(FlowRow, 'stock')
  const may = useMay()
  const order = (num: string | null) =>
    num === null ? (
      <span className="hd-none">—</span>
    ) : may('order:read') ? (
      <Link to={`/order/order-details/${num}`}>{num}</Link>
    ) : (
      num
    )
  const actor = (row: FlowRow) => row.actorName ?? t(`enums.actorKind.${row.actorKind}`)
  return (
    <ListPage
      title={t('list.title')}
      ns="stock"
      endpoint={stock.flows}
      rowKey="id"
      live="stock"
      filters={[
        { key: 'rtuNumber', label: t('list.device') },
        { key: 'keyword', label: t('fields.keyword') },
        { key: 'type' },
        { key: 'reason' },
        { key: 'range' },
        { key: 'cargoRoad', more: true },
        { key: 'orderNum', more: true },
        { key: 'wasteNum', more: true },
      ]}
      columns={[
        col('wasteNum', { width: 190, ellipsis: false }),
        col('rtuNumber', { width: 112, ellipsis: false }),
        col('cargoRoad', { width: 72 }),
        col('type', { width: 104 }),
        col('reason', { width: 96 }),
        col('productName', { width: 176 }),
        col('beforeChangeTotal', { width: 88 }),
        col('changeTotal', { width: 96, render: (_, row) => <Change row={row} /> }),
        col('afterChangeTotal', { width: 88 }),
        col('orderNum', {
          width: 190,
          ellipsis: false,
          render: (num: string | null) => order(num),
        }),
        col('actorName', { width: 112, render: (_, row) => actor(row) }),
        col('createTime', { width: 124 }),
        col('occurTime', { width: 124, defaultHidden: true }),
      ]}
      sums={(answer) => [
        { label: t('fields.plus'), value: signed(answer.sums.plus) },
        { label: t('fields.minus'), value: signed(answer.sums.minus) },
      ]}
      empty={{ title: t('list.empty'), hint: t('list.week') }}
      card={(row) => (
        <>
          <div className={styles.head}>
            <strong>{row.productName}</strong>
            <b>
              <Change row={row} />
            </b>
          </div>
          <div className={styles.facts}>
            <span>
              {row.rtuNumber} · {t('fields.cargoRoad')} {row.cargoRoad}
            </span>
            <span>{t(`enums.reason.${row.reason}`)}</span>
            <span>
              {row.beforeChangeTotal} → {row.afterChangeTotal}
            </span>
            <span>{actor(row)}</span>
            <Time at={row.createTime} />
          </div>
        </>
      )}
    />
  )
}
