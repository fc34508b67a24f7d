import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useLocation } from 'react-router'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { Money } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad, Chip } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { type BillRow, billing, BillRow as Row } from '../contract.ts'
import { usualDays } from '../rules.ts'
import { type BillingTab, billingPaths, useBillingViews } from './pickers.ts'

const StatementDialog = lazyDialog(() =>
  import('./StatementDialog.tsx').then((m) => m.StatementDialog),
)

/** The tabs of the page of money were once named in its address. */
export function BillList() {
  const { search } = useLocation()
  const params = new URLSearchParams(search)
  const tab = params.get('tab')
  if (tab === null) return <Bills />
  params.delete('tab')
  const path = billingPaths[tab as BillingTab] ?? billingPaths.bills
  return <Navigate replace to={{ pathname: path, search: params.toString() }} />
}

function Bills() {
  const { t } = useTranslation('billing')
  const col = useCols(Row, 'billing')
  const may = useMay()
  const { search } = useLocation()
  const [stating, setStating] = useState(false)
  const less = (key: 'gathering' | 'pendingSplit' | 'splitAmount' | 'ownShare') =>
    col(key, {
      fit: (fen) => yuan(Number(fen)),
      render: (fen: number) => (
        <Bad when={fen < 0}>
          <Money fen={fen} />
        </Bad>
      ),
    })
  return (
    <>
      <ListPage
        ns="billing"
        endpoint={billing.bills}
        header={
          <Flex gap={8} wrap>
            {may('billing:subscribe') ? (
              <Link to="/subscriptions?new=statements">
                <Button>{t('statement.subscribe')}</Button>
              </Link>
            ) : null}
            {may('billing:export') ? (
              <Button onClick={() => setStating(true)}>{t('statement.title')}</Button>
            ) : null}
          </Flex>
        }
        live="orders"
        views={useBillingViews('bills')}
        filters={[
          'dimension',
          'range',
          { key: 'orgId', picker: OwnerSelect },
          'keyword',
          { key: 'deviceId', picker: DeviceSelect, more: true },
          { key: 'payType', more: true },
          { key: 'provider', more: true },
          { key: 'byOrder', more: true },
        ]}
        columns={[
          col('name', {
            fit: (_, row) =>
              `${row.name || t('movedAway')}${row.unsettled ? t('unsettled') : ''}oooo`,
            render: (name: string, row) => (
              <>
                {name || t('movedAway')}{' '}
                {row.unsettled ? <Chip tone="warn">{t('unsettled')}</Chip> : null}
              </>
            ),
          }),
          col('identifier'),
          col('price'),
          col('refundment'),
          col('servicePrice'),
          less('gathering'),
          col('orderCount'),
          col('refundOrderCount', { defaultHidden: true }),
          less('pendingSplit'),
          less('splitAmount'),
          less('ownShare'),
        ]}
        sums={({ sums }) =>
          (['price', 'refundment', 'servicePrice', 'gathering'] as const).map((key) => ({
            label: t(`fields.${key}`),
            value: <Money fen={sums[key]} />,
          }))
        }
        actions={(row) => [
          {
            key: 'orders',
            label: t('orders'),
            can: may('order:read'),
            to: `/order/order-list?${ordersOf(row, new URLSearchParams(search))}`,
          },
        ]}
        empty={{ title: t('noBills') }}
        card={['identifier', 'price', 'refundment', 'servicePrice', 'gathering', 'orderCount']}
      />
      {stating ? <StatementDialog onClose={() => setStating(false)} /> : null}
    </>
  )
}

/** The same filter among orders, those that were cleaned away with them. */
function ordersOf(row: BillRow, filter: URLSearchParams): string {
  const today = shanghaiDay(new Date())
  const of = new URLSearchParams({ includeCleaned: 'true' })
  const set = (key: string, value: string | number | null) => {
    if (value !== null) of.set(key, String(value))
  }
  set('from', row.day ?? filter.get('from') ?? addDays(filter.get('to') ?? today, 1 - usualDays))
  set('to', row.day ?? filter.get('to') ?? today)
  set('orgId', row.orgId ?? filter.get('orgId'))
  set('deviceId', row.deviceId ?? filter.get('deviceId'))
  set('payType', filter.get('payType'))
  return of.toString()
}
