import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { addTestOrder, type TestLane } from '../../orders/server/verbs.ts'
import { deviceCommandErrors, type deviceCommands, TestVend } from '../contract.ts'
import { testRefusal } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceCommands
type Lane = Omit<TestLane, 'productId'> & {
  productId: number | null
  status: string
  available: number
}

/** The lane, locked before it is judged, as everywhere a piece is reserved. */
async function lockLane(ctx: Ctx, deviceId: number, laneId: number): Promise<Lane> {
  const lane = await rowOf<Lane>(
    ctx.db,
  )`select l.id, l.road_index as "roadIndex", l.product_id as "productId",
    coalesce(p.name, '') as name, coalesce(p.model, '') as model,
      coalesce(p.images[1], '') as img, coalesce(p.drug_class, 'NONE') as "drugClass", l.status,
      l.quantity - l.reserved - l.failed_hold as available
    from lanes l left join products p on p.id = l.product_id
    where l.id = ${laneId} and l.device_id = ${deviceId} and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')} for no key update of l`
  return found(lane)
}

/**
 * One piece for nothing, the way every piece goes: order, command, result, one flow out of the
 * lane.
 */
export const testVend: Handlers<Contract>['testVend'] = async (ctx, input) => {
  const device = found((await q.devices(ctx, [input.id]))[0])
  if (isClosed(device)) throw new Refusal(deviceCommandErrors.closed)
  if (!device.online) throw new Refusal(deviceCommandErrors.offline)
  const lane = await lockLane(ctx, input.id, input.laneId)
  const refusal = testRefusal(lane, input.repair)
  if (refusal) throw new Refusal(deviceCommandErrors[refusal])
  const busy = await exists(
    ctx.db,
  )`select 1 from vend_commands c join orders o on o.org_id = c.org_id and o.created_at = c.order_at
    and o.id = c.order_id
    where c.device_id = ${input.id} and c.state in ('WAIT','SENT','ACKED','UNKNOWN')
      and o.order_type = 'TEST' limit 1`
  if (busy) throw new Refusal(deviceCommandErrors.machineBusy)
  const orderNum = await addTestOrder(ctx, device, { ...lane, productId: lane.productId as number })
  refreshDeviceCounters(ctx, [device.id])
  const after = { orderNum, road: lane.roadIndex, repair: input.repair }
  ctx.audit({
    id: device.id,
    name: `${device.rtuNumber} ${lane.roadIndex}`,
    after,
    orgId: device.orgId,
  })
  return found(await latestOf(ctx, input.id))
}

const test = shape(TestVend, ['order_units', 'u'], {
  road: sql`u.road`,
  state: sql`u.vend_state`,
  createTime: sql`u.created_at`,
})
/** The latest test of the last hour; only one runs at a time. */
const latestOf = (ctx: Ctx, deviceId: number) =>
  test.one(
    ctx.db,
    sql`from orders o join order_units u on u.org_id = o.org_id and u.created_at = o.created_at
      and u.order_id = o.id
    where o.device_id = ${deviceId} and o.created_at > ${new Date(ctx.now.getTime() - 3_600_000)}
      and o.order_type = 'TEST' and ${visible(ctx, 'o.org_id', 'o.device_id')}
    order by o.created_at desc, o.id desc limit 1`,
  )

export const testVendState: Handlers<Contract>['testVendState'] = async (ctx, input) => {
  found((await q.devices(ctx, [input.id]))[0])
  return { latest: (await latestOf(ctx, input.id)) ?? null }
}
