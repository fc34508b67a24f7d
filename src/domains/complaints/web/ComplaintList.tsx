import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { ComplaintRow, complaints } from '../contract.ts'

const ComplaintDrawer = lazyDialog(() =>
  import('./ComplaintDrawer.tsx').then((m) => m.ComplaintDrawer),
)
const CreateDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.CreateDialog))
const AssignDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.AssignDialog))

export function ComplaintList() {
  const { t } = useTranslation(['complaints', 'web'])
  const col = useCols(ComplaintRow, 'complaints')
  const may = useMay()
  const detail = useDetail()
  const confirm = useConfirm()
  const { data: n } = useRead(complaints.stats, {}, { inline: true })
  useLive('complaints', [complaints.stats.path])
  const [creating, setCreating] = useState(false)
  const [assigned, setAssigned] = useState<{
    ids: number[]
    skipped: number
    onSaved: () => void
  } | null>(null)
  const assign = ({ rows, clear }: Selection<ComplaintRow>) => {
    const ids = rows.filter((row) => row.can.handle).map((row) => row.id)
    if (ids.length === 0)
      return void confirm({
        title: t('assignNone'),
        ok: t('web:action.understood'),
        cancel: null,
      })
    setAssigned({ ids, skipped: rows.length - ids.length, onSaved: clear })
  }
  const add = may('complaint:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  ) : null
  const view = (state: 'OPEN' | 'HANDLING' | 'WAITING', count: number | undefined) => ({
    key: state,
    label: t(`enums.state.${state}`),
    query: { state },
    count,
  })
  const late = (overdue: boolean) =>
    overdue ? <StatusTag tone="fault">{t('overdue')}</StatusTag> : null
  return (
    <>
      <ListPage
        ns="complaints"
        endpoint={complaints.list}
        live="complaints"
        detail={ComplaintDrawer}
        header={add}
        empty={{ title: t('empty'), action: add }}
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          view('OPEN', n?.open),
          view('HANDLING', n?.handling),
          view('WAITING', n?.waiting),
          { key: 'overdue', label: t('overdue'), query: { overdue: true }, count: n?.overdue },
        ]}
        filters={[
          'keyword',
          'type',
          { key: 'rtuNumber', more: true },
          'orderNum',
          'range',
          { key: 'state', more: true },
          ...(may('user:lookup') ? [{ key: 'assigneeId', more: true, picker: PersonSelect }] : []),
          { key: 'source', more: true },
        ]}
        columns={[
          col('id', { width: 72, link: (row) => detail.to(row.id) }),
          col('content'),
          col('type', { tones: {} }),
          col('state'),
          col('overdue', {
            width: 88,
            title: t('overdue'),
            render: late,
            card: { as: 'line', draw: ({ overdue }) => late(overdue) },
          }),
          col('username'),
          col('rtuNumber', {
            link: (row) =>
              may('device:read') ? `/device/device-list?detail=${row.deviceId}` : undefined,
          }),
          col('orderNum', {
            ellipsis: false,
            defaultHidden: true,
            link: (row) => (may('order:read') ? `/order/order-details/${row.orderNum}` : undefined),
          }),
          col('images', {
            width: 88,
            defaultHidden: true,
            render: (_, row) =>
              row.images.slice(0, 2).map((src) => <Picture key={src} src={src} size={24} />),
          }),
          col('assigneeName'),
          col('source', { tones: {}, defaultHidden: true }),
          col('resolveDueAt', { defaultHidden: true }),
          col('remark', { defaultHidden: true }),
          col('createTime'),
        ]}
        actions={(row) => [{ key: 'open', label: t('action.open'), to: detail.to(row.id) }]}
        batch={
          may('complaint:update') && may('user:lookup')
            ? [{ key: 'assign', label: t('assign'), onClick: assign }]
            : []
        }
        card={['type', 'content', 'rtuNumber', 'username', 'overdue']}
      />
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
      {assigned ? <AssignDialog {...assigned} onClose={() => setAssigned(null)} /> : null}
    </>
  )
}
