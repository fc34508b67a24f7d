import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { notify } from '../../notices/server/notify.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { replenishersOf } from '../../stock-warnings/server/replenishers.ts'
import { digestMessage, fetchMessage, type Sum } from '../rules.ts'
import * as q from './queries.ts'

/** Where the goods are seen; whoever has no such page fills machines. */
const page = '/stock/prompt-expired-goods'
const visits = '/stock/replenish'

export type Told = { lanes: number[]; lately: number; nobody: number; fine: number }

/** Asks the replenishers of each machine, in one message, to fetch what its lanes hold. */
export async function askToFetch(ctx: Ctx, laneIds: readonly number[]): Promise<Told> {
  const lots = await q.lotsOf(ctx, laneIds)
  const people = Map.groupBy(
    await replenishersOf(ctx, [...new Set(lots.map(({ deviceId }) => deviceId))]),
    ({ deviceId }) => deviceId,
  )
  const heard = lots.filter(({ deviceId }) => people.has(deviceId))
  const set = await cachedFor(
    ctx.app,
    heard.map(({ orgId }) => orgId),
    ['stock.warnMessageHours'],
  )
  const marked = await q.markTold(
    ctx,
    heard,
    (orgId) => new Date(ctx.now.getTime() - set(orgId)['stock.warnMessageHours'] * 3_600_000),
  )
  const told = heard.filter(({ laneId, batchId }) => marked.has(q.lotKey(laneId, batchId)))
  await notify(
    ctx,
    [...Map.groupBy(told, ({ deviceId }) => deviceId)].map(([deviceId, own]) => ({
      kind: 'STOCK' as const,
      ...fetchMessage(own[0]?.name ?? '', own),
      link: `/device/device-list/cargo-road/${deviceId}`,
      userIds: (people.get(deviceId) ?? []).map(({ userId }) => userId),
    })),
  )
  ctx.touch('expiry', told)
  const lanes = (some: readonly q.Lot[]) => new Set(some.map(({ laneId }) => laneId))
  const [all, able, done] = [lanes(lots), lanes(heard), lanes(told)]
  return {
    lanes: [...done],
    lately: able.size - done.size,
    nobody: all.size - able.size,
    fine: laneIds.length - all.size,
  }
}

/**
 * Whom a machine's goods concern by his rights: people of its organisation, else of the nearest one
 * above that has somebody.
 */
const operatorsOf = (ctx: Ctx, orgIds: readonly number[]) =>
  rowsOf<{ orgId: number; userId: number }>(ctx.db)`
    with holders as materialized (select u.id, u.org_id, o.path from users u
      join organisations o on o.id = u.org_id
      where u.status = 'ENABLED' and u.deleted_at is null and exists (select from user_roles ur
        join roles r on r.id = ur.role_id and r.status = 'ENABLED'
        join role_permissions p on p.role_id = r.id and p.permission_code = 'near-expiry:update'
        where ur.user_id = u.id))
    select own.id as "orgId", h.id as "userId"
    from organisations own cross join lateral (select h.path from holders h
      where h.path @> own.path order by nlevel(h.path) desc limit 1) n
    join holders h on h.path = n.path where own.id = any(${[...orgIds]}::bigint[])`

type Reader = { userId: number; sum: Sum; link: string }

/** Who hears of how much: each person once, each machine once for him. */
async function readers(ctx: Ctx): Promise<Reader[]> {
  const machines = await q.byMachine(ctx)
  const set = await cachedFor(
    ctx.app,
    machines.map(({ orgId }) => orgId),
    ['stock.expiryTellReplenishers', 'stock.expiryTellOperators'],
  )
  const filled = machines.filter(({ orgId }) => set(orgId)['stock.expiryTellReplenishers'])
  const run = machines.filter(({ orgId }) => set(orgId)['stock.expiryTellOperators'])
  const replenishers = Map.groupBy(
    await replenishersOf(
      ctx,
      filled.map(({ deviceId }) => deviceId),
    ),
    ({ deviceId }) => deviceId,
  )
  const operators = Map.groupBy(
    await operatorsOf(ctx, [...new Set(run.map(({ orgId }) => orgId))]),
    ({ orgId }) => orgId,
  )
  const machinesOf = new Map<number, Set<q.OfMachine>>()
  const give = (userId: number, machine: q.OfMachine) =>
    machinesOf.set(userId, (machinesOf.get(userId) ?? new Set()).add(machine))
  for (const machine of filled)
    for (const { userId } of replenishers.get(machine.deviceId) ?? []) give(userId, machine)
  const seeing = new Set<number>()
  for (const machine of run)
    for (const { userId } of operators.get(machine.orgId) ?? []) {
      give(userId, machine)
      seeing.add(userId)
    }
  return [...machinesOf].map(([userId, own]) => ({
    userId,
    sum: {
      near: [...own].reduce((sum, { near }) => sum + near, 0),
      expired: [...own].reduce((sum, { expired }) => sum + expired, 0),
    },
    link: seeing.has(userId) ? page : visits,
  }))
}

const atOnce = 200

/** At eight: one message a person. Said again after a crash, it finds the message of before. */
export async function sendDigest(app: App): Promise<void> {
  const told = await bySystem(app, readers)
  for (let i = 0; i < told.length; i += atOnce)
    await bySystem(app, (ctx) =>
      notify(
        ctx,
        told.slice(i, i + atOnce).map(({ userId, sum, link }) => ({
          kind: 'STOCK' as const,
          ...digestMessage(sum),
          link,
          userIds: [userId],
          quietHours: 12,
        })),
      ),
    )
}
