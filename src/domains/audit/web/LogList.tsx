import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { audit, LogRow } from '../contract.ts'
import { Actor, LogCard, Target } from './cells.tsx'

const LogDrawer = lazyDialog(() => import('./LogDrawer.tsx').then((m) => m.LogDrawer))
const VerifyDialog = lazyDialog(() => import('./VerifyDialog.tsx').then((m) => m.VerifyDialog))
const DebugDialog = lazyDialog(() => import('./DebugDialog.tsx').then((m) => m.DebugDialog))

/** What people did and what they were refused; a row opens beside the list. */
export function LogList() {
  const { t } = useTranslation(['audit', 'web'])
  const col = useCols(LogRow, 'audit')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const [open, setOpen] = useState<'verify' | 'debug' | null>(null)
  const words = useRead(audit.options, {}, { staleTime: 600_000, inline: true }).data
  const address = new URLSearchParams(search)
  const module = address.get('module')
  const detail = (row: LogRow) => {
    address.set('detail', String(row.id))
    navigate(`${pathname}?${address}`)
  }
  const views = [
    { key: 'all', label: t('web:list.all'), query: {} },
    { key: 'failures', label: t('failures'), query: { level: 'ERROR' } },
    ...(may('log:debug') ? [{ key: 'debug', label: t('debugView'), query: { level: 'DEBUG' } }] : []),
  ]
  return (
    <>
      <ListPage
        title={t('title')}
        ns="audit"
        endpoint={audit.list}
        rowKey="id"
        views={views}
        filters={[
          { key: 'keyword', label: t('search'), width: 152 },
          { key: 'username', width: 136 },
          { key: 'module', width: 148, options: words?.modules ?? [] },
          { key: 'range', width: 240 },
          { key: 'level', width: 112 },
          { key: 'action', more: true, options: (words?.actions ?? []).filter((action) => !module || action.module === module) },
          { key: 'result', more: true },
          { key: 'targetId', more: true },
          { key: 'ipAddress', more: true },
        ]}
        header={
          <>
            <Button onClick={() => navigate('/log/login-log')}>{t('toLogins')}</Button>
            {may('security:read') ? <Button onClick={() => navigate('/log/security-events')}>{t('toSecurity')}</Button> : null}
            {may('log:debug') ? <Button onClick={() => setOpen('debug')}>{t('debug.button')}</Button> : null}
            {may('log:verify') ? <Button onClick={() => setOpen('verify')}>{t('verify.button')}</Button> : null}
          </>
        }
        columns={[
          col('username', { width: 104, render: (_, row) => <Actor row={row} /> }),
          col('level', { width: 80 }),
          col('content', { width: 248 }),
          col('moduleName', { width: 96 }),
          col('targetName', { width: 152, render: (_, row) => <Target row={row} /> }),
          col('result', { width: 88 }),
          col('ipAddress', { width: 120, ellipsis: false }),
          col('durationMs', { width: 88, render: (ms: number) => t('ms', { n: ms }) }),
          col('createTime', { width: 124 }),
        ]}
        onRow={detail}
        actions={(row) => [{ key: 'open', label: t('open'), onClick: () => detail(row) }]}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        card={(row, actions) => <LogCard row={row} actions={actions} />}
      />
      {address.get('detail') ? <LogDrawer /> : null}
      {open === 'verify' ? <VerifyDialog onClose={() => setOpen(null)} /> : null}
      {open === 'debug' ? <DebugDialog modules={words?.modules ?? []} onClose={() => setOpen(null)} /> : null}
    </>
  )
}
