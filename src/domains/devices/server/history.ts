import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, nameFor, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, dayMs, startOfDay } from '../../../shared/instants.ts'
import type { devices } from '../contract.ts'
import type { Point, TimelineRow } from '../historyContract.ts'
import { groupKinds } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof devices

type Line = {
  id: number | null
  boot: string
  seq: number | null
  kind: string
  created_at: Date
  device_ts: Date | null
  data: Record<string, unknown>
  note: string | null
  actor: string
  missing: number | null
  road: number | null
  order_num: string | null
}

/** Messages and events as one list. A message knows how many before it of its run have not come: late ones close the gap by themselves. */
function lines(ctx: Ctx, input: Input<Contract['timeline']>, orgId: number) {
  const since = input.from ? startOfDay(input.from) : new Date((input.to ? startOfDay(input.to) : ctx.now).getTime() - 7 * dayMs)
  const until = input.to ? startOfDay(addDays(input.to, 1)) : null
  const range = (column: string) => sql`${sql.ref(column)} >= ${since}::timestamptz ${until ? sql`and ${sql.ref(column)} < ${until}::timestamptz` : sql``}`
  const chosen = input.group ? groupKinds[input.group] : null
  const messages = chosen ? sql`m.kind = any(${[...chosen.messages]}::text[])` : sql`m.kind <> 'telemetry'`
  // one word for two things: an answer belongs to the group of what it answers
  const answers = sql`exists (select from device_commands c where c.device_id = m.device_id and c.cmd_id::text = m.payload->>'cmdId')`
  const asked =
    input.group === 'VEND' ? sql`and (m.kind <> 'cmd_ack' or not ${answers})` : input.group === 'COMMAND' ? sql`and (m.kind <> 'cmd_ack' or ${answers})` : sql``
  const events = chosen ? sql`e.kind = any(${[...chosen.events]}::text[])` : sql`true`
  return sql`(
    select null::bigint as id, m.boot, m.seq, m.kind, m.created_at, m.device_ts, m.payload as data, m.note, '' as actor
    from device_messages m where m.device_id = ${input.id} and m.org_id = ${orgId} and ${range('m.created_at')} and ${messages} ${asked} and ${visible(ctx, 'm.org_id', 'm.device_id')}
    union all
    select e.id, '', null, e.kind, e.created_at, null, e.data, null, coalesce(u.real_name, e.actor)
    from device_events e left join users u on u.id = e.user_id
    where e.device_id = ${input.id} and e.org_id = ${orgId} and ${range('e.created_at')} and ${events} and ${visible(ctx, 'e.org_id', 'e.device_id')}) x`
}
const gap = (deviceId: number) =>
  sql`case when x.seq is not null then (select x.seq - 1 - max(k.seq) from device_message_keys k where k.device_id = ${deviceId} and k.boot = x.boot and k.seq < x.seq) end as missing`

/** The command a message answers to; a machine may answer to anything. */
const answered = sql`case when x.data->>'cmdId' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (x.data->>'cmdId')::uuid end`

export const timeline: Handlers<Contract>['timeline'] = async (ctx, input) => {
  const device = found(await q.detailRow(ctx, input.id))
  const from = lines(ctx, input, device.org_id)
  const { rows, total } = await selectPage<Line>(ctx.db, {
    columns: sql`x.*, ${gap(input.id)}, v.road, v.order_num`,
    from: sql`${from} left join vend_commands v on v.org_id = ${device.org_id} and v.device_id = ${input.id} and v.cmd_id = ${answered}`,
    countFrom: from,
    input,
    where: [],
    last: sql`coalesce(x.seq, x.id)`,
    sort: { createTime: sql`x.created_at` },
    filled: ['createTime'],
  })
  return {
    total,
    list: rows.map(
      (x): TimelineRow => ({
        key: x.id === null ? `${x.boot}/${x.seq}` : `e${x.id}`,
        source: x.id === null ? 'MESSAGE' : 'EVENT',
        kind: x.kind,
        createTime: iso(x.created_at),
        deviceTime: isoOrNull(x.device_ts),
        boot: x.boot.slice(-12), // as the machine counts it
        seq: x.seq,
        missing: Math.max(0, x.missing ?? 0),
        data: x.data,
        note: x.note,
        by: nameFor(ctx, device.org_id, x.actor),
        vend: x.road === null ? null : { road: x.road, orderNum: may(ctx, 'order:read') ? x.order_num : null },
      }),
    ),
  }
}

type Measured = { at: Date; temperature: number | null; temp_min: number | null; temp_max: number | null; humidity: number | null; rsrp: number | null }
const bins = { '7d': { hours: 1, days: 7 }, '30d': { hours: 4, days: 30 } } as const

export const telemetry: Handlers<Contract>['telemetry'] = async (ctx, input) => {
  const device = found(await q.detailRow(ctx, input.id))
  const number = (key: string) => sql`(m.payload->>${key})::numeric`
  const { rows } =
    input.span === '24h'
      ? await sql<Measured>`select date_bin('10 minutes', m.created_at, '2000-01-01') as at, round(avg(${number('temperature')}), 1) as temperature, min(${number('temperature')}) as temp_min,
          max(${number('temperature')}) as temp_max, round(avg(${number('humidity')}), 1) as humidity, round(avg(${number('rsrp')})) as rsrp
        from device_messages m where m.device_id = ${input.id} and m.org_id = ${device.org_id} and m.kind = 'telemetry' and m.created_at >= ${new Date(ctx.now.getTime() - dayMs)}
          and ${visible(ctx, 'm.org_id', 'm.device_id')} group by 1 order by 1`.execute(ctx.db)
      : await sql<Measured>`select date_bin(make_interval(hours => ${bins[input.span].hours}), h.hour, '2000-01-01') as at, round(sum(h.temp_sum) / nullif(sum(h.temp_count), 0), 1) as temperature,
          min(h.temp_min) as temp_min, max(h.temp_max) as temp_max, round(sum(h.hum_sum) / nullif(sum(h.hum_count), 0), 1) as humidity,
          round(sum(h.rsrp_sum)::numeric / nullif(sum(h.rsrp_count), 0)) as rsrp
        from telemetry_hours h where h.device_id = ${input.id} and h.hour >= ${new Date(ctx.now.getTime() - bins[input.span].days * dayMs)}
          and ${visible(ctx, 'h.org_id', 'h.device_id')} group by 1 order by 1`.execute(ctx.db)
  return {
    list: rows.map(
      (row): Point => ({ at: iso(row.at), temperature: row.temperature, tempMin: row.temp_min, tempMax: row.temp_max, humidity: row.humidity, rsrp: row.rsrp }),
    ),
  }
}
