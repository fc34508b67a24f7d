import ArrowDownOutlined from '@ant-design/icons/es/icons/ArrowDownOutlined'
import ArrowUpOutlined from '@ant-design/icons/es/icons/ArrowUpOutlined'
import ColumnHeightOutlined from '@ant-design/icons/es/icons/ColumnHeightOutlined'
import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import ReloadOutlined from '@ant-design/icons/es/icons/ReloadOutlined'
import ScheduleOutlined from '@ant-design/icons/es/icons/ScheduleOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import { Button, Checkbox } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Column } from '../columns.tsx'
import { formatCount } from '../Money.tsx'
import { usePhone } from '../shell/useWidth.ts'
import { Dropdown, Popover } from '../ui/popup.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import styles from './List.module.css'
import { arrange, type Density, type Layout } from './layout.ts'

type Props<R> = {
  columns: readonly Column<R>[]
  layout: Layout
  onLayout: (layout: Layout) => void
  onRefresh: () => void
  /** Present when the list may be written to a file. */
  onExport?: () => Promise<void>
  total?: number
  /** Present when it may come by itself. */
  onSchedule?: () => void
}

/** Export, refresh, density, columns. */
export function Tools<R>({
  columns,
  layout,
  onLayout,
  onRefresh,
  onExport,
  total = 0,
  onSchedule,
}: Props<R>) {
  const { t } = useTranslation('web')
  const phone = usePhone()
  const densities: Density[] = ['compact', 'standard', 'loose']
  return (
    <>
      {onExport ? <ExportButton total={total} onExport={onExport} /> : null}
      {onSchedule ? (
        <Tooltip title={t('list.schedule')}>
          <Button
            type="text"
            icon={<ScheduleOutlined />}
            aria-label={t('list.schedule')}
            onClick={onSchedule}
          />
        </Tooltip>
      ) : null}
      <Tooltip title={t('list.refresh')}>
        <Button
          type="text"
          icon={<ReloadOutlined />}
          aria-label={t('list.refresh')}
          onClick={onRefresh}
        />
      </Tooltip>
      {phone ? null : (
        <>
          <Dropdown
            trigger={['click']}
            menu={{
              selectable: true,
              selectedKeys: [layout.density],
              items: densities.map((key) => ({ key, label: t(`list.${key}`) })),
              onClick: ({ key }) => onLayout({ ...layout, density: key as Density }),
            }}
          >
            <Button
              type="text"
              icon={<ColumnHeightOutlined />}
              aria-label={t('list.density')}
              title={t('list.density')}
            />
          </Dropdown>
          <Popover
            trigger="click"
            placement="bottomRight"
            content={<ColumnList columns={columns} layout={layout} onLayout={onLayout} />}
          >
            <Button
              type="text"
              icon={<SettingOutlined />}
              aria-label={t('list.columns')}
              title={t('list.columns')}
            />
          </Popover>
        </>
      )}
    </>
  )
}

function ExportButton({ total, onExport }: { total: number; onExport: () => Promise<void> }) {
  const { t } = useTranslation('web')
  const [busy, setBusy] = useState(false)
  const label = t('list.export', { count: formatCount(total) })
  const press = () => {
    setBusy(true)
    void onExport().finally(() => setBusy(false))
  }
  return (
    <Tooltip title={label}>
      <Button
        type="text"
        icon={<DownloadOutlined />}
        aria-label={label}
        loading={busy}
        disabled={total === 0}
        onClick={press}
      />
    </Tooltip>
  )
}

function ColumnList<R>({
  columns,
  layout,
  onLayout,
}: Pick<Props<R>, 'columns' | 'layout' | 'onLayout'>) {
  const { t } = useTranslation('web')
  const arranged = arrange(columns, layout)
  const order = arranged.map(({ column }) => column.key)
  const hidden = arranged.filter(({ shown }) => !shown).map(({ column }) => column.key)
  const move = (index: number, by: number) => {
    const next = [...order]
    const [taken] = next.splice(index, 1)
    if (taken) next.splice(index + by, 0, taken)
    onLayout({ ...layout, order: next, hidden })
  }
  return (
    <div className={styles.columnList}>
      {arranged.map(({ column, shown }, index) => (
        <div key={column.key}>
          <Checkbox
            checked={shown}
            disabled={shown && hidden.length >= columns.length - 1}
            onChange={(event) =>
              onLayout({
                ...layout,
                order,
                hidden: event.target.checked
                  ? hidden.filter((key) => key !== column.key)
                  : [...hidden, column.key],
              })
            }
          >
            {column.title}
          </Checkbox>
          <span>
            <Button
              type="text"
              size="small"
              icon={<ArrowUpOutlined />}
              disabled={index === 0}
              aria-label={`${t('list.up')} ${column.title}`}
              onClick={() => move(index, -1)}
            />
            <Button
              type="text"
              size="small"
              icon={<ArrowDownOutlined />}
              disabled={index === arranged.length - 1}
              aria-label={`${t('list.down')} ${column.title}`}
              onClick={() => move(index, 1)}
            />
          </span>
        </div>
      ))}
      <Button
        type="link"
        size="small"
        onClick={() => onLayout({ ...layout, order: [], hidden: null })}
      >
        {t('action.reset')}
      </Button>
    </div>
  )
}
