import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { eachFree } from '../../../server/run.ts'
import {
  alertLimits,
  decide,
  type Fact,
  keyOf,
  type Opening,
  type Plan,
  usualRules,
} from '../rules.ts'
import { readState } from './facts.ts'
import { dropWaiting, queue } from './outbox.ts'
import { dueOf, remind } from './reminders.ts'

/**
 * Makes the alerts say what the facts say; one process at a time, whatever it missed is found at
 * its next turn. Where somebody's act holds an alert (a machine that is given away), the others'
 * are not kept: it is looked at again with the rest of its organisation.
 */
export async function sweepAlerts(app: App): Promise<void> {
  const parts = await app.database.read(systemScope, async (db) => {
    const { plan, openHours } = await look({ app, db, now: app.now() })
    return [...partsOf(plan), ...(await dueOf({ app, db, now: app.now() }, openHours))]
  })
  const homes = [...new Set(parts.map(({ orgId }) => orgId))].map((orgId) => ({ orgId }))
  await eachFree(app, homes, sweepOf)
}

async function look({ app, db, now }: Pick<Ctx, 'app' | 'db' | 'now'>) {
  const state = await readState(app, db, now)
  return { plan: decide(state), openHours: state.openHours }
}

const partsOf = ({ opens, joins, backs, closes }: Plan): readonly { orgId: number }[] => [
  ...opens,
  ...joins.map(({ fact }) => fact),
  ...backs,
  ...closes,
]

/** The part of these organisations, by what is so behind the lock. */
async function sweepOf(ctx: Ctx, some: readonly { orgId: number }[]): Promise<void> {
  const turn = await onlyRow<{ mine: boolean }>(
    ctx.db,
  )`select pg_try_advisory_xact_lock(hashtextextended('alerts', 0)) as mine`
  if (!turn.mine) return
  const orgs = new Set(some.map(({ orgId }) => orgId))
  const ours = ({ orgId }: { orgId: number }) => orgs.has(orgId)
  const { plan, openHours } = await look(ctx)
  const part = {
    opens: plan.opens.filter(ours),
    joins: plan.joins.filter(({ fact }) => ours(fact)),
    backs: plan.backs.filter(ours),
    closes: plan.closes.filter(ours),
  }
  if (partsOf(part).length) await carryOut(ctx, part)
  await remind(ctx, (await dueOf(ctx, openHours)).filter(ours))
}

async function carryOut(ctx: Ctx, plan: Plan): Promise<void> {
  // what ends makes room for what begins
  const over = await closeAlerts(ctx, plan.closes)
  await sql`update alert_members m set back_at = ${ctx.now}
    from unnest(${plan.backs.map((b) => b.alertId)}::bigint[],
      ${plan.backs.map((b) => b.deviceId)}::bigint[]) as x (alert_id, device_id)
    where m.alert_id = x.alert_id and m.device_id = x.device_id and m.back_at is null`.execute(
    ctx.db,
  )
  const again = plan.opens.filter((open) => open.again !== null)
  const fresh = plan.opens.filter((open) => open.again === null)
  await reopen(ctx, again)
  const opened = await insert(ctx, fresh)
  await addMembers(ctx, [
    ...plan.joins.map((join) => ({ alertId: join.alertId, fact: join.fact })),
    ...plan.opens.flatMap((open) =>
      open.members.map((fact) => ({ alertId: open.again ?? opened.get(keyOf(open)), fact })),
    ),
  ])
  const grown = [...new Set(plan.joins.filter((join) => join.told).map((join) => join.alertId))]
  await sql`update alerts set times = times + 1, opened_at = ${ctx.now}
    where id = any(${grown}::bigint[]) and state <> 'CLOSED'`.execute(ctx.db)
  await queue(ctx, 'OPENED', [...opened.values(), ...grown], ctx.now)
  // people hear that it is over when it stays over
  await queue(ctx, 'CLOSED', over, new Date(ctx.now.getTime() + alertLimits.flapMs))
  const told = [
    ...plan.closes.map((close) => close.id),
    ...plan.backs.map((back) => back.alertId),
    ...plan.joins.map((join) => join.alertId),
  ]
  const homes = await rowsOf<{ orgId: number }>(
    ctx.db,
  )`select distinct org_id as "orgId" from alerts where id = any(${told}::bigint[])`
  ctx.touch('alerts', [...homes, ...plan.opens])
}

