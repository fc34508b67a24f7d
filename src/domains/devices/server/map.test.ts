import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDevice, openWorld, people, type World } from './testWorld.ts'

let world: World
const get = async (user: number, url: string) => world.send(user, 'GET', url)
beforeAll(async () => {
  world = await openWorld()
  // 1 to 4 of operator 3: two in one house, one across the city, one without a position; 5 of the
  // sibling; 6 in stock
  for (const [id, org, lng, lat, more] of [
    [1, 3, 113.95, 22.54, { online: true }],
    [2, 3, 113.95, 22.54, { online: false }],
    [3, 3, 114.06, 22.53, { online: true }],
    [4, 3, null, null, { online: false }],
    [5, 4, 113.95, 22.54, { online: true }],
    [6, 3, 113.26, 23.13, { lifecycle: 'STOCK', online: false }],
  ] as const) {
    await addDevice(world, id, org, more)
    await world.rows('update devices set lng = $2, lat = $3 where id = $1', [id, lng, lat])
  }
  await world.rows(`update device_states set fault_count = 1 where device_id = 3`)
})
afterAll(() => world.close())

const shenzhen = '113.5,22.3,114.5,22.8'

describe('the map', () => {
  test('near ones are one group with the states of the list', async () => {
    const { body } = await get(people.operator, `/devices/map?box=${shenzhen}&zoom=12`)
    expect(body).toMatchObject({
      total: 5,
      unlocated: 1,
      states: { fault: 1, offline: 2, soldOut: 0, fine: 1, idle: 1 },
    })
    expect(body.groups).toEqual([
      {
        lng: 113.95,
        lat: 22.54,
        total: 2,
        states: { fault: 0, offline: 1, soldOut: 0, fine: 1, idle: 0 },
        box: [113.95, 22.54, 113.95, 22.54],
      },
    ])
    expect(body.machines.map((m: { id: number; state: string }) => [m.id, m.state])).toEqual([
      [3, 'fault'],
    ])
  })
  test('far away everything is one, close by each stands alone', async () => {
    const far = (await get(people.operator, '/devices/map?box=73,3,136,54&zoom=3')).body
    expect([far.groups[0].total, far.machines]).toEqual([4, []])
    const close = (await get(people.operator, '/devices/map?box=113.95,22.54,113.95,22.54&zoom=22'))
      .body
    expect(close.machines.map((m: { id: number }) => m.id)).toEqual([1, 2])
  })
  test('a group at the edge of the window is counted whole', async () => {
    const { body } = await get(
      people.operator,
      '/devices/map?box=113.94,22.53,113.949,22.6&zoom=12',
    )
    expect(body.groups[0].total).toBe(2)
  })
  test("the list's filters count here too", async () => {
    const { body } = await get(
      people.operator,
      `/devices/map?box=${shenzhen}&zoom=12&status=online`,
    )
    expect([body.total, body.groups, body.machines.length]).toEqual([2, [], 2])
    expect(
      (await get(people.operator, `/devices/map?box=${shenzhen}&zoom=12&keyword=HD000003`)).body
        .total,
    ).toBe(1)
  })
  test('a sibling sees his own, a replenisher nothing he is not assigned', async () => {
    expect(
      (await get(people.sibling, `/devices/map?box=${shenzhen}&zoom=12`)).body.machines.map(
        (m: { id: number }) => m.id,
      ),
    ).toEqual([5])
    expect((await get(people.replenisher, `/devices/map?box=${shenzhen}&zoom=12`)).body.total).toBe(
      0,
    )
  })
  test.each([
    'box=1,2,3&zoom=5',
    'box=114,22,113,23&zoom=5',
    'box=113,22,114,23&zoom=23',
    'box=113,-89,114,89&zoom=5',
    'box=a,b,c,d&zoom=5',
  ])('%s is 400', async (query) =>
    expect((await get(people.operator, `/devices/map?${query}`)).status).toBe(400),
  )
})
