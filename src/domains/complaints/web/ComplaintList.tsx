import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { ComplaintRow, complaints } from '../contract.ts'
import styles from './complaints.module.css'

const ComplaintDrawer = lazyDialog(() => import('./ComplaintDrawer.tsx').then((m) => m.ComplaintDrawer))
const CreateDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.CreateDialog))
const AssignDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.AssignDialog))

const detail = (id: number) => `/complaint/feedback?detail=${id}`

export function ComplaintList() {
  const { t } = useTranslation(['complaints', 'web'])
  const col = useCols(ComplaintRow, 'complaints')
  const may = useMay()
  const navigate = useNavigate()
  const { search } = useLocation()
  const counts = useRead(complaints.stats, {}, { inline: true })
  useLive('complaints', [complaints.stats.path])
  const [creating, setCreating] = useState(false)
  const [assigned, setAssigned] = useState<readonly number[] | null>(null)
  const detailed = new URLSearchParams(search).has('detail')
  const n = counts.data
  const add = may('complaint:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  ) : null
  const due = (row: ComplaintRow) => (row.overdue ? <StatusTag tone="fault">{t('overdue')}</StatusTag> : null)
  return (
    <>
      <ListPage
        title={t('title')}
        ns="complaints"
        endpoint={complaints.list}
        rowKey="id"
        live="complaints"
        header={add}
        onRow={(row) => navigate(detail(row.id))}
        empty={{ title: t('empty'), action: add }}
        views={[
          { key: 'all', label: t('views.all'), query: {} },
          { key: 'open', label: t('views.open'), query: { state: 'OPEN' }, count: n?.open },
          { key: 'handling', label: t('views.handling'), query: { state: 'HANDLING' }, count: n?.handling },
          { key: 'waiting', label: t('views.waiting'), query: { state: 'WAITING' }, count: n?.waiting },
          { key: 'overdue', label: t('views.overdue'), query: { overdue: true }, count: n?.overdue },
        ]}
        filters={[
          { key: 'keyword', label: t('fields.keyword') },
          { key: 'type' },
          { key: 'rtuNumber' },
          { key: 'orderNum' },
          { key: 'range' },
          { key: 'state', more: true },
          { key: 'source', more: true },
        ]}
        columns={[
          col('id', { width: 72, link: (row) => detail(row.id) }),
          col('content', { width: 260 }),
          col('type', { width: 96, tones: {} }),
          col('state', { width: 120 }),
          col('overdue', { width: 96, render: (_, row) => due(row) }),
          col('username', { width: 120 }),
          col('rtuNumber', { width: 112, ...(may('device:read') ? { link: (row: ComplaintRow) => `/device/device-list?detail=${row.deviceId}` } : {}) }),
          col('orderNum', { width: 184, ...(may('order:read') ? { link: (row: ComplaintRow) => `/order/order-details/${row.orderNum}` } : {}) }),
          col('images', { width: 88, render: (_, row) => row.images.slice(0, 2).map((src) => <Picture key={src} src={src} size={28} />) }),
          col('assigneeName', { width: 96 }),
          col('source', { width: 104, tones: {}, defaultHidden: true }),
          col('resolveDueAt', { defaultHidden: true }),
          col('remark', { width: 180 }),
          col('createTime'),
        ]}
        actions={(row) => [{ key: 'open', label: t('open'), to: detail(row.id) }]}
        batch={
          may('complaint:update') && may('user:lookup')
            ? [{ key: 'assign', label: t('assign'), onClick: ({ keys }: { keys: readonly (string | number)[] }) => setAssigned(keys.map(Number)) }]
            : []
        }
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <strong>#{row.id}</strong>
              <span>{t(`enums.type.${row.type}`)}</span>
              {due(row)}
            </div>
            <p className={styles.said}>{row.content}</p>
            <small>
              {row.rtuNumber} · {row.username}
            </small>
            {actions}
          </>
        )}
      />
      {detailed ? <ComplaintDrawer /> : null}
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
      {assigned ? <AssignDialog ids={assigned} onClose={() => setAssigned(null)} /> : null}
    </>
  )
}
