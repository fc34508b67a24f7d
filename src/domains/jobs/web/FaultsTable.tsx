import { Table } from 'antd'
import { useTranslation } from 'react-i18next'
import type { RowFault } from '../contract.ts'

/** What is wrong with which row, as the server says it. */
export function FaultsTable({ faults }: { faults: readonly RowFault[] }) {
  const { t } = useTranslation('jobs')
  return (
    <Table
      size="small"
      aria-label={t('faultsTitle')}
      rowKey={(fault) => `${fault.row} ${fault.column} ${fault.message}`}
      dataSource={faults}
      pagination={false}
      scroll={{ y: '50vh' }}
      columns={[
        {
          key: 'row',
          title: t('fields.row'),
          width: 96,
          render: (_, fault) => t('importing.row', { row: fault.row }),
        },
        {
          key: 'column',
          title: t('fields.column'),
          width: 144,
          render: (_, fault) => fault.title || '—',
        },
        { key: 'message', title: t('fields.message'), dataIndex: 'message' },
      ]}
    />
  )
}
