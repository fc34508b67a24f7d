import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../../shared/contract.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { PickerProps, Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Count, Money } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { toast } from '../../../web/toast.ts'
import { Figures } from '../../../web/ui/Sheet.tsx'
import { Cut } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { OrderRow, orders } from '../contract.ts'
import { locale } from '../locale.ts'
import * as cell from './cells.tsx'
import { AmountFilter, DaysFilter, useOrderQuery } from './filters.tsx'
import styles from './orders.module.css'
import { lane } from './stations.ts'

const RefundDialog = lazyDialog(() => import('./RefundDialog.tsx').then((m) => m.RefundDialog))

const VendDialog = lazyDialog(() => import('./VendDialog.tsx').then((m) => m.VendDialog))
const BatchRefundDialog = lazyDialog(() =>
  import('./BatchRefundDialog.tsx').then((m) => m.BatchRefundDialog),
)

const tabs = ['PAID', 'SHIPPED', 'ABNORMAL', 'REFUNDED', 'SUCCESS', 'UNPAID', 'CLOSED'] as const
/** Figures of the whole filter; the later ones are the first that a narrow footer leaves out. */
const figures = [
  ['orderAmount', undefined],
  ['orderRefund', undefined],
  ['orderIncome', styles.second],
  ['orderCost', styles.third],
  ['orderProfit', styles.third],
] as const
const failReasons = Object.keys(locale.zh.enums.failReason)

