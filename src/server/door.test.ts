import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type Place, type World } from '../../test/support/world.ts'
import { orders } from '../domains/orders/contract.ts'
import { openDoor } from './door.ts'

test('so many of a place and of all at once; who asks most waits for himself, and only he is refused', async () => {
  const door = openDoor({ all: 3, place: 2 })
  const inside = new Map<string, number>()
  const most = new Map<string, number>()
  const served: string[] = []
  const work = (place: string, address: string) => async () => {
    for (const key of [place, 'all']) {
      inside.set(key, (inside.get(key) ?? 0) + 1)
      most.set(key, Math.max(most.get(key) ?? 0, inside.get(key) ?? 0))
    }
    await sleep(1)
    for (const key of [place, 'all']) inside.set(key, (inside.get(key) ?? 0) - 1)
    served.push(address)
  }
  const ask = (place: string, address: string) =>
    door.enter(place, address, work(place, address)).then(
      () => 'served',
      (error: { def?: { name: string } }) => error.def?.name,
    )
  const crowd = Array.from({ length: 150 }, () => [
    ask('one', 'loud'),
    ask('two', 'loud'),
    ask('two', 'louder'),
  ]).flat()
  const quiet = await Promise.all([ask('one', 'a'), ask('two', 'b'), ask('three', 'c')])
  const before = served.length
  const answers = await Promise.all(crowd)
  expect([quiet, before < 25, Object.fromEntries(most)]).toEqual([
    ['served', 'served', 'served'],
    true,
    { one: 2, two: 2, three: 1, all: 3 },
  ])
  expect(
    Object.fromEntries(
      [...Map.groupBy(answers, String)].map(([name, list]) => [name, list.length]),
    ),
  ).toEqual({
    served: 3 * 100 + 4,
    'common.tooMany': 146,
  })
  await expect(door.enter('one', 'a', () => Promise.reject(new Error('its own')))).rejects.toThrow(
    'its own',
  )
})

let world: World
beforeAll(async () => {
  world = await openWorld({ config: { TRUST_PROXY: '1' } })
})
afterAll(() => world?.close())

test('three addresses that ask without end keep nobody else from buying, at their machine or another', async () => {
  const order = (where: Place, address: string, count = 1) =>
    world.call(
      orders.mobileOrder,
      {
        rtuNumber: `${where}0001`,
        items: [{ roadIndex: 1, count, price: 250 }],
        payType: 'WECHAT',
        clientId: randomUUID(),
      },
      { headers: { 'x-forwarded-for': address } },
    )
  const [lane] = await world.sql<{ n: number }>(
    `select quantity - reserved - failed_hold as n from lanes l join devices d on d.id = l.device_id
      where rtu_number = 'OWN0001' and road_index = 1`,
  )
  const left = Number(lane?.n)
  expect((await order('OWN', '10.20.0.1', left - 1)).status).toBe(200)
  const flood = Array.from({ length: 200 }, () =>
    [1, 2, 3].map((n) => order('OWN', `10.20.0.${n}`, left)),
  ).flat()
  const honest = await Promise.all(
    (['OWN', 'SIBLING', 'CHILD', 'PARENT'] as const).map((where, n) =>
      order(where, `10.20.1.${n}`),
    ),
  )
  expect(honest.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  const told = new Set((await Promise.all(flood)).map((answer) => answer.body.error))
  told.delete('common.busy') // a slow computer lets some wait too long
  expect(told).toEqual(new Set(['orders.outOfStock', 'common.tooMany']))
})
