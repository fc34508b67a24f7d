import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'

/**
 * What the platform knows about a machine beside its own words; a domain that tells more adds its
 * kind and a text for the timeline.
 */
export type DeviceEvent = {
  readonly deviceId: number
  readonly orgId: number
  readonly kind: string
  readonly data?: Record<string, unknown>
}

/**
 * The only writer of device_events: in the transaction of the act, for the timeline, the alerts and
 * any later replay.
 */
export async function noteDevice(
  ctx: Pick<Ctx, 'db' | 'now'> & { actor?: Ctx['actor'] },
  events: readonly DeviceEvent[],
): Promise<void> {
  if (events.length === 0) return
  const person = ctx.actor?.userId ?? null
  const rows = events.map(({ deviceId, orgId, kind, data = {} }) => ({
    device_id: deviceId,
    org_id: orgId,
    kind,
    data,
  }))
  await sql`insert into device_events (org_id, created_at, device_id, kind, data, user_id, actor)
    select org_id, ${ctx.now}::timestamptz, device_id, kind, data, ${person}::bigint,
      ${person === null ? '' : (ctx.actor?.username ?? '').slice(0, 60)}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(org_id bigint, device_id bigint,
      kind text, data jsonb)`.execute(ctx.db)
}
