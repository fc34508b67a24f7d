import { Button } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import type { Endpoint } from '../../shared/contract.ts'
import type { Column } from '../columns.tsx'
import { Empty } from '../Problem.tsx'
import { usePrefs } from '../prefs.ts'
import { fieldInfo } from '../schema.ts'
import { usePhone } from '../shell/useWidth.ts'
import { type Col, RowTable, selectionWidth } from '../ui/RowTable.tsx'
import styles from './List.module.css'
import { arrange, type Layout } from './layout.ts'
import type { Query } from './listUrl.ts'
import { actionsWidth, RowActions } from './RowActions.tsx'
import { RowCard } from './RowCard.tsx'
import { textWidth } from './textWidth.ts'
import type { Filter, ListPageProps, RowOf } from './types.ts'
import { squeezed, useFitted } from './useFitted.ts'
import { useStableActs } from './useStableActs.ts'

type Props<E extends Endpoint, R = RowOf<E>> = Omit<
  ListPageProps<E>,
  'columns' | 'filters' | 'rowKey' | 'empty'
> & {
  columns: readonly Column<R>[]
  filters: readonly Filter[]
  rowKey: keyof R & string
  empty: { readonly title: string; readonly hint?: string; readonly action?: ReactNode } | undefined
  answer: { list: R[]; total: number } | undefined
  /** When it was answered. */
  asOf: number
  layout: Layout
  query: Query
  onChange: (part: Query) => void
  selected: ReadonlyMap<string | number, R>
  onSelect: (selected: ReadonlyMap<string | number, R>) => void
  filtered: readonly string[]
  changed: ReadonlySet<string | number>
  onReset: () => void
  onOpen: ((row: R) => void) | undefined
}

export function ListTable<E extends Endpoint>(props: Props<E>) {
  type R = RowOf<E>
  const { answer, layout, query, onChange, selected, onSelect, actions, rowKey, card, changed } =
    props
  // nobody chooses rows for what he may not do
  const batch = (props.batch ?? []).filter(({ can }) => can !== false)
  const { t } = useTranslation('web')
  const phone = usePhone()
  const { lang } = usePrefs()
  const box = useRef<HTMLDivElement>(null)
  const room = useWidth(box)
  const bones = useSkeleton(answer === undefined)
  const sortable = fieldInfo(props.endpoint.input.shape.sort as z.ZodType | undefined).values
  const fitted = useFitted(answer?.list, t('action.more'), sortable)
  const actionWidth = actions
    ? (props.actionsWidth ??
      Math.max(
        72,
        textWidth(t('list.actions')) + 24,
        ...(answer?.list ?? [])
          .slice(0, 50)
          .map((row) => actionsWidth(actions(row), t('action.more'))),
      ))
    : 0
  const beside = actionWidth + (batch.length > 0 ? selectionWidth : 0)
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
  const stable = useStableActs(actions, rows, keyOf)
  const rowActions = (row: R) => <RowActions actions={stable(row)} />
  const empty = <EmptyList {...props} />

  if (phone && card && answer) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: cards without verbs are scrolled by keyboard, too
      <div className={styles.cards} tabIndex={0}>
        {rows.length === 0
          ? empty
          : rows.map((row) => (
              <article
                key={keyOf(row)}
                data-row-key={keyOf(row)}
                className={`${styles.card} ${changed.has(keyOf(row)) ? styles.changed : ''}`}
              >
                {typeof card === 'function' ? (
                  card(row, rowActions(row))
                ) : (
                  <RowCard
                    row={row}
                    columns={props.columns}
                    keys={card}
                    actions={rowActions(row)}
                  />
                )}
              </article>
            ))}
      </div>
    )
  }
  const columns: Col<R>[] = shown.map((column, index) => ({
    key: column.key,
    title: column.title,
    width: Number(column.width ?? 120),
    align: column.align === 'right' || column.align === 'center' ? column.align : 'left',
    ellipsis: Boolean(column.ellipsis),
    ...(index <= leading && !phone ? { fixed: 'start' as const } : {}),
    ...(sortable.includes(column.key)
      ? { sort: sort === column.key ? 'ascend' : sort === `-${column.key}` ? 'descend' : 'none' }
      : {}),
    cell: (row, at) =>
      bones ? (
        <span className={styles.bone} style={{ width: `${45 + ((index * 37) % 40)}%` }} />
      ) : (
        drawn(column, row, at)
      ),
  }))
  if (actions)
    columns.push({
      key: '__actions',
      title: t('list.actions'),
      width: actionWidth,
      fixed: 'end',
      cell: (row) => (bones ? null : rowActions(row)),
    })
  const select = (keys: ReadonlySet<string | number>) => {
    const here = new Map(rows.map((row) => [keyOf(row), row]))
    onSelect(
      new Map(
        [...keys].flatMap((key) => {
          const row = here.get(key) ?? selected.get(key)
          return row ? [[key, row] as const] : []
        }),
      ),
    )
  }
  const skeleton = Array.from({ length: 10 }, (_, index) => ({ [rowKey]: -index - 1 }) as R)
  return (
    <div ref={box} className={styles.rows}>
      <RowTable<R>
        key={phone ? 'phone' : 'wide'}
        label={props.title ?? t('list.rows')}
        columns={columns}
        rows={answer ? rows : bones ? skeleton : []}
        asOf={`${props.asOf} ${bones} ${lang}`}
        keyOf={keyOf}
        density={layout.density}
        busy={bones}
        empty={answer ? empty : null}
        rowClass={(row) => (changed.has(keyOf(row)) ? styles.changed : undefined)}
        {...(props.onOpen && !bones ? { onOpen: props.onOpen } : {})}
        {...(batch.length > 0
          ? {
              selection: {
                keys: new Set(selected.keys()),
                onChange: select,
                disabled: bones,
                fixed: !phone,
                all: t('list.selectPage'),
                one: (at) => t('list.selectRow', { at }),
              },
            }
          : {})}
        onSort={(key, to) =>
          onChange({ sort: to === 'none' ? undefined : `${to === 'descend' ? '-' : ''}${key}` })
        }
      />
    </div>
  )
}

function drawn<R>({ key, render }: Column<R>, row: R, at: number): ReactNode {
  const value = (row as Record<string, unknown>)[key]
  return (render ? render(value, row, at) : value) as ReactNode
}

function EmptyList<E extends Endpoint>({ filtered, filters, ns, empty, onReset }: Props<E>) {
  const { t } = useTranslation(['web', ns])
  if (filtered.length > 0) {
    const keys = new Set(filtered.map((key) => (key === 'from' || key === 'to' ? 'range' : key)))
    const names = [...keys]
      .map(
        (key) =>
          filters.find((filter) => filter.key === key)?.label ??
          t(`${ns}:fields.${key}`, { defaultValue: '' }),
      )
      .filter(Boolean)
    return (
      <Empty
        kind="filtered"
        title={t('list.filtered')}
        hint={
          names.length > 0 ? t('list.filteredBy', { names: names.join(t('list.and')) }) : undefined
        }
        action={<Button onClick={onReset}>{t('list.clearFilters')}</Button>}
      />
    )
  }
  return <Empty title={empty?.title ?? t('list.empty')} hint={empty?.hint} action={empty?.action} />
}

/** The columns share the width of the table. */
function useWidth(box: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      if (height > 0) setWidth(Math.floor(width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return width
}

/** Skeleton appear only when the wait is noticeable. */
function useSkeleton(pending: boolean): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!pending) return setLate(false)
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [pending])
  return pending && late
}
