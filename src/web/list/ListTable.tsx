import { Button, Table, type TableProps } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import type { Endpoint } from '../../shared/contract.ts'
import type { Column } from '../columns.tsx'
import { Empty } from '../Problem.tsx'
import { fieldInfo } from '../schema.ts'
import { usePhone } from '../shell/useWidth.ts'
import styles from './List.module.css'
import { arrange, type Layout } from './layout.ts'
import type { Query } from './listUrl.ts'
import { actionsWidth, RowActions } from './RowActions.tsx'
import { RowCard } from './RowCard.tsx'
import { textWidth } from './textWidth.ts'
import type { Filter, ListPageProps, RowOf } from './types.ts'
import { squeezed, useFitted } from './useFitted.ts'

type Props<E extends Endpoint, R = RowOf<E>> = Omit<ListPageProps<E>, 'columns' | 'filters' | 'rowKey' | 'empty'> & {
  columns: readonly Column<R>[]
  filters: readonly Filter[]
  rowKey: keyof R & string
  empty: { readonly title: string; readonly hint?: string; readonly action?: ReactNode } | undefined
  answer: { list: R[]; total: number } | undefined
  layout: Layout
  query: Query
  onChange: (part: Query) => void
  selected: ReadonlyMap<string | number, R>
  onSelect: (selected: ReadonlyMap<string | number, R>) => void
  filtered: readonly string[]
  changed: ReadonlySet<string | number>
  onReset: () => void
}
const sizes = { compact: 'small', standard: 'middle', loose: 'large' } as const
const headHeight = 36

