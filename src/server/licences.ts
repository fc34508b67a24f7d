import { type RawBuilder, sql } from 'kysely'
import { shanghaiDay } from '../shared/instants.ts'
import { licenceSteps } from '../shared/licences.ts'

/**
 * Rows of a table that keeps beside a licence for which date and how many days people were told
 * (`licence_told_for`, `licence_told_days`): the days that are left, the step they have reached,
 * and whether it is yet to be said. Each step is said once for a date, however often this runs; a
 * missed one as it is when somebody says it.
 */
export function licenceEnding(table: string, until: string, now: Date) {
  const date = sql.ref(`${table}.${until}`)
  const left = sql<number>`${date} - ${shanghaiDay(now)}::date`
  const step = sql`(select min(x) from unnest(${[...licenceSteps]}::int[]) x where ${left} <= x)`
  const due: RawBuilder<boolean> = sql`${date} is not null and ${left} <= ${licenceSteps[0]}::int
    and (${sql.ref(`${table}.licence_told_for`)} is distinct from ${date}
      or ${sql.ref(`${table}.licence_told_days`)} > ${step})`
  return { left, step, due }
}
