import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bySystem } from '../../../server/run.ts'
import type { Machine } from '../../machines/server/identity.ts'
import { openWorld, type World } from '../../machines/server/testWorld.ts'
import { createHandlers } from './create.ts'

/** Purchase limits of the settings in force, where orders are made. */
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function machineWith(perOrder: number, perDay: number): Promise<Machine> {
  const machine = await world.addMachine()
  // only the newest version counts
  for (const [version, order, day] of [
    [1, 1, 1],
    [2, perOrder, perDay],
  ])
    await world.rows(
      `insert into device_configs (device_id, config_version, org_id, hum_min, hum_max, limit_per_order, limit_per_day, doc, created_at) values ($1, $2, 2, 0, 100, $3, $4, '{}', now())`,
      [machine.id, version, order, day],
    )
  return machine
}
const buy = (machine: Machine, count: number, consumer = 'anna', more: readonly { roadIndex: number; count: number }[] = []) =>
  bySystem(world.app, (ctx) =>
    createHandlers.mobileOrder(ctx, {
      rtuNumber: machine.rtu,
      items: [{ roadIndex: 1, count }, ...more].map((item) => ({ ...item, price: 300 })),
      payType: 'WECHAT',
      clientId: randomUUID(),
      consumer,
    }),
  ).then(
    ({ orderNum }) => orderNum,
    (error: { def?: { name: string } }) => error.def?.name ?? String(error),
  )
const refused = 'orders.overLimit'
const sold = expect.stringMatching(/^\d{20}$/)

test('pieces of one order, over all its lanes; the shelf says so', async () => {
  const machine = await machineWith(3, 0)
  expect([await buy(machine, 4), await buy(machine, 2, 'anna', [{ roadIndex: 2, count: 2 }]), await buy(machine, 3)]).toEqual([refused, refused, sold])
  await world.rows(`update lanes set restriction = 2 where device_id = $1 and road_index = 2`, [machine.id])
  const shelf = await bySystem(world.app, (ctx) => createHandlers.mobileLanes(ctx, { rtuNumber: machine.rtu }))
  expect(shelf.list.map((lane) => lane.restriction)).toEqual([3, 2, 3, 3])
})

test('pieces of one customer a day: others may, what was closed or failed does not count, tomorrow is another day', async () => {
  const machine = await machineWith(0, 3)
  expect([await buy(machine, 2), await buy(machine, 2), await buy(machine, 2, 'bert')]).toEqual([sold, refused, sold])
  const last = await buy(machine, 1)
  expect([last, await buy(machine, 1)]).toEqual([sold, refused])
  await world.rows(`update orders set pay_state = 'CLOSED', order_status = 'CLOSED' where order_num = $1`, [last])
  const again = await buy(machine, 1)
  expect([again, await buy(machine, 1)]).toEqual([sold, refused])
  await world.rows(`update order_units set vend_state = 'FAILED' where order_num = $1`, [again])
  expect([await buy(machine, 1), await buy(machine, 1)]).toEqual([sold, refused])
  world.clock.now += 86_400_000
  expect([await buy(machine, 4), await buy(machine, 3)]).toEqual([refused, sold])
})

test('two orders of one customer at once find room for one', async () => {
  const machine = await machineWith(0, 3)
  const answers = await Promise.all([1, 2, 3, 4].map(() => buy(machine, 2)))
  expect(answers.filter((answer) => answer !== refused)).toEqual([sold])
})

test('a machine that is locked or open sells nothing', async () => {
  const machine = await machineWith(0, 0)
  for (const [stop, go] of [
    ['update devices set locked = true where id = $1', 'update devices set locked = false where id = $1'],
    ['update device_states set door_open = true where device_id = $1', 'update device_states set door_open = false where device_id = $1'],
  ] as const) {
    await world.rows(stop, [machine.id])
    expect(await buy(machine, 1)).toBe('orders.deviceNotSelling')
    await world.rows(go, [machine.id])
    expect(await buy(machine, 1)).toEqual(sold)
  }
})
