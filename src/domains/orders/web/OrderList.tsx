import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../../shared/contract.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { PickerProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { DeviceSelect, OwnerSelect } from '../../devices/web/pickers.tsx'
import { OrderRow, orders } from '../contract.ts'
import { locale } from '../locale.ts'
import { detailPath, MachineCell, NumberCell, OrderCard, ProductCell, RefundedCell, StatusCell } from './cells.tsx'
import { AmountFilter, DaysFilter, useOrderQuery } from './filters.tsx'
import styles from './orders.module.css'

const RefundDialog = lazyDialog(() => import('./RefundDialog.tsx').then((m) => m.RefundDialog))

const tabs = ['PAID', 'SHIPPED', 'ABNORMAL', 'REFUNDED', 'SUCCESS', 'UNPAID', 'CLOSED'] as const
const figures = ['orderAmount', 'orderRefund', 'orderIncome', 'orderCost', 'orderProfit'] as const
/** Which figures a narrow footer leaves out first. */
const figureRank: Readonly<Record<(typeof figures)[number], string | undefined>> = {
  orderAmount: undefined,
  orderRefund: undefined,
  orderIncome: styles.second,
  orderCost: styles.third,
  orderProfit: styles.third,
}
const failReasons = Object.keys(locale.zh.enums.failReason)

export function OrderList() {
  const { t } = useTranslation(['orders', 'web'])
  const col = useCols(OrderRow, 'orders')
  const may = useMay()
  const phone = usePhone()
  // reasons are longer words in English
  const wide = usePrefs().lang === 'en'
  const { query } = useOrderQuery()
  const sums = useFigures(pickFor(orders.statistics.input, query) as CallInput<typeof orders.statistics>)
  const unfiltered = useRead(orders.statistics, {}, { inline: true, keep: true })
  useLive('orders', [orders.statistics.path])
  const [refunding, setRefunding] = useState<string | null>(null)

  const refundOff = (row: OrderRow) =>
    row.can.refund ? undefined : t(row.orderStatus === 'UNPAID' || row.orderStatus === 'CLOSED' ? 'refundUnpaid' : 'refundDone')
  const amount = (key: 'amountMin' | 'amountMax') => ({
    key,
    more: true,
    picker: ({ value, onChange, prefix }: PickerProps) => <AmountFilter value={value} onChange={onChange} prefix={prefix} label={t(`fields.${key}`)} />,
  })
  const cost = may('product:cost') ? [col('costPrice', { width: 76 })] : []
  return (
    <>
      <ListPage
        title={t('title')}
        ns="orders"
        endpoint={orders.list}
        rowKey="orderNum"
        live="orders"
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          ...tabs.map((status) => ({
            key: status,
            label: t(`enums.orderStatus.${status}`),
            query: { orderStatus: status },
            count: status === 'ABNORMAL' ? unfiltered.data?.abnormal : undefined,
          })),
        ]}
        filters={[
          { key: 'keyword', label: t('search'), width: 152 },
          ...(may('device:read') ? [{ key: 'deviceId', width: 164, picker: (props: PickerProps) => <DeviceSelect {...props} /> }] : []),
          { key: 'range', width: 240, picker: () => <DaysFilter /> },
          { key: 'payType' },
          { key: 'orderType', more: true },
          { key: 'failReason', more: true, options: failReasons.map((value) => ({ value, label: t(`enums.failReason.${value}`) })) },
          amount('amountMin'),
          amount('amountMax'),
          { key: 'orgId', label: t('fields.ownedUserName'), more: true, picker: (props) => <OwnerSelect {...props} /> },
        ]}
        columns={[
          col('orderNum', { width: 108, render: (_, row) => <NumberCell row={row} /> }),
          col('detail', { width: wide ? 168 : 180, render: (_, row) => <ProductCell row={row} /> }),
          col('deviceNum', { title: t('fields.machine'), width: wide ? 188 : 196, ellipsis: false, render: (_, row) => <MachineCell row={row} /> }),
          col('orderStatus', { width: wide ? 196 : 174, render: (_, row) => <StatusCell row={row} /> }),
          col('totalAmount', { width: 88, defaultHidden: true }),
          col('actuallyAmount', { width: 92 }),
          col('refundedAmount', { width: 80, render: (_, row) => <RefundedCell fen={row.refundedAmount} /> }),
          ...cost,
          col('payType', { width: wide ? 76 : 80 }),
          col('orderType', { width: 92, defaultHidden: true }),
          col('userName', { width: 96, defaultHidden: true }),
          col('ownedUserName', { width: 144, defaultHidden: true }),
          col('createTime', { width: 108 }),
        ]}
        actions={(row) => [
          { key: 'open', label: t('open'), to: detailPath(row.orderNum) },
          {
            key: 'refund',
            label: t('refundTitle'),
            danger: true,
            can: may('order:refund'),
            disabled: refundOff(row),
            onClick: () => setRefunding(row.orderNum),
          },
        ]}
        sums={() => (phone ? [] : sums)}
        notice={
          phone && sums.length > 0 ? (
            <dl className={styles.figures} tabIndex={0}>
              {sums.map(({ label, value }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          ) : null
        }
        empty={{ title: t('empty') }}
        card={(row, actions) => <OrderCard row={row} actions={actions} />}
      />
      {refunding ? <RefundDialog orderNum={refunding} onClose={() => setRefunding(null)} /> : null}
    </>
  )
}

/** Money of the whole filter; nothing without the right to see money. */
function useFigures(input: CallInput<typeof orders.statistics>) {
  const { t } = useTranslation('orders')
  const { data } = useRead(orders.statistics, input, { inline: true, keep: true })
  return figures.flatMap((key) => {
    const fen = data?.[key]
    return fen === null || fen === undefined
      ? []
      : [
          {
            label: t(`fields.${key}`),
            value: (
              <span className={figureRank[key]}>
                <Money fen={fen} />
              </span>
            ),
          },
        ]
  })
}
