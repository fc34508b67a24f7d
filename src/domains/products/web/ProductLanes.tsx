import { Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { Detail } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { StockBar } from '../../../web/StockBar.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { ProductLane, products } from '../contract.ts'

/** Where a product is sold: machines and lanes, beside the list. */
export function ProductLanes({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('products')
  const col = useCols(ProductLane, 'products')
  // the next product begins at its first page
  const [at, setAt] = useState({ id, page: 1 })
  const page = at.id === id ? at.page : 1
  const product = useRead(products.get, { id: Number(id) }, { inline: true })
  const input = { id: Number(id), page, pageSize: 20 } as const
  const read = useRead(products.lanes, input, { keep: true, inline: true })
  const { sums, total = 0, list = [] } = read.data ?? {}
  return (
    <Detail
      open
      {...steps}
      title={product.data?.name}
      loading={read.isPending}
      error={read.error ?? product.error}
      onRetry={() => void Promise.all([read.refetch(), product.refetch()])}
    >
      {sums ? <Lead>{t('laneSum', { n: sums.devices, m: sums.lanes, k: sums.stock })}</Lead> : null}
      <Table
        rowKey="id"
        size="middle"
        dataSource={list}
        scroll={{ x: 700 }}
        locale={{ emptyText: t('lanesEmpty') }}
        columns={[
          col('rtuNumber', {
            width: 128,
            link: (lane) => `/device/device-list/cargo-road/${lane.deviceId}`,
          }),
          col('nickname'),
          col('roadIndex'),
          col('quantity', {
            title: `${t('fields.quantity')} / ${t('fields.capacity')}`,
            width: 144,
            render: (_, lane) => <StockBar stock={lane.quantity} capacity={lane.capacity} />,
          }),
          col('price'),
          col('status', { words: 'laneStatus', width: 104 }),
        ]}
        pagination={
          total > 20 && {
            current: page,
            pageSize: 20,
            total,
            showSizeChanger: false,
            onChange: (next) => setAt({ id, page: next }),
          }
        }
      />
    </Detail>
  )
}
