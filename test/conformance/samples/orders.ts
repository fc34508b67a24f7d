import { recordVend, takeCommands } from '../../../src/domains/orders/server/vend.ts'
import {
  missing,
  picture,
  place,
  restock,
  rowId,
  type World,
  worldNow,
} from '../../support/world.ts'
import type { DomainSamples } from './kit.ts'

const child = rowId('CHILD', 1)
/** Every write takes a piece or two. */
const filled = (world: World) => restock(world, child, 50)
/** A paid order of which a piece did not leave, and whose money stays. */
async function unsent(world: World): Promise<string> {
  await filled(world)
  await world.sql('update devices set auto_refund = false where id = $1', [child])
  const orderNum = await world.sell('CHILD', ['NO_DROP'])
  // pieces that writes before this one vended again come first
  for (let out = await takeCommands(world.app, [child]); out.length; )
    out = await failed(world, out)
  return orderNum
}
async function failed(world: World, taken: Awaited<ReturnType<typeof takeCommands>>) {
  await world.system((ctx) =>
    recordVend(
      ctx,
      taken.map(({ cmdId, deviceId }) => ({
        ...{ kind: 'result', cmdId, deviceId, result: 'NO_DROP' },
        ...{ dropDetected: false, durationMs: 1, at: worldNow },
      })),
    ),
  )
  return takeCommands(world.app, [child])
}
const pieceOf = async ({ sql }: World, orderNum: string): Promise<number> =>
  Number(
    (await sql<{ id: number }>('select id from order_units where order_num = $1', [orderNum]))[0]
      ?.id,
  )

export const orders: DomainSamples = {
  rows: (where) => ({
    special_purchases: {
      order_id: rowId(where, 900),
      unit_no: 1,
      org_id: place[where],
      device_id: rowId(where, 1),
      order_at: worldNow,
      day: '2026-11-21',
      person: Buffer.alloc(32, place[where]),
      buyer: `购${where}`,
      card: '110***********002X',
      sealed: Buffer.alloc(29),
    },
  }),
  pathIds: {
    // numbered by the database: those of the agent's order are the first two
    'orders unitId': {
      own: (where) => Object.keys(place).indexOf(where) * 2 + 1,
      none: missing.id,
    },
  },
  fieldIds: { 'orders laneId': { own: (where) => rowId(where, 4), none: missing.id } },
  samples: {
    'orders.batchRefund': async (world) => ({
      orderNums: [await unsent(world)],
      reason: 'NOT_DISPENSED',
    }),
    'orders.vend': async (world) => {
      const orderNum = await unsent(world)
      return { orderNum, unitId: await pieceOf(world, orderNum) }
    },
    'orders.resolve': async (world) => {
      await filled(world)
      const orderNum = await world.sell('CHILD', ['wait'])
      await takeCommands(world.app, [child])
      await world.sql(
        `with c as (update vend_commands set state = 'UNKNOWN', unknown_at = $2
          where order_num = $1 returning unit_id)
        update order_units u set vend_state = 'UNKNOWN' from c where u.id = c.unit_id`,
        [orderNum, new Date(worldNow.getTime() - 200_000)],
      )
      return {
        orderNum,
        unitId: await pieceOf(world, orderNum),
        dispensed: true,
        images: [picture('OWN')],
      }
    },
  },
}
