import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { lookThrough } from '../../../web/view.ts'
import { OrganisationSelect } from '../../organisations/web/pickers.tsx'
import { RoleRow, roles } from '../contract.ts'

const CopyDialog = lazyDialog(() => import('./CopyDialog.tsx').then((m) => m.CopyDialog))
const CompareDrawer = lazyDialog(() => import('./CompareDrawer.tsx').then((m) => m.CompareDrawer))

export function RoleList() {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const col = useCols(RoleRow, 'roles')
  const may = useMay()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const setStatus = useWrite(roles.setStatus, { success: 'roles:success.setStatus' })
  const restore = useWrite(roles.restore, { success: 'roles:success.restore' })
  const remove = useWrite(roles.remove, { success: 'roles:success.remove' })
  const [copied, setCopied] = useState<RoleRow | null>(null)
  const [pair, setPair] = useState<{ a: number; b: number } | null>(null)
  const nameOf = (row: RoleRow) => (lang === 'en' ? row.nameEn : row.name)

  const turn = async (row: RoleRow) => {
    const stops = row.status === 'ENABLED'
    if (stops && !(await confirm({ title: t('stopAsk', { n: row.userCount }), content: nameOf(row), danger: true }))) return
    setStatus.mutate({ id: row.id, version: row.version, status: stops ? 'DISABLED' : 'ENABLED' })
  }
  const askRestore = async (row: RoleRow) => {
    if (await confirm({ title: t('restoreAsk', { name: nameOf(row) }) })) restore.mutate({ id: row.id, version: row.version })
  }
  const askRemove = async (row: RoleRow) => {
    if (await confirm({ title: t('removeAsk'), content: nameOf(row), danger: true })) remove.mutate({ id: row.id })
  }
  const add = may('role:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate('/system/organ-role/create')}>
      {t('create')}
    </Button>
  ) : null
  const matrix = may('role:distribute-read') ? <Button onClick={() => navigate('/system/createroledistribute')}>{t('distributionLink')}</Button> : null
  return (
    <>
      <ListPage
        title={t('title')}
        ns="roles"
        endpoint={roles.list}
        rowKey="id"
        live="roles"
        header={
          <>
            {matrix}
            {add}
          </>
        }
        views={[
          { key: 'all', label: t('views.all'), query: {} },
          { key: 'builtin', label: t('views.builtin'), query: { builtin: true } },
          { key: 'custom', label: t('views.custom'), query: { builtin: false } },
        ]}
        filters={[
          { key: 'keyword', label: t('fields.keyword') },
          { key: 'identifier' },
          { key: 'orgId', picker: (props) => <OrganisationSelect {...props} /> },
          { key: 'status' },
        ]}
        empty={{ title: t('empty'), action: add }}
        columns={[
          col('name', { render: (_, row) => <Link to={`/system/organ-role/edit/${row.id}`}>{nameOf(row)}</Link>, width: 136 }),
          col('identifier', { width: 200 }),
          col('builtin', { render: (_, row) => t(`builtinWord.${row.builtin}`), width: 72 }),
          col('orgName', { render: (_, row) => row.orgName || t('platform'), width: 120 }),
          col('dataScope', { width: 128 }),
          col('rank', { width: 80, defaultHidden: true }),
          col('permissionCount', { width: 96 }),
          col('userCount', { width: 88 }),
          col('status', { width: 88 }),
          col('updateTime'),
          col('description', { defaultHidden: true }),
        ]}
        batch={[
          {
            key: 'compare',
            label: t('compare'),
            onClick: ({ keys }) => {
              const [a, b] = keys
              if (keys.length === 2) setPair({ a: Number(a), b: Number(b) })
              else toast('info', t('compareTwo'))
            },
          },
        ]}
        actions={(row) => [
          { key: 'edit', label: t(row.can.update ? 'edit' : 'view'), to: `/system/organ-role/edit/${row.id}` },
          { key: 'preview', label: t('preview'), can: row.can.preview, onClick: () => lookThrough({ kind: 'role', id: row.id }) },
          { key: 'copy', label: t('copy'), can: row.can.copy, onClick: () => setCopied(row) },
          { key: 'restore', label: t('restore'), can: row.can.restore, onClick: () => void askRestore(row) },
          {
            key: 'status',
            label: t(row.status === 'ENABLED' ? 'stop' : 'start'),
            can: row.can.stop,
            danger: row.status === 'ENABLED',
            onClick: () => void turn(row),
          },
          { key: 'remove', label: t('remove'), danger: true, can: row.can.delete, onClick: () => void askRemove(row) },
        ]}
        card={(row, actions) => (
          <>
            <strong>{nameOf(row)}</strong>
            <p>
              {t(`builtinWord.${row.builtin}`)} · {t(`enums.dataScope.${row.dataScope}`)} · {t('fields.permissionCount')} {row.permissionCount} ·{' '}
              {t('fields.userCount')} {row.userCount}
            </p>
            {actions}
          </>
        )}
      />
      {copied ? <CopyDialog row={copied} onClose={() => setCopied(null)} /> : null}
      {pair ? <CompareDrawer {...pair} onClose={() => setPair(null)} /> : null}
    </>
  )
}
