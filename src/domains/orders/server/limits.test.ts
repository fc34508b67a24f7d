import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { add, type Sql } from '../../../../test/factories/things.ts'
import { admissionOf } from '../../../server/admission.ts'
import { systemActor } from '../../../server/context.ts'
import { act, bySystem, systemCaller } from '../../../server/run.ts'
import type { Machine } from '../../machines/server/identity.ts'
import { openWorld, type World } from '../../machines/server/testWorld.ts'
import { handlers as payments, simulatorSign } from '../../payments/server/verbs.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { orderErrors } from '../contract.ts'
import { createHandlers } from './create.ts'
import { makeRoom } from './room.ts'
import { closeUnpaid } from './timers.ts'
import { forgetIdle } from './unpaid.ts'

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
      `insert into device_configs (device_id, config_version, org_id, hum_min, hum_max,
        limit_per_order, limit_per_day, doc, created_at)
        values ($1, $2, 2, 0, 100, $3, $4, '{}', now())`,
      [machine.id, version, order, day],
    )
  return machine
}
const buy = (
  machine: Machine,
  count: number,
  consumer = 'anna',
  more: readonly { roadIndex: number; count: number }[] = [],
) =>
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

/**
 * As a phone at an address does, through the door: room is made first. Answers the payment's number, or the name of
 * the refusal.
 */
async function phone(
  machine: Machine,
  ip: string,
  { consumer = '', road = 1, count = 1, price = 300 } = {},
): Promise<string> {
  const input = {
    rtuNumber: machine.rtu,
    items: [{ roadIndex: road, count, price }],
    payType: 'WECHAT' as const,
    clientId: randomUUID(),
    consumer,
  }
  const caller = { ...systemCaller(systemActor), ip }
  const order = admissionOf(world.app).enter(machine.rtu, ip, async () => {
    await makeRoom(world.app, input, { ip })
    return act(world.app, caller, { audit: null, scope: 'system' }, (ctx) =>
      createHandlers.mobileOrder(ctx, input),
    )
  })
  return order.then(
    ({ outTradeNo }) => outTradeNo,
    (error: { def?: { name: string } }) => error.def?.name ?? String(error),
  )
}
async function pay(outTradeNo: string, amount = 300): Promise<string> {
  const notice = {
    eventId: randomUUID(),
    outTradeNo,
    tradeNo: randomUUID(),
    amount,
    paidAt: new Date(world.clock.now).toISOString(),
  }
  const input = { ...notice, sign: simulatorSign(world.app.config.simPayKey, notice) }
  const { run } = payments.simulatorNotify as unknown as {
    run(ctx: unknown, input: unknown): Promise<{ result: string }>
  }
  return (await bySystem(world.app, (ctx) => run(ctx, input))).result
}
const crowd = (n: number, work: (i: number) => Promise<string>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))
const made = (answers: readonly string[]) => answers.filter((answer) => answer.startsWith('HD'))
const refusals = (answers: readonly string[]) => [
  ...new Set(answers.filter((answer) => !answer.startsWith('HD'))),
]
const later = (seconds: number) => {
  world.clock.now += seconds * 1000
}
/** The payment's number of an order that was made. */
const sale = expect.stringMatching(/^HD/)
const shelf = async (machine: Machine) =>
  (
    await bySystem(world.app, (ctx) => createHandlers.mobileLanes(ctx, { rtuNumber: machine.rtu }))
  ).list.map((lane) => lane.roadIndex)
const tooMany = 'orders.tooManyUnpaid'
const open = () =>
  world.rows<{ subject: string; open: number; holds: number }>(`
  select c.subject, c.open, (select count(*)::int from unpaid_holds h
    where c.subject = any(h.subjects)) as holds from unpaid_counts c`)

test('pieces of one order, over all its lanes; the shelf says so', async () => {
  const machine = await machineWith(3, 0)
  expect([
    await buy(machine, 4),
    await buy(machine, 2, 'anna', [{ roadIndex: 2, count: 2 }]),
    await buy(machine, 3),
  ]).toEqual([refused, refused, sold])
  await world.rows(`update lanes set restriction = 2 where device_id = $1 and road_index = 2`, [
    machine.id,
  ])
  const shelf = await bySystem(world.app, (ctx) =>
    createHandlers.mobileLanes(ctx, { rtuNumber: machine.rtu }),
  )
  expect(shelf.list.map((lane) => lane.restriction)).toEqual([3, 2, 3, 3])
})

