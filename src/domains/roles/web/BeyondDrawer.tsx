import { Input, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail } from '../../../web/Detail.tsx'
import { Time } from '../../../web/Time.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { roles } from '../contract.ts'

/** Users whose role was given by somebody who could not give it now. */
export function BeyondDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['roles', 'web'])
  const [page, setPage] = useState(1)
  const [keyword, setKeyword] = useState('')
  const read = useRead(
    roles.beyond,
    { page, ...(keyword ? { keyword } : {}) },
    { inline: true, keep: true },
  )
  const column = (key: string, width: number) => ({
    key,
    dataIndex: key,
    title: t(`fields.${key === 'name' ? 'realName' : key}`),
    width,
  })
  return (
    <Detail
      open
      onClose={onClose}
      title={t('matrix.beyond')}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      <Lead>{t('matrix.beyondHint')}</Lead>
      <Input.Search
        allowClear
        placeholder={t('fields.userName')}
        onSearch={(text) => [setKeyword(text.trim()), setPage(1)]}
        style={{ maxWidth: 280, marginBottom: 8 }}
      />
      <Table
        size="small"
        rowKey={(row) => `${row.id} ${row.roleName}`}
        dataSource={read.data?.list ?? []}
        scroll={{ x: 'max-content' }}
        locale={{ emptyText: t('matrix.beyondEmpty') }}
        pagination={{
          current: page,
          pageSize: 20,
          total: read.data?.total ?? 0,
          onChange: setPage,
          hideOnSinglePage: true,
        }}
        columns={[
          column('userName', 120),
          column('name', 96),
          column('orgName', 152),
          column('roleName', 120),
          column('grantedBy', 96),
          { ...column('createTime', 124), render: (at: string) => <Time at={at} /> },
        ]}
      />
    </Detail>
  )
}
