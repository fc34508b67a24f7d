import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { registerLocale } from '../../../web/i18n.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { TwoPanes } from '../../../web/ui/TwoPanes.tsx'
import { lookThrough } from '../../../web/view.ts'
import { accounts } from '../../accounts/contract.ts'
import { OrganisationSelect } from '../../accounts/web/pickers.tsx'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { RoleFilter } from '../../roles/web/pickers/roleSelect.tsx'
import { OrganisationRow, organisations } from '../contract.ts'
import { useActs } from './useActs.tsx'

const OrganisationTree = lazyDialog(() =>
  import('./OrganisationTree.tsx').then((m) => m.OrganisationTree),
)
const MoveDialog = lazyDialog(() => import('./MoveDialog.tsx').then((m) => m.MoveDialog))
const ResetDialog = lazyDialog(async () => {
  const pickers = import('../../users/web/pickers.tsx')
  registerLocale('users', (await import('../../users/locale.ts')).locale)
  return (await pickers).ResetDialog
})
const home = '/organ/organ-manage'
const below = (id: number | undefined) => `${home}/create${id ? `?parentId=${id}` : ''}`

type Asked = { what: 'move' | 'reset'; row: OrganisationRow } | 'import'

export function OrganisationList() {
  const { t } = useTranslation(['organisations', 'web'])
  const phone = usePhone()
  const navigate = useNavigate()
  const { search, pathname } = useLocation()
  const [open, setOpen] = useState<Asked>()
  const close = () => setOpen(undefined)
  useLive('organisations', [accounts.organisationTree.path])
  const chosen = Number(new URLSearchParams(search).get('parentId')) || undefined
  const choose = (id: number | null | undefined) => {
    const params = new URLSearchParams(search)
    params.delete('page')
    if (id) params.set('parentId', String(id))
    else params.delete('parentId')
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  return (
    <TwoPanes
      side={
        phone ? (
          <OrganisationSelect value={chosen} onChange={choose} placeholder={t('tree.all')} />
        ) : (
          <OrganisationTree chosen={chosen} onChoose={choose} />
        )
      }
    >
      <Rows chosen={chosen} onOpen={setOpen} />
      {open === 'import' ? (
        <ImportDialog
          kind="organisations"
          title={t('web:action.import')}
          invalidates={['/api/organisations']}
          onClose={close}
        />
      ) : open?.what === 'move' ? (
        <MoveDialog row={open.row} onClose={close} />
      ) : open?.row.principalId ? (
        <ResetDialog userId={open.row.principalId} username={open.row.username} onClose={close} />
      ) : null}
    </TwoPanes>
  )
}

function Rows({ chosen, onOpen }: { chosen: number | undefined; onOpen: (what: Asked) => void }) {
  const { t } = useTranslation(['organisations', 'web'])
  const col = useCols(OrganisationRow, 'organisations')
  const may = useMay()
  const navigate = useNavigate()
  const { canViewAs } = useUser()
  const acts = useActs()
  return (
    <ListPage
      ns="organisations"
      endpoint={organisations.list}
      live="organisations"
      records={{ update: organisations.update }}
      header={
        may('org:create') ? (
          <>
            <Button onClick={() => onOpen('import')}>{t('web:action.import')}</Button>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate(below(chosen))}>
              {t('web:record.create', { one: t('one') })}
            </Button>
          </>
        ) : null
      }
      filters={[
        'name',
        'user',
        'status',
        ...[
          { key: 'kind' },
          { key: 'phone' },
          { key: 'roleId', picker: RoleFilter },
          { key: 'region', picker: AnyRegion },
          { key: 'direct' },
          { key: 'range' },
        ].map((filter) => ({ ...filter, more: true })),
      ]}
      columns={[
        col('name'),
        col('username', { fit: String, render: (name: string) => name || t('noPrincipal') }),
        col('realName'),
        col('status', {
          width: 80,
          render: (_, row) => (
            <Switch
              size="small"
              checked={row.status === 'ENABLED'}
              disabled={!row.can.disable || acts.busy}
              aria-label={`${t('fields.status')} ${row.name}`}
              onChange={(on) => void acts.setStatus(row, on ? 'ENABLED' : 'DISABLED')}
            />
          ),
        }),
        col('kind'),
        col('roleName', { defaultHidden: true }),
        col('operatorName', { defaultHidden: true }),
        col('area', { defaultHidden: true }),
        col('phone'),
        col('consumerPhone', { defaultHidden: true }),
        col('tenantId', { defaultHidden: true }),
        col('deviceCount'),
        col('avatar', { defaultHidden: true }),
        col('childCount', { defaultHidden: true }),
        col('createTime', { defaultHidden: true }),
        col('orgCode', { defaultHidden: true }),
      ]}
      actions={(row) => [
        {
          key: 'users',
          label: t('users'),
          can: may('user:read'),
          to: `/organ/organ-user?orgId=${row.id}`,
        },
        { key: 'below', label: t('createBelow'), can: may('org:create'), to: below(row.id) },
        {
          key: 'move',
          label: t('move'),
          can: row.can.move,
          onClick: () => onOpen({ what: 'move', row }),
        },
        {
          key: 'reset',
          label: t('resetPassword'),
          can: may('user:reset-password') && row.principalId !== null,
          onClick: () => onOpen({ what: 'reset', row }),
        },
        {
          key: 'view',
          label: t('viewRow'),
          can: canViewAs && row.kind !== 'PLATFORM',
          onClick: () => lookThrough({ kind: 'org', id: row.id }),
        },
        {
          key: 'remove',
          label: t('web:action.delete'),
          danger: true,
          can: row.can.delete,
          onClick: () => void acts.remove(row),
        },
      ]}
      batch={(['ENABLED', 'DISABLED'] as const).map((status) => ({
        key: status,
        label: t(`web:action.${status === 'ENABLED' ? 'enable' : 'disable'}`),
        danger: status === 'DISABLED',
        can: may('org:update'),
        onClick: ({ rows, clear }: Selection<OrganisationRow>) =>
          void acts.setStatuses(rows, status, clear),
      }))}
      card={['kind', 'realName', 'phone', 'deviceCount', 'childCount']}
    />
  )
}
