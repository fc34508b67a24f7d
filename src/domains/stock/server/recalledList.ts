import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'

/**
 * Machines should have the next version of the list of what is recalled of their goods; it is
 * written when it is sent (batches/server/document.ts). Answers the version of each.
 */
export const wantRecalls = (ctx: Ctx, deviceIds: readonly number[]) =>
  rowsOf<{ deviceId: number; version: number }>(ctx.db)`
    insert into device_shadows as s (device_id, kind, org_id, wanted, wanted_at)
    select d.id, 'RECALLS', d.org_id, 1, ${ctx.now}::timestamptz from devices d
    where d.id = any(${[...deviceIds]}::bigint[]) order by d.id
    on conflict (device_id, kind) do update
    set wanted = s.wanted + 1, wanted_at = excluded.wanted_at, org_id = excluded.org_id, sends = 0
    returning s.device_id as "deviceId", s.wanted as version`

export const renewalsName = 'recall-renewals'
/**
 * Goods of a recalled batch moved in these machines: the list is wanted anew behind the locks of this
 * act, by durable work that its commit leaves.
 */
export function renewRecalls(ctx: Ctx, deviceIds: readonly number[]): void {
  ctx.later(sql`insert into recall_renewals (org_id, device_id, next_at)
    select d.org_id, d.id, ${ctx.now}::timestamptz from devices d
    where d.id = any(${[...deviceIds]}::bigint[])`)
  ctx.afterCommit(() => ctx.app.jobs.poke(renewalsName))
}
