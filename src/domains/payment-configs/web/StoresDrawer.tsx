import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { defaultsOf } from '../../../web/list/listUrl.ts'
import { Empty, Skeleton } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Drawer } from '../../../web/ui/overlay.tsx'
import { RowTable } from '../../../web/ui/RowTable.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { type StoreRow, stores } from '../../stores/contract.ts'
import { StoreFields } from '../../stores/web/pickers.tsx'
import { type ConfigRow, paymentConfigs } from '../contract.ts'

/** The stores below a merchant: their machines are paid to it. */
export function StoresDrawer({ row, onClose }: { row: ConfigRow; onClose: () => void }) {
  const { t } = useTranslation(['paymentConfigs', 'stores', 'web'])
  const active = useActiveTab()
  const may = useMay()
  const phone = usePhone()
  const [editing, setEditing] = useState<StoreRow | 'new' | null>(null)
  const read = useRead(stores.list, { paymentConfigId: row.id, pageSize: 200 })
  const invalidates = [stores.list.path, paymentConfigs.list.path]
  const remove = useAct(stores.remove, {
    ask: t('web:record.removeAsk', { one: t('stores:one') }),
    name: (store: StoreRow) => store.storeName,
    success: 'web:success.removed',
    invalidates,
  })
  if (!active) return null
  const edited = editing === 'new' || editing === null ? undefined : editing
  const save = edited ? stores.update : stores.create
  const name = (key: string) => t(`stores:fields.${key}`)
  const text = (key: 'systemId' | 'userName', title: string, width: number) => ({
    key,
    title,
    width,
    cell: (s: StoreRow) => s[key] || '—',
  })
  return (
    <Drawer
      open
      onClose={onClose}
      title={t('storesOf', { name: row.merchantName })}
      size={Math.min(720, innerWidth)}
      extra={
        may('store:create') && may('payment-config:update') && row.state === 'ACTIVE' ? (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setEditing('new')}>
            {t('web:action.add')}
          </Button>
        ) : null
      }
    >
      {read.data ? (
        <RowTable
          label={t('stores')}
          rows={read.data.list}
          keyOf={(store) => store.id}
          density="standard"
          busy={read.isFetching}
          empty={<Empty title={t('web:record.empty', { many: t('stores:many') })} />}
          onSort={() => undefined}
          columns={[
            {
              key: 'storeName',
              title: name('storeName'),
              width: phone ? 140 : 180,
              // a phone has no room for columns: they stand below the name, the acts stay in sight
              cell: (s) => (
                <>
                  {s.storeName}
                  {(phone ? [s.systemId, s.userName] : []).filter(Boolean).map((line) => (
                    <div key={line}>
                      <Muted small>{line}</Muted>
                    </div>
                  ))}
                </>
              ),
            },
            ...(phone
              ? []
              : [text('systemId', 'SystemId', 140), text('userName', name('userName'), 110)]),
            {
              key: 'deviceCount',
              title: t('fields.deviceCount'),
              width: phone ? 84 : 110,
              align: 'right',
              cell: (s) => s.deviceCount,
            },
            {
              key: 'actions',
              title: '',
              width: phone ? 118 : 130,
              cell: (s) => (
                <>
                  {s.can.update ? (
                    <Button type="link" size="small" onClick={() => setEditing(s)}>
                      {t('web:action.edit')}
                    </Button>
                  ) : null}
                  {s.can.delete ? (
                    <Button type="link" size="small" danger onClick={() => void remove(s)}>
                      {t('web:action.delete')}
                    </Button>
                  ) : null}
                </>
              ),
            },
          ]}
        />
      ) : (
        <Skeleton rows={4} />
      )}
      {editing ? (
        <FormDialog
          title={t(`web:record.${edited ? 'edit' : 'create'}`, { one: t('stores:one') })}
          ns="stores"
          save={save}
          width={640}
          success={`web:success.${edited ? 'edited' : 'saved'}`}
          onClose={() => setEditing(null)}
          onSaved={() => void read.refetch()}
          initial={
            edited
              ? pickFor(save.input, edited)
              : { ...defaultsOf(save.input), orgId: row.orgId, paymentConfigId: row.id }
          }
        >
          <StoreFields row={edited} />
        </FormDialog>
      ) : null}
    </Drawer>
  )
}
