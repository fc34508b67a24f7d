import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openWorld, type Place, type World } from '../../test/support/world.ts'
import { orders } from '../domains/orders/contract.ts'
import { common, Refusal } from '../shared/errors.ts'
import { openAdmission } from './admission.ts'

test('so many of a place and of all at once; who asks most waits for himself, and only he is refused', async () => {
  const admission = openAdmission({ all: 3, place: 2 })
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
    admission.enter(place, address, work(place, address)).then(
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
  await expect(
    admission.enter('one', 'a', () => Promise.reject(new Error('its own'))),
  ).rejects.toThrow('its own')
})

test('a machine that is held is closed for a moment, then asked without waiting, until it sells', async () => {
  const admission = openAdmission({ all: 1, place: 1 }, 50)
  let begun = 0
  const ask = (held: boolean) =>
    admission.enter('held', 'a', async () => {
      begun += 1
      if (held) throw Object.assign(new Refusal(common.busy), { cause: { code: '55P03' } })
    })
  const answers = await Promise.allSettled([ask(true), ask(true), ask(true)])
  await expect(ask(false)).rejects.toThrow('common.busy')
  expect([answers.map(({ status }) => status), begun, admission.lockMs('held')]).toEqual([
    ['rejected', 'rejected', 'rejected'],
    1,
    10,
  ])
  await admission.enter('free', 'a', async () => {})
  await sleep(60)
  await ask(false)
  expect([begun, admission.lockMs('held')]).toEqual([2, 400])
})

let world: World
beforeAll(async () => {
  world = await openWorld({ config: { TRUST_PROXY: '1' } })
})
afterAll(() => world?.close())

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

test('buyers elsewhere do not wait for machines whose lanes somebody holds, and nobody is at fault', async () => {
  const faults = vi.spyOn(world.app.log, 'error')
  const held = ['OWN', 'CHILD', 'PARENT', 'PLATFORM'] as const
  await world.sql('begin')
  await world.sql(
    `select 1 from lanes l join devices d on d.id = l.device_id where rtu_number = any($1)
      for update of l`,
    [held.map((where) => `${where}0001`)],
  )
  const asked = held.flatMap((where) =>
    [1, 2, 3].flatMap((n) => Array.from({ length: 5 }, () => order(where, `10.21.0.${n}`))),
  )
  await sleep(20)
  const began = performance.now()
  const honest = await order('SIBLING', '10.21.1.1')
  const ms = performance.now() - began
  const told = (await Promise.all(asked)).map(({ status, body }) => `${status} ${body.error}`)
  await world.sql('rollback')
  expect([honest.status, ms < 1000, [...new Set(told)], faults.mock.calls]).toEqual([
    200,
    true,
    ['503 common.busy'],
    [],
  ])
  for (const where of held)
    await expect
      .poll(async () => (await order(where, '10.21.1.1')).status, { timeout: 5000 })
      .toBe(200)
})

test('three addresses that ask without end keep nobody else from buying, at their machine or another', async () => {
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
