import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { say } from '../../../shared/text.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { useAct } from '../../../web/useAct.ts'
import { lookThrough } from '../../../web/view.ts'
import { OrganisationSelect } from '../../accounts/web/pickers.tsx'
import { RoleRow, roles } from '../contract.ts'
import { roleErrors, roleName } from '../rules.ts'
import { statusAct } from './statusAct.ts'

const CopyDialog = lazyDialog(() => import('./CopyDialog.tsx').then((m) => m.CopyDialog))
const CompareDrawer = lazyDialog(() => import('./CompareDrawer.tsx').then((m) => m.CompareDrawer))
const page = '/system/organ-role'

export function RoleList() {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const col = useCols(RoleRow, 'roles')
  const may = useMay()
  const navigate = useNavigate()
  const name = (row: RoleRow) => roleName(row, lang)
  const start = useAct(roles.setStatus, {})
  const stop = useAct(roles.setStatus, {
    ask: (row: RoleRow) => t('stopAsk', { n: row.userCount, count: row.userCount }),
    name,
  })
  const restore = useAct(roles.restore, {
    ask: (row: RoleRow) => t('restoreAsk', { name: name(row) }),
    danger: false,
  })
  const [copied, setCopied] = useState<RoleRow | null>(null)
  const [pair, setPair] = useState<{ a: number; b: number } | null>(null)
  return (
    <>
      <ListPage
        ns="roles"
        endpoint={roles.list}
        live="roles"
        records={{
          create: roles.create,
          update: roles.update,
          remove: roles.remove,
          name: lang === 'en' ? 'nameEn' : 'name',
          whyNotRemove: ({ builtin, can, userCount: n }) =>
            !builtin && can.stop && n > 0 ? say(roleErrors.inUse.text, lang, { n }) : undefined,
        }}
        header={
          may('role:distribute-read') ? (
            <Button onClick={() => navigate('/system/createroledistribute')}>
              {t('distributionLink')}
            </Button>
          ) : null
        }
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          { key: 'builtin', label: t('builtinWord.true'), query: { builtin: true } },
          { key: 'custom', label: t('builtinWord.false'), query: { builtin: false } },
        ]}
        filters={['keyword', 'identifier', { key: 'orgId', picker: OrganisationSelect }, 'status']}
        columns={[
          col('name', {
            width: 168,
            render: (_, row) => <Link to={`${page}/edit/${row.id}`}>{name(row)}</Link>,
          }),
          col('identifier'),
          col('builtin', {
            width: 88,
            defaultHidden: true,
            render: (_, row) => t(`builtinWord.${row.builtin}`),
          }),
          col('orgName', { fit: String, render: (org: string) => org || t('platform') }),
          col('dataScope'),
          col('rank', { defaultHidden: true }),
          col('permissionCount'),
          col('userCount'),
          col('status'),
          col('updateTime', { defaultHidden: true }),
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
          { key: 'view', label: t('view'), can: !row.can.update, to: `${page}/edit/${row.id}` },
          {
            key: 'preview',
            label: t('preview'),
            can: row.can.preview,
            onClick: () => lookThrough({ kind: 'role', id: row.id }),
          },
          { key: 'copy', label: t('copy'), can: row.can.copy, onClick: () => setCopied(row) },
          {
            key: 'restore',
            label: t('web:action.reset'),
            can: row.can.restore,
            onClick: () => void restore(row),
          },
          statusAct(t, row, { stop, start }),
        ]}
        card={['builtin', 'dataScope', 'permissionCount', 'userCount']}
      />
      {copied ? <CopyDialog row={copied} onClose={() => setCopied(null)} /> : null}
      {pair ? <CompareDrawer {...pair} onClose={() => setPair(null)} /> : null}
    </>
  )
}
