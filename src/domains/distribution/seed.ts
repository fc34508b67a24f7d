import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { dayMs } from '../../shared/instants.ts'

type SeedIds = { user: ReadonlyMap<string, number> }

/**
 * Every seventh machine went back to the agent once and came again: two closed ranges and the open
 * one.
 */
export async function seedDistribution(db: Db, ids: SeedIds, now: Date): Promise<void> {
  const by = ids.user.get('admin') ?? null
  const [left, back] = [new Date(now.getTime() - 52 * dayMs), new Date(now.getTime() - 46 * dayMs)]
  const rows = await rowsOf<{ device_id: number; org_id: number; parent_id: number }>(db)`
    select h.device_id, h.org_id, o.parent_id from device_owner_history h
    join organisations o on o.id = h.org_id
    where h.device_id % 7 = 3 and upper_inf(h.valid) and lower(h.valid) < ${left}
      and o.parent_id is not null order by h.device_id`
  const devices = rows.map((row) => row.device_id)
  await sql`update device_owner_history set valid = tstzrange(lower(valid), ${left})
    where device_id = any(${devices}::bigint[])`.execute(db)
  const range = (from: Date, to: Date | null) =>
    `[${from.toISOString()},${to ? to.toISOString() : ''})`
  const again = rows.flatMap(({ device_id, org_id, parent_id }) => [
    { device_id, org_id: parent_id, valid: range(left, back), by_user: by },
    { device_id, org_id, valid: range(back, null), by_user: by },
  ])
  if (again.length) await db.insertInto('device_owner_history').values(again).execute()
}
