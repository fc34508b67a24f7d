import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { tileOrigin } from './verbs.ts'

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
})
afterAll(() => world.close())

describe('regions', () => {
  test('provinces, cities and counties with coordinates; a town stands at its city', async () => {
    const provinces = (await get(people.reader, '/regions')).body.list
    expect(provinces).toHaveLength(34)
    expect(provinces.every((p: { lng: number | null }) => p.lng !== null)).toBe(true)
    const counties = (await get(people.reader, '/regions?parent=440300')).body.list
    expect(counties.find((c: { region: string }) => c.region === '440305')).toEqual({
      region: '440305',
      name: '南山区',
      lng: 113.9304,
      lat: 22.5333,
      exact: true,
      children: 0,
    })
    const towns = (await get(people.reader, '/regions?parent=441900')).body.list
    expect(towns[0]).toMatchObject({ exact: false, children: 0 })
    expect((await get(people.reader, '/regions?parent=999900')).body.list).toEqual([])
    expect((await get(people.reader, '/regions?parent=44')).status).toBe(400)
  })

  test.each([
    ['南山区', '南山区', '440305'],
    ['深圳南山', '南山区', '440305'],
    ['nanshanqu', '南山区', '440305'],
    ['gzs', '广州市', '440100'],
    ['台湾', '台湾省', '710000'],
    ['113.95, 22.54', '113.95, 22.54', '440305'],
  ])('%s finds %s', async (q, title, region) => {
    const { list } = (await get(people.reader, `/geo/search?q=${encodeURIComponent(q)}`)).body
    expect(
      list.some(
        (place: { title: string; region: string }) =>
          place.title === title && place.region === region,
      ),
    ).toBe(true)
    expect(list.length).toBeLessThanOrEqual(10)
  })
  test.each(['%', '_', "'; drop table devices; --", '0,0', '181, 91', '不存在的地方'])(
    '%s finds nothing and breaks nothing',
    async (q) => {
      for (const path of ['/geo/search', '/geo/search/devices'])
        expect((await get(people.operator, `${path}?q=${encodeURIComponent(q)}`)).body).toEqual({
          list: [],
        })
    },
  )

  test.each([
    [113.9489, 22.5418, '440305', true],
    [121.4751, 31.2321, '310101', true],
    [113.75, 23.02, '441900', true],
    [121.5, 25.03, '710000', true],
    [106.9, 47.9, null, false],
  ])('%d, %d lies in %s', async (lng, lat, region, inside) => {
    const { body } = await get(people.reader, `/geo/reverse?lng=${lng}&lat=${lat}`)
    expect([body.region, body.inside]).toEqual([region, inside])
  })
  test.each(['lng=113.95&lat=91', 'lng=181&lat=22', 'lng=0&lat=0', 'lng=113.95', 'lng=x&lat=y'])(
    '%s is 400',
    async (query) => expect((await get(people.reader, `/geo/reverse?${query}`)).status).toBe(400),
  )

  test('outlines of a province close, and its cities have borders', async () => {
    const { body } = await get(people.reader, '/geo/outlines?province=440000')
    expect(body.areas.length).toBeGreaterThan(115)
    expect(body.borders.length).toBeGreaterThan(30)
    expect(body.cities.map((city: { name: string }) => city.name)).toContain('深圳市')
    expect((await get(people.reader, '/geo/outlines?province=440300')).status).toBe(400)
  })
})

describe('machines', () => {
  test('are found by number, name and address, own ones only', async () => {
    const find = async (user: number, q: string) =>
      (await get(user, `/geo/search/devices?q=${encodeURIComponent(q)}`)).body.list.map(
        (p: { title: string }) => p.title,
      )
    expect(await find(people.operator, '科苑路')).toEqual([
      'HD000001',
      'HD000002',
      'HD000003',
      'HD000006',
    ])
    expect(await find(people.operator, 'HD000005')).toEqual([])
    expect(await find(people.replenisher, '科苑路')).toEqual([])
  })
})

test('the page policy follows the tile address', async () => {
  expect(await tileOrigin(world.app)).toBeNull()
  await world.rows(
    `insert into settings (org_id, key, value)
      values (1, 'map.tileUrl', '"https://tiles.example.cn/{z}/{x}/{y}.png"')`,
  )
  settingsChanged(world.app)
  expect(await tileOrigin(world.app)).toBe('https://tiles.example.cn')
  expect((await get(people.reader, '/geo/tiles')).body).toEqual({
    url: 'https://tiles.example.cn/{z}/{x}/{y}.png',
    attribution: '',
    system: 'GCJ02',
  })
})
