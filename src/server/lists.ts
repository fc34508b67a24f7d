import { type RawBuilder, sql } from 'kysely'
import { common, Refusal } from '../shared/errors.ts'
import { type Counted, countedDays, pageWithin } from './counted.ts'
import type { Db } from './database.ts'

/**
 * How far a list that grows with sales is counted, and how deep it is paged, where `counted` does
 * not know better (decision 76).
 */
export const listLimits = { counted: 10_000 }

/**
 * The SQL of every list page: filters, sort, page and the total, in two statements. The total is
 * exact, unless the list grows with sales and nobody counted what the filter says: then `more`.
 */
export type ListSql<S extends string> = {
  columns: RawBuilder<unknown>
  /** A function is told the bounds of the page, to say them inside, and the depth of its last row. */
  from: RawBuilder<unknown> | ((bounds: RawBuilder<unknown>, depth: number) => RawBuilder<unknown>)
  /** Conditions; falsy ones are left out, so a filter is `input.x && sql\`…\``. */
  where: readonly (RawBuilder<unknown> | null | undefined | false | '' | 0)[]
  /**
   * Sort key of the contract -> column. Unknown keys never reach here: the contract refused them.
   */
  sort: Readonly<Record<S, RawBuilder<unknown>>>
  /** Unique last sort column, so that pages never overlap. */
  last: RawBuilder<unknown>
  input: { page: number; pageSize: number; sort: S | `-${S}`; walk?: Walk }
  /** Rows are added with every sale, message or act: they are not all counted. */
  grows?: boolean
  /** Their counts by day, when the filter says no more than these know; `by`: sorted by the day. */
  counted?: (Counted & { readonly by: S }) | false | null
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
  late?: {
    name: string
    joins: RawBuilder<unknown>
    /** Where the rows of the page are found, when that is not `countFrom`. */
    from?: Exclude<ListSql<S>['from'], RawBuilder<unknown>>
  }
  /**
   * Sorts whose column is never empty: an index is walked in their order, so a page reads its own
   * rows alone.
   */
  filled?: readonly S[]
  /** Columns summed over the whole filter, read together with the total from `countFrom`. */
  sums?: RawBuilder<unknown>
}

/** Every row, page after page, from behind the last one; counted once, up to `most`. */
export type Walk = {
  readonly most: number
  total?: number
  more?: boolean
  after?: [string | null, string]
}
export type Found<Row, Sums = object> = {
  rows: Row[]
  total: number
  /** There are more than `total`. */
  more?: true
  sums: Sums
}
/** `{list, total}` of a page, `more` where it was not counted to the end. */
export const answerOf = <Row>(
  found: Pick<Found<unknown>, 'total' | 'more'>,
  list: Row[],
): { list: Row[]; total: number; more?: true } => ({
  list,
  total: found.total,
  ...(found.more && { more: true as const }),
})

