import { Button, Flex, Input, Progress, Segmented, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { Detail } from '../../../web/Detail.tsx'
import { useLive } from '../../../web/live.ts'
import { Problem } from '../../../web/Problem.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { useAct } from '../../../web/useAct.ts'
import { notices, ReaderRow } from '../contract.ts'

const size = 50

/** Who has read a notice and who has not, beside the list. */
export function Readers({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation(['notices', 'web'])
  const col = useCols(ReaderRow, 'notices')
  type Asked = { state: 'unread' | 'read'; keyword: string; page: number }
  const [{ state, keyword, page }, ask] = useState<Asked>({ state: 'unread', keyword: '', page: 1 })
  const loaded = useRead(notices.get, { id }, { inline: true })
  const read = useRead(
    notices.readers,
    { id, state, page, pageSize: size, ...(keyword ? { keyword } : {}) },
    { inline: true, keep: true },
  )
  useLive('notices', [notices.get.path, notices.readers.path])
  const notice = loaded.data
  const { targetCount = 0, readCount = 0 } = notice ?? {}
  const open = targetCount - readCount
  const total = read.data?.total ?? 0
  const remind = useAct(notices.remind, {
    ask: t('remindAsk', { n: open }),
    ok: t('remind'),
    danger: false,
    invalidates: ['/api/notices', '/api/messages'],
  })
  return (
    <Detail
      open
      onClose={onClose}
      title={notice ? `${t('reader.title')} · ${notice.title}` : t('reader.title')}
      loading={loaded.isPending}
      error={loaded.error}
      onRetry={() => void loaded.refetch()}
      actions={
        notice?.state === 'PUBLISHED' && open > 0 ? (
          <Tooltip title={t('remindHint')}>
            <Button
              type="primary"
              disabled={!notice.can.remind}
              onClick={() => void remind(notice)}
            >
              {t('remind')}
            </Button>
          </Tooltip>
        ) : null
      }
    >
      {notice ? (
        <>
          <Flex align="center" gap={16} style={{ marginBottom: 12 }}>
            <span style={{ flex: 'none' }}>
              {t('reader.ratio', { read: readCount, target: targetCount })}
            </span>
            <Progress
              percent={Math.floor((100 * readCount) / Math.max(1, targetCount))}
              size="small"
              strokeColor="var(--hd-brand)"
            />
          </Flex>
          <Flex wrap justify="space-between" gap={8} style={{ marginBottom: 12 }}>
            <Segmented
              value={state}
              onChange={(next: Asked['state']) => ask({ state: next, keyword, page: 1 })}
              options={[
                { value: 'unread', label: t('reader.unread', { n: open }) },
                { value: 'read', label: t('reader.read', { n: readCount }) },
              ]}
            />
            <Input
              allowClear
              style={{ width: 220 }}
              placeholder={t('reader.search')}
              aria-label={t('reader.search')}
              maxLength={60}
              value={keyword}
              onChange={({ target }) => ask({ state, keyword: target.value, page: 1 })}
            />
          </Flex>
          {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
          <Table
            rowKey="id"
            size="small"
            loading={read.isPending}
            dataSource={read.data?.list ?? []}
            locale={{ emptyText: t(state === 'unread' ? 'reader.noneUnread' : 'reader.noneRead') }}
            scroll={{ x: 560 }}
            columns={[
              col('name'),
              col('userName'),
              col('orgName'),
              ...(state === 'read' ? [col('readTime')] : []),
              ...(state === 'read' && notice.mustConfirm ? [col('confirmTime')] : []),
            ]}
            pagination={
              total > size && {
                current: page,
                pageSize: size,
                total,
                showSizeChanger: false,
                onChange: (next) => ask({ state, keyword, page: next }),
              }
            }
          />
        </>
      ) : null}
    </Detail>
  )
}
