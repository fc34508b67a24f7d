import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { Count } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { RoleFilter } from '../../organisations/web/pickers.tsx'
import { OrganUserRow, users } from '../contract.ts'
import { Face } from './Face.tsx'
import { DepartmentSelect, HomeSelect, ResetDialog } from './pickers.tsx'
import { useActs } from './useActs.ts'
import styles from './users.module.css'

const ImportDialog = lazyDialog(() => import('../../../web/ImportDialog.tsx').then((m) => m.ImportDialog))
const ExplainDrawer = lazyDialog(() => import('../../roles/web/pickers.tsx').then((m) => m.ExplainDrawer))
const UserDialog = lazyDialog(() => import('./UserDialog.tsx').then((m) => m.UserDialog))
const RolesDialog = lazyDialog(() => import('./RolesDialog.tsx').then((m) => m.RolesDialog))
const DevicesDialog = lazyDialog(() => import('./DevicesDialog.tsx').then((m) => m.DevicesDialog))
const DepartmentsDrawer = lazyDialog(() => import('./DepartmentsDrawer.tsx').then((m) => m.DepartmentsDrawer))

type Open =
  | { what: 'edit'; id: number | undefined }
  | { what: 'roles'; rows: readonly OrganUserRow[]; clear?: () => void }
  | { what: 'devices' | 'reset' | 'explain'; row: OrganUserRow }
  | { what: 'departments' | 'import' }

