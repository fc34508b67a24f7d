import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useAct } from '../../../web/useAct.ts'
import { billing } from '../contract.ts'
import { Adjustment } from '../ledgerContract.ts'

/** What was asked for and decided; whoever asked does not agree. */
export function AdjustmentList() {
  const { t } = useTranslation('billing')
  const col = useCols(Adjustment, 'billing')
  const invalidates = ['/api/finance']
  const name = (row: Adjustment) => row.no
  const approve = useAct(billing.approve, { ask: t('approveAsk'), name, invalidates })
  const reject = useAct(billing.reject, { ask: t('rejectAsk'), name, invalidates })
  const place = (org: string | null, code: string | null) =>
    code === null ? '' : `${org} · ${t(`enums.account.${code}`)}`
  return (
    <ListPage
      ns="billing"
      endpoint={billing.adjustments}
      live="ledger"
      views="state"
      filters={['kind', 'range']}
      columns={[
        col('no'),
        col('kind', { defaultHidden: true }),
        col('debitCode', {
          width: 156,
          fit: (_, row) => place(row.debitOrg, row.debitCode),
          render: (_, row) => place(row.debitOrg, row.debitCode),
        }),
        col('creditCode', {
          width: 156,
          fit: (_, row) => place(row.creditOrg, row.creditCode),
          render: (_, row) => place(row.creditOrg, row.creditCode),
        }),
        col('reverses', { defaultHidden: true }),
        col('amount'),
        col('reason', { width: 136 }),
        col('state'),
        col('askedBy'),
        col('createTime'),
        col('decidedBy', { defaultHidden: true }),
        col('decidedAt', { defaultHidden: true }),
      ]}
      actions={(row) => [
        {
          key: 'approve',
          label: t('approve'),
          can: row.can.reject,
          disabled: row.can.approve ? undefined : t('ownRequest'),
          onClick: () => void approve(row, { adjustmentId: row.id }),
        },
        {
          key: 'reject',
          label: t('reject'),
          danger: true,
          can: row.can.reject,
          onClick: () => void reject(row, { adjustmentId: row.id }),
        },
      ]}
      empty={{ title: t('noAdjustments') }}
      card={['no', 'kind', 'amount', 'reason', 'state', 'askedBy']}
    />
  )
}
