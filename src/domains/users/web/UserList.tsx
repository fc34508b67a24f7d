import { Button, Flex, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { PickerProps, Selection } from '../../../web/list/types.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { useAct } from '../../../web/useAct.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { RoleFilter } from '../../roles/web/pickers/roleSelect.tsx'
import { OrganUserRow, users } from '../contract.ts'
import { Face } from './Face.tsx'
import { DepartmentSelect, HomeSelect, ResetDialog } from './pickers.tsx'

const ExplainDrawer = lazyDialog(() =>
  import('../../roles/web/pickers.tsx').then((m) => m.ExplainDrawer),
)
const UserFields = lazyDialog(() => import('./UserFields.tsx').then((m) => m.UserFields))
const RolesDialog = lazyDialog(() => import('./RolesDialog.tsx').then((m) => m.RolesDialog))
const UserDrawer = lazyDialog(() => import('./UserDrawer.tsx').then((m) => m.UserDrawer))
const PharmacistDialog = lazyDialog(() =>
  import('./PharmacistDialog.tsx').then((m) => m.PharmacistDialog),
)
const DevicesDialog = lazyDialog(() => import('./DevicesDialog.tsx').then((m) => m.DevicesDialog))
const DepartmentsDrawer = lazyDialog(() =>
  import('./DepartmentsDrawer.tsx').then((m) => m.DepartmentsDrawer),
)

type Open =
  | { what: 'roles'; rows: readonly OrganUserRow[]; clear?: () => void }
  | { what: 'devices' | 'pharmacist' | 'reset' | 'explain'; row: OrganUserRow }
  | { what: 'departments' | 'import' }

export function UserList() {
  const { t } = useTranslation(['users', 'web'])
  const col = useCols(OrganUserRow, 'users')
  const may = useMay()
  const navigate = useNavigate()
  const detail = useDetail()
  const { search } = useLocation()
  const orgId = Number(new URLSearchParams(search).get('orgId')) || undefined
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const name = (row: OrganUserRow) => `${row.realName} (${row.username})`
  const logout = useAct(users.logout, { ask: t('logoutAsk'), name })
  const resetFactor = useAct(users.resetFactor, { ask: t('resetFactorAsk'), name })
  const unbind = useAct(users.unbindWechat, { ask: t('unbindAsk'), name })
  const setMany = useSetMany()
  const inOrg = (props: PickerProps) => <DepartmentSelect {...props} orgId={orgId} />
  const go = (to: string, label: string) => <Button onClick={() => navigate(to)}>{t(label)}</Button>
  const show = (what: 'departments' | 'import') => (
    <Button onClick={() => setOpen({ what })}>{t(what)}</Button>
  )
  return (
    <>
      <ListPage
        ns="users"
        endpoint={users.list}
        live="users"
        detail={UserDrawer}
        records={{
          ...users,
          fields: UserFields,
          blank: { roleIds: [], ...(orgId ? { orgId } : {}) },
          width: 720,
        }}
        header={
          <>
            {may('org:read') ? go('/organ/organ-manage', 'organisations') : null}
            {go('/organ/online-users', 'online')}
            {may('department:read') ? show('departments') : null}
            {may('user:create') ? show('import') : null}
          </>
        }
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          { key: 'enabled', label: t('enums.status.ENABLED'), query: { status: 'ENABLED' } },
          { key: 'disabled', label: t('enums.status.DISABLED'), query: { status: 'DISABLED' } },
          { key: 'never', label: t('fields.never'), query: { never: true } },
        ]}
        filters={[
          'keyword',
          { key: 'orgId', picker: HomeSelect },
          { key: 'roleId', picker: RoleFilter },
          'status',
          ...(may('department:read') ? [{ key: 'departmentId', more: true, picker: inOrg }] : []),
          ...['username', 'realName', 'wechatBound', 'never', 'range'].map((key) => ({
            key,
            more: true,
          })),
        ]}
        columns={[
          col('avatar', {
            render: (_, row) => <Face row={row} />,
            card: { as: 'picture', draw: (row) => <Face row={row} size={40} /> },
          }),
          col('username', { link: (row) => detail.to(row.id) }),
          col('realName'),
          col('status', { width: 120, render: (_, row) => <Status row={row} /> }),
          col('roleName'),
          col('operatorName'),
          col('departmentName', { defaultHidden: true }),
          col('phone'),
          col('area', { defaultHidden: true }),
          col('address', { defaultHidden: true }),
          col('deviceCount'),
          col('wechatBound', { defaultHidden: true }),
          col('lastLoginTime'),
          col('lastLoginIp', { defaultHidden: true }),
          col('consumerPhone', { defaultHidden: true }),
          col('tenantId', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'roles',
            label: t('assignRoles'),
            can: row.can.roles,
            onClick: () => setOpen({ what: 'roles', rows: [row] }),
          },
          ...(['devices', 'pharmacist', 'explain', 'reset'] as const).map((what) => ({
            key: what,
            label: t(`acts.${what}`),
            can:
              what === 'explain'
                ? may('role:preview')
                : row.can[what === 'pharmacist' ? 'update' : what],
            onClick: () => setOpen({ what, row }),
          })),
          ...(
            [
              ['factor', resetFactor],
              ['unbind', unbind],
              ['logout', logout],
            ] as const
          ).map(([key, run]) => ({
            key,
            label: t(`acts.${key}`),
            can: row.can[key],
            danger: true,
            onClick: () => void run(row),
          })),
        ]}
        batch={[
          {
            key: 'enable',
            label: t('web:action.enable'),
            can: may('user:update'),
            onClick: (selection) => void setMany(selection, 'ENABLED'),
          },
          {
            key: 'roles',
            label: t('assignRoles'),
            can: may('user:assign-role'),
            onClick: ({ rows, clear }) => setOpen({ what: 'roles', rows, clear }),
          },
          {
            key: 'disable',
            label: t('web:action.disable'),
            danger: true,
            can: may('user:update'),
            onClick: (selection) => void setMany(selection, 'DISABLED'),
          },
        ]}
        card={['realName', 'roleName', 'operatorName', 'phone']}
      />
      {open?.what === 'roles' ? (
        <RolesDialog
          rows={open.rows}
          onClose={close}
          {...(open.clear ? { onSaved: open.clear } : {})}
        />
      ) : null}
      {open?.what === 'devices' ? <DevicesDialog row={open.row} onClose={close} /> : null}
      {open?.what === 'pharmacist' ? <PharmacistDialog row={open.row} onClose={close} /> : null}
      {open?.what === 'reset' ? (
        <ResetDialog userId={open.row.id} username={open.row.username} onClose={close} />
      ) : null}
      {open?.what === 'explain' ? <ExplainDrawer userId={open.row.id} onClose={close} /> : null}
      {open?.what === 'import' ? (
        <ImportDialog
          kind="users"
          title={t('import')}
          invalidates={['/api/organ-users']}
          onClose={close}
        />
      ) : null}
      {open?.what === 'departments' ? <DepartmentsDrawer orgId={orgId} onClose={close} /> : null}
    </>
  )
}

