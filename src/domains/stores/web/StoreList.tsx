import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { StoreRow, stores } from '../contract.ts'

const StoreFields = lazyDialog(() => import('./StoreFields.tsx').then((m) => m.StoreFields))

export function StoreList() {
  const { t } = useTranslation('stores')
  const col = useCols(StoreRow, 'stores')
  const may = useMay()
  const { orgId } = useUser()
  return (
    <ListPage
      ns="stores"
      endpoint={stores.list}
      live="stores"
      records={{ ...stores, fields: StoreFields, blank: { orgId }, width: 640 }}
      filters={['keyword', { key: 'orgId', picker: OwnerSelect }, 'systemId']}
      columns={[
        col('storeName'),
        col('systemId'),
        col('userName'),
        col('orgName'),
        col('merchantName', { defaultHidden: true }),
        col('deviceCount'),
        col('regionName'),
        col('address'),
        col('createTime'),
      ]}
      actions={(row) => [
        {
          key: 'devices',
          label: t('devices'),
          can: may('device:read') && row.deviceCount > 0,
          to: `/device/device-list?storeId=${row.id}`,
        },
      ]}
      card={['orgName', 'systemId', 'userName', 'deviceCount']}
    />
  )
}