test('pieces of one customer a day: others may, what was closed or failed does not count, tomorrow is another day', async () => {
  const machine = await machineWith(0, 3)
  expect([await buy(machine, 2), await buy(machine, 2), await buy(machine, 2, 'bert')]).toEqual([
    sold,
    refused,
    sold,
  ])
  const last = await buy(machine, 1)
  expect([last, await buy(machine, 1)]).toEqual([sold, refused])
  await world.rows(`update orders set expire_at = '2020-01-01' where order_num = $1`, [last])
  await closeUnpaid(world.app)
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
    [
      'update devices set locked = true where id = $1',
      'update devices set locked = false where id = $1',
    ],
    [
      'update device_states set door_open = true where device_id = $1',
      'update device_states set door_open = false where device_id = $1',
    ],
  ] as const) {
    await world.rows(stop, [machine.id])
    expect(await buy(machine, 1)).toBe('orders.deviceNotSelling')
    await world.rows(go, [machine.id])
    expect(await buy(machine, 1)).toEqual(sold)
  }
})

test('fifty at once pass no limit: of a machine, of an address at it, of an address over machines, of a customer', async () => {
  const [one, two] = [await machineWith(0, 0), await machineWith(0, 0)]
  const fromEverywhere = await crowd(50, (i) => phone(one, `10.1.0.${i}`, { road: (i % 4) + 1 }))
  expect([made(fromEverywhere).length, refusals(fromEverywhere)]).toEqual([
    20,
    ['orders.machineBusy'],
  ])
  const named = await crowd(50, () => phone(two, '10.2.0.1', { consumer: 'carl' }))
  expect([made(named).length, refusals(named)]).toEqual([2, [tooMany]])
  // whoever changes names still meets the limit of his address
  const renamed = await crowd(50, (i) => phone(two, '10.2.0.2', { consumer: `carl${i}` }))
  expect([made(renamed).length, refusals(renamed)]).toEqual([5, [tooMany]])
  const many = await Promise.all(Array.from({ length: 6 }, () => machineWith(0, 0)))
  const spread = await crowd(50, (i) =>
    phone(many[i % 6] as Machine, `2001:db8:1:2::${i.toString(16)}`),
  )
  expect([made(spread).length, refusals(spread)], 'addresses of one subscriber are one').toEqual([
    20,
    [tooMany],
  ])
  for (const row of await open()) expect(row).toEqual({ ...row, holds: row.open })
  later(200)
  while ((await closeUnpaid(world.app)) > 0);
  expect((await open()).filter((row) => row.open > 0)).toEqual([])
  expect(
    await phone(two, '10.2.0.1', { consumer: 'carl' }),
    'a limit ends with what it counts',
  ).toMatch(/^HD/)
})

test('nobody uses up the limits of another: a name from elsewhere, and an order somebody else does not pay', async () => {
  const machine = await machineWith(0, 3)
  expect(made(await crowd(4, () => phone(machine, '10.3.0.1', { consumer: 'dora' })))).toHaveLength(
    2,
  )
  expect(await phone(machine, '10.3.0.2', { consumer: 'dora', count: 3 })).toMatch(/^HD/)
})

test('an address that pays may hold more at once; one that only orders earns nothing', async () => {
  const machines = await Promise.all(Array.from({ length: 10 }, () => machineWith(0, 0)))
  const spread = (n: number, ip: string) => crowd(n, (i) => phone(machines[i % 10] as Machine, ip))
  expect(made(await spread(25, '10.4.0.2'))).toHaveLength(20)
  const first = made(await spread(20, '10.4.0.1'))
  for (const order of first) expect(await pay(order)).toBe('APPLIED')
  // dispensed: a machine with paid goods waiting takes no new orders
  await world.rows(`update vend_commands set state = 'SUCCESS'`)
  expect(made(await spread(30, '10.4.0.1')), 'a campus').toHaveLength(30)
  later(200)
  while ((await closeUnpaid(world.app)) > 0);
  expect(made(await spread(25, '10.4.0.1')), 'what ran out counts against it').toHaveLength(20)
})

