import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

/** The SQL of every list page: filters, sort, page and the exact total, in two statements. */
export type ListSql<S extends string> = {
  columns: RawBuilder<unknown>
  from: RawBuilder<unknown>
  /** Conditions; falsy ones are left out, so a filter is `input.x && sql\`…\``. */
  where: readonly (RawBuilder<unknown> | null | undefined | false | '' | 0)[]
  /**
   * Sort key of the contract -> column. Unknown keys never reach here: the contract refused them.
   */
  sort: Readonly<Record<S, RawBuilder<unknown>>>
  /** Unique last sort column, so that pages never overlap. */
  last: RawBuilder<unknown>
  input: { page: number; pageSize: number; sort: S | `-${S}` }
  /** Cheaper `from` for the count, when joins add no rows. */
  countFrom?: RawBuilder<unknown>
  /**
   * The sorts that need more than `countFrom`. With this, every other sort finds the rows of the
   * page there and joins the rest for those alone.
   */
  wideSorts?: readonly S[]
  /**
   * What `columns` need besides the only table of `countFrom`, whose name this is there: the rows
   * of the page are found first, and a column that looks something up does so for those alone,
   * not for each that a late page skips.
   */
  late?: { name: string; joins: RawBuilder<unknown> }
  /**
   * Sorts whose column is never empty: an index is walked in their order, so a page reads its own
   * rows alone.
   */
  filled?: readonly S[]
  /** Columns summed over the whole filter, read together with the total from `countFrom`. */
  sums?: RawBuilder<unknown>
}

export async function selectPage<Row, S extends string = string, Sums extends object = object>(
  db: Db,
  list: ListSql<S>,
): Promise<{ rows: Row[]; total: number; sums: Sums }> {
  const where = all(list.where)
  const descending = list.input.sort.startsWith('-')
  const key = list.input.sort.replace(/^-/, '') as S
  const column = list.sort[key]
  const direction = descending ? sql`desc` : sql`asc`
  const empty = list.filled?.includes(key) ? sql`` : sql` nulls last`
  const countFrom = list.countFrom ?? list.from
  const extra = list.sums ? sql`, ${list.sums}` : sql``
  const counted = await sql<
    { total: number } & Sums
  >`select count(*) as total${extra} from ${countFrom} where ${where}`.execute(db)
  const { total, ...sums } = counted.rows[0] as { total: number } & Sums
  const offset = (list.input.page - 1) * list.input.pageSize
  if (offset >= total) return { rows: [], total, sums: sums as unknown as Sums }
  const order = sql`order by ${column} ${direction}${empty}, ${list.last} ${direction}`
  const cut = sql`limit ${list.input.pageSize} offset ${offset}`
  if (list.late) {
    const name = sql.ref(list.late.name)
    const { rows } = await sql<Row>`select ${list.columns}
      from (select ${name}.* from ${countFrom} where ${where} ${order} ${cut}) ${name}
      ${list.late.joins} ${order}`.execute(db)
    return { rows, total, sums: sums as unknown as Sums }
  }
  const chosen =
    list.wideSorts && !list.wideSorts.includes(key)
      ? sql`${list.last} = any(array(select ${list.last} from ${countFrom}
        where ${where} ${order} ${cut})) ${order}`
      : sql`${where} ${order} ${cut}`
  const { rows } = await sql<Row>`select ${list.columns} from ${list.from} where ${chosen}`.execute(
    db,
  )
  return { rows, total, sums: sums as unknown as Sums }
}

/** All conditions joined by `and`; `true` when there are none. */
export function all(conditions: ListSql<string>['where']): RawBuilder<unknown> {
  const real = conditions.filter((c): c is RawBuilder<unknown> => Boolean(c))
  return real.length ? sql.join(real, sql` and `) : sql`true`
}

/**
 * Rows whose indexed text contains the words; goes through the security-definer search (see
 * 0002_business.sql).
 */
export const matches = (
  what: 'devices' | 'products',
  idColumn: string,
  keyword: string | undefined,
) => (keyword ? sql`${sql.ref(idColumn)} in (select app_search(${what}, ${keyword}))` : null)
