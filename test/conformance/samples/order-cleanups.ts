import { randomInt } from 'node:crypto'
import { type World, worldNow } from '../../support/world.ts'
import { type DomainSamples, own } from './kit.ts'

/** A test order of the first machine that was withdrawn. */
async function testOrder({ sql }: World, cleaned: boolean): Promise<string> {
  const orderNum = `20261121${String(randomInt(1e11)).padStart(12, '9')}`
  await sql(
    `with o as (insert into orders (org_id, created_at, order_num, device_id, rtu_number,
      device_name, channel, order_type, pay_type, pay_state, order_status, detail, img, pieces,
      total_amount, payable_amount, expire_at, final_at, excluded)
      values (3, $2, $1, $3, 'OWN0001', 'x', 'MACHINE', 'TEST', 'NONE', 'PAID', 'PAID', 'x', '', 1,
        0, 0, $2, $2, $4) returning *),
    u as (insert into order_units (org_id, created_at, order_id, order_num, unit_no, device_id,
      lane_id, road, product_id, product_name, model, drug_class, img, list_price, discount, paid, cost,
      vend_state, hold)
      select o.org_id, o.created_at, o.id, o.order_num, 1, o.device_id, l.id, l.road_index,
        l.product_id, 'x', 'x', 'NONE', '', 0, 0, 0, 0, 'VOID', 'RELEASED'
      from o join lanes l on l.device_id = o.device_id and l.product_id is not null
      order by l.id limit 1)
    insert into order_keys (order_num, order_id, org_id, device_id, created_at)
      select order_num, id, org_id, device_id, created_at from o`,
    [orderNum, worldNow, own, cleaned],
  )
  return orderNum
}

export const orderCleanups: DomainSamples = {
  samples: {
    'orderCleanups.clean': async (world) => ({
      orderNums: [await testOrder(world, false)],
      reason: '测试',
    }),
    'orderCleanups.restore': async (world) => ({ orderNums: [await testOrder(world, true)] }),
  },
}
