import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Actor, App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowOf } from '../../../server/rows.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { toLang } from '../../../shared/text.ts'

type Which = { clientId: string } | { visitId: number } | { deviceId: number }
type Served = { orgId: number; deviceId: number; until: Date }

const reaches = ({ scope }: Actor, { orgId, deviceId }: Served): boolean =>
  scope.all ||
  (scope.orgs.includes(orgId) && (scope.devices === null || scope.devices.includes(deviceId)))

/**
 * Until when he served a machine that he reaches no more: that of an own visit, or one at which his
 * phone begins a visit late.
 */
async function servedUntil(app: App, actor: Actor, which: Which): Promise<Served | undefined> {
  const machine =
    'deviceId' in which
      ? sql`select ${which.deviceId}::bigint as device_id`
      : sql`select v.device_id from replenishment_visits v
          where v.user_id = ${actor.userId}::bigint and ${
            'visitId' in which
              ? sql`v.id = ${which.visitId}`
              : sql`v.client_id = ${which.clientId}::uuid`
          }`
  const last = await app.database.read(
    systemScope,
    (db) =>
      rowOf<Served>(db)`select a.org_id as "orgId", a.device_id as "deviceId", a.to_at as until
      from device_assignments a where a.device_id = (${machine})
        and a.user_id = ${actor.userId}::bigint and a.kind = 'REPLENISHER'
      order by a.to_at desc nulls first limit 1`,
  )
  return last?.until && !reaches(actor, last) ? last : undefined
}

/**
 * What he did while he served it is told by his phone later, too: an act in a scope of that machine
 * alone. Nothing, where he reaches it or never served it.
 */
export async function asServed<T>(
  app: App,
  actor: Actor,
  request: FastifyRequest,
  which: Which,
  work: (ctx: Ctx, until: Date) => Promise<T>,
): Promise<T | undefined> {
  const served = await servedUntil(app, actor, which)
  if (!served) return undefined
  const scope = {
    all: false,
    orgs: [served.orgId],
    ancestors: actor.scope.ancestors,
    devices: [served.deviceId],
    watched: null,
  }
  const caller = {
    ...systemCaller({ ...actor, scope }),
    lang: toLang(request.headers['accept-language']),
  }
  return act(app, caller, { audit: null, scope: 'actor' }, (ctx) => work(ctx, served.until))
}
