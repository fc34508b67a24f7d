import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, visible } from '../../../server/context.ts'
import { Refusal } from '../../../shared/errors.ts'
import { refreshDeviceCounters } from '../../lanes/server/counters.ts'
import { addTestOrder, type TestLane } from '../../orders/server/verbs.ts'
import { deviceCommandErrors, type deviceCommands, type TestVend } from '../contract.ts'
import { testRefusal } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceCommands
type Lane = Omit<TestLane, 'product_id'> & { product_id: number | null; status: string; available: number }

/** The lane, locked before it is judged, as everywhere a piece is reserved. */
async function lockLane(ctx: Ctx, deviceId: number, laneId: number): Promise<Lane> {
  const { rows } = await sql<Lane>`
    select l.id, l.road_index, l.product_id, coalesce(p.name, '') as name, coalesce(p.model, '') as model, coalesce(p.images[1], '') as img, coalesce(p.drug_class, 'NONE') as drug_class, l.status,
      l.quantity - l.reserved - l.failed_hold as available
    from lanes l left join products p on p.id = l.product_id
    where l.id = ${laneId} and l.device_id = ${deviceId} and l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')} for no key update of l`.execute(
    ctx.db,
  )
  return found(rows[0])
}

/** One piece for nothing, the way every piece goes: order, command, result, one flow out of the lane. */
export const testVend: Handlers<Contract>['testVend'] = async (ctx, input) => {
  const device = found((await q.devices(ctx, [input.id]))[0])
  if (device.lifecycle === 'SOLD' || device.lifecycle === 'SCRAPPED') throw new Refusal(deviceCommandErrors.closed)
  if (!device.online) throw new Refusal(deviceCommandErrors.offline)
  const lane = await lockLane(ctx, input.id, input.laneId)
  const refusal = testRefusal({ productId: lane.product_id, status: lane.status, available: lane.available }, input.repair)
  if (refusal) throw new Refusal(deviceCommandErrors[refusal])
  const { rows: busy } = await sql`select 1 from vend_commands c join orders o on o.org_id = c.org_id and o.created_at = c.order_at and o.id = c.order_id
    where c.device_id = ${input.id} and c.state in ('WAIT','SENT','ACKED','UNKNOWN') and o.order_type = 'TEST' limit 1`.execute(ctx.db)
  if (busy.length) throw new Refusal(deviceCommandErrors.machineBusy)
  const orderNum = await addTestOrder(ctx, device, { ...lane, product_id: lane.product_id as number })
  refreshDeviceCounters(ctx, [device.id])
  ctx.audit({
    id: device.id,
    name: `${device.rtuNumber} ${lane.road_index}`,
    after: { orderNum, road: lane.road_index, repair: input.repair },
    orgId: device.orgId,
  })
  return found((await latestOf(ctx, input.id)) ?? undefined)
}

type Row = {
  order_num: string
  road: number
  product_name: string
  vend_state: TestVend['state']
  fail_reason: string | null
  drop_confirmed: boolean
  created_at: Date
  sent_at: Date | null
  acked_at: Date | null
  finished_at: Date | null
}

/** The latest test of the last hour; only one runs at a time. */
async function latestOf(ctx: Ctx, deviceId: number): Promise<TestVend | null> {
  const { rows } = await sql<Row>`
    select u.order_num, u.road, u.product_name, u.vend_state, u.fail_reason, u.drop_confirmed, u.created_at, u.sent_at, u.acked_at, u.finished_at
    from orders o join order_units u on u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id
    where o.device_id = ${deviceId} and o.created_at > ${new Date(ctx.now.getTime() - 3_600_000)} and o.order_type = 'TEST' and ${visible(ctx, 'o.org_id', 'o.device_id')}
    order by o.created_at desc, o.id desc limit 1`.execute(ctx.db)
  const unit = rows[0]
  if (!unit) return null
  return {
    orderNum: unit.order_num,
    road: unit.road,
    productName: unit.product_name,
    state: unit.vend_state,
    failReason: unit.fail_reason,
    dropConfirmed: unit.drop_confirmed,
    createTime: iso(unit.created_at),
    sentAt: isoOrNull(unit.sent_at),
    ackedAt: isoOrNull(unit.acked_at),
    finishedAt: isoOrNull(unit.finished_at),
  }
}

export const testVendState: Handlers<Contract>['testVendState'] = async (ctx, input) => {
  found((await q.devices(ctx, [input.id]))[0])
  return { latest: await latestOf(ctx, input.id) }
}
