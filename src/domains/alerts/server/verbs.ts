import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, visible } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { say } from '../../../shared/text.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type AlertKind, type AlertRow, alertErrors, alertKinds, type alerts, type RuleRow } from '../contract.ts'
import { alertMoves, usualRules } from '../rules.ts'
import { handlers as channels } from './channels.ts'
import * as q from './queries.ts'
import { contentOf } from './words.ts'

type Contract = typeof alerts

const told = (row: q.Row) => ({
  kind: row.kind,
  subject: row.subject,
  data: row.data,
  times: row.times,
  rtuNumber: row.rtu_number,
  nickname: row.nickname,
  numbers: [],
  deviceCount: row.device_id === null ? row.members : 1,
})

function shown(ctx: Ctx, row: q.Row): AlertRow {
  const handle = may(ctx, 'alarm:handle')
  return {
    id: row.id,
    kind: row.kind,
    level: row.level,
    state: row.state,
    content: say(contentOf(told(row)), ctx.lang),
    deviceId: row.device_id,
    rtuNumber: row.rtu_number ?? '',
    nickname: row.nickname ?? '',
    orgName: row.org_name,
    deviceCount: row.device_id === null ? row.members : 1,
    awayCount: row.away,
    times: row.times,
    since: iso(row.since),
    openTime: iso(row.opened_at),
    closeTime: isoOrNull(row.closed_at),
    handler: row.closed_name || row.acked_name,
    closeReason: row.close_reason,
    can: { acknowledge: handle && row.state === 'OPEN', close: handle && row.state !== 'CLOSED' },
  }
}

const get: Handlers<Contract>['get'] = async (ctx, { id }) => {
  const row = found(await q.row(ctx, id))
  const members = row.device_id === null ? await q.members(ctx, id) : []
  return {
    ...shown(ctx, row),
    ackName: row.acked_name,
    ackTime: isoOrNull(row.acked_at),
    ackRemark: row.ack_remark,
    closeName: row.closed_name,
    closeRemark: row.close_remark,
    reminders: row.reminders,
    remindTime: isoOrNull(row.reminded_at),
    members: members.map((m) => ({
      deviceId: m.device_id,
      rtuNumber: m.rtu_number,
      nickname: m.nickname,
      cause: m.cause,
      since: iso(m.since),
      backTime: isoOrNull(m.back_at),
    })),
    deliveries: (await q.deliveries(ctx, id)).map(({ next_at, sent_at, ...rest }) => ({ ...rest, nextTime: isoOrNull(next_at), sendTime: isoOrNull(sent_at) })),
  }
}

/** All or none may be seen; those in the wrong state are skipped, and when that is all of them somebody was faster. */
async function handle(ctx: Ctx, next: 'ACKNOWLEDGED' | 'CLOSED', ids: readonly number[], remark: string) {
  const wanted = [...new Set(ids)]
  if ((await q.seen(ctx, wanted)) !== wanted.length) throw new Refusal(common.notFound)
  const { userId, username } = ctx.actor
  const name = sql`coalesce((select real_name from users where id = ${userId}::bigint), ${username})`
  const set =
    next === 'CLOSED'
      ? sql`closed_by = ${userId}::bigint, closed_name = ${name}, closed_at = ${ctx.now}, close_reason = 'HANDLED', close_remark = ${remark}`
      : sql`acked_by = ${userId}::bigint, acked_name = ${name}, acked_at = ${ctx.now}, ack_remark = ${remark}`
  // a closed one comes back by itself when its machine flaps, never by hand
  const from = next === 'CLOSED' ? allowedFrom(alertMoves, next) : ['OPEN']
  // in the order of ids, as the sweep and other people do
  const { rows } = await sql<{ id: number; org_id: number }>`
    with mine as (select a.id from alerts a where a.id = any(${wanted}::bigint[]) and ${visible(ctx, 'a.org_id', 'a.device_id')} order by a.id for update)
    update alerts a set state = ${next}, ${set} from mine where a.id = mine.id and a.state = any(${from}::text[]) returning a.id, a.org_id`.execute(ctx.db)
  const [first] = rows
  if (!first) throw new Refusal(next === 'CLOSED' ? alertErrors.closed : alertErrors.taken)
  const done = rows.map((row) => row.id).sort((a, b) => a - b)
  ctx.audit({
    id: done.length === 1 ? first.id : done.slice(0, 20).join(','),
    name: `${done.length}`,
    after: { ids: done, state: next, remark },
    orgId: first.org_id,
  })
  ctx.touch('alerts')
  return { done: done.length, skipped: wanted.length - done.length }
}

