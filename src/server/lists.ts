import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

/** The SQL of every list page: filters, sort, page and the exact total, in two statements. */
export type ListSql<S extends string> = {
  columns: RawBuilder<unknown>
  from: RawBuilder<unknown>
  /** Conditions; falsy ones are left out, so a filter is `input.x && sql\`…\``. */
  where: readonly (RawBuilder<unknown> | null | undefined | false | '' | 0)[]
  /** Sort key of the contract -> column. Unknown keys never reach here: the contract refused them. */
  sort: Readonly<Record<S, RawBuilder<unknown>>>
  /** Unique last sort column, so that pages never overlap. */
  last: RawBuilder<unknown>
  input: { page: number; pageSize: number; sort: S | `-${S}` }
  /** Cheaper `from` for the count, when joins add no rows. */
  countFrom?: RawBuilder<unknown>
}

export async function selectPage<Row, S extends string = string>(db: Db, list: ListSql<S>): Promise<{ rows: Row[]; total: number }> {
  const where = all(list.where)
  const descending = list.input.sort.startsWith('-')
  const column = list.sort[list.input.sort.replace(/^-/, '') as S]
  const direction = descending ? sql`desc nulls last` : sql`asc nulls last`
  const lastDirection = descending ? sql`desc` : sql`asc`
  const counted = await sql<{ total: number }>`select count(*) as total from ${list.countFrom ?? list.from} where ${where}`.execute(db)
  const total = counted.rows[0]?.total ?? 0
  const offset = (list.input.page - 1) * list.input.pageSize
  if (offset >= total) return { rows: [], total }
  const { rows } = await sql<Row>`select ${list.columns} from ${list.from} where ${where}
    order by ${column} ${direction}, ${list.last} ${lastDirection} limit ${list.input.pageSize} offset ${offset}`.execute(db)
  return { rows, total }
}

/** All conditions joined by `and`; `true` when there are none. */
export function all(conditions: ListSql<string>['where']): RawBuilder<unknown> {
  const real = conditions.filter((c): c is RawBuilder<unknown> => Boolean(c))
  return real.length ? sql.join(real, sql` and `) : sql`true`
}

/** Rows whose indexed text contains the words; goes through the security-definer search (see 0002_business.sql). */
export const matches = (what: 'devices' | 'products', idColumn: string, keyword: string | undefined) =>
  keyword ? sql`${sql.ref(idColumn)} in (select app_search(${what}, ${keyword}))` : null
