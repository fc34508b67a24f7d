import { Table } from 'antd'
import type { z } from 'zod'
import type { Endpoint } from '../../../../shared/contract.ts'
import { useRead } from '../../../../web/api.ts'
import type { Column } from '../../../../web/columns.tsx'
import { useFitted } from '../../../../web/list/useFitted.ts'
import { useLive } from '../../../../web/live.ts'
import { Empty, Problem } from '../../../../web/Problem.tsx'
import { usePrefs } from '../../../../web/prefs.ts'

type Props<R> = {
  endpoint: Endpoint
  query: Record<string, unknown>
  columns: readonly Column<R>[]
  rowKey: keyof R & string
  empty: string
  live?: string
}

/** The newest rows of another list that concern one machine. */
export function TabTable<R extends z.output<z.ZodObject>>({
  endpoint,
  query,
  columns,
  rowKey,
  empty,
  live,
}: Props<R>) {
  const read = useRead(endpoint, query as never, { inline: true, keep: true })
  useLive(live, [endpoint.path])
  const list = (read.data as { list: R[] } | undefined)?.list
  const fitted = useFitted(list, usePrefs().lang, [])
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (list?.length === 0) return <Empty title={empty} />
  return (
    <Table<R>
      size="small"
      rowKey={rowKey}
      loading={!list}
      columns={columns.map((column) => ({ ...fitted(column), sorter: false }))}
      dataSource={[...(list ?? [])]}
      pagination={false}
      scroll={{ x: 'max-content' }}
    />
  )
}
