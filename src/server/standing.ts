import { type RawBuilder, sql } from 'kysely'
import type { Endpoint } from '../shared/contract.ts'
import type { Ctx } from './context.ts'
import type { Db } from './database.ts'
import { onlyRow } from './rows.ts'
import { isoText } from './shapes.ts'

/**
 * Something that stands open until somebody does something, as a domain declares it in its
 * manifest: the work list (/workbench/situation) asks all of them, each for its own rows.
 */
export type Standing = {
  readonly key: string
  /** In both languages. */
  readonly title: string
  /** How bad it is: a tone of the status palette. */
  readonly tone: 'fault' | 'warn' | 'offline' | 'soldOut' | 'paid'
  /** The list behind it, whose right is needed to see it, and the filter that shows just these rows. */
  readonly list: Endpoint
  readonly filter: (now: Date) => Readonly<Record<string, string | number | boolean>>
  /** The page that shows the list. */
  readonly page: string
  /** Rights of which one is needed to do something about it: nobody is shown what others must do. */
  readonly act: readonly `${string}:${string}`[]
  /** The right to know its value; null: it has none in money. */
  readonly money: `${string}:${string}` | null
  /** Whether the value is at stake once, or lost anew with every day it stands. */
  readonly per: 'ONCE' | 'DAY'
  /** In the scope of `ctx.actor`, by kept figures or within a bound. */
  readonly measure: (ctx: Ctx) => Promise<Stands>
}

export type Stands = {
  readonly count: number
  /** There are more than were counted. */
  readonly more?: true
  /** In fen; null: nobody knows. */
  readonly value: number | null
  /** Since when the longest of them stands. */
  readonly since: string | null
}
export const nothingStands: Stands = { count: 0, value: 0, since: null }

/** So many are counted; whoever has more knows enough. */
const most = 10_000

/** Of a query that selects `value` and `at` of each row. */
export async function standing(db: Db, rows: RawBuilder<unknown>): Promise<Stands> {
  const found = await onlyRow<{ count: number; value: number | null; since: string | null }>(db)`
    select count(*) as count, sum(value)::bigint as value, ${isoText(sql`min(at)`)} as since
    from (${rows} limit ${most + 1}) x(value, at)`
  return found.count > most ? { ...found, count: most, more: true } : found
}
