import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, may, owns, visible } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { isoText, shape } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import type { batches } from '../contract.ts'
import {
  type Destruction,
  RecallDevice,
  RecallRow,
  recallShown,
  SoldPiece,
  type Told,
} from '../recallContract.ts'
import { batchErrors } from '../rules.ts'

type Contract = typeof batches

/** As of batches: own ones, those above, and of machines that are looked at. */
const readable = (ctx: Ctx): RawBuilder<boolean> =>
  inheritable(
    ctx,
    'r.org_id',
    (watched) => sql`r.id in (select v.recall_id from recall_devices v
      where v.device_id = ${watched})`,
  )

const stateOf = (ctx: Ctx) => sql`case when r.ended_at is not null then 'ENDED'
  when r.asked_by is not null then 'ASKED' when r.due_at <= ${ctx.now} and n.pieces > 0 then 'LATE'
  else 'OPEN' end`
/** A machine knows it when it works with the list of that time or a later one. */
const knows = sql`coalesce(s.applied >= v.version, false)`
const shadow = sql`device_shadows s on s.device_id = v.device_id and s.kind = 'RECALLS'`
const person = (column: string) => sql`coalesce((select u.real_name from users u
  where u.id = ${sql.ref(column)}), '')`

const recall = (ctx: Ctx) =>
  shape(
    RecallRow,
    ['recalls', 'r'],
    {
      batchNo: sql`b.batch_no`,
      batchVersion: sql`b.version`,
      productName: sql`coalesce(p.name, '')`,
      state: stateOf(ctx),
      recalledBy: person('r.recalled_by'),
      devices: sql`d.devices`,
      acknowledged: sql`d.acknowledged`,
      lockedLanes: sql`n.lanes`,
      loadedQty: sql`b.loaded_qty`,
      withdrawn: sql`b.returned_qty`,
      inLanes: sql`n.pieces`,
      // all that came in, less what left otherwise and what is there
      sold: sql`greatest(b.loaded_qty - b.returned_qty + b.other_qty - n.pieces, 0)`,
      orgName: sql`coalesce(o.name, '')`,
      askedBy: person('r.asked_by'),
      endedBy: person('r.ended_by'),
    },
    ['can'],
  )
const from = (ctx: Ctx) => sql`recalls r join batches b on b.id = r.batch_id
  left join products p on p.id = b.product_id
  left join organisations o on o.id = r.org_id and ${visible(ctx, 'o.id')}
  cross join lateral (select count(*)::int as devices,
      count(*) filter (where ${knows})::int as acknowledged
    from recall_devices v left join ${shadow}
    where v.recall_id = r.id and ${visible(ctx, 'v.org_id', 'v.device_id')}) d
  cross join lateral (select count(distinct y.lane_id)::int as lanes,
      coalesce(sum(y.qty), 0)::int as pieces
    from lane_layers y where y.batch_id = b.id
      and ${visible(ctx, 'y.org_id', 'y.device_id')}) n`

/**
 * Whoever sees some machines only, or the goods of one above him, decides about no batch and does
 * not know what lies in the machines of others.
 */
async function shown(ctx: Ctx, rows: readonly Omit<RecallRow, 'can'>[]): Promise<RecallRow[]> {
  type Who = { id: number; orgId: number; askedBy: number | null }
  const who = await rowsOf<Who>(ctx.db)`select id, org_id as "orgId", asked_by as "askedBy"
    from recalls where id = any(${rows.map(({ id }) => id)}::bigint[])`
  const byId = new Map(who.map((one) => [one.id, one]))
  return rows.map((row) => {
    const { orgId = 0, askedBy = null } = byId.get(row.id) ?? {}
    const open = row.state !== 'ENDED'
    const whole = owns(ctx, orgId) && ctx.actor.scope.devices === null && !ctx.actor.scope.watched
    const own = may(ctx, 'batch:recall') && whole
    return {
      ...row,
      sold: whole ? row.sold : null,
      can: {
        end: own && open && askedBy === null,
        confirm: own && open && askedBy !== null && askedBy !== ctx.actor.userId,
        destroy: own,
      },
    }
  })
}

