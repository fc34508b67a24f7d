import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { dropWaiting } from './outbox.ts'

/**
 * The machine goes to another owner, in the transaction that gives it away: what is open of it ends
 * for the one before, and nobody of his is told of it any more. The next sweep begins anew with
 * whoever has it then.
 */
export async function dropAlertsOf(ctx: Ctx, deviceId: number, orgId: number): Promise<void> {
  const ended = await rowsOf<{ id: number }>(
    ctx.db,
  )`update alerts set state = 'CLOSED', closed_at = ${ctx.now}, close_reason = 'DROPPED'
    where device_id = ${deviceId} and org_id = ${orgId} and state <> 'CLOSED' returning id`
  await sql`update alert_members set back_at = ${ctx.now}
    where device_id = ${deviceId} and org_id = ${orgId} and back_at is null`.execute(ctx.db)
  await dropWaiting(
    ctx,
    ended.map(({ id }) => id),
  )
  ctx.touch('alerts', orgId)
}