type OwnRule = { kind: AlertKind; enabled: boolean; threshold: number | null; channel_ids: number[] | null; version: number }

async function ruleRows(ctx: Ctx): Promise<RuleRow[]> {
  const { rows } = await sql<OwnRule>`select kind, enabled, threshold, channel_ids, version from alert_rules where org_id = ${ctx.actor.orgId}`.execute(ctx.db)
  const own = new Map(rows.map((row) => [row.kind, row]))
  const offline = await settingOf(ctx.db, ctx.actor.orgId, 'device.offlineAlertMinutes')
  return alertKinds.map((kind) => {
    const { level, threshold, unit, min, max } = usualRules[kind]
    const rule = own.get(kind)
    return {
      kind,
      level,
      enabled: rule?.enabled ?? true,
      threshold: rule?.threshold ?? null,
      usual: kind === 'OFFLINE' || kind === 'POWER_FAIL' ? Math.max(offline, min) : threshold,
      unit,
      min,
      max,
      channelIds: rule?.channel_ids ?? null,
      version: rule?.version ?? 0,
    }
  })
}

const saveRule: Handlers<Contract>['saveRule'] = async (ctx, input) => {
  const { kind, version, enabled, threshold, channelIds } = input
  const usual = usualRules[kind]
  const wrong = (def: typeof alertErrors.wrongThreshold, values = {}) =>
    new Refusal(def, values, [{ field: 'threshold', text: say(def.text, ctx.lang, values) }])
  if (threshold !== null && usual.unit === null) throw wrong(alertErrors.noThreshold)
  if (threshold !== null && (threshold < usual.min || threshold > usual.max)) throw wrong(alertErrors.wrongThreshold, { min: usual.min, max: usual.max })
  if (channelIds) await ownChannels(ctx, channelIds)
  const before = (await ruleRows(ctx)).find((rule) => rule.kind === kind)
  const chosen = channelIds && [...new Set(channelIds)].sort((a, b) => a - b)
  const { numAffectedRows } =
    version === 0
      ? await sql`insert into alert_rules (org_id, kind, enabled, threshold, channel_ids, updated_at) values (${ctx.actor.orgId}, ${kind}, ${enabled}, ${threshold}, ${chosen}::bigint[], ${ctx.now})
          on conflict do nothing`.execute(ctx.db)
      : await sql`update alert_rules set enabled = ${enabled}, threshold = ${threshold}, channel_ids = ${chosen}::bigint[], version = version + 1, updated_at = ${ctx.now}
          where org_id = ${ctx.actor.orgId} and kind = ${kind} and version = ${version}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  const after = found((await ruleRows(ctx)).find((rule) => rule.kind === kind))
  ctx.audit({ id: kind, name: kind, before, after })
  ctx.touch('alert-rules')
  return after
}

/** A foreign channel answers like a missing one. */
async function ownChannels(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  const { rows } = await sql<{ id: number }>`select id from alert_channels where id = any(${wanted}::bigint[]) and org_id = ${ctx.actor.orgId}`.execute(ctx.db)
  if (rows.length !== wanted.length) throw new Refusal(common.notFound)
}

export const handlers: Handlers<Contract> = {
  ...channels,
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  stats: (ctx) => q.stats(ctx),
  get,
  acknowledge: (ctx, { ids, remark }) => handle(ctx, 'ACKNOWLEDGED', ids, remark),
  close: (ctx, { ids, remark }) => handle(ctx, 'CLOSED', ids, remark),
  rules: async (ctx) => ({ list: await ruleRows(ctx) }),
  saveRule,
}
