import { Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../../web/StatusTag.tsx'
import type { CopyPreview } from '../copyContract.ts'
import { Skipped } from './Skipped.tsx'

const roads = (list: readonly number[]) => list.map((road) => String(road).padStart(2, '0')).join(' ')

/** What would happen, machine by machine; one opened says it lane by lane. */
export function CopyPreviewTable({ targets }: { targets: readonly CopyPreview[] }) {
  const { t } = useTranslation('lanes')
  return (
    <Table<CopyPreview>
      rowKey="deviceId"
      size="small"
      dataSource={[...targets]}
      scroll={{ y: 380, x: 560 }}
      pagination={targets.length > 50 ? { pageSize: 50, showSizeChanger: false } : false}
      expandable={{
        rowExpandable: (row) => row.problem === '',
        expandedRowRender: (row) => (
          <>
            {row.write.length ? (
              <p>
                <b>{t('copy.writes', { n: row.write.length })}</b> {roads(row.write)}
              </p>
            ) : null}
            {row.same.length ? (
              <p>
                <b>{t('copy.same', { n: row.same.length })}</b> {roads(row.same)}
              </p>
            ) : null}
            <Skipped rows={row.skipped} />
          </>
        ),
      }}
      columns={[
        { key: 'rtuNumber', dataIndex: 'rtuNumber', title: t('copy.columns.rtuNumber'), width: 120 },
        { key: 'nickname', dataIndex: 'nickname', title: t('copy.columns.nickname'), width: 160, ellipsis: true },
        {
          key: 'result',
          title: t('copy.columns.result'),
          width: 220,
          render: (_, row) =>
            row.problem ? (
              <StatusTag tone="locked">{t('copy.leaves', { why: row.problem })}</StatusTag>
            ) : (
              <span>
                {row.creates ? `${t('copy.creates')} · ` : ''}
                {t('copy.writes', { n: row.write.length })}
                {row.skipped.length ? ` · ${t('copy.skip', { n: row.skipped.length })}` : ''}
              </span>
            ),
        },
      ]}
    />
  )
}
