import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { PickerProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { ComplaintRow, complaints } from '../contract.ts'
import styles from './complaints.module.css'
import { PersonSelect } from './PersonSelect.tsx'
import { stateTones } from './tones.ts'

const ComplaintDrawer = lazyDialog(() => import('./ComplaintDrawer.tsx').then((m) => m.ComplaintDrawer))
const CreateDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.CreateDialog))
const AssignDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.AssignDialog))

export function ComplaintList() {
  const { t } = useTranslation(['complaints', 'web'])
  const col = useCols(ComplaintRow, 'complaints')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const english = usePrefs().lang === 'en'
  const confirm = useConfirm()
  const counts = useRead(complaints.stats, {}, { inline: true })
  useLive('complaints', [complaints.stats.path])
  const [creating, setCreating] = useState(false)
  const [assigned, setAssigned] = useState<{ ids: number[]; skipped: number; onSaved: () => void } | null>(null)
  const detailed = new URLSearchParams(search).has('detail')
  const detail = (id: number) => {
    const params = new URLSearchParams(search)
    params.set('detail', String(id))
    return `${pathname}?${params}`
  }
  const assign = ({ rows, clear }: { rows: readonly ComplaintRow[]; clear: () => void }) => {
    const ids = rows.filter((row) => row.can.handle).map((row) => row.id)
    if (ids.length === 0) return void confirm({ title: t('assignNone'), ok: t('understood') })
    setAssigned({ ids, skipped: rows.length - ids.length, onSaved: clear })
  }
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
          { key: 'keyword', label: t('fields.keyword'), width: 136 },
          { key: 'type', width: 144 },
          { key: 'rtuNumber', width: 128 },
          { key: 'orderNum', width: 128 },
          { key: 'range', width: 232 },
          { key: 'state', more: true },
          ...(may('user:lookup')
            ? [{ key: 'assigneeId', more: true, picker: ({ onChange, ...rest }: PickerProps) => <PersonSelect {...rest} onChange={onChange} /> }]
            : []),
          { key: 'source', more: true },
        ]}
        columns={[
          col('id', { width: 72, link: (row) => detail(row.id) }),
          col('content', { width: 260 }),
          col('type', { width: english ? 128 : 96, tones: {} }),
          col('state', { width: english ? 152 : 120 }),
          col('overdue', { width: 96, render: (_, row) => due(row) }),
          col('username', { width: 120 }),
          col('rtuNumber', { width: 112, ...(may('device:read') ? { link: (row: ComplaintRow) => `/device/device-list?detail=${row.deviceId}` } : {}) }),
          col('orderNum', {
            width: 192,
            ellipsis: false,
            ...(may('order:read') ? { link: (row: ComplaintRow) => `/order/order-details/${row.orderNum}` } : {}),
          }),
          col('images', { width: 88, render: (_, row) => row.images.slice(0, 2).map((src) => <Picture key={src} src={src} size={24} />) }),
          col('assigneeName', { width: 96 }),
          col('source', { width: english ? 152 : 104, tones: {}, defaultHidden: true }),
          col('resolveDueAt', { defaultHidden: true }),
          col('remark', { width: 180 }),
          col('createTime'),
        ]}
        actions={(row) => [{ key: 'open', label: t('open'), to: detail(row.id) }]}
        batch={may('complaint:update') && may('user:lookup') ? [{ key: 'assign', label: t('assign'), onClick: assign }] : []}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <strong>#{row.id}</strong>
              <span>{t(`enums.type.${row.type}`)}</span>
              {due(row)}
              <StatusTag tone={stateTones[row.state]}>{t(`enums.state.${row.state}`)}</StatusTag>
            </div>
            <p className={styles.said}>{row.content}</p>
            <p className={styles.where}>{[row.rtuNumber, row.username].filter(Boolean).join(' · ')}</p>
            {actions}
          </>
        )}
      />
      {detailed ? <ComplaintDrawer /> : null}
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
      {assigned ? <AssignDialog {...assigned} onClose={() => setAssigned(null)} /> : null}
    </>
  )
}