/** Answers those that recovered. */
async function closeAlerts(ctx: Ctx, closes: Plan['closes']): Promise<number[]> {
  if (closes.length === 0) return []
  const rows = await rowsOf<{ id: number; reason: string }>(ctx.db)`
    update alerts a set state = 'CLOSED', closed_at = ${ctx.now}, close_reason = x.reason
    from unnest(${closes.map((c) => c.id)}::bigint[],
      ${closes.map((c) => c.reason)}::text[]) as x (id, reason)
    where a.id = x.id and a.state <> 'CLOSED' returning a.id, x.reason`
  const ids = (recovered: boolean) =>
    rows.filter((row) => (row.reason === 'RECOVERED') === recovered).map((row) => row.id)
  await dropWaiting(ctx, ids(false))
  return ids(true)
}

async function reopen(ctx: Ctx, opens: readonly Opening[]): Promise<void> {
  if (opens.length === 0) return
  const ids = opens.map((open) => open.again)
  await sql`update alerts a set state = case when acked_at is null then 'OPEN'
    else 'ACKNOWLEDGED' end, closed_at = null, closed_by = null, closed_name = '',
      close_reason = null, close_remark = '',
      times = times + 1, opened_at = ${ctx.now}, since = x.since, data = x.data
    from jsonb_to_recordset(${JSON.stringify(opens.map(({ again, since, data }) => ({ id: again, since: new Date(since), data })))}::jsonb) as x (id bigint, since timestamptz, data jsonb)
    where a.id = x.id and a.state = 'CLOSED'`.execute(ctx.db)
  await sql`delete from alert_outbox where alert_id = any(${ids}::bigint[]) and event = 'CLOSED'
    and state = 'WAITING' and batch is null`.execute(ctx.db)
}

async function insert(ctx: Ctx, opens: readonly Opening[]): Promise<Map<string, number>> {
  if (opens.length === 0) return new Map()
  const given = opens.map((open) => ({
    ...open,
    members: [],
    level: usualRules[open.kind].level,
    since: new Date(open.since),
  }))
  const rows = await rowsOf<{ id: number } & Parameters<typeof keyOf>[0]>(ctx.db)`
    insert into alerts (org_id, device_id, kind, subject, level, urgent, data, since, opened_at,
      created_at)
    select "orgId", "deviceId", kind, subject, level, urgent, data, since, ${ctx.now}, ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as x ("orgId" bigint, "deviceId" bigint, kind text, subject text, level text, urgent boolean,
        data jsonb, since timestamptz)
    order by "orgId", "deviceId", kind, subject on conflict do nothing
    returning id, org_id as "orgId", device_id as "deviceId", kind, subject`
  return new Map(rows.map((row) => [keyOf(row), row.id]))
}

async function addMembers(
  ctx: Ctx,
  members: readonly { alertId: number | undefined; fact: Fact }[],
): Promise<void> {
  const rows = members.flatMap(({ alertId, fact: { deviceId, orgId, since, away } }) => {
    const ids = { alert_id: alertId, device_id: deviceId, org_id: orgId }
    const cause = away?.cause ?? 'TIMEOUT'
    return alertId === undefined ? [] : [{ ...ids, since: new Date(since), cause }]
  })
  if (rows.length === 0) return
  await sql`insert into alert_members (alert_id, device_id, org_id, since, cause)
    select alert_id, device_id, org_id, since, cause
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (alert_id bigint, device_id bigint,
      org_id bigint, since timestamptz, cause text)
    on conflict (alert_id, device_id) do update
    set since = excluded.since, cause = excluded.cause, back_at = null`.execute(ctx.db)
}
