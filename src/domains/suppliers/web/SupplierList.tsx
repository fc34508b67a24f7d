import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { SupplierRow, suppliers } from '../contract.ts'

const SupplierFields = lazyDialog(() =>
  import('./SupplierFields.tsx').then((m) => m.SupplierFields),
)

/** The first tab of the page; batches are the second. */
export function SupplierList() {
  const { t } = useTranslation('suppliers')
  const col = useCols(SupplierRow, 'suppliers')
  const { orgId } = useUser()
  const may = useMay()
  return (
    <ListPage
      ns="suppliers"
      endpoint={suppliers.list}
      live="suppliers"
      records={{ ...suppliers, fields: SupplierFields, blank: { orgId }, width: 680 }}
      views={[
        { key: 'suppliers', label: t('tab'), query: {} },
        ...(may('batch:read')
          ? [{ key: 'batches', label: t('batches'), path: '/product/supplier-batch/batches' }]
          : []),
      ]}
      filters={[
        'keyword',
        { key: 'orgId', picker: OwnerSelect },
        'suppliesDrugs',
        'licenceState',
        'status',
      ]}
      columns={[
        col('licence', { defaultHidden: true }),
        col('name'),
        col('contact'),
        col('phone'),
        col('creditCode', { defaultHidden: true }),
        col('suppliesDrugs'),
        col('licenceUntil'),
        col('licenceState'),
        col('status'),
        col('supplierOrgName', { defaultHidden: true }),
        col('orgName'),
        col('createTime', { defaultHidden: true }),
      ]}
      card={['orgName', 'contact', 'phone', 'suppliesDrugs', 'licenceUntil']}
    />
  )
}