const list: Handlers<Contract>['recalls'] = async (ctx, input) => {
  const { rows, total } = await recall(ctx).page(ctx.db, {
    from: from(ctx),
    input,
    last: sql`r.id`,
    sort: { recalledAt: sql`r.recalled_at`, dueAt: sql`r.due_at` },
    where: [
      readable(ctx),
      input.keyword &&
        sql`(strpos(lower(b.batch_no), lower(${input.keyword})) > 0
          or strpos(r.recall_no, ${input.keyword}) > 0)`,
      input.state && sql`${stateOf(ctx)} = ${input.state}`,
      input.level && sql`r.level = ${input.level}`,
      input.productId && sql`b.product_id = ${input.productId}`,
      input.deviceId &&
        sql`exists (select from recall_devices v where v.recall_id = r.id
          and v.device_id = ${input.deviceId})`,
      input.from && sql`r.recalled_at >= ${startOfDay(input.from)}`,
      input.to && sql`r.recalled_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
  return { list: await shown(ctx, rows), total }
}

const device = shape(RecallDevice, ['recall_devices', 'v'], {
  rtuNumber: sql`coalesce(m.rtu_number, '')`,
  nickname: sql`coalesce(m.nickname, '')`,
  inLanes: sql`coalesce((select sum(y.qty) from lane_layers y
    where y.batch_id = r.batch_id and y.device_id = v.device_id), 0)::int`,
  acknowledged: knows,
  answeredAt: sql`case when ${knows} then s.answered_at end`,
})

async function one(ctx: Ctx, id: number) {
  const row = found(
    await recall(ctx).one(ctx.db, sql`from ${from(ctx)} where r.id = ${id} and ${readable(ctx)}`),
  )
  return (await shown(ctx, [row]))[0] as RecallRow
}

const recallOne: Handlers<Contract>['recallOne'] = async (ctx, { id }) => {
  const row = await one(ctx, id)
  const [deviceRows, people, destructions] = await Promise.all([
    device.all(
      ctx.db,
      sql`from recall_devices v join recalls r on r.id = v.recall_id
        left join devices m on m.id = v.device_id left join ${shadow}
        where v.recall_id = ${id} and ${visible(ctx, 'v.org_id', 'v.device_id')}
        order by ${knows}, v.pieces desc, v.device_id limit ${recallShown}`,
    ),
    rowsOf<z.infer<typeof Told>>(
      ctx.db,
    )`select v.user_id as "userId", coalesce(u.real_name, '') as name,
        coalesce(o.name, '') as "orgName", ${isoText('v.told_at')} as at
      from recall_people v left join users u on u.id = v.user_id
      left join organisations o on o.id = v.org_id and ${visible(ctx, 'o.id')}
      where v.recall_id = ${id} and ${visible(ctx, 'v.org_id')}
      order by v.told_at, v.user_id limit ${recallShown}`,
    rowsOf<z.infer<typeof Destruction>>(ctx.db)`select x.id, x.qty, x.photos, x.remark,
        ${person('x.done_by')} as "doneBy", ${person('x.witness_id')} as witness,
        ${isoText('x.created_at')} as at
      from recall_destructions x where x.recall_id = ${id} and ${visible(ctx, 'x.org_id')}
      order by x.created_at desc, x.id desc limit ${recallShown}`,
  ])
  return { ...row, deviceRows, people, destructions }
}

const piece = (ctx: Ctx, recalledAt: RawBuilder<unknown>) =>
  shape(SoldPiece, ['stock_flows', 'f'], {
    qty: sql`-f.change_total`,
    // a buyer is for those who see orders
    consumer: may(ctx, 'order:read') ? sql`coalesce(o.consumer, '')` : sql`''`,
    payType: sql`coalesce(o.pay_type, '')`,
    codes: sql`coalesce(array_to_string(f.codes, ' '), '')`,
    soldAt: sql`f.created_at`,
    late: sql`f.created_at >= ${recalledAt}`,
  })

const soldPieces: Handlers<Contract>['soldPieces'] = async (ctx, { id, ...input }) => {
  const row = await one(ctx, id)
  const where = [
    sql`f.batch_id = ${row.batchId} and f.type = 'CUSTOMER_TAKE'`,
    visible(ctx, 'f.org_id', 'f.device_id'),
  ]
  const { rows, total } = await piece(ctx, sql`${row.recalledAt}::timestamptz`).page(ctx.db, {
    from: sql`stock_flows f left join order_keys k on k.order_num = f.order_num
      left join orders o on o.org_id = k.org_id and o.created_at = k.created_at
        and o.id = k.order_id`,
    countFrom: sql`(select f.* from stock_flows f
      where f.batch_id = ${row.batchId} limit ${soldCounted}) f`,
    input,
    filled: ['soldAt'],
    last: sql`f.id`,
    sort: { soldAt: sql`f.created_at` },
    where,
  })
  return { list: rows, total }
}
/** Pieces beyond it are not counted. */
const soldCounted = 20_000

const destroy: Handlers<Contract>['destroy'] = async (ctx, { id, witnessId, photos, ...input }) => {
  const row = await one(ctx, id)
  if (!row.can.destroy) throw new Refusal(common.forbidden)
  if (witnessId === ctx.actor.userId) throw fieldRefusal(batchErrors.witnessSelf, 'witnessId')
  const witness = await rowOf<{ name: string }>(ctx.db)`select u.real_name as name from users u
    where u.id = ${witnessId} and u.status = 'ENABLED' and u.deleted_at is null
      and ${visible(ctx, 'u.org_id')}`
  if (!witness) throw fieldRefusal(common.notFound, 'witnessId')
  if ((await missingPictures(ctx, photos, visible(ctx, 'u.org_id'))).length)
    throw fieldRefusal(common.notFound, 'photos')
  // pieces in the store: those that came back, and those that never left where they are counted
  const left = await rowOf<{ orgId: number; destroyed: number }>(ctx.db)`
    update recalls r set destroyed_qty = r.destroyed_qty + ${input.qty}, version = r.version + 1
    from batches b where b.id = r.batch_id and r.id = ${id}
      and r.destroyed_qty + ${input.qty} <= ${inStore}
    returning r.org_id as "orgId", r.destroyed_qty as destroyed`
  if (!left) {
    const { most } = await onlyRow<{ most: number }>(ctx.db)`
      select greatest(${inStore} - r.destroyed_qty, 0)::int as most
      from recalls r join batches b on b.id = r.batch_id where r.id = ${id}`
    throw fieldRefusal(batchErrors.moreThanThere, 'qty', { most })
  }
  await ctx.db
    .insertInto('recall_destructions')
    .values({
      org_id: left.orgId,
      recall_id: id,
      qty: input.qty,
      remark: input.remark,
      photos: [...photos],
      done_by: ctx.actor.userId as number,
      witness_id: witnessId,
      created_at: ctx.now,
    })
    .execute()
  ctx.audit({
    id: row.batchId,
    name: row.batchNo,
    after: { ...input, witness: witness.name, photos: photos.length },
    orgId: left.orgId,
  })
  ctx.touch('batches', left.orgId)
  return { destroyedQty: left.destroyed }
}
const inStore = sql`coalesce(b.received_qty - b.loaded_qty + b.returned_qty, b.returned_qty)`

export const boardHandlers = { recalls: list, recallOne, soldPieces, destroy }
