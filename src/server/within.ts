import { type RawBuilder, sql } from 'kysely'

/**
 * Where these rows lie, for the planner: their moments, and as constants their months. A kept plan
 * knows the partitions of those and no others; without them it opens and locks every month there
 * is.
 */
export function within(column: string, moments: readonly Date[]): RawBuilder<unknown> {
  const times = moments.map((at) => at.getTime())
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))]
  const month = (at: Date, next = 0) =>
    sql.lit(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + next)).toISOString())
  const name = sql.ref(column)
  return sql`${name} between ${first} and ${last} and ${name} >= ${month(first)}
    and ${name} < ${month(last, 1)}`
}
