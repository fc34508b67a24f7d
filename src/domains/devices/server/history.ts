import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, nameFor, visible } from '../../../server/context.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, dayMs, startOfDay } from '../../../shared/instants.ts'
import type { devices } from '../contract.ts'
import { Point, TimelineRow, timelineRows } from '../historyContract.ts'
import { groupKinds } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof devices

/** Messages and events as one list. */
function lines(ctx: Ctx, input: Input<Contract['timeline']>, orgId: number) {
  const since = input.from
    ? startOfDay(input.from)
    : new Date((input.to ? startOfDay(input.to) : ctx.now).getTime() - 7 * dayMs)
  const until = input.to ? startOfDay(addDays(input.to, 1)) : null
  const range = (column: string) =>
    sql`${sql.ref(column)} >= ${since}::timestamptz ${
      until
        ? sql`and ${sql.ref(column)} <
      ${until}::timestamptz`
        : sql``
    }`
  const chosen = input.group ? groupKinds[input.group] : null
  const messages = chosen
    ? sql`m.kind = any(${[...chosen.messages]}::text[])`
    : sql`m.kind <> 'telemetry'`
  // one word for two things: an answer belongs to the group of what it answers
  const answers = sql`exists (select from device_commands c
    where c.device_id = m.device_id and c.cmd_id::text = m.payload->>'cmdId')`
  const asked =
    input.group === 'VEND'
      ? sql`and (m.kind <> 'cmd_ack' or not ${answers})`
      : input.group === 'COMMAND'
        ? sql`and (m.kind <> 'cmd_ack' or ${answers})`
        : sql``
  const events = chosen ? sql`e.kind = any(${[...chosen.events]}::text[])` : sql`true`
  const newest = (table: string) =>
    sql`(select * from ${sql.table(table)} x where x.device_id = ${input.id} and x.org_id = ${orgId}
      and ${range('x.created_at')} and ${visible(ctx, 'x.org_id', 'x.device_id')}
      order by x.created_at desc limit ${timelineRows})`
  const more = (table: string) =>
    sql`exists (select from ${sql.table(table)} x
      where x.device_id = ${input.id} and x.org_id = ${orgId} and ${range('x.created_at')}
        and ${visible(ctx, 'x.org_id', 'x.device_id')}
      order by x.created_at desc offset ${timelineRows})`
  const from = sql`(
    select null::bigint as id, m.boot, m.seq, m.kind, m.created_at, m.device_ts, m.payload as data,
      m.note, '' as actor
    from ${newest('device_messages')} m where ${messages} ${asked}
    union all
    select e.id, '', null, e.kind, e.created_at, null, e.data, null, coalesce(u.real_name, e.actor)
    from ${newest('device_events')} e left join users u on u.id = e.user_id where ${events}) x`
  return { from, cut: sql`${more('device_messages')} or ${more('device_events')}` }
}
/**
 * A message knows how many before it of its run have not come: late ones close the gap by
 * themselves.
 */
const missing = (deviceId: number) =>
  sql`case when x.seq is null then 0
    else greatest(0, coalesce(x.seq - 1 - (select max(k.seq) from device_message_keys k
    where k.device_id = ${deviceId} and k.boot = x.boot and k.seq < x.seq), 0)) end`
/** The command a message answers to; a machine may answer to anything. */
const answered = sql`case
  when x.data->>'cmdId' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    (x.data->>'cmdId')::uuid end`

const line = (ctx: Ctx, deviceId: number, orgId: number) =>
  shape(TimelineRow, ['device_messages', 'x'], {
    key: sql`case when x.id is null then x.boot || '/' || x.seq else 'e' || x.id end`,
    source: sql`case when x.id is null then 'MESSAGE' else 'EVENT' end`,
    createTime: sql`x.created_at`,
    deviceTime: sql`x.device_ts`,
    boot: sql`right(x.boot, 12)`, // as the machine counts it
    missing: missing(deviceId),
    data: sql`x.data`,
    by: nameFor(ctx, orgId, sql`x.actor`),
    vend: sql`case when v.road is not null then jsonb_build_object('road', v.road, 'orderNum',
      ${may(ctx, 'order:read') ? sql`v.order_num` : sql`null::text`}) end`,
  })

export const timeline: Handlers<Contract>['timeline'] = async (ctx, input) => {
  const orgId = found(await q.ownerOf(ctx, input.id))
  const { from, cut } = lines(ctx, input, orgId)
  const { rows, total, sums } = await line(ctx, input.id, orgId).page<
    'createTime',
    { cut: boolean }
  >(ctx.db, {
    from: sql`${from} left join vend_commands v on v.org_id = ${orgId} and v.device_id = ${input.id}
      and v.cmd_id = ${answered}`,
    countFrom: from,
    input,
    where: [],
    last: sql`coalesce(x.seq, x.id)`,
    sort: { createTime: sql`x.created_at` },
    filled: ['createTime'],
    sums: sql`${cut} as cut`,
  })
  return { list: rows, total, sums }
}

const measured = (key: string) => sql`(m.payload->>${key})::numeric`
const tenMinutes = shape(Point, ['device_messages', 'm'], {
  at: sql`date_bin('10 minutes', m.created_at, '2000-01-01')`,
  temperature: sql`round(avg(${measured('temperature')}), 1)`,
  tempMin: sql`min(${measured('temperature')})`,
  tempMax: sql`max(${measured('temperature')})`,
  humidity: sql`round(avg(${measured('humidity')}), 1)`,
  rsrp: sql`round(avg(${measured('rsrp')}))`,
})
const hours = (each: number) =>
  shape(Point, ['telemetry_hours', 'h'], {
    at: sql`date_bin(make_interval(hours => ${each}), h.hour, '2000-01-01')`,
    temperature: sql`round(sum(h.temp_sum) / nullif(sum(h.temp_count), 0), 1)`,
    tempMin: sql`min(h.temp_min)`,
    tempMax: sql`max(h.temp_max)`,
    humidity: sql`round(sum(h.hum_sum) / nullif(sum(h.hum_count), 0), 1)`,
    rsrp: sql`round(sum(h.rsrp_sum)::numeric / nullif(sum(h.rsrp_count), 0))`,
  })
const bins = { '7d': { hours: 1, days: 7 }, '30d': { hours: 4, days: 30 } } as const

export const telemetry: Handlers<Contract>['telemetry'] = async (ctx, { id, span }) => {
  const orgId = found(await q.ownerOf(ctx, id))
  const since = (days: number) => new Date(ctx.now.getTime() - days * dayMs)
  const list =
    span === '24h'
      ? await tenMinutes.all(
          ctx.db,
          sql`from device_messages m
            where m.device_id = ${id} and m.org_id = ${orgId} and m.kind = 'telemetry'
            and m.created_at >= ${since(1)} and ${visible(ctx, 'm.org_id', 'm.device_id')}
            group by 1 order by 1`,
        )
      : await hours(bins[span].hours).all(
          ctx.db,
          sql`from telemetry_hours h
            where h.device_id = ${id} and h.hour >= ${since(bins[span].days)}
            and ${visible(ctx, 'h.org_id', 'h.device_id')} group by 1 order by 1`,
        )
  return { list }
}
