import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'

/**
 * An approved material takes the creatives over of the one whose place it was uploaded for, and with
 * them every program group that shows it. A film plays as long as the new one is.
 */
export async function takeOver(ctx: Ctx, id: number): Promise<void> {
  await sql`with new as (select id, replaces_id, duration_ms from ad_materials
      where id = ${id} and replaces_id is not null and state = 'APPROVED'),
    moved as (update ad_creatives c set material_id = new.id, version = c.version + 1,
        seconds = case when new.duration_ms is null then c.seconds
          else least(300, greatest(1, ceil(new.duration_ms / 1000.0)::int)) end
      from new where c.material_id = new.replaces_id returning c.id, c.seconds, new.duration_ms)
    update program_group_items i set seconds = moved.seconds from moved
    where i.creative_id = moved.id and moved.duration_ms is not null`.execute(ctx.db)
}