test('goods held by orders that had their time go to who wants them; the late payer gets his money back', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 2 where device_id = $1', [machine.id])
  const hoarder = await phone(machine, '10.5.0.1', { count: 2 })
  const other = await phone(machine, '10.5.0.1', { road: 2 })
  expect(await phone(machine, '10.5.0.2')).toBe('orders.outOfStock')
  expect(await shelf(machine)).toEqual([2, 3, 4])
  later(76)
  expect(await shelf(machine), 'a shelf shows what can be had').toEqual([1, 2, 3, 4])
  // who comes while room is being made may be told too early; who comes after it is not
  const won = await crowd(5, (i) => phone(machine, `10.5.1.${i}`))
  for (const ip of ['10.5.2.1', '10.5.2.2']) won.push(await phone(machine, ip))
  expect([made(won).length, await phone(machine, '10.5.0.3')]).toEqual([2, 'orders.outOfStock'])
  const state = async (order: string) =>
    (
      await world.rows<{ s: string }>(
        `select order_status || coalesce(' ' || (select state from refunds r
          where r.order_num = o.order_num), '') as s
      from orders o where order_num = $1`,
        [order.slice(2)],
      )
    )[0]?.s
  expect([await state(hoarder), await state(other)], 'what nobody wants stays').toEqual([
    'CLOSED',
    'UNPAID',
  ])
  expect([await pay(hoarder, 600), await state(hoarder)]).toEqual(['LATE', 'CLOSED PENDING'])
  expect([
    await pay(other),
    await pay(won.find((answer) => answer.startsWith('HD')) as string),
  ]).toEqual(['APPLIED', 'APPLIED'])
})

const hoarded = (machine: Machine) =>
  world.rows<{ subject: string; device_id: number; times: number; detail: unknown }>(
    `select subject, device_id, times, detail from security_events
      where kind = 'STOCK_HOARDED' and device_id = $1`,
    [machine.id],
  )
const holders = async (machine: Machine) =>
  Object.fromEntries(
    (
      await world.rows<{ address: string; n: number }>(
        `select address, count(*)::int as n from unpaid_holds where device_id = $1 group by 1
          order by 1`,
        [machine.id],
      )
    ).map((row) => [row.address, row.n]),
  )

test('a few addresses keep no machine from selling: whoever holds most gives way, and people are told', async () => {
  const machine = await machineWith(0, 0)
  const hoard = (n: number) =>
    crowd(n, (i) => phone(machine, `10.6.0.${i % 6}`, { road: (i % 4) + 1 }))
  expect(made(await hoard(20))).toHaveLength(20)
  expect(await phone(machine, '10.6.1.99'), 'fifteen seconds are everybody’s').toBe(
    'orders.machineBusy',
  )
  later(20)
  const honest = async (i: number) => {
    const order = await phone(machine, `10.6.1.${i}`)
    // the hoarders ask again at once, as they always do
    await hoard(6)
    return order
  }
  const sales = []
  for (let i = 0; i < 8; i += 1) sales.push(await honest(i))
  // of those who come at once one may take the place that was made for another, who asks again
  const asked = async (i: number) => {
    const answer = await phone(machine, `10.6.2.${i}`)
    return answer === 'orders.machineBusy' ? phone(machine, `10.6.2.${i}`) : answer
  }
  sales.push(...(await crowd(6, asked)))
  expect([made(sales).length, refusals(sales)]).toEqual([14, []])
  expect(Object.values(await holders(machine)), 'everybody has one now').toEqual(
    Array.from({ length: 20 }, () => 1),
  )
  later(20)
  expect(
    [await phone(machine, '10.6.3.1'), await phone(machine, '10.6.0.1')],
    'nobody holds more than another',
  ).toEqual(['orders.machineBusy', 'orders.machineBusy'])
  const [event, ...more] = await hoarded(machine)
  expect([event, more]).toEqual([
    {
      subject: machine.rtu,
      device_id: machine.id,
      times: 14,
      detail: { address: expect.stringMatching(/^10\.6\.0\./), orders: 2 },
    },
    [],
  ])
})

test('a lane somebody hoards: one order gives way when that is enough, and none for an order that cannot be', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 3 where device_id = $1', [machine.id])
  for (let i = 0; i < 3; i += 1) expect(await phone(machine, '10.7.0.1')).toMatch(/^HD/)
  for (let i = 0; i < 3; i += 1)
    expect(await phone(machine, '10.7.0.2', { road: 2 })).toMatch(/^HD/)
  expect(await shelf(machine)).toEqual([3, 4])
  later(20)
  expect(await shelf(machine), 'what gives way can be had').toEqual([1, 2, 3, 4])
  const [taken, short, gone] = ['10.7.0.1', '10.7.0.2', '10.7.0.3']
  expect(await phone(machine, gone, { count: 2 }), 'two are more than one order gives').toBe(
    'orders.outOfStock',
  )
  expect(await phone(machine, gone, { price: 299 })).toBe('orders.priceChanged')
  expect(await holders(machine), 'nobody lost a place for nothing').toEqual({
    [taken]: 3,
    [short]: 3,
  })
  expect(await phone(machine, gone)).toMatch(/^HD/)
  expect(await holders(machine)).toEqual({ [taken]: 2, [short]: 3, [gone]: 1 })
  expect(await phone(machine, gone), 'two against one').toBe('orders.outOfStock')
})