export async function selectPage<Row, S extends string = string, Sums extends object = object>(
  db: Db,
  list: ListSql<S>,
): Promise<Found<Row, Sums>> {
  const { page, pageSize, sort, walk } = list.input
  const descending = sort.startsWith('-')
  const key = sort.replace(/^-/, '') as S
  const column = list.sort[key]
  const direction = descending ? sql`desc` : sql`asc`
  const filled = list.filled?.includes(key)
  const depth = page * pageSize
  let offset = depth - pageSize
  const days = walk?.after ? null : list.counted ? await countedDays(db, list.counted) : null
  const { sums, ...counted } = await count<S, Sums>(db, list, days)
  const none = { rows: [], ...counted, sums }
  if (walk?.after) offset = 0
  else if (offset >= counted.total) {
    if (!counted.more) return none
    throw new Refusal(common.tooDeep, { most: counted.total })
  }
  let bounds = walk?.after && behind(walk.after, { column, last: list.last, descending, filled })
  if (days && list.counted && list.counted.by === key) {
    const within = pageWithin(days, { offset, size: pageSize, descending })
    if (!within) return none
    offset = within.skip
    bounds = sql`${column} >= ${within.from} and ${column} < ${within.until}`
  }
  const from = (of: ListSql<S>['from']) =>
    typeof of === 'function' ? of(bounds ?? sql`true`, offset + pageSize) : of
  const countFrom = list.countFrom ?? from(list.from)
  const where = all([...list.where, bounds])
  const order = sql`order by ${column} ${direction}${filled ? sql`` : sql` nulls last`},
    ${list.last} ${direction}`
  const cut = sql`limit ${pageSize} offset ${offset}`
  const columns = walk
    ? sql`${list.columns}, ${column}::text as "walkKey", ${list.last}::text as "walkLast"`
    : list.columns
  const name = list.late && sql.ref(list.late.name)
  const narrow = list.wideSorts && !list.wideSorts.includes(key)
  const { rows } = await (list.late
    ? sql<Row>`select ${columns}
      from (select ${name}.* from ${list.late.from ? from(list.late.from) : countFrom} where ${where} ${order} ${cut}) ${name}
      ${list.late.joins} ${order}`
    : sql<Row>`select ${columns} from ${from(list.from)} where ${
        narrow
          ? sql`${list.last} = any(array(select ${list.last} from ${countFrom}
            where ${where} ${order} ${cut})) ${order}`
          : sql`${where} ${order} ${cut}`
      }`
  ).execute(db)
  if (walk) walkedTo(walk, rows as Walked[])
  return { rows, ...counted, sums }
}

async function count<S extends string, Sums extends object>(
  db: Db,
  list: ListSql<S>,
  days: readonly { rows: number }[] | null,
): Promise<{ total: number; more?: true; sums: Sums }> {
  const { walk } = list.input
  if (walk?.total !== undefined) return { total: walk.total, sums: {} as Sums }
  const from = list.countFrom ?? (list.from as RawBuilder<unknown>)
  const where = all(list.where)
  if (days && !list.sums) {
    const total = days.reduce((sum, { rows }) => sum + rows, 0)
    if (walk) walk.total = total
    return { total, sums: {} as Sums }
  }
  const most = !list.grows || list.sums ? null : (walk?.most ?? listLimits.counted)
  const { rows } = await (most === null
    ? sql<Row<Sums>>`select count(*) as total${list.sums ? sql`, ${list.sums}` : sql``}
        from ${from} where ${where}`
    : sql<Row<Sums>>`select count(*) as total
        from (select from ${from} where ${where} limit ${most + 1}) x`
  ).execute(db)
  const { total, ...sums } = rows[0] as Row<Sums>
  const more = most !== null && total > most && !walk
  if (walk) walk.total = total
  return { total: more ? total - 1 : total, ...(more && { more }), sums: sums as unknown as Sums }
}
type Row<Sums> = { total: number } & Sums

type Walked = { walkKey?: string | null; walkLast?: string }
function walkedTo(walk: Walk, rows: Walked[]): void {
  const last = rows.at(-1)
  if (last) walk.after = [last.walkKey ?? null, last.walkLast as string]
  for (const row of rows) {
    delete row.walkKey
    delete row.walkLast
  }
}

/** What comes after a row in the order of the list; empty ones come last. */
function behind(
  [key, id]: NonNullable<Walk['after']>,
  {
    column,
    last,
    descending,
    filled = false,
  }: {
    column: RawBuilder<unknown>
    last: RawBuilder<unknown>
    descending: boolean
    filled: boolean | undefined
  },
): RawBuilder<unknown> {
  const past = descending ? sql`<` : sql`>`
  if (key === null) return sql`(${column} is null and ${last} ${past} ${id})`
  const next = sql`(${column}, ${last}) ${past} (${key}, ${id})`
  return filled ? next : sql`(${next} or ${column} is null)`
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
