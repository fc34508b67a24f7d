import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLastDays } from '../../../web/list/useLastDays.ts'
import { useMay } from '../../../web/session.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { audit, LogRow } from '../contract.ts'
import { Actor, Target } from './cells.tsx'

const LogDrawer = lazyDialog(() => import('./LogDrawer.tsx').then((m) => m.LogDrawer))
const VerifyDialog = lazyDialog(() => import('./VerifyDialog.tsx').then((m) => m.VerifyDialog))
const DebugDialog = lazyDialog(() => import('./DebugDialog.tsx').then((m) => m.DebugDialog))

/** What people did and what they were refused; a row opens beside the list. */
export function LogList() {
  const { t } = useTranslation(['audit', 'web'])
  const col = useCols(LogRow, 'audit')
  const may = useMay()
  const navigate = useNavigate()
  const detail = useDetail()
  const { search } = useLocation()
  const [open, setOpen] = useState<'verify' | 'debug' | null>(null)
  useLastDays()
  const { modules = [], actions = [] } =
    useRead(audit.options, {}, { staleTime: 600_000, inline: true }).data ?? {}
  const module = new URLSearchParams(search).get('module')
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        ns="audit"
        endpoint={audit.list}
        detail={LogDrawer}
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          { key: 'failures', label: t('failures'), query: { level: 'ERROR' } },
          ...(may('log:debug')
            ? [{ key: 'debug', label: t('debug.button'), query: { level: 'DEBUG' } }]
            : []),
        ]}
        filters={[
          { key: 'keyword', label: t('fields.content') },
          'username',
          { key: 'module', options: modules },
          'range',
          {
            key: 'action',
            more: true,
            options: actions.filter((action) => !module || action.module === module),
          },
          ...['level', 'result', 'targetId', 'ipAddress'].map((key) => ({ key, more: true })),
        ]}
        header={
          <>
            <Button onClick={() => navigate('/log/login-log')}>{t('toLogins')}</Button>
            {may('security:read') ? (
              <Button onClick={() => navigate('/log/security-events')}>{t('toSecurity')}</Button>
            ) : null}
            {may('log:debug') ? (
              <Button onClick={() => setOpen('debug')}>{t('debug.button')}</Button>
            ) : null}
            {may('log:verify') ? (
              <Button onClick={() => setOpen('verify')}>{t('verify.button')}</Button>
            ) : null}
          </>
        }
        columns={[
          col('username', { fit: String, render: (_, row) => <Actor row={row} /> }),
          col('level'),
          col('content'),
          col('moduleName'),
          col('targetName', { width: 152, render: (_, row) => <Target row={row} /> }),
          col('result'),
          col('ipAddress', { ellipsis: false }),
          col('durationMs', { defaultHidden: true, render: (ms: number) => t('ms', { n: ms }) }),
          col('createTime'),
        ]}
        actions={(row) => [{ key: 'open', label: t('open'), to: detail.to(row.id) }]}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        card={['content', 'moduleName', 'createTime']}
      />
      {open === 'verify' ? <VerifyDialog onClose={close} /> : null}
      {open === 'debug' ? <DebugDialog modules={modules} onClose={close} /> : null}
    </>
  )
}