test('who asks for more than there is closes nothing, and takes nothing from who holds it', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 2 where device_id = $1', [machine.id])
  const honest = await phone(machine, '10.12.0.1')
  const asks = async () => [
    await phone(machine, '10.12.0.2', { count: 3 }),
    await phone(machine, '10.12.0.2', { count: 32 }),
    // too many at once, whatever is there
    await phone(machine, '10.12.0.2', { count: 33 }),
  ]
  const answers = ['orders.outOfStock', 'orders.outOfStock', refused]
  expect(await asks()).toEqual(answers)
  later(78)
  expect(await asks()).toEqual(answers)
  await world.rows('update lanes set restriction = 1 where device_id = $1 and road_index = 1', [
    machine.id,
  ])
  expect(await phone(machine, '10.12.0.2', { count: 2 }), 'the lane sells one at a time').toBe(
    refused,
  )
  expect([await pay(honest), await phone(machine, '10.12.0.1')]).toEqual(['APPLIED', sale])
})

test('of orders that had their time as many are closed as are needed, the oldest first', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 4 where device_id = $1', [machine.id])
  const waiting: string[] = []
  for (let i = 0; i < 4; i += 1) {
    waiting.push(await phone(machine, `10.13.0.${i}`))
    later(1)
  }
  later(80)
  expect(await phone(machine, '10.13.1.1', { count: 2 })).toMatch(/^HD/)
  expect(await Promise.all(waiting.map((order) => pay(order)))).toEqual([
    'LATE',
    'LATE',
    'APPLIED',
    'APPLIED',
  ])
})

test('who leaves his orders unpaid keeps nobody of his address out for longer than they may hold goods', async () => {
  const machines = await Promise.all(Array.from({ length: 6 }, () => machineWith(0, 0)))
  const [own, other] = machines as [Machine, Machine]
  const first = await phone(other, '10.14.0.1')
  later(1)
  expect(
    made(await crowd(19, (i) => phone(machines[(i % 5) + 1] as Machine, '10.14.0.1'))),
  ).toHaveLength(19)
  expect(await phone(own, '10.14.0.1'), 'a neighbour').toBe(tooMany)
  later(75)
  expect(await phone(own, '10.14.0.1', { price: 1 }), 'only for an order that can be').toBe(
    'orders.priceChanged',
  )
  expect([await phone(own, '10.14.0.1'), await pay(first)]).toEqual([sale, 'LATE'])
  expect(await holders(other), 'one was enough').toEqual({ '10.14.0.1': 4 })
  for (const row of await open()) expect(row).toEqual({ ...row, holds: row.open })
})

test('orders of his own at a machine that somebody holds shut no other machine', async () => {
  const [machine, held] = [await machineWith(0, 0), await machineWith(0, 0)]
  const mine = { consumer: 'somebody' }
  expect(await crowd(2, () => phone(held, '10.14.1.1', mine))).toEqual([sale, sale])
  later(76)
  await world.rows('begin')
  await world.rows('select 1 from lanes where device_id = $1 for update', [held.id])
  expect([await phone(machine, '10.14.1.1', mine), await phone(machine, '10.14.1.2')]).toEqual([
    tooMany,
    sale,
  ])
  await world.rows('rollback')
  expect(await phone(machine, '10.14.1.1', mine)).toEqual(sale)
})

