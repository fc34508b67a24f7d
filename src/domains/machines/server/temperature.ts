import { sql } from 'kysely'
import { type App, type Ctx, iso } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { eachFree } from '../../../server/run.ts'
import { temperatureLimits } from '../../drug-guard/server/facts.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { platformFaults } from '../protocol.ts'
import { refreshDeviceCounters } from './counters.ts'
import { noteDevice } from './events.ts'
import {
  endExcursions,
  keepExcursions,
  noteStopped,
  type Outside,
  stopLanes,
} from './excursions.ts'
import { isWithin } from './spans.ts'

type Row = Outside & { alarm: boolean }

/**
 * Machines that are outside the limits of their settings, and those that were. How long is kept as
 * they come in, whatever order that is: what a machine says all day costs the others nothing. While
 * a machine is away its time stands still.
 */
export async function sweepTemperatures(app: App): Promise<void> {
  const found = await app.database.readSame(systemScope, (db) => suspects({ db, now: app.now() }))
  const minutes = await cachedFor(
    app,
    found.map((row) => row.orgId),
    ['device.tempExcursionMinutes', 'device.tempLockMinutes'],
  )
  await eachFree(app, found, async (ctx, some) => {
    const turn = await onlyRow<{ mine: boolean }>(
      ctx.db,
    )`select pg_try_advisory_xact_lock(hashtextextended('machine-temperature', 0)) as mine`
    if (!turn.mine) return
    const rows = await suspects(
      ctx,
      some.map((row) => row.id),
    )
    const early = sinceNow(ctx, rows)
    const isOut = (row: Row) => !isWithin(row, row.temperature)
    const outFor = (row: Row) =>
      row.since && isOut(row) ? (row.until.getTime() - row.since.getTime()) / 60_000 : 0
    const isLong = (row: Row, key: 'device.tempExcursionMinutes' | 'device.tempLockMinutes') =>
      outFor(row) > minutes(row.orgId)[key]
    // lanes before states, as everywhere
    const stopped = await stopLanes(
      ctx,
      rows.filter((row) => isLong(row, 'device.tempLockMinutes')),
    )
    await writeSince(ctx, early)
    await raise(
      ctx,
      rows.filter((row) => !row.alarm && isLong(row, 'device.tempExcursionMinutes')),
    )
    const back = rows.filter((row) => row.alarm && !isOut(row))
    await clear(ctx, back)
    await keepExcursions(
      ctx,
      rows.filter((row) => isLong(row, 'device.tempExcursionMinutes')),
    )
    await noteStopped(ctx, stopped)
    await endExcursions(ctx, back)
  })
}

const suspects = (ctx: Pick<Ctx, 'db' | 'now'>, ids: readonly number[] | null = null) =>
  rowsOf<Row>(ctx.db)`
    select s.device_id as id, d.org_id as "orgId", s.temperature, s.temp_alarm as alarm, case
      when s.online then ${ctx.now}::timestamptz
      else coalesce(s.last_seen_at, ${ctx.now}) end as until, x.low, x.high, s.temp_since as since
    from device_states s join devices d on d.id = s.device_id cross
    join lateral ${temperatureLimits('s.device_id')} x
    where (${ids}::bigint[] is null or s.device_id = any(${ids}::bigint[]))
      and d.lifecycle not in ('SOLD', 'SCRAPPED')
      and (s.temp_alarm or s.temperature not between x.low and x.high)
    order by s.device_id`

/** A clock that was set back: how long it is too warm is counted from now. */
function sinceNow(ctx: Ctx, rows: readonly Row[]): Row[] {
  const early = rows.filter(({ since }) => since && since.getTime() > ctx.now.getTime() + 60_000)
  for (const row of early) row.since = ctx.now
  return early
}
async function writeSince(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (rows.length)
    await sql`update device_states set temp_since = ${ctx.now}
      where device_id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(ctx.db)
}

async function raise(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (!rows.length) return
  await mark(ctx, rows, true)
  await sql`
    insert into device_faults (org_id, device_id, code, level, detail, opened_at)
    select * from unnest(${rows.map((row) => row.orgId)}::bigint[],
      ${rows.map((row) => row.id)}::bigint[], ${rows.map(() => platformFaults.temperature)}::text[],
      ${rows.map(() => 'ERROR')}::text[],
      ${rows.map((row) => `${row.temperature} °C (${row.low}–${row.high})`)}::text[],
      ${rows.map((row) => iso(row.since ?? ctx.now))}::timestamptz[])
    on conflict do nothing`.execute(ctx.db)
  const events = rows.map(({ id, orgId, temperature, low, high }) => ({
    deviceId: id,
    orgId,
    kind: 'TEMP_ALARM',
    data: { temperature, min: low, max: high },
  }))
  await noteDevice(ctx, events)
  refreshDeviceCounters(
    ctx,
    rows.map((row) => row.id),
  )
}

/**
 * The alarm goes by itself; what was locked stays locked, because nobody knows what the goods went
 * through.
 */
async function clear(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (!rows.length) return
  const ids = rows.map((row) => row.id)
  await mark(ctx, rows, false)
  await sql`update device_faults set closed_at = greatest(${ctx.now}::timestamptz, opened_at)
    where device_id = any(${ids}::bigint[]) and lane_id is null
      and code = ${platformFaults.temperature} and closed_at is null`.execute(ctx.db)
  const events = rows.map(({ id, orgId, temperature }) => ({
    deviceId: id,
    orgId,
    kind: 'TEMP_CLEAR',
    data: { temperature },
  }))
  await noteDevice(ctx, events)
  refreshDeviceCounters(ctx, ids)
}

async function mark(ctx: Ctx, rows: readonly Row[], alarm: boolean): Promise<void> {
  const ids = rows.map((row) => row.id)
  await sql`select 1 from device_states where device_id = any(${ids}::bigint[]) order by device_id
    for update`.execute(ctx.db)
  await sql`update device_states set temp_alarm = ${alarm}
    where device_id = any(${ids}::bigint[])`.execute(ctx.db)
  ctx.touch('devices', rows)
}
