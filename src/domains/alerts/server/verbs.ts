import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { say } from '../../../shared/text.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type AlertRow, alertErrors, alertKinds, type alerts, RuleRow } from '../contract.ts'
import { alertMoves, usualRules } from '../rules.ts'
import { handlers as channels } from './channels.ts'
import * as q from './queries.ts'
import { contentOf } from './words.ts'

type Contract = typeof alerts

/** What every alert says of itself, and what may be done with it. */
function judged(ctx: Ctx, row: q.Row): Pick<AlertRow, 'content' | 'can'> {
  const handle = may(ctx, 'alarm:handle')
  return {
    content: say(contentOf({ ...row, numbers: [] }), ctx.lang),
    can: { acknowledge: handle && row.state === 'OPEN', close: handle && row.state !== 'CLOSED' },
  }
}

function shown<R extends q.Row>(ctx: Ctx, row: R) {
  const { subject, data, ...alert } = row
  return { ...alert, ...judged(ctx, row) }
}

const get: Handlers<Contract>['get'] = async (ctx, { id }) => {
  const row = found(await q.row(ctx, id))
  return {
    ...shown(ctx, row),
    members: row.deviceId === null ? await q.members(ctx, id) : [],
    deliveries: await q.deliveries(ctx, id),
  }
}

/**
 * All or none may be seen; those in the wrong state are skipped, and when that is all of them
 * somebody was faster.
 */
async function handle(
  ctx: Ctx,
  next: 'ACKNOWLEDGED' | 'CLOSED',
  ids: readonly number[],
  remark: string,
) {
  const wanted = [...new Set(ids)]
  if ((await q.seen(ctx, wanted)) !== wanted.length) throw new Refusal(common.notFound)
  const { userId, username } = ctx.actor
  const name = sql`coalesce((select real_name from users where id = ${userId}::bigint),
    ${username})`
  const set =
    next === 'CLOSED'
      ? sql`closed_by = ${userId}::bigint, closed_name = ${name}, closed_at = ${ctx.now},
        close_reason = 'HANDLED', close_remark = ${remark}`
      : sql`acked_by = ${userId}::bigint, acked_name = ${name}, acked_at = ${ctx.now},
        ack_remark = ${remark}`
  // a closed one comes back by itself when its machine flaps, never by hand
  const from = next === 'CLOSED' ? allowedFrom(alertMoves, next) : ['OPEN']
  // in the order of ids, as the sweep and other people do
  const rows = await rowsOf<{ id: number; orgId: number }>(ctx.db)`
    with mine as (select a.id from alerts a
      where a.id = any(${wanted}::bigint[]) and ${visible(ctx, 'a.org_id', 'a.device_id')}
      order by a.id for update)
    update alerts a set state = ${next}, ${set} from mine
    where a.id = mine.id and a.state = any(${from}::text[]) returning a.id, a.org_id as "orgId"`
  if (!rows.length) throw new Refusal(next === 'CLOSED' ? alertErrors.closed : alertErrors.taken)
  ctx.audit(...rows.map(({ id, orgId }) => ({ id, after: { state: next, remark }, orgId })))
  ctx.touch('alerts')
  return { done: rows.length, skipped: wanted.length - rows.length }
}

const ownRule = shape(
  RuleRow.pick({ kind: true, enabled: true, threshold: true, channelIds: true, version: true }),
  ['alert_rules', 'r'],
  {},
)
/** Of a kind whose rule nobody changed. */
const unchanged = { enabled: true, threshold: null, channelIds: null, version: 0 }

async function ruleRows(ctx: Ctx): Promise<RuleRow[]> {
  const rows = await ownRule.all(
    ctx.db,
    sql`from alert_rules r where r.org_id = ${ctx.actor.orgId}`,
  )
  const own = new Map(rows.map((row) => [row.kind, row]))
  const offline = await settingOf(ctx.db, ctx.actor.orgId, 'device.offlineAlertMinutes')
  return alertKinds.map((kind) => {
    const { level, threshold, unit, min, max } = usualRules[kind]
    const away = kind === 'OFFLINE' || kind === 'POWER_FAIL'
    const usual = away ? Math.max(offline, min) : threshold
    return { kind, level, usual, unit, min, max, ...unchanged, ...own.get(kind) }
  })
}

const saveRule: Handlers<Contract>['saveRule'] = async (ctx, input) => {
  const { kind, version, enabled, threshold, channelIds } = input
  const usual = usualRules[kind]
  if (threshold !== null && usual.unit === null)
    throw fieldRefusal(alertErrors.noThreshold, 'threshold')
  if (threshold !== null && (threshold < usual.min || threshold > usual.max))
    throw fieldRefusal(alertErrors.wrongThreshold, 'threshold', { min: usual.min, max: usual.max })
  if (channelIds) await ownChannels(ctx, channelIds)
  const before = (await ruleRows(ctx)).find((rule) => rule.kind === kind)
  const chosen = channelIds && [...new Set(channelIds)].sort((a, b) => a - b)
  const own = { org_id: ctx.actor.orgId, kind }
  const set = { enabled, threshold, channel_ids: chosen, updated_at: ctx.now }
  const made = ctx.db.insertInto('alert_rules').values({ ...own, ...set })
  const changed = ctx.db.updateTable('alert_rules').set({ ...set, version: version + 1 })
  const saved =
    version === 0
      ? made.onConflict((same) => same.doNothing()).returning('version')
      : changed.where((eb) => eb.and({ ...own, version })).returning('version')
  if (!(await saved.executeTakeFirst())) throw new Refusal(common.stale)
  const after = found((await ruleRows(ctx)).find((rule) => rule.kind === kind))
  ctx.audit({ id: kind, name: kind, before, after })
  ctx.touch('alert-rules')
  return after
}

/** A foreign channel answers like a missing one. */
async function ownChannels(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  const own = await rowsOf(ctx.db)`select 1 from alert_channels
    where id = any(${wanted}::bigint[]) and org_id = ${ctx.actor.orgId}`
  if (own.length !== wanted.length) throw new Refusal(common.notFound)
}

export const handlers: Handlers<Contract> = {
  ...channels,
  async list(ctx, input) {
    const { rows, ...found } = await q.listRows(ctx, input)
    return answerOf(
      found,
      rows.map((row) => shown(ctx, row)),
    )
  },
  stats: (ctx) => q.stats(ctx),
  get,
  acknowledge: (ctx, { ids, remark }) => handle(ctx, 'ACKNOWLEDGED', ids, remark),
  close: (ctx, { ids, remark }) => handle(ctx, 'CLOSED', ids, remark),
  rules: async (ctx) => ({ list: await ruleRows(ctx) }),
  saveRule,
}
