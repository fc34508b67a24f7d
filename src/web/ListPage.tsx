import { Button } from 'antd'
import { createElement, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import type { Endpoint, Output } from '../shared/contract.ts'
import { queryClient, readKey, useRead } from './api.ts'
import { call } from './call.ts'
import { useConfirm } from './confirm.tsx'
import { FilterBar } from './list/FilterBar.tsx'
import { Footer } from './list/Footer.tsx'
import { BatchBar, ListHead } from './list/Heads.tsx'
import styles from './list/List.module.css'
import { ListTable } from './list/ListTable.tsx'
import { arrange, readLayout } from './list/layout.ts'
import { activeFilters, listedBy, type Query } from './list/listUrl.ts'
import { Tools } from './list/Tools.tsx'
import type { ListPageProps, Records, RowOf } from './list/types.ts'
import { useChanged } from './list/useChanged.ts'
import { useListQuery } from './list/useListQuery.ts'
import { usePreference } from './list/usePreference.ts'
import { useRecords } from './list/useRecords.tsx'
import { useLive } from './live.ts'
import { Problem } from './Problem.tsx'
import { product } from './product.ts'
import { fieldInfo } from './schema.ts'
import { useMay } from './session.ts'
import { useTabPath } from './shell/tabs.ts'
import { toast } from './toast.ts'
import { useDetail } from './useDetail.ts'
import { useScreen } from './useScreen.ts'

type Answer<R> = { list: R[]; total: number; more?: true | undefined }
const nothing: Query = {}
const mostSelected = 1000

/**
 * A list: filters, table, paging, selection, settings. A page that needs a flag here should use
 * antd directly.
 */
export function ListPage<E extends Endpoint>(props: ListPageProps<E>) {
  type R = RowOf<E>
  const { endpoint, ns, batch = [], rowKey = 'id' as keyof R & string } = props
  const { t } = useTranslation([ns, 'web'])
  const path = useTabPath()
  const screen = useScreen()
  const title = props.title ?? screen.title
  const filters = (props.filters ?? []).map((filter) =>
    typeof filter === 'string' ? { key: filter } : filter,
  )
  const columns = props.columns.filter((column) => column !== false)
  const views = typeof props.views === 'string' ? enumViews(props.views) : (props.views ?? [])
  const fixed = (props.fixed as Query | undefined) ?? nothing
  const { query, change, reset } = useListQuery(endpoint.input, fixed)
  const [layout, setLayout] = usePreference(
    `columns:${path.replace(/\/\d+(?=\/|$)/g, '/id')}`,
    readLayout,
  )
  const read = useRead(endpoint, query as never, { keep: true, inline: true })
  const answer = read.data as (Answer<R> & Output<E>) | undefined
  // of the rows that are shown, also while those of another page are on their way
  const asOf = useRef(0)
  if (!read.isPlaceholderData) asOf.current = read.dataUpdatedAt
  // an act on many is on rows that its reader found: another view or filter has none of them
  const listed = listedBy(query)
  const [chosen, setChosen] = useState<{ of: string; rows: ReadonlyMap<string | number, R> }>()
  const selected = chosen?.of === listed ? chosen.rows : new Map<string | number, R>()
  const setSelected = (rows: ReadonlyMap<string | number, R>) => setChosen({ of: listed, rows })
  useLive(props.live, [endpoint.path])

  const keyOf = (row: R) => row[rowKey] as string | number
  const changed = useChanged(
    read.isPlaceholderData ? undefined : answer?.list,
    keyOf,
    JSON.stringify(query),
  )
  const clear = () => setSelected(new Map())
  const refresh = () => void queryClient.invalidateQueries({ queryKey: [endpoint.path] })
  const filtered = activeFilters(endpoint.input, query, fixed)
  /** Reads every page of the filter, within the limit of a batch. */
  const selectAll = async () => {
    const rows: R[] = []
    for (let page = 1; rows.length < Math.min(answer?.total ?? 0, mostSelected); page += 1) {
      const input = { ...query, page, pageSize: 200 }
      const part = (await queryClient
        .fetchQuery({
          queryKey: readKey(endpoint, input),
          queryFn: () => call(endpoint, input as never),
        })
        .catch(() => null)) as Answer<R> | null
      if (!part || part.list.length === 0) break
      rows.push(...part.list)
    }
    if ((answer?.total ?? 0) > mostSelected) toast('info', t('web:list.tooMany'))
    setSelected(new Map(rows.slice(0, mostSelected).map((row) => [keyOf(row), row])))
  }
  const firstText = columns.find((column) => column.card?.as === 'line')
  const records = useRecords<R & object>(
    props.records as Records<R & object> | undefined,
    props,
    (row) =>
      props.records?.name
        ? String(row[props.records.name as keyof typeof row])
        : firstText
          ? String(row[firstText.key as keyof typeof row])
          : null,
  )
  const detail = useDetail()
  const keys = (answer?.list ?? []).map((row) => String(keyOf(row)))
  const at = detail.id === null ? -1 : keys.indexOf(detail.id)
  const step = (key: string | undefined) =>
    at < 0 || key === undefined ? undefined : () => detail.open(key)
  const may = useMay()
  const confirm = useConfirm()
  const [scheduling, setScheduling] = useState(false)
  const asShown = () => ({
    ...{ endpoint, ns, query },
    columns: arrange(columns, layout).flatMap(({ column, shown }) => (shown ? [column.key] : [])),
  })
  const writeFile = () => product.exportList({ ...asShown(), total: answer?.total ?? 0, confirm })
  const exportable =
    endpoint.export !== null &&
    [endpoint.export, endpoint.access].every((right) => right === 'self' || may(right))
  const tools = (
    <Tools
      columns={columns}
      layout={layout}
      onLayout={setLayout}
      onRefresh={refresh}
      {...(exportable ? { onExport: writeFile, total: answer?.total ?? 0 } : {})}
      {...(exportable && may(product.scheduleRight)
        ? { onSchedule: () => setScheduling(true) }
        : {})}
    />
  )

  return (
    <section className={styles.sheet} aria-label={title}>
      <ListHead
        title={title}
        views={views}
        query={query}
        onView={(view) => reset(view)}
        actions={
          <>
            {props.header}
            {records.add}
          </>
        }
      />
      <FilterBar
        ns={ns}
        input={endpoint.input}
        filters={filters}
        query={query}
        fixed={fixed}
        onChange={change}
        onReset={() => reset({})}
        tools={tools}
      />
      {props.notice ? <div className={styles.notice}>{props.notice}</div> : null}
      {selected.size > 0 ? (
        <BatchBar
          actions={batch}
          selection={{ keys: [...selected.keys()], rows: [...selected.values()], clear }}
          total={answer?.total ?? 0}
          onAll={() => void selectAll()}
        />
      ) : null}
      {read.error && answer ? (
        <div className={styles.stale} role="alert">
          {t('web:list.stale')}: {read.error.message}
          <Button type="link" size="small" onClick={refresh}>
            {t('web:action.retry')}
          </Button>
        </div>
      ) : null}
      <div className={styles.body}>
        {read.isFetching && answer ? (
          <div className={styles.bar} role="status" aria-label={t('web:loading')} />
        ) : null}
        {read.error && !answer ? (
          <Problem
            error={read.error}
            title={t('web:list.failed', { title })}
            onRetry={() => void read.refetch()}
          />
        ) : (
          <ListTable
            {...props}
            columns={columns}
            filters={filters}
            rowKey={rowKey}
            {...(props.records?.update || props.records?.remove
              ? {
                  actions: (row: R) =>
                    records.actionsOf(row as R & object, props.actions?.(row) ?? []),
                }
              : {})}
            empty={
              props.empty ??
              (records.empty ? { title: records.empty, action: records.add } : undefined)
            }
            answer={answer}
            asOf={asOf.current}
            layout={layout}
            query={query}
            onChange={change}
            selected={selected}
            onSelect={setSelected}
            filtered={filtered}
            changed={changed}
            onReset={() => reset({})}
            onOpen={props.detail ? (row) => detail.open(keyOf(row)) : undefined}
          />
        )}
      </div>
      <Footer
        answer={answer}
        query={query}
        onChange={change}
        sums={answer && props.sums ? props.sums(answer) : []}
      />
      {records.dialog}
      {scheduling
        ? createElement(product.ScheduleDialog, {
            wish: asShown(),
            onClose: () => setScheduling(false),
          })
        : null}
      {detail.id !== null && props.detail
        ? createElement(props.detail, {
            id: detail.id,
            onClose: detail.close,
            onPrevious: step(keys[at - 1]),
            onNext: step(keys[at + 1]),
          })
        : null}
    </section>
  )

  function enumViews(key: string) {
    const { values } = fieldInfo(endpoint.input.shape[key] as z.ZodType | undefined)
    return [
      { key: 'all', label: t('web:list.all'), query: {} },
      ...values.map((value) => ({
        key: value,
        label: t(`${ns}:enums.${key}.${value}`),
        query: { [key]: value },
      })),
    ]
  }
}