export function OrderList() {
  const { t } = useTranslation(['orders', 'web'])
  const col = useCols(OrderRow, 'orders')
  const may = useMay()
  const phone = usePhone()
  const { query, change } = useOrderQuery()
  const today = shanghaiDay(new Date())
  const sums = useFigures(
    pickFor(orders.statistics.input, query) as CallInput<typeof orders.statistics>,
  )
  const unfiltered = useRead(orders.statistics, {}, { inline: true, keep: true })
  useLive('orders', [orders.statistics.path])
  const [refunding, setRefunding] = useState<string | null>(null)
  const [vending, setVending] = useState<string | null>(null)
  const [together, setTogether] = useState<Together | null>(null)
  const refundTogether = ({ rows, clear }: Selection<OrderRow>) => {
    const orderNums = rows
      .filter((row) => row.orderStatus === 'ABNORMAL')
      .map((row) => row.orderNum)
    if (orderNums.length === 0) toast('info', t('batchNone'))
    else if (orderNums.length > 50) toast('info', t('batchMany'))
    else setTogether({ orderNums, done: clear })
  }
  const reason = cell.useReason()
  const refundOff = ({ can, orderStatus }: OrderRow) =>
    can.refund
      ? undefined
      : t(orderStatus === 'UNPAID' || orderStatus === 'CLOSED' ? 'refundUnpaid' : 'refundDone')
  const amount = (key: 'amountMin' | 'amountMax') => ({
    key,
    more: true,
    picker: ({ placeholder: _, ...props }: PickerProps) => (
      <AmountFilter {...props} label={t(`fields.${key}`)} />
    ),
  })
  const view = (status: (typeof tabs)[number]) => ({
    key: status,
    label: t(`enums.orderStatus.${status}`),
    query: { orderStatus: status },
    count: status === 'ABNORMAL' ? unfiltered.data?.abnormal : undefined,
  })
  return (
    <>
      <ListPage
        ns="orders"
        endpoint={orders.list}
        rowKey="orderNum"
        live="orders"
        views={[{ key: 'all', label: t('web:list.all'), query: {} }, ...tabs.map(view)]}
        filters={[
          { key: 'keyword', width: 176 },
          ...(may('device:read') ? [{ key: 'deviceId', picker: DeviceSelect }] : []),
          { key: 'range', width: 248, picker: () => <DaysFilter /> },
          'payType',
          { key: 'productId', more: true, picker: ProductSelect },
          { key: 'orderType', more: true },
          { key: 'channel', more: true },
          ...(may('store:read') ? [{ key: 'storeId', more: true, picker: StoreSelect }] : []),
          { key: 'consumer', more: true },
          { key: 'partRefunded', more: true },
          {
            key: 'failReason',
            more: true,
            options: failReasons.map((value) => ({ value, label: t(`enums.failReason.${value}`) })),
          },
          amount('amountMin'),
          amount('amountMax'),
          { key: 'includeCleaned', more: true },
          { key: 'byPayment', more: true },
          { key: 'ownerId', picker: OwnerSelect, more: true },
          { key: 'orgId', label: t('fields.ownedUserName'), more: true, picker: OwnerSelect },
        ]}
        columns={[
          col('orderNum', { width: 108, render: (_, row) => <cell.NumberCell row={row} /> }),
          col('detail', { width: 168, render: (_, row) => <cell.ProductCell row={row} /> }),
          col('deviceNum', {
            title: t('fields.machine'),
            fit: (_, row) => `${row.deviceNum} ${row.name}`,
            render: (_, row) => <cell.MachineCell row={row} />,
          }),
          col('orderStatus', {
            ellipsis: false,
            // the state's own room, and the reason in its smaller letters
            fit: (_, row) => `${t(`enums.orderStatus.${row.orderStatus}`)}   ${reason(row) ?? ''}`,
            render: (_, row) => <cell.StatusCell row={row} />,
          }),
          col('roads', {
            width: 96,
            defaultHidden: true,
            render: (roads: readonly number[]) => <Cut>{roads.map(lane).join(' ')}</Cut>,
          }),
          col('totalAmount', { defaultHidden: true }),
          col('actuallyAmount'),
          col('refundedAmount', {
            width: 88,
            render: (_, row) => <cell.RefundedCell fen={row.refundedAmount} />,
          }),
          may('product:cost') &&
            // nothing left yet: its cost is not known
            col('costPrice', {
              defaultHidden: true,
              render: (fen: number | null) => <Money fen={fen || null} />,
            }),
          col('payType'),
          col('orderType', { defaultHidden: true }),
          col('userName', { defaultHidden: true }),
          col('ownedUserName', { defaultHidden: true }),
          col('createTime', { width: 108 }),
        ]}
        actions={(row) => [
          { key: 'open', label: t('open'), to: cell.detailPath(row.orderNum) },
          {
            key: 'refund',
            label: t('refundTitle'),
            danger: true,
            can: may('order:refund'),
            disabled: refundOff(row),
            onClick: () => setRefunding(row.orderNum),
          },
          {
            key: 'vend',
            label: t('vendTitle'),
            can: may('order:vend'),
            disabled: row.can.vend ? undefined : t('vendNone'),
            onClick: () => setVending(row.orderNum),
          },
        ]}
        batch={[
          {
            key: 'refund',
            label: t('refundTitle'),
            danger: true,
            can: may('order:refund'),
            onClick: refundTogether,
          },
        ]}
        sums={() => (phone ? [] : sums)}
        notice={
          phone && sums.length > 0 ? (
            <Figures items={sums.map(({ label, value }) => [label, value])} />
          ) : null
        }
        empty={{
          title: t('empty'),
          action: (
            <Button onClick={() => change({ from: addDays(today, -29), to: today })}>
              {t('month')}
            </Button>
          ),
        }}
        card={(row, actions) => <cell.OrderCard row={row} actions={actions} />}
      />
      {vending ? <VendDialog orderNum={vending} onClose={() => setVending(null)} /> : null}
      {together ? <BatchRefundDialog {...together} onClose={() => setTogether(null)} /> : null}
      {refunding ? <RefundDialog orderNum={refunding} onClose={() => setRefunding(null)} /> : null}
    </>
  )
}

/** Abnormal orders that are refunded by one act. */
type Together = { readonly orderNums: readonly string[]; readonly done: () => void }

/** Money of the whole filter; nothing without the right to see money. */
function useFigures(input: CallInput<typeof orders.statistics>) {
  const { t } = useTranslation('orders')
  const { data } = useRead(orders.statistics, input, { inline: true, keep: true })
  const money = figures.flatMap(([key, rank]) => {
    const fen = data?.[key]
    if (fen === null || fen === undefined) return []
    const value = (
      <span key={key} className={rank}>
        <Money fen={fen} />
      </span>
    )
    return [{ label: t(`fields.${key}`), value }]
  })
  const count = data
    ? [{ label: t('fields.orderCount'), value: <Count value={data.orderCount} /> }]
    : []
  return money.length ? [...money.slice(0, 1), ...count, ...money.slice(1)] : []
}
