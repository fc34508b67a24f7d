import type { ColumnType, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { z } from 'zod'
import { common, type ErrorDef, fieldRefusal, Refusal } from '../shared/errors.ts'
import type { Ctx } from './context.ts'
import type { Db } from './database.ts'
import { type Found, type ListSql, selectPage } from './lists.ts'
import type { Constraint, DB } from './schema.ts'

/**
 * One shape from SQL to the wire: a field of the contract is the column of the same name
 * (`storeName` is `store_name`), read and written. What is not, is said; a name or a type that fits
 * neither is an error of the compiler.
 */

type Snake<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : ''
type Read<C> = C extends ColumnType<infer S, unknown, unknown> ? S : C
type Written<C> = C extends ColumnType<unknown, unknown, infer U> ? U : C
/** What the wire makes of a column. */
type Wire<V> = V extends Date ? string : V

/**
 * Fields that need no word: their column has their name, and holds nothing that they do not take.
 */
type Plain<T extends keyof DB, Row> = {
  [K in keyof Row & string]: Snake<K> extends keyof DB[T]
    ? Wire<Read<DB[T][Snake<K>]>> extends Row[K]
      ? K
      : never
    : never
}[keyof Row & string]

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A moment of the database is ISO 8601 on the wire. */
function wired<Row>(row: Record<string, unknown>): Row {
  for (const [name, value] of Object.entries(row))
    if (value instanceof Date) row[name] = value.toISOString()
  return row as Row
}

/** A moment within JSON that SQL builds, as it leaves in a column of its own. */
export const isoText = (at: string | RawBuilder<unknown>) =>
  sql<string | null>`to_char(${typeof at === 'string' ? sql.ref(at) : at} at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** How rows of a contract are read. `made`: fields that code adds afterwards. */
export type Shape<Row> = {
  readonly columns: RawBuilder<unknown>
  /** The first row, when there is one; `rest` begins with `from`. */
  one(db: Db, rest: RawBuilder<unknown>): Promise<Row | undefined>
  all(db: Db, rest: RawBuilder<unknown>): Promise<Row[]>
  page<S extends string, Sums extends object = object>(
    db: Db,
    list: Omit<ListSql<S>, 'columns'>,
  ): Promise<Found<Row, Sums>>
}

/** A row as a shape reads it, or the shape that a function makes. */
export type Rows<S> = S extends Shape<infer Row> | ((...given: never[]) => Shape<infer Row>)
  ? Row
  : never

/**
 * The rows of `schema`, read from `table` under `alias`. `said`: the SQL of fields whose column has
 * another name, another table, or may be empty where the contract has a value.
 */
export function shape<
  T extends keyof DB,
  S extends z.ZodRawShape,
  M extends keyof S & string = never,
>(
  schema: z.ZodObject<S>,
  [table, alias]: readonly [T, string],
  said: {
    readonly [K in Exclude<
      keyof z.infer<z.ZodObject<S>> & string,
      Plain<T, z.infer<z.ZodObject<S>>> | M
    >]: RawBuilder<unknown>
  } & {
    readonly [K in keyof S]?: RawBuilder<unknown>
  },
  made: readonly M[] = [],
): Shape<Omit<z.infer<z.ZodObject<S>>, M>> {
  type Row = Omit<z.infer<z.ZodObject<S>>, M>
  const fields = Object.keys(schema.shape).filter(
    (name) => !(made as readonly string[]).includes(name),
  )
  const columns = sql.join(
    fields.map(
      (name) =>
        sql`${(said as Record<string, RawBuilder<unknown>>)[name] ?? sql.ref(`${alias}.${snake(name)}`)} as ${sql.ref(name)}`,
    ),
  )
  const all = async (db: Db, rest: RawBuilder<unknown>) => {
    const { rows } = await sql<Record<string, unknown>>`select ${columns} ${rest}`.execute(db)
    return rows.map((row) => wired<Row>(row))
  }
  void table
  return {
    columns,
    all,
    one: async (db, rest) => (await all(db, rest))[0],
    async page<K extends string, Sums extends object>(db: Db, list: Omit<ListSql<K>, 'columns'>) {
      const { rows, ...figures } = await selectPage<Record<string, unknown>, K, Sums>(db, {
        ...list,
        columns,
      })
      return { rows: rows.map((row) => wired<Row>(row)), ...figures }
    },
  }
}

/** Fields as the columns of the same name, for `values` and `set`. */
export function columns<T extends keyof DB, I extends object>(
  _table: T,
  fields: I & {
    [K in keyof I & string]: Snake<K> extends keyof DB[T]
      ? I[K] extends Written<DB[T][Snake<K>]>
        ? I[K]
        : never
      : never
  },
): { [K in keyof I & string as Snake<K>]: I[K] } {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [snake(name), value]),
  ) as never
}

type Versioned = {
  [T in keyof DB]: DB[T] extends { id: unknown; version: unknown } ? T : never
}[keyof DB]
type Version = { readonly id: number; readonly version: number }

/** Writes this version of a row, or refuses as stale. */
export async function updateVersion<T extends Versioned>(
  ctx: Ctx,
  table: T,
  { id, version }: Version,
  set: Partial<Record<keyof DB[T] & string, unknown>>,
  stale: ErrorDef = common.stale,
) {
  const pairs = Object.entries(set).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const { numAffectedRows } =
    await sql`update ${sql.table(table)} set ${sql.join([...pairs, sql`version = version + 1`])}
      where id = ${id} and version = ${version}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(stale)
}

/** Deletes this version of a row, or refuses as stale. */
export async function deleteVersion<T extends Versioned>(
  ctx: Ctx,
  table: T,
  { id, version }: Version,
): Promise<void> {
  const { numAffectedRows } =
    await sql`delete from ${sql.table(table)} where id = ${id} and version = ${version}`.execute(
      ctx.db,
    )
  if (!numAffectedRows) throw new Refusal(common.stale)
}

/**
 * What the database guards is a refusal on a field: `guarding({ stores_system:
 * [storeErrors.systemTaken, 'systemId'] })(work)`.
 */
export function guarding(
  refusals: { readonly [C in Constraint]?: readonly [def: ErrorDef, field?: string] },
) {
  return async <R>(work: Promise<R>): Promise<R> => {
    try {
      return await work
    } catch (error) {
      const [def, field] =
        refusals[(error as { constraint?: Constraint }).constraint as Constraint] ?? []
      if (!def) throw error
      throw field ? fieldRefusal(def, field) : new Refusal(def)
    }
  }
}
