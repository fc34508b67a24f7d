import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { dataReports } from '../contract.ts'
import { BillDifferenceRow } from '../moneyContract.ts'

const signed = { fit: (fen: unknown) => yuan(Number(fen)) }

/** The trades behind a difference between books and bills. */
export function FinancialDifferences() {
  const { t } = useTranslation('dataReports')
  const col = useCols(BillDifferenceRow, 'dataReports')
  const may = useMay()
  const navigate = useNavigate()
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.financialDifferences}
      live="reconciliation"
      title={t('money.differences')}
      header={<Button onClick={() => navigate('/data/financial-data')}>{t('money.back')}</Button>}
      filters={[
        'range',
        'kind',
        'handled',
        'provider',
        { key: 'orgId', picker: OwnerSelect, more: true },
      ]}
      columns={[
        col('day'),
        col('kind', { tones: {} }),
        col('handled'),
        col('subject'),
        col('orderNum', {
          link: (row) =>
            may('order:read') && row.orderNum ? `/order/order-details/${row.orderNum}` : undefined,
        }),
        col('localAmount', signed),
        col('otherAmount', signed),
        col('gap', signed),
        col('reason'),
        col('rtuNumber', { defaultHidden: true }),
        col('orgName', { defaultHidden: true }),
        col('provider', { defaultHidden: true, tones: {} }),
      ]}
      empty={{ title: t('money.noDifferences'), hint: t('money.noDifferencesHint') }}
      card={['day', 'handled', 'subject', 'localAmount', 'otherAmount', 'gap', 'reason']}
    />
  )
}
