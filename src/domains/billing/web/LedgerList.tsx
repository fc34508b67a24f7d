import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad } from '../../../web/ui/Text.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { OneOrganisation } from '../../accounts/web/pickers.tsx'
import { billing } from '../contract.ts'
import { EntryRow } from '../ledgerContract.ts'
import { useBillingViews } from './pickers.ts'

const AdjustDialog = lazyDialog(() => import('./AdjustDialog.tsx').then((m) => m.AdjustDialog))
const VoucherDrawer = lazyDialog(() => import('./VoucherDrawer.tsx').then((m) => m.VoucherDrawer))
const adjustments = '/finance/billing-details/adjustments'

export function LedgerList() {
  const { t } = useTranslation('billing')
  const col = useCols(EntryRow, 'billing')
  const may = useMay()
  const target = useTarget()
  const detail = useDetail()
  const state = useRead(billing.ledgerState, {}, { inline: true }).data
  const [adjusting, setAdjusting] = useState(false)
  return (
    <>
      <ListPage
        ns="billing"
        endpoint={billing.entries}
        live="ledger"
        title={t('title')}
        views={useBillingViews('ledger')}
        detail={VoucherDrawer}
        header={
          <>
            {state ? (
              <StatusTag tone={state.balanced ? 'success' : 'fault'} chip>
                {t(state.balanced ? 'balanced' : 'unbalanced')}
              </StatusTag>
            ) : null}
            <Link to={target(adjustments) ?? ''}>
              {t('adjustments', { count: state?.waiting ?? 0 })}
            </Link>
            {may('ledger:adjust') ? (
              <Button type="primary" onClick={() => setAdjusting(true)}>
                {t('adjust')}
              </Button>
            ) : null}
          </>
        }
        filters={[
          'account',
          'type',
          'range',
          { key: 'keyword', label: t('fields.number') },
          { key: 'orgId', picker: OneOrganisation, more: true },
          { key: 'amountMin', more: true },
          { key: 'amountMax', more: true },
          { key: 'reversals', more: true },
        ]}
        columns={[
          col('voucherNo'),
          col('createTime'),
          col('type', { width: 120 }),
          col('summary', { width: 124 }),
          col('orgName', { defaultHidden: true }),
          col('account', { width: 132 }),
          col('debit'),
          col('credit'),
          col('balance', {
            fit: (fen) => yuan(Number(fen)),
            render: (fen: number) => (
              <Bad when={fen < 0}>
                <Money fen={fen} />
              </Bad>
            ),
          }),
          col('related', {
            link: (row) =>
              row.orderNum && may('order:read')
                ? `/order/order-details/${row.orderNum}`
                : undefined,
          }),
          col('operator', { defaultHidden: true, render: (name: string) => name || t('system') }),
          col('merchantName', { defaultHidden: true }),
        ]}
        actions={(row) => [{ key: 'open', label: t('voucher'), to: detail.to(row.id) }]}
        empty={{ title: t('noEntries') }}
        card={['voucherNo', 'createTime', 'account', 'debit', 'credit', 'balance']}
      />
      {adjusting ? <AdjustDialog onClose={() => setAdjusting(false)} /> : null}
    </>
  )
}
