import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { tenantOf } from '../../../server/shares.ts'
import { type ErrorDef, fieldRefusal } from '../../../shared/errors.ts'
import { multirange, type Span, weekOf } from '../rules.ts'

/**
 * Those who bind in one tenant come one after the other, the platform alone: two that enter an
 * exclusion constraint with the same machine at once would wait for each other.
 */
export const inTurn = (ctx: Ctx) =>
  ctx.actor.ofPlatform
    ? sql`select pg_advisory_xact_lock(hashtextextended('ad bindings', 0))`.execute(ctx.db)
    : sql`select pg_advisory_xact_lock_shared(hashtextextended('ad bindings', 0)),
        pg_advisory_xact_lock(hashtextextended(${`ad bindings ${tenantOf(ctx.actor)}`},
          0))`.execute(ctx.db)

/** What the constraint `ad_bindings_meet` refuses is a refusal on the hours. */
export const unmet = <T>(overlap: ErrorDef, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    // 23P01: an exclusion constraint
    throw (error as { code?: string }).code === '23P01' ? fieldRefusal(overlap, 'windows') : error
  })

/**
 * A group has other hours: so have its bindings that follow it, unless they would meet others.
 * Whoever saves the group calls this in its transaction.
 */
export async function followGroup(
  ctx: Ctx,
  groupId: number,
  spans: readonly Span[],
  overlap: ErrorDef,
): Promise<void> {
  await inTurn(ctx)
  const rows = await rowsOf<{ id: number; weekdays: number[] }>(ctx.db)`
    select id, weekdays from ad_bindings where group_id = ${groupId} and follows
      and state not in ('ENDED', 'REJECTED', 'REVOKED') and ${visible(ctx, 'org_id')}
    order by id for update`
  for (const { id, weekdays } of rows) {
    await sql`update ad_bindings set windows = ${multirange(spans)}::int4multirange,
      version = version + 1 where id = ${id}`.execute(ctx.db)
    await unmet(
      overlap,
      sql`update ad_binding_devices set week = ${multirange(weekOf(weekdays, spans))}::int4multirange
        where binding_id = ${id}`.execute(ctx.db),
    )
  }
  if (rows.length) ctx.touch('ad-bindings')
}
