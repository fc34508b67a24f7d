import { randomInt } from 'node:crypto'
import { type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own } from './kit.ts'

/** Something that the first machine sold. */
async function sold({ sql }: World): Promise<void> {
  await sql(
    `with o as (insert into orders (org_id, created_at, order_num, device_id, rtu_number,
      device_name, channel, order_type, pay_type, pay_state, order_status, detail, img, pieces,
      total_amount, payable_amount, paid_amount, cost_amount, expire_at, paid_at, final_at)
      values (3, $2, $1, $3, 'OWN0001', 'x', 'MACHINE', 'SCAN', 'WECHAT', 'PAID', 'SUCCESS', 'x',
        '', 1, 300, 300, 300, 100, $2, $2, $2) returning *)
    insert into order_units (org_id, created_at, order_id, order_num, unit_no, device_id, kind,
      product_id, product_name, model, drug_class, img, list_price, discount, paid, cost,
      vend_state, hold)
      select o.org_id, o.created_at, o.id, o.order_num, 1, o.device_id, 'OFF_LANE', l.product_id,
        'x', 'x', 'NONE', '', 300, 0, 300, 100, 'SUCCESS', 'CONSUMED'
      from o join lanes l on l.device_id = o.device_id and l.product_id is not null
      order by l.id limit 1`,
    [`20261121${String(randomInt(1e11)).padStart(12, '8')}`, worldNow, own],
  )
}

export const splitSimulations: DomainSamples = {
  pathIds: { 'split-simulations id': byRow },
  samples: {
    'splitSimulations.create': async (world) => {
      await sold(world)
      return { strategyId: own, versionNo: 1, comparedNo: null }
    },
    'splitSimulations.cancel': async (world) => ({
      id: await fresh(
        world,
        `insert into split_simulations (org_id, strategy_id, version_no, input, input_hash,
          content_hash, total, created_at, next_at)
          values (3, ${own}, 1, '{"from":"2026-11-01","to":"2026-11-20","deviceIds":[],"priceBp":0}',
            '', '', 1, now(), now() + interval '1 hour')`,
      ),
    }),
  },
}
