import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { bySystem } from '../../../server/run.ts'
import { shanghaiDay, startOfDay, startOfHour } from '../../../shared/instants.ts'
import type { GuardKey, guardActs, Verdict } from '../rules.ts'

type Act = (typeof guardActs)[number]
export type GuardRefusal = {
  orgId: number
  deviceId: number
  road: number | null
  productId: number
  verdict: Verdict
  act: Act
  /** Null: a buyer, or the system. */
  userId?: number | null
  who?: string
}

type Said = { at: number; times: number }
const said = perApp(() => new Map<string, Said>())
/** A buyer who asks again and again writes no more often. */
const buyerSeconds = 10

/** How many refusals of buyers this row stands for; null where it is not written yet. */
function timesOf(app: App, refusal: GuardRefusal, key: GuardKey): number | null {
  if (refusal.act !== 'CHECKOUT') return 1
  const known = said(app)
  const name = `${refusal.deviceId} ${refusal.productId} ${key}`
  const last = known.get(name)
  const now = performance.now()
  if (last && now - last.at < 1000 * buyerSeconds) {
    last.times += 1
    return null
  }
  if (known.size > 10_000) known.clear()
  known.set(name, { at: now, times: 0 })
  return 1 + (last?.times ?? 0)
}

/** Keeps what was refused, also when the act is thrown away for it. */
export const noteRefusals = (ctx: Ctx, refusals: readonly GuardRefusal[]): void => {
  if (refusals.some(({ verdict }) => !verdict.ok))
    ctx.afterEnd(() => writeRefusals(ctx.app, refusals))
}

/**
 * One row for the same machine, product, rule, act and person within an hour, of buyers within a
 * day. By itself, where no act is open. Never throws.
 */
export async function writeRefusals(app: App, refusals: readonly GuardRefusal[]): Promise<void> {
  const rows = refusals.flatMap(({ verdict, orgId, deviceId, ...refusal }) => {
    if (verdict.ok) return []
    const times = timesOf(app, { ...refusal, verdict, orgId, deviceId }, verdict.key)
    const { rule, key } = verdict
    return times === null ? [] : [{ ...refusal, orgId, deviceId, rule, key, times }]
  })
  if (!rows.length) return
  await bySystem(app, ({ db, now, touch }) => {
    const spans = rows.map((row) => ({
      ...row,
      span: row.act === 'CHECKOUT' ? startOfDay(shanghaiDay(now)) : startOfHour(now),
    }))
    touch('drug-refusals', rows)
    return sql`
      insert into drug_guard_refusals as r (org_id, device_id, road, product_id, product_name,
        drug_class, rule, key, act, user_id, who, span, first_at, last_at, times)
      select n."orgId", n."deviceId", min(n.road), n."productId", p.name, p.drug_class, n.rule,
        n.key, n.act, n."userId", coalesce(n.who, ''), n.span, ${now}::timestamptz,
        ${now}::timestamptz, sum(n.times)
      from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as n("orgId" bigint,
        "deviceId" bigint, road int, "productId" bigint, rule int, key text, act text,
        "userId" bigint, who text, span timestamptz, times int)
      join products p on p.id = n."productId"
      group by n."orgId", n."deviceId", n."productId", p.name, p.drug_class, n.rule, n.key, n.act,
        n."userId", n.who, n.span
      on conflict (org_id, device_id, coalesce(product_id, 0), key, act, coalesce(user_id, 0), span)
      do update set times = r.times + excluded.times, last_at = greatest(r.last_at,
        excluded.last_at), road = excluded.road`.execute(db)
  }).catch((error: unknown) => app.log.error({ err: error }, 'what the drug guard refused'))
}
