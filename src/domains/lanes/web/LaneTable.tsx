import { Segmented, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Count, Money } from '../../../web/Money.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { StockBar } from '../../../web/StockBar.tsx'
import type { Road } from '../contract.ts'
import { sellable } from '../rules.ts'
import styles from './lanes.module.css'
import { roadText, type ShownRoad, toLane } from './shown.ts'

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

/** The same lanes as figures. */
export function LaneTable({ roads, selected, onSelect }: { roads: readonly ShownRoad[]; selected: ReadonlySet<number>; onSelect: (ids: number[]) => void }) {
  const { t } = useTranslation('lanes')
  const [filter, setFilter] = useState<(typeof filters)[number]>('all')
  const shown = roads.filter((road) => road.status !== 'MERGED' && (filter === 'all' || road.view === filter))
  const number = { align: 'right' as const, width: 72 }
  return (
    <div className={styles.table}>
      <Segmented size="small" value={filter} onChange={setFilter} options={filters.map((key) => ({ value: key, label: t(`filters.${key}`) }))} />
      <Table<ShownRoad>
        rowKey="id"
        size="middle"
        pagination={false}
        dataSource={shown}
        scroll={{ x: 796 }}
        rowSelection={{ selectedRowKeys: [...selected], preserveSelectedRowKeys: true, columnWidth: 40, onChange: (keys) => onSelect(keys.map(Number)) }}
        columns={[
          { key: 'roadIndex', title: t('fields.roadIndex'), width: 72, render: (_, road) => roadText(road) },
          {
            key: 'productName',
            title: t('fields.productName'),
            width: 148,
            ellipsis: true,
            render: (_, road) => road.productName ?? <span className="hd-none">—</span>,
          },
          {
            key: 'stock',
            title: t('totals.stock'),
            align: 'right',
            width: 128,
            render: (_, road) =>
              road.productId === null ? (
                <span className="hd-none">—</span>
              ) : (
                <StockBar stock={road.productStock} capacity={road.roadCapacity} warn={road.warnQty} />
              ),
          },
          { key: 'reserved', title: t('fields.reserved'), ...number, render: (_, road) => <Count value={road.reserved} /> },
          { key: 'failedHold', title: t('fields.failedHold'), ...number, render: (_, road) => <Count value={road.failedHold} /> },
          { key: 'sellable', title: t('fields.sellable'), ...number, render: (_, road) => <Count value={sellable(toLane(road))} /> },
          { key: 'warnQty', dataIndex: 'warnQty', title: t('fields.warnQty'), ...number, width: 96 },
          {
            key: 'price',
            title: t('fields.price'),
            ...number,
            render: (_, road) => (road.price === null ? <span className="hd-none">—</span> : <Money fen={road.price} />),
          },
          {
            key: 'view',
            title: t('fields.view'),
            width: 96,
            render: (_, road) => <StatusTag tone={tones[road.view]}>{t(`enums.view.${road.view}`)}</StatusTag>,
          },
        ]}
      />
    </div>
  )
}
