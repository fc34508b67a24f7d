import { Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { Detail } from '../../../web/Detail.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { StockBar } from '../../../web/StockBar.tsx'
import { ProductLane, type ProductRow, products } from '../contract.ts'
import styles from './products.module.css'

const tones: Record<string, Tone> = { ENABLED: 'online', DISABLED: 'locked', FAULT: 'fault', LOCKED: 'locked', MERGED: 'closed' }

/** Where a product is sold: machines and lanes, beside the list. */
export function ProductLanes({ product, onClose }: { product: ProductRow; onClose: () => void }) {
  const { t } = useTranslation(['products', 'web'])
  const col = useCols(ProductLane, 'products')
  const [page, setPage] = useState(1)
  const read = useRead(products.lanes, { id: product.id, page, pageSize: 20 }, { keep: true, inline: true })
  const sums = read.data?.sums
  return (
    <Detail open title={product.name} onClose={onClose} loading={read.isPending} error={read.error} onRetry={() => void read.refetch()}>
      {sums ? <p className={styles.sum}>{t('list.laneSum', { n: sums.devices, m: sums.lanes, k: sums.stock })}</p> : null}
      <Table
        rowKey="id"
        size="middle"
        dataSource={read.data?.list ?? []}
        scroll={{ x: 700 }}
        locale={{ emptyText: t('list.lanesEmpty') }}
        columns={[
          col('rtuNumber', { width: 128, render: (_, lane) => <Link to={`/device/device-list/cargo-road/${lane.deviceId}`}>{lane.rtuNumber}</Link> }),
          col('nickname'),
          col('roadIndex', { width: 72 }),
          col('quantity', {
            title: `${t('fields.quantity')} / ${t('fields.capacity')}`,
            width: 144,
            align: 'right',
            render: (_, lane) => <StockBar stock={lane.quantity} capacity={lane.capacity} />,
          }),
          col('price', { width: 96, align: 'right' }),
          col('status', { width: 96, render: (value: string) => <StatusTag tone={tones[value] ?? 'closed'}>{t(`enums.laneStatus.${value}`)}</StatusTag> }),
        ]}
        pagination={
          (read.data?.total ?? 0) > 20 ? { current: page, pageSize: 20, total: read.data?.total ?? 0, showSizeChanger: false, onChange: setPage } : false
        }
      />
    </Detail>
  )
}