test('as many addresses as a machine has places keep it from selling for one round, and no network alone fills it', async () => {
  const [one, machine] = [await machineWith(0, 0), await machineWith(0, 0)]
  const network = (n: number, ip: (i: number) => string, at = one) =>
    crowd(n, (i) => phone(at, ip(i), { road: (i % 4) + 1 }))
  expect(
    made(await network(20, (i) => `2001:db8:2:10${i + 10}::1`)),
    'a line has 256 times /64',
  ).toHaveLength(5)
  expect(
    made(await network(20, (i) => `2001:db8:2:${i + 20}00::1`)),
    'and a network 256 times /56',
  ).toHaveLength(5)
  const crowded = () => network(20, (i) => `10.${100 + i}.0.1`, machine)
  expect(made(await crowded())).toHaveLength(20)
  const sales: number[] = []
  for (let second = 4; second <= 240; second += 4) {
    later(4)
    await closeUnpaid(world.app)
    const order = await phone(machine, `10.15.0.${second % 200}`)
    if (order.startsWith('HD')) {
      expect(await pay(order)).toBe('APPLIED')
      sales.push(second)
      await world.rows(`update vend_commands set state = 'SUCCESS'`)
    }
    await crowded()
  }
  // who has not lost a place yet wins now and then
  expect(sales.length).toBeGreaterThan(8)
})

test('two addresses with one order each do not displace each other', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 1 where device_id = $1', [machine.id])
  expect([await phone(machine, '10.8.0.1'), await phone(machine, '10.8.0.2', { road: 2 })]).toEqual(
    [sale, sale],
  )
  later(20)
  expect(await shelf(machine)).toEqual([3, 4])
  expect([await phone(machine, '10.8.0.1', { road: 2 }), await phone(machine, '10.8.0.2')]).toEqual(
    ['orders.outOfStock', 'orders.outOfStock'],
  )
  expect([await phone(machine, '10.8.0.3'), await hoarded(machine)], 'nor does a third').toEqual([
    'orders.outOfStock',
    [],
  ])
})

test('an address that renews its orders keeps no lane: what it did not pay for while others asked is theirs', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 8 where device_id = $1', [machine.id])
  const hoard = (count: number) => phone(machine, '10.9.0.1', { count })
  expect(await hoard(8)).toMatch(/^HD/)
  const renewed: string[] = []
  const sales: number[] = []
  for (let second = 4; second <= 200 && sales.length < 8; second += 4) {
    later(4)
    await closeUnpaid(world.app)
    renewed.push(await hoard(8), await hoard(1))
    const [buyer, ...thief] = await Promise.all([
      phone(machine, `10.9.1.${second}`),
      hoard(8),
      hoard(1),
    ])
    renewed.push(...thief)
    if (!buyer.startsWith('HD')) continue
    expect(await pay(buyer)).toBe('APPLIED')
    sales.push(second)
    await world.rows(`update vend_commands set state = 'SUCCESS'`)
  }
  expect([sales, made(renewed), refusals(renewed)]).toEqual([
    Array.from({ length: 8 }, (_, n) => 76 + 4 * n),
    [],
    ['orders.outOfStock'],
  ])
  await world.rows(
    'update lanes set quantity = quantity + 12, reserved = 0 where device_id = $1 and road_index = 1',
    [machine.id],
  )
  expect(await hoard(13), 'as many as it lost stay for others').toBe('orders.outOfStock')
  expect(await phone(machine, '10.9.2.1', { count: 7 }), 'nobody else is held back').toMatch(/^HD/)
  later(800)
  while ((await closeUnpaid(world.app)) > 0);
  expect(await hoard(13), 'and only for a while').toMatch(/^HD/)
})

test('goods nobody else asked for may be ordered again, and those that ran out unasked', async () => {
  const machine = await machineWith(0, 0)
  await world.rows('update lanes set quantity = 1 where device_id = $1', [machine.id])
  const slow = (road: number) => phone(machine, '10.10.0.1', { road })
  expect(await slow(1)).toMatch(/^HD/)
  later(76)
  expect(await slow(1), 'his own first order gives way').toMatch(/^HD/)
  later(190)
  await closeUnpaid(world.app)
  const [again, other] = [await slow(1), await slow(2)]
  expect(made([again, other])).toHaveLength(2)
  expect(await phone(machine, '10.10.0.2')).toBe('orders.outOfStock')
  later(76)
  expect([await slow(1), await slow(2)], 'asked for and not').toEqual(['orders.outOfStock', sale])
  later(190)
  await closeUnpaid(world.app)
  expect([await slow(1), await slow(2)], 'nor after it ran out').toEqual([
    'orders.outOfStock',
    sale,
  ])
  expect(await phone(machine, '10.10.0.2')).toMatch(/^HD/)
})

