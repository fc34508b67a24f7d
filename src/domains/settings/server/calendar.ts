import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, may, owns } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import { Refusal } from '../../../shared/errors.ts'
import { dayMs } from '../../../shared/instants.ts'
import { CalendarDay, type DayType, settingErrors, type settings } from '../contract.ts'
import { calendarProblem, weekType, yearOf } from '../rules.ts'

type Contract = typeof settings
const stored = shape(CalendarDay, ['day_types', 'd'], {})
const daysOf = (year: number) =>
  sql`from day_types d where d.org_id = ${platformOrg} and d.day between ${`${year}-01-01`}::date
    and ${`${year}-12-31`}::date`

/**
 * Normal workday, legal holiday, make-up workday or rest day. A year that is not known goes by its
 * weekdays.
 */
export async function dayTypeOf(db: Db, day: string): Promise<DayType> {
  const stored = await rowOf<{ type: DayType }>(
    db,
  )`select type from day_types where org_id = ${platformOrg} and day = ${day}::date`
  return stored?.type ?? weekType(day)
}

/** The same of some days, with the names of holidays. */
export async function dayTypesOf(
  db: Db,
  from: string,
  to: string,
): Promise<Map<string, { type: DayType; name: string }>> {
  const known = new Map<string, { type: DayType; name: string }>()
  const rows = await rowsOf<{ day: string; type: DayType; name: string }>(db)`
    select to_char(day, 'YYYY-MM-DD') as day, type, name from day_types
    where org_id = ${platformOrg} and day between ${from}::date and ${to}::date`
  for (const { day, ...one } of rows) known.set(day, one)
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10)
    if (!known.has(day)) known.set(day, { type: weekType(day), name: '' })
  }
  return known
}

const knownYears = async (db: Db): Promise<number[]> => {
  const rows = await rowsOf<{ year: number }>(
    db,
  )`select distinct extract(year from day)::int as year from day_types where org_id = ${platformOrg}
    order by year`
  return rows.map((row) => row.year)
}
export const isYearKnown = async (db: Db, year: number): Promise<boolean> =>
  (await knownYears(db)).includes(year)

const storedOf = (db: Db, year: number) => stored.all(db, sql`${daysOf(year)} order by d.day`)

export async function addDays(db: Db, days: readonly CalendarDay[]): Promise<void> {
  await sql`insert into day_types (org_id, day, type, name)
    select ${platformOrg}, day, type, name
    from jsonb_to_recordset(${JSON.stringify(days)}::jsonb) as n(day date, type text,
      name text)`.execute(db)
}

const mayImport = (ctx: Ctx): boolean => owns(ctx, platformOrg) && may(ctx, 'setting:update')

export const calendar: Handlers<Contract>['calendar'] = async (ctx, { year }) => {
  const days = await storedOf(ctx.db, year)
  return {
    year,
    known: days.length > 0,
    years: await knownYears(ctx.db),
    days: yearOf(year, new Map(days.map((row) => [row.day, row]))),
    can: { import: mayImport(ctx) },
  }
}

/**
 * Replaces the year. Days that are as their weekday are kept too when they have a name; the first
 * row makes the year known.
 */
export const importCalendar: Handlers<Contract>['importCalendar'] = async (ctx, { year, days }) => {
  if (!mayImport(ctx)) throw new Refusal(settingErrors.platformOnly)
  const problem = calendarProblem(year, days)
  if (problem)
    throw new Refusal(problem.def, problem.values, [
      { field: `days.${problem.row - 1}.day`, text: problem.def.text },
    ])
  // two who import at once: the second replaces the first
  await sql`select pg_advisory_xact_lock(hashtextextended('settings.calendar', 0))`.execute(ctx.db)
  const before = await storedOf(ctx.db, year)
  const special = days.filter((row) => row.type !== weekType(row.day) || row.name !== '')
  const kept = special.length ? special : days.slice(0, 1)
  await sql`delete ${daysOf(year)}`.execute(ctx.db)
  await addDays(ctx.db, kept)
  ctx.audit({
    id: year,
    name: String(year),
    before: { days: before.length },
    after: { days: kept.length },
    orgId: platformOrg,
  })
  ctx.touch('settings')
  return { stored: kept.length }
}
