import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { DrugMark } from '../../products/web/DrugMark.tsx'
import { ItemRow, medicalInsurance } from '../contract.ts'

const InsuranceFields = lazyDialog(() =>
  import('./InsuranceFields.tsx').then((m) => m.InsuranceFields),
)

export function InsuranceList() {
  const { t } = useTranslation('medicalInsurance')
  const col = useCols(ItemRow, 'medicalInsurance')
  const may = useMay()
  const [importing, setImporting] = useState(false)
  const inherited = (row: ItemRow) => (row.source === 'INHERITED' ? t('inherited') : undefined)
  return (
    <>
      <ListPage
        ns="medicalInsurance"
        endpoint={medicalInsurance.list}
        live="medical-insurance"
        records={{
          ...medicalInsurance,
          fields: InsuranceFields,
          width: 680,
          whyNotUpdate: inherited,
          whyNotRemove: inherited,
        }}
        header={
          may('medical-insurance:import') ? (
            <Button onClick={() => setImporting(true)}>{t('import')}</Button>
          ) : null
        }
        views="status"
        filters={['keyword', 'insuranceCode', 'insuranceClass', 'complete']}
        columns={[
          col('productName', {
            fixed: 'start',
            fit: (_, row) => `${row.productName} OTC  `,
            render: (_, row) => (
              <>
                {row.productName} <DrugMark drugClass={row.drugClass} />
              </>
            ),
          }),
          col('model'),
          col('drugClass', {
            width: 136,
            defaultHidden: true,
            render: (_, row) => <DrugMark drugClass={row.drugClass} word />,
          }),
          col('insuranceClass', { width: 112 }),
          col('status', { width: 112 }),
          col('insuranceCode', { width: 224 }),
          col('approvalNo', { defaultHidden: true }),
          col('traceRequired', { defaultHidden: true }),
          col('payPrice'),
          col('selfRatio', {
            width: 116,
            render: (ratio: number | null) => (ratio === null ? <Muted>—</Muted> : `${ratio}%`),
          }),
          col('validFrom', { defaultHidden: true }),
          col('validUntil'),
          col('source', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        card={['model', 'insuranceClass', 'insuranceCode', 'payPrice', 'selfRatio', 'validUntil']}
      />
      {importing ? (
        <ImportDialog
          kind="medical-insurance"
          title={t('importTitle')}
          invalidates={[medicalInsurance.list.path]}
          onClose={() => setImporting(false)}
        />
      ) : null}
    </>
  )
}
