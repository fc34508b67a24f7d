import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { registerLocale } from '../../../web/i18n.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { lookThrough } from '../../../web/view.ts'
import { RegionSelect } from '../../devices/web/pickers.tsx'
import { OrganisationRow, organisations } from '../contract.ts'
import styles from './organisations.module.css'
import { OrganisationSelect, RoleFilter } from './pickers.tsx'
import { useActs } from './useActs.tsx'

const OrganisationTree = lazyDialog(() => import('./OrganisationTree.tsx').then((m) => m.OrganisationTree))
const MoveDialog = lazyDialog(() => import('./MoveDialog.tsx').then((m) => m.MoveDialog))
const ImportDialog = lazyDialog(() => import('../../../web/ImportDialog.tsx').then((m) => m.ImportDialog))
const ResetDialog = lazyDialog(async () => {
  const [pickers, texts] = await Promise.all([import('../../users/web/pickers.tsx'), import('../../users/locale.ts')])
  registerLocale('users', texts.locale)
  return pickers.ResetDialog
})
const home = '/organ/organ-manage'

export function OrganisationList() {
  const { t } = useTranslation(['organisations', 'web'])
  const col = useCols(OrganisationRow, 'organisations')
  const may = useMay()
  const phone = usePhone()
  const english = usePrefs().lang === 'en'
  const navigate = useNavigate()
  const { search, pathname } = useLocation()
  const acts = useActs()
  const { canViewAs } = useUser()
  const [moving, setMoving] = useState<OrganisationRow | null>(null)
  const [importing, setImporting] = useState(false)
  const [reset, setReset] = useState<{ userId: number; username: string } | null>(null)
  useLive('organisations', [organisations.tree.path])
  const chosen = Number(new URLSearchParams(search).get('parentId')) || undefined
  const choose = (id: number | undefined) => {
    const params = new URLSearchParams(search)
    params.delete('page')
    if (id === undefined) params.delete('parentId')
    else params.set('parentId', String(id))
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  const below = (id: number | undefined) => `${home}/create${id ? `?parentId=${id}` : ''}`
  const add = may('org:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate(below(chosen))}>
      {t('create')}
    </Button>
  ) : null
  const toggle = (row: OrganisationRow) => (
    <Switch
      size="small"
      checked={row.status === 'ENABLED'}
      disabled={!row.can.disable || acts.busy}
      aria-label={`${t('fields.status')} ${row.name}`}
      onChange={(on) => void acts.setStatus(row, on ? 'ENABLED' : 'DISABLED')}
    />
  )
  const status = (row: OrganisationRow) => <StatusTag tone={row.status === 'ENABLED' ? 'online' : 'locked'}>{t(`enums.status.${row.status}`)}</StatusTag>
  return (
    <div className={styles.page}>
      {phone ? (
        <div className={styles.top}>
          <OrganisationSelect value={chosen} onChange={(id) => choose(id ?? undefined)} placeholder={t('tree.all')} />
        </div>
      ) : (
        <OrganisationTree chosen={chosen} onChoose={choose} />
      )}
      <div className={styles.list}>
        <ListPage
          title={t('title')}
          ns="organisations"
          endpoint={organisations.list}
          rowKey="id"
          live="organisations"
          header={
            add ? (
              <>
                <Button onClick={() => setImporting(true)}>{t('import')}</Button>
                {add}
              </>
            ) : null
          }
          empty={{ title: t('empty'), ...(add ? { action: add } : {}) }}
          filters={[
            { key: 'name' },
            { key: 'user' },
            { key: 'status' },
            { key: 'kind', more: true },
            { key: 'phone', more: true },
            { key: 'roleId', more: true, picker: ({ onChange, ...rest }) => <RoleFilter {...rest} onChange={onChange} /> },
            { key: 'region', more: true, picker: ({ onChange, ...rest }) => <RegionSelect any {...rest} onChange={onChange} /> },
            { key: 'direct', more: true },
            { key: 'range', more: true },
          ]}
          columns={[
            col('avatar', { width: 56, render: (_, row) => (row.avatar ? <Picture src={row.avatar} size={24} /> : <span className="hd-none">—</span>) }),
            col('username', { width: 128, fixed: 'left', render: (_, row) => row.username || <span className="hd-none">{t('noPrincipal')}</span> }),
            col('realName', { width: english ? 120 : 96 }),
            col('name', { width: 160 }),
            col('status', { width: 80, render: (_, row) => toggle(row) }),
            col('kind', { width: english ? 144 : 96 }),
            col('roleName', { width: english ? 176 : 136 }),
            col('operatorName', { width: 136 }),
            col('area', { width: 200 }),
            col('phone', { width: 120 }),
            col('consumerPhone', { width: 144 }),
            col('tenantId', { defaultHidden: true }),
            col('deviceCount', { width: english ? 88 : 80 }),
            col('childCount', { width: 80 }),
            col('createTime'),
            col('orgCode', { defaultHidden: true, width: 120 }),
          ]}
          actions={(row) => [
            { key: 'edit', label: t('edit'), can: row.can.update, to: `${home}/edit/${row.id}` },
            { key: 'users', label: t('users'), can: may('user:read'), to: `/organ/organ-user?orgId=${row.id}` },
            { key: 'below', label: t('createBelow'), can: may('org:create'), to: below(row.id) },
            { key: 'move', label: t('move'), can: row.can.move, onClick: () => setMoving(row) },
            {
              key: 'reset',
              label: t('resetPassword'),
              can: may('user:reset-password') && row.principalId !== null,
              onClick: () => setReset({ userId: row.principalId ?? 0, username: row.username }),
            },
            { key: 'view', label: t('viewRow'), can: canViewAs && row.kind !== 'PLATFORM', onClick: () => lookThrough({ kind: 'org', id: row.id }) },
            { key: 'remove', label: t('remove'), danger: true, can: row.can.delete, onClick: () => void acts.remove(row) },
          ]}
          batch={[
            { key: 'enable', label: t('enable'), can: may('org:update'), onClick: ({ rows, clear }) => void acts.setStatuses(rows, 'ENABLED', clear) },
            {
              key: 'disable',
              label: t('disable'),
              danger: true,
              can: may('org:update'),
              onClick: ({ rows, clear }) => void acts.setStatuses(rows, 'DISABLED', clear),
            },
          ]}
          card={(row, actions) => (
            <>
              <div className={styles.cardHead}>
                {row.avatar ? <Picture src={row.avatar} /> : null}
                <strong>{row.can.update ? <Link to={`${home}/edit/${row.id}`}>{row.name}</Link> : row.name}</strong>
                {row.can.disable ? toggle(row) : status(row)}
              </div>
              <div className={styles.cardFacts}>
                <span>{t(`enums.kind.${row.kind}`)}</span>
                <span>
                  {row.realName} {row.phone}
                </span>
                <span>
                  {t('fields.deviceCount')} {row.deviceCount}
                </span>
                <span>
                  {t('fields.childCount')} {row.childCount}
                </span>
              </div>
              {actions}
            </>
          )}
        />
      </div>
      {moving ? <MoveDialog row={moving} onClose={() => setMoving(null)} /> : null}
      {importing ? <ImportDialog kind="organisations" title={t('import')} invalidates={['/api/organisations']} onClose={() => setImporting(false)} /> : null}
      {reset ? <ResetDialog {...reset} onClose={() => setReset(null)} /> : null}
    </div>
  )
}
