import { Table, type TableColumnType } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { Muted } from '../../../../web/ui/Text.tsx'
import { twoDigits } from '../shown.ts'

type Machine = { deviceId: number; rtuNumber: string; nickname: string }
type Props<R> = {
  rows: readonly R[]
  columns: readonly TableColumnType<R>[]
  /** What stands below a machine that was opened; null: nothing does. */
  more: (row: R) => ReactNode
}

export const roadsText = (roads: readonly number[]): string => roads.map(twoDigits).join(' ')

/** The machines of a copy; the name only where there is room. */
export function MachineTable<R extends Machine>({ rows, columns, more }: Props<R>) {
  const { t } = useTranslation('lanes')
  const phone = usePhone()
  return (
    <Table<R>
      rowKey="deviceId"
      size="small"
      dataSource={[...rows]}
      scroll={phone ? { y: 360 } : { y: 360, x: 560 }}
      pagination={rows.length > 50 ? { pageSize: 50, showSizeChanger: false } : false}
      expandable={{ rowExpandable: (row) => more(row) !== null, expandedRowRender: more }}
      columns={[...machineColumns<R>(t, phone), ...columns]}
    />
  )
}

export const machineColumns = <R extends object>(
  t: (key: string) => string,
  phone = false,
): TableColumnType<R>[] => {
  const column = (key: string, width: number) => ({
    key,
    dataIndex: key,
    title: t(`copy.columns.${key}`),
    width,
    ellipsis: true,
  })
  return phone ? [column('rtuNumber', 96)] : [column('rtuNumber', 120), column('nickname', 160)]
}

/** Lanes that stay as they are, by reason. */
export function Skipped({ rows }: { rows: readonly { road: number; reason: string }[] }) {
  const { t } = useTranslation('lanes')
  return [...Map.groupBy(rows, (row) => row.reason)].map(([reason, lanes]) => (
    <div key={reason} style={{ marginBottom: 4, fontSize: 13 }}>
      <b style={{ color: 'var(--hd-st-warn-text)' }}>{t('copy.skip', { n: lanes.length })}</b>{' '}
      {reason}
      <br />
      <Muted small>{roadsText(lanes.map(({ road }) => road))}</Muted>
    </div>
  ))
}
