import days from 'chinese-days/dist/chinese-days.json' with { type: 'json' }
import type { Db } from '../../server/database.ts'
import { addDays, isYearKnown } from './server/calendar.ts'

type Entry = { day: string; type: 'HOLIDAY' | 'MAKEUP'; name: string }

/** `National Day,国庆节,3` */
const nameOf = (text: string): string => (text.split(',')[1] ?? '').slice(0, 30)
const of = (type: Entry['type'], given: Readonly<Record<string, string>>): Entry[] =>
  Object.entries(given).map(([day, text]) => ({ day, type, name: nameOf(text) }))

/**
 * The holidays of every year the library knows. Runs at every start: a year that has days is an
 * administrator's and stays.
 */
export async function seedCalendar(db: Db): Promise<void> {
  const all = [...of('HOLIDAY', days.holidays), ...of('MAKEUP', days.workdays)]
  for (const [year, entries] of Map.groupBy(all, (entry) => Number(entry.day.slice(0, 4))))
    if (!(await isYearKnown(db, year))) await addDays(db, entries)
}

/** A few values at each level, so that the settings page shows where values come from. */
export async function seedSettings(
  db: Db,
  ids: { org: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const rows = [...ids.org.values()].slice(0, 3)
  const [platform, agent, operator] = rows
  const set = (org: number | undefined, key: string, value: unknown, locked = false) =>
    org === undefined
      ? []
      : [{ org_id: org, key, value: JSON.stringify(value), locked, updated_at: now }]
  const values = [
    ...set(platform, 'device.offlineSeconds', 180),
    ...set(platform, 'order.maxPieces', 32, true),
    ...set(agent, 'stock.defaultWarnPercent', 25),
    ...set(agent, 'order.refundDays', 180),
    ...set(operator, 'order.payTimeoutMachine', 5),
  ]
  await db
    .insertInto('settings')
    .values(values)
    .onConflict((oc) => oc.doNothing())
    .execute()
}
