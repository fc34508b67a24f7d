import { Flex, Segmented, Table, type TableProps } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Count, Money } from '../../../../web/Money.tsx'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { StockBar } from '../../../../web/StockBar.tsx'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import type { Road } from '../../contract.ts'
import { sellable } from '../../rules.ts'
import { roadText, type ShownRoad, toLane } from '../shown.ts'
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

/** The same lanes as figures. */
export function LaneTable({
  roads,
  selection,
}: {
  roads: readonly ShownRoad[]
  selection: Selection
}) {
  const selected = useChosen(selection)
  const { t } = useTranslation('lanes')
  const [filter, setFilter] = useState<(typeof filters)[number]>('all')
  const shown = roads.filter(
    (road) => road.status !== 'MERGED' && (filter === 'all' || road.view === filter),
  )
  const phone = usePhone()
  const number = { align: 'right' as const, width: 72 }
  const columns: TableProps<ShownRoad>['columns'] & object = [
    {
      key: 'roadIndex',
      title: t('fields.roadIndex'),
      width: phone ? 56 : 72,
      render: (_, road) => roadText(road),
    },
    {
      key: 'productName',
      title: t('fields.productName'),
      ...(phone ? {} : { width: 148 }),
      ellipsis: true,
      render: (_, road) => road.productName ?? <span className="hd-none">—</span>,
    },
    {
      key: 'stock',
      title: t('totals.stock'),
      align: 'right',
      width: phone ? 64 : 128,
      render: (_, road) => {
        if (road.productId === null) return <span className="hd-none">—</span>
        if (phone) return `${road.productStock}/${road.roadCapacity}`
        return (
          <StockBar stock={road.productStock} capacity={road.roadCapacity} warn={road.warnQty} />
        )
      },
    },
    {
      key: 'reserved',
      title: t('fields.reserved'),
      ...number,
      render: (_, road) => <Count value={road.reserved} />,
    },
    {
      key: 'failedHold',
      title: t('fields.failedHold'),
      ...number,
      render: (_, road) => <Count value={road.failedHold} />,
    },
    {
      key: 'sellable',
      title: t('fields.sellable'),
      ...number,
      render: (_, road) => <Count value={sellable(toLane(road))} />,
    },
    { key: 'warnQty', dataIndex: 'warnQty', title: t('fields.warnQty'), ...number, width: 96 },
    {
      key: 'price',
      title: t('fields.price'),
      ...number,
      render: (_, road) =>
        road.price === null ? <span className="hd-none">—</span> : <Money fen={road.price} />,
    },
    {
      key: 'view',
      title: t('fields.view'),
      width: phone ? 76 : 96,
      render: (_, road) => (
        <StatusTag tone={tones[road.view]}>{t(`enums.view.${road.view}`)}</StatusTag>
      ),
    },
  ]
  return (
    <Flex vertical align="start" gap={8}>
      <Segmented
        size="small"
        value={filter}
        onChange={setFilter}
        options={filters.map((key) => ({ value: key, label: t(`filters.${key}`) }))}
      />
      <Table<ShownRoad>
        rowKey="id"
        style={{ width: '100%' }}
        size="middle"
        pagination={false}
        dataSource={shown}
        {...(phone ? {} : { scroll: { x: 796 } })}
        rowSelection={{
          selectedRowKeys: [...selected],
          preserveSelectedRowKeys: true,
          columnWidth: 40,
          onChange: (keys) => selection.set(keys.map(Number)),
        }}
        columns={phone ? columns.filter(({ key }) => small.includes(String(key))) : columns}
      />
    </Flex>
  )
}
