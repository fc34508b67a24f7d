import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { type drugControl, LockRow } from '../contract.ts'
import { lockReasons } from '../rules.ts'

type Contract = typeof drugControl

const recallOf = sql`(select min(b.recalled_at + case b.recall_level when 'I' then interval '1 day'
    when 'II' then interval '2 days' else interval '7 days' end)
  from lane_layers y join batches b on b.id = y.batch_id
  where y.lane_id = l.id and b.status = 'RECALLED')`
const lock = shape(LockRow, ['lanes', 'l'], {
  rtuNumber: sql`d.rtu_number`,
  nickname: sql`d.nickname`,
  productName: sql`p.name`,
  drugClass: sql`p.drug_class`,
  reason: sql`l.lock_reason`,
  since: sql`l.locked_at`,
  qty: sql`l.quantity`,
  batchNo: sql`coalesce((select string_agg(distinct b.batch_no, ' ') from lane_layers y
    join batches b on b.id = y.batch_id where y.lane_id = l.id), '')`,
  orgName: sql`coalesce(o.name, '')`,
  dueAt: sql`case when l.lock_reason = 'RECALL' then ${recallOf}
    else l.locked_at + interval '1 day' end`,
})

export const locks = (ctx: Ctx, input: Input<Contract['locks']>) =>
  lock.page(ctx.db, {
    from: sql`lanes l join devices d on d.id = l.device_id left join organisations o on o.id = l.org_id
      left join products p on p.id = l.product_id`,
    where: [
      visible(ctx, 'l.org_id', 'l.device_id'),
      sql`l.status = 'LOCKED' and l.archived_at is null
        and l.lock_reason = any(${[...lockReasons]}::text[])`,
      // whoever watches a region watches its drugs
      ctx.actor.scope.watched && sql`p.drug_class <> 'NONE'`,
      input.reason && sql`l.lock_reason = ${input.reason}`,
      input.deviceId && sql`l.device_id = ${input.deviceId}`,
      input.productId && sql`l.product_id = ${input.productId}`,
      input.batchNo &&
        sql`exists (select from lane_layers y join batches b on b.id = y.batch_id
          where y.lane_id = l.id and strpos(lower(b.batch_no), lower(${input.batchNo})) > 0)`,
      input.code &&
        sql`exists (select from trace_codes c where c.code = ${input.code} and c.lane_id = l.id)`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      input.from && sql`l.locked_at >= ${startOfDay(input.from)}`,
      input.to && sql`l.locked_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
    sort: { since: sql`l.locked_at`, qty: sql`l.quantity`, rtuNumber: sql`d.rtu_number` },
    last: sql`l.id`,
    input,
  })