/** The state and its switch; who locked himself out says so. */
function Status({ row }: { row: OrganUserRow }) {
  const { t } = useTranslation('users')
  const name = () => `${row.realName} (${row.username})`
  const enable = useAct(users.setStatus, {})
  const disable = useAct(users.setStatus, { ask: t('disableAsk'), name })
  return (
    <Flex component="span" align="center" gap={8}>
      <Switch
        size="small"
        checked={row.status === 'ENABLED'}
        disabled={!row.can.status}
        aria-label={`${t('fields.status')} ${row.username}`}
        onChange={(on) =>
          void (on ? enable : disable)(row, { status: on ? 'ENABLED' : 'DISABLED' })
        }
      />
      {row.locked ? (
        <StatusTag tone="warn">{t('fields.locked')}</StatusTag>
      ) : (
        t(`enums.status.${row.status}`)
      )}
    </Flex>
  )
}

/** Says first who is left out: not his to change, himself, or so already. */
function useSetMany() {
  const { t } = useTranslation('users')
  const confirm = useConfirm()
  const write = useWrite(users.batchStatus, { success: 'web:success.done' })
  return async ({ rows, clear }: Selection<OrganUserRow>, status: OrganUserRow['status']) => {
    const open = rows.filter((row) => row.can.status && row.status !== status)
    if (open.length === 0) return toast('info', t('nobodyLeft'))
    const left = rows.length - open.length
    const danger = status === 'DISABLED'
    const title = t(danger ? 'disableAskMany' : 'enableAskMany', { n: open.length })
    const content = left ? t('skipped', { n: left }) : null
    if (await confirm({ title, danger, content }))
      write.mutate({ ids: open.map((row) => row.id), status }, { onSuccess: clear })
  }
}
