import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'

/** Who fills these machines, and can be told of something. */
export const replenishersOf = (ctx: Ctx, deviceIds: readonly number[]) =>
  rowsOf<{ deviceId: number; userId: number }>(
    ctx.db,
  )`select a.device_id as "deviceId", a.user_id as "userId" from device_assignments a
    join users u on u.id = a.user_id
    where a.device_id = any(${[...deviceIds]}::bigint[]) and a.kind = 'REPLENISHER'
      and a.to_at is null and u.status = 'ENABLED' and u.deleted_at is null
      and ${visible(ctx, 'a.org_id')} order by a.id`
