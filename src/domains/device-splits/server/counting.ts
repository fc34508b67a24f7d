import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'

/** The version of its strategy that counts at a moment for the sales of the machine `d`; or null. */
export const countingVersion = (at: Date): RawBuilder<number | null> =>
  sql`(select v.id from split_bindings b join split_strategy_versions v
    on v.strategy_id = b.strategy_id and v.state = 'PUBLISHED' and v.valid_from <= ${at}
    where b.device_id = d.id and b.released_at is null order by v.version_no desc limit 1)`

export const countingFor = async (ctx: Ctx, deviceId: number): Promise<number | null> =>
  (
    await rowOf<{ id: number | null }>(ctx.db)`select ${countingVersion(ctx.now)} as id
      from devices d where d.id = ${deviceId}`
  )?.id ?? null