test('who cannot have it is told without a write, whatever he asks for', async () => {
  const machine = await machineWith(3, 0)
  await world.rows('update lanes set quantity = 1 where device_id = $1', [machine.id])
  expect(await phone(machine, '10.11.0.1')).toMatch(/^HD/)
  for (let road = 2; road <= 3; road += 1)
    for (const ip of ['10.11.0.2', '10.11.0.3']) await phone(machine, ip, { road, consumer: 'ed' })
  const ask = (asked: object = {}, ip = '10.11.0.4') => phone(machine, ip, asked)
  const asks = () => [
    ask(),
    ask({ price: 1 }),
    ask({ count: 4 }),
    ask({ road: 9 }),
    ask({ road: 4, count: 2 }),
    phone({ ...machine, rtu: 'T999999' }, '10.11.0.4'),
  ]
  await Promise.all(asks())
  const writes = vi.spyOn(world.app.database, 'transact')
  const told = await Promise.all([...asks(), ...asks()])
  const written = writes.mock.calls.length
  writes.mockRestore()
  const names = ['outOfStock', 'priceChanged', 'overLimit', 'laneNotSelling', 'outOfStock'].map(
    (name) => `orders.${name}`,
  )
  expect([told, written]).toEqual([[...names, 'common.notFound', ...names, 'common.notFound'], 0])
})

test('the counts agree with the orders, and idle rows are forgotten', async () => {
  const known = (await open()).length
  expect(known).toBeGreaterThan(0)
  world.clock.now += 2 * 86_400_000
  while ((await closeUnpaid(world.app)) > 0);
  await forgetIdle(world.app)
  expect((await open()).length).toBeGreaterThan(0)
  world.clock.now += 2 * 86_400_000
  await forgetIdle(world.app)
  expect(await open()).toEqual([])
  expect([orderErrors.tooManyUnpaid.status, orderErrors.machineBusy.status]).toEqual([429, 409])
})

test('a machine without a strategy takes no money where its merchant has none either', async () => {
  const machine = await machineWith(0, 0)
  const [{ orgId }] = (await world.rows<{ orgId: number }>(
    'select org_id as "orgId" from devices where id = $1',
    [machine.id],
  )) as [{ orgId: number }]
  const required = async (value: boolean) => {
    await world.rows(
      `insert into settings (org_id, key, value) values ($1, 'order.requireSplit', $2::jsonb)
        on conflict (org_id, key) do update set value = excluded.value`,
      [orgId, JSON.stringify(value)],
    )
    settingsChanged(world.app)
  }
  const paused = 'deviceSplits.tradePaused'
  const versionOf = async (orderNum: string) =>
    (
      await world.rows<{ id: number | null }>(
        'select split_version_id as id from order_units where order_num = $1',
        [orderNum],
      )
    )[0]?.id
  try {
    await required(true)
    expect(await buy(machine, 1)).toBe(paused)
    await add(world.rows as Sql, 'split_strategies', { id: 7, org_id: orgId, name: '标准' })
    const version = { id: 70, org_id: orgId, strategy_id: 7, version_no: 1 }
    await add(world.rows as Sql, 'split_strategy_versions', version)
    await add(world.rows as Sql, 'split_parties', {
      ...{ org_id: orgId, version_id: 70, party_no: 1, party_org_id: orgId, kind: 'OPERATOR' },
      ...{ name: '甲', ratio_bp: 10_000, is_collector: true },
    })
    expect(await buy(machine, 1)).toBe(paused)
    await world.rows(
      `update split_strategy_versions set state = 'PUBLISHED', published_at = now(),
        valid_from = $1`,
      [new Date(world.clock.now)],
    )
    await world.rows(`update split_strategies set state = 'PUBLISHED'`)
    // its merchant, here the simulator, has one: sold, and not split
    const unbound = await buy(machine, 1)
    expect([unbound, await versionOf(unbound)]).toEqual([sold, null])
    await world.rows(`update split_strategies set state = 'RETIRED'`)
    expect(await buy(machine, 1)).toBe(paused)
    await required(false)
    expect(await buy(machine, 1)).toEqual(sold)
    await required(true)
    await world.rows(`update split_strategies set state = 'PUBLISHED'`)
    await add(world.rows as Sql, 'split_bindings', {
      ...{ org_id: orgId, device_id: machine.id, strategy_id: 7 },
    })
    const bound = await buy(machine, 1)
    expect([bound, await versionOf(bound)]).toEqual([sold, 70])
  } finally {
    await required(false)
  }
})