export function UserList() {
  const { t } = useTranslation(['users', 'web'])
  const col = useCols(OrganUserRow, 'users')
  const may = useMay()
  const english = usePrefs().lang === 'en'
  const phone = usePhone()
  const navigate = useNavigate()
  const { search } = useLocation()
  const acts = useActs()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const orgId = Number(new URLSearchParams(search).get('orgId')) || undefined
  const w = (zh: number, en: number) => ({ width: english ? en : zh })
  const none = <span className="hd-none">—</span>
  const add = may('user:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen({ what: 'edit', id: undefined })}>
      {t('create')}
    </Button>
  ) : null
  const roleNames = (row: OrganUserRow) => row.roles.map((role) => (english ? role.nameEn || role.name : role.name))
  const status = (row: OrganUserRow) => (
    <span className={styles.status}>
      <Switch
        size="small"
        checked={row.status === 'ENABLED'}
        disabled={!row.can.status || acts.busy}
        aria-label={`${t('fields.status')} ${row.username}`}
        onChange={(on) => void acts.setStatus(row, on ? 'ENABLED' : 'DISABLED')}
      />
      {row.locked ? <StatusTag tone="warn">{t('locked')}</StatusTag> : t(`enums.status.${row.status}`)}
    </span>
  )
  const actions = (row: OrganUserRow) => [
    { key: 'edit', label: t('edit'), can: row.can.update, onClick: () => setOpen({ what: 'edit', id: row.id }) },
    { key: 'roles', label: t('assignRoles'), can: row.can.roles, onClick: () => setOpen({ what: 'roles', rows: [row] }) },
    { key: 'devices', label: t('assignDevices'), can: row.can.devices, onClick: () => setOpen({ what: 'devices', row }) },
    { key: 'explain', label: t('explain'), can: may('role:preview'), onClick: () => setOpen({ what: 'explain', row }) },
    { key: 'reset', label: t('reset'), can: row.can.reset, onClick: () => setOpen({ what: 'reset', row }) },
    { key: 'factor', label: t('resetFactor'), can: row.can.factor, danger: true, onClick: () => void acts.resetFactor(row) },
    { key: 'unbind', label: t('unbind'), can: row.can.unbind, danger: true, onClick: () => void acts.unbind(row) },
    { key: 'logout', label: t('logout'), can: row.can.logout, danger: true, onClick: () => void acts.logout(row) },
    { key: 'remove', label: t('remove'), can: row.can.delete, danger: true, onClick: () => void acts.remove(row) },
  ]
  return (
    <>
      <ListPage
        title={t('title')}
        ns="users"
        endpoint={users.list}
        rowKey="id"
        live="users"
        header={
          // a phone shows the first of them and scrolls to the rest
          <>
            {phone ? add : null}
            {may('org:read') ? <Button onClick={() => navigate('/organ/organ-manage')}>{t('organisations')}</Button> : null}
            {may('user:read') ? <Button onClick={() => navigate('/organ/online-users')}>{t('online')}</Button> : null}
            {may('department:read') ? <Button onClick={() => setOpen({ what: 'departments' })}>{t('departments')}</Button> : null}
            {may('user:create') ? <Button onClick={() => setOpen({ what: 'import' })}>{t('import')}</Button> : null}
            {phone ? null : add}
          </>
        }
        empty={{ title: t('empty'), ...(add ? { action: add } : {}) }}
        views={[
          { key: 'all', label: t('views.all'), query: {} },
          { key: 'enabled', label: t('views.enabled'), query: { status: 'ENABLED' } },
          { key: 'disabled', label: t('views.disabled'), query: { status: 'DISABLED' } },
          { key: 'never', label: t('views.never'), query: { never: true } },
        ]}
        filters={[
          { key: 'keyword', label: t('fields.keyword') },
          { key: 'orgId', picker: ({ onChange, ...rest }) => <HomeSelect {...rest} onChange={(next) => onChange(next ?? undefined)} /> },
          { key: 'roleId', picker: ({ onChange, ...rest }) => <RoleFilter {...rest} onChange={onChange} /> },
          { key: 'status' },
          ...(may('department:read')
            ? [
                {
                  key: 'departmentId',
                  more: true,
                  picker: ({ onChange, ...rest }: { onChange: (value: unknown) => void; value: unknown }) => (
                    <DepartmentSelect {...rest} orgId={orgId} onChange={(next) => onChange(next ?? undefined)} />
                  ),
                },
              ]
            : []),
          { key: 'username', more: true },
          { key: 'realName', more: true },
          { key: 'wechatBound', more: true },
          { key: 'never', more: true },
          { key: 'range', more: true },
        ]}
        columns={[
          col('avatar', { width: 56, render: (_, row) => <Face src={row.avatar} name={row.realName} /> }),
          col('username', { width: 128, fixed: 'left' }),
          col('realName', { width: 104 }),
          col('status', { ...w(112, 120), render: (_, row) => status(row) }),
          col('roleName', { ...w(152, 176), render: (_, row) => <Roles names={roleNames(row)} /> }),
          col('operatorName', { width: 168 }),
          col('departmentName', { width: 112 }),
          col('phone', { width: 120 }),
          col('area', { width: 152, defaultHidden: true }),
          col('address', { width: 176, defaultHidden: true }),
          col('deviceCount', { ...w(104, 88), render: (_, row) => <Count value={row.deviceCount} /> }),
          col('wechatBound', { ...w(80, 104), render: (_, row) => (row.wechatBound ? t('bound') : none) }),
          col('lastLoginTime', { width: 120 }),
          col('lastLoginIp', { width: 128 }),
          col('consumerPhone', { width: 136, defaultHidden: true }),
          col('tenantId', { width: 88, defaultHidden: true }),
          col('createTime', { defaultHidden: false }),
        ]}
        actions={actions}
        batch={[
          { key: 'enable', label: t('enable'), can: may('user:update'), onClick: (selection) => void acts.setMany(selection, 'ENABLED') },
          { key: 'roles', label: t('assignRoles'), can: may('user:assign-role'), onClick: ({ rows, clear }) => setOpen({ what: 'roles', rows, clear }) },
          { key: 'disable', label: t('disable'), danger: true, can: may('user:update'), onClick: (selection) => void acts.setMany(selection, 'DISABLED') },
        ]}
        card={(row, buttons) => (
          <>
            <div className={styles.cardHead}>
              <Face src={row.avatar} name={row.realName} size={32} />
              <strong>{row.realName}</strong>
              <span className={styles.quiet}>{row.username}</span>
              {status(row)}
            </div>
            <p className={styles.cardFacts}>
              {roleNames(row).join(' · ')} · {row.operatorName} · {row.phone}
            </p>
            {buttons}
          </>
        )}
      />
      {open?.what === 'edit' ? <UserDialog id={open.id} orgId={orgId} onClose={close} /> : null}
      {open?.what === 'roles' ? <RolesDialog rows={open.rows} onClose={close} {...(open.clear ? { onSaved: open.clear } : {})} /> : null}
      {open?.what === 'devices' ? <DevicesDialog row={open.row} onClose={close} /> : null}
      {open?.what === 'reset' ? <ResetDialog userId={open.row.id} username={open.row.username} onClose={close} /> : null}
      {open?.what === 'explain' ? <ExplainDrawer userId={open.row.id} onClose={close} /> : null}
      {open?.what === 'import' ? <ImportDialog kind="users" title={t('import')} invalidates={['/api/organ-users']} onClose={close} /> : null}
      {open?.what === 'departments' ? <DepartmentsDrawer orgId={orgId} onClose={close} /> : null}
    </>
  )
}

/** The highest role and how many more. */
function Roles({ names }: { names: readonly string[] }) {
  const [first, ...more] = names
  return (
    <span className={styles.roles} title={names.join(' · ')}>
      <span className={styles.role}>{first}</span>
      {more.length > 0 ? <span className={styles.quiet}>+{more.length}</span> : null}
    </span>
  )
}