export function ListTable<E extends Endpoint>(props: Props<E>) {
  type R = RowOf<E>
  const { answer, layout, query, onChange, selected, onSelect, actions, rowKey, batch = [], card, changed } = props
  const { t } = useTranslation('web')
  const phone = usePhone()
  const box = useRef<HTMLDivElement>(null)
  const { width: room, height } = useSize(box)
  const bones = useSkeleton(answer === undefined)
  useEffect(() => {
    // what scrolls must be reachable by keyboard, also where no row holds anything to focus
    const body = box.current?.querySelector('.ant-table-body')
    if (body?.querySelector('td a, td button, td input')) body.removeAttribute('tabindex')
    else body?.setAttribute('tabindex', '0')
  })
  const sortable = fieldInfo(props.endpoint.input.shape.sort as z.ZodType | undefined).values
  const fitted = useFitted(answer?.list, t('action.more'), sortable)
  const actionWidth = actions
    ? (props.actionsWidth ??
      Math.max(72, textWidth(t('list.actions')) + 24, ...(answer?.list ?? []).slice(0, 50).map((row) => actionsWidth(actions(row), t('action.more')))))
    : 0
  const beside = actionWidth + (batch.length > 0 ? 40 : 0)
  const shown = squeezed(
    arrange(props.columns, layout)
      .filter((item) => item.shown)
      .map((item) => fitted(item.column)),
    room - beside,
  )
  // a picture says who it is only together with the name beside it
  const leading = shown[0]?.card?.as === 'picture' ? 1 : 0
  const sort = String(query.sort ?? '')
  const keyOf = (row: R) => row[rowKey] as string | number
  const rows = answer?.list ?? []
  const rowActions = (row: R) => <RowActions actions={actions?.(row) ?? []} />
  const empty = <EmptyList {...props} />

  if (phone && card && answer) {
    return (
      <div className={styles.cards}>
        {rows.length === 0
          ? empty
          : rows.map((row) => (
              <article key={keyOf(row)} className={`${styles.card} ${changed.has(keyOf(row)) ? styles.changed : ''}`}>
                {typeof card === 'function' ? card(row, rowActions(row)) : <RowCard row={row} columns={props.columns} keys={card} actions={rowActions(row)} />}
              </article>
            ))}
      </div>
    )
  }
  const columns = shown.map((column, index) => ({
    ...column,
    ...(index <= leading && !phone ? { fixed: 'start' as const } : {}),
    ...(sortable.includes(column.key) && column.sorter === undefined
      ? {
          sorter: true,
          showSorterTooltip: false,
          sortOrder: sort === column.key ? ('ascend' as const) : sort === `-${column.key}` ? ('descend' as const) : null,
        }
      : {}),
    ...(bones ? { render: () => <span className={styles.bone} style={{ width: `${45 + ((index * 37) % 40)}%` }} /> } : {}),
  }))
  const withActions = actions
    ? [
        ...columns,
        {
          key: '__actions',
          title: t('list.actions'),
          width: actionWidth,
          fixed: 'end' as const,
          render: (_: unknown, row: R) => (bones ? null : rowActions(row)),
        },
      ]
    : columns
  const width = shown.reduce((sum, column) => sum + Number(column.width ?? 120), beside)
  const selection: TableProps<R>['rowSelection'] = {
    selectedRowKeys: [...selected.keys()],
    preserveSelectedRowKeys: true,
    columnWidth: 40,
    getCheckboxProps: () => ({ disabled: bones }),
    fixed: !phone,
    onChange: (keys, chosen) => {
      const found = new Map(chosen.filter(Boolean).map((row) => [keyOf(row), row]))
      onSelect(
        new Map(
          keys.flatMap((key) => {
            const row = found.get(key as string | number) ?? selected.get(key as string | number)
            return row ? [[key as string | number, row] as const] : []
          }),
        ),
      )
    },
  }
  const skeleton = Array.from({ length: 10 }, (_, index) => ({ [rowKey]: -index - 1 }) as R)
  return (
    <div ref={box} className={styles.rows} data-density={layout.density} style={{ height: '100%' }} aria-busy={bones}>
      <Table<R>
        key={phone ? 'phone' : 'wide'}
        rowKey={rowKey}
        size={sizes[layout.density]}
        columns={withActions as NonNullable<TableProps<R>['columns']>}
        dataSource={answer ? rows : bones ? skeleton : []}
        pagination={false}
        tableLayout="fixed"
        rowClassName={(row: R) => (changed.has(keyOf(row)) ? (styles.changed ?? '') : '')}
        scroll={{ x: width, ...(rows.length > 0 || bones ? { y: Math.max(120, height - headHeight) } : {}) }}
        locale={{ emptyText: answer ? empty : ' ' }}
        {...(batch.length > 0 ? { rowSelection: selection } : {})}
        {...(props.onRow && !bones ? { onRow: (row: R) => ({ onDoubleClick: () => props.onRow?.(row) }) } : {})}
        onChange={(_pages, _filters, sorter) => {
          const one = Array.isArray(sorter) ? sorter[0] : sorter
          onChange({ sort: one?.order ? `${one.order === 'descend' ? '-' : ''}${String(one.columnKey)}` : undefined })
        }}
      />
    </div>
  )
}

function EmptyList<E extends Endpoint>({ filtered, filters, ns, empty, onReset }: Props<E>) {
  const { t } = useTranslation(['web', ns])
  if (filtered.length > 0) {
    const keys = new Set(filtered.map((key) => (key === 'from' || key === 'to' ? 'range' : key)))
    const names = [...keys].map((key) => filters.find((filter) => filter.key === key)?.label ?? t(`${ns}:fields.${key}`, { defaultValue: '' })).filter(Boolean)
    return (
      <Empty
        kind="filtered"
        title={t('list.filtered')}
        hint={names.length > 0 ? t('list.filteredBy', { names: names.join(t('list.and')) }) : undefined}
        action={<Button onClick={onReset}>{t('list.clearFilters')}</Button>}
      />
    )
  }
  return <Empty title={empty?.title ?? t('list.empty')} hint={empty?.hint} action={empty?.action} />
}

/** The table body scrolls, so it has to know its height; the columns share its width. */
function useSize(box: React.RefObject<HTMLDivElement | null>): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      if (height > 0) setSize({ width: Math.floor(width), height: Math.floor(height) })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return size
}

/** Bones appear only when the wait is noticeable. */
function useSkeleton(pending: boolean): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!pending) return setLate(false)
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [pending])
  return pending && late
}
