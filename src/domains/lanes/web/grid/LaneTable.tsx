import { Flex, Segmented, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../../web/columns.tsx'
import { Count } from '../../../../web/Money.tsx'
import type { Tone } from '../../../../web/StatusTag.tsx'
import { StockBar } from '../../../../web/StockBar.tsx'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { Road } from '../../contract.ts'
import { sellable } from '../../rules.ts'
import { roadText } from '../shown.ts'
import { type Selection, useChosen } from './selection.ts'

const filters = ['all', 'soldOut', 'low', 'fault', 'empty'] as const
const tones: Record<Road['view'], Tone> = {
  normal: 'online',
  low: 'warn',
  soldOut: 'soldOut',
  fault: 'fault',
  locked: 'locked',
  disabled: 'locked',
  empty: 'closed',
  merged: 'closed',
}

/** Columns of a phone. */
const small = ['roadIndex', 'productName', 'stock', 'view']
type Props = { roads: readonly Road[]; selection: Selection }

/** The same lanes as figures. */
export function LaneTable({ roads, selection }: Props) {
  const { t } = useTranslation('lanes')
  const col = useCols(Road, 'lanes')
  const phone = usePhone()
  const selected = useChosen(selection)
  const [filter, setFilter] = useState<(typeof filters)[number]>('all')
  const stock = ({ productId, productStock, roadCapacity, warnQty }: Road) =>
    productId === null ? (
      <span className="hd-none">—</span>
    ) : phone ? (
      `${productStock}/${roadCapacity}`
    ) : (
      <StockBar stock={productStock} capacity={roadCapacity} warn={warnQty} />
    )
  const columns = [
    col('roadIndex', {
      align: 'left',
      width: phone ? 56 : 72,
      render: (_, road) => roadText(road),
    }),
    col('productName', { ellipsis: true, width: phone ? 'auto' : 148 }),
    col('stock', {
      title: t('totals.stock'),
      align: 'right',
      width: phone ? 64 : 128,
      render: (_, road) => stock(road),
    }),
    col('reserved', { width: 72 }),
    col('failedHold', { width: 72 }),
    col('sellable', {
      align: 'right',
      width: 72,
      render: (_, road) => <Count value={sellable({ ...road, quantity: road.productStock })} />,
    }),
    col('warnQty', { width: 96 }),
    col('price', { width: 72 }),
    col('view', { tones, width: phone ? 76 : 96 }),
  ]
  return (
    <Flex vertical align="start" gap={8}>
      <Segmented
        size="small"
        value={filter}
        onChange={setFilter}
        options={filters.map((key) => ({ value: key, label: t(`filters.${key}`) }))}
      />
      <Table<Road>
        rowKey="id"
        style={{ width: '100%' }}
        size="middle"
        pagination={false}
        dataSource={roads.filter(
          ({ status, view }) => status !== 'MERGED' && (filter === 'all' || view === filter),
        )}
        {...(phone ? {} : { scroll: { x: 796 } })}
        rowSelection={{
          selectedRowKeys: [...selected],
          preserveSelectedRowKeys: true,
          columnWidth: 40,
          onChange: (keys) => selection.set(keys.map(Number)),
        }}
        columns={phone ? columns.filter(({ key }) => small.includes(key)) : columns}
      />
    </Flex>
  )
}
