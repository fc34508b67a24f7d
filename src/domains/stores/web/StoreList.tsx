import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { OwnerSelect } from '../../devices/web/pickers.tsx'
import { StoreRow, stores } from '../contract.ts'

const StoreDialog = lazyDialog(() => import('./StoreDialog.tsx').then((m) => m.StoreDialog))

export function StoreList() {
  const { t } = useTranslation(['stores', 'web'])
  const col = useCols(StoreRow, 'stores')
  const may = useMay()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const remove = useWrite(stores.remove, { success: 'stores:success.remove' })
  const [edited, setEdited] = useState<StoreRow | 'new' | null>(null)
  const askRemove = async (row: StoreRow) => {
    if (await confirm({ title: t('removeAsk'), content: row.storeName, danger: true })) remove.mutate({ id: row.id, version: row.version })
  }
  const add = may('store:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
      {t('create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage
        title={t('title')}
        ns="stores"
        endpoint={stores.list}
        rowKey="id"
        live="stores"
        header={add}
        empty={{ title: t('empty'), ...(add ? { action: add } : {}) }}
        filters={[
          { key: 'keyword', label: t('fields.keyword') },
          { key: 'orgId', picker: ({ onChange, ...rest }) => <OwnerSelect {...rest} onChange={onChange} /> },
          { key: 'systemId' },
        ]}
        columns={[
          col('storeName', { width: 136 }),
          col('systemId', { width: 120 }),
          col('userName', { width: 104 }),
          col('orgName', { width: 120 }),
          col('deviceCount'),
          col('regionName', { width: 160 }),
          col('address', { width: 160 }),
          col('createTime'),
        ]}
        actions={(row) => [
          { key: 'edit', label: t('edit'), can: row.can.update, onClick: () => setEdited(row) },
          {
            key: 'devices',
            label: t('devices'),
            can: may('device:read') && row.deviceCount > 0,
            onClick: () => navigate(`/device/device-list?storeId=${row.id}`),
          },
          { key: 'remove', label: t('remove'), danger: true, can: row.can.delete, onClick: () => void askRemove(row) },
        ]}
        card={(row, actions) => (
          <>
            <strong>{row.storeName}</strong>
            <p>
              {row.orgName} · {row.systemId || '—'} · {row.userName || '—'} · {t('fields.deviceCount')} {row.deviceCount}
            </p>
            {actions}
          </>
        )}
      />
      {edited ? <StoreDialog row={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} /> : null}
    </>
  )
}
