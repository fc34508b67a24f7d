import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { add, addLanes, addPermissions, grant } from '../../../../test/factories/things.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { defaultConfig } from '../rules.ts'
import { configDocuments } from './document.ts'
import { mirrorFlags } from './verbs.ts'

let world: World
const usual = defaultConfig({
  refrigeration: true,
  kind: 'GENERAL',
  dropSensor: true,
  autoRefund: true,
})
beforeAll(async () => {
  world = await openWorld()
  const { sql } = world
  await addPermissions(sql, ['device:config', 'device:limit'])
  await grant(sql, [901, 902, 903, 904, 905, 907], ['device:config'])
  await grant(sql, [901, 902, 903, 904, 905], ['device:limit'])
  for (const [id, org] of [
    [1, 3],
    [2, 3],
    [3, 4],
    [4, 5],
  ] as const)
    await addDevice(world, id, org)
  await addDevice(world, 5, 3, { kind: 'DRUG' })
  await addDevice(world, 6, 3, { lifecycle: 'SCRAPPED' })
  await addDevice(world, 7, 3)
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, 7, 907, 'REPAIRER')`,
  )
  await add(sql, 'device_types', { id: 9, org_id: 1, name: '常温', refrigeration: false })
  await addDevice(world, 8, 3)
  await world.rows(`update devices set type_id = 9 where id = 8`)
  await world.rows(`update products set store_temp_min = 2, store_temp_max = 8 where id = 3`)
  await addLanes(sql, 1, { org_id: 3, device_id: 5, product_id: 3, capacity: 5 })
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.rows(`truncate device_shadows`)
})

const get = (id: number, user: number = people.operator) =>
  world.send(user, 'GET', `/devices/${id}/config`)
const save = async (id: number, change: object, user: number = people.operator) => {
  const { body } = await get(id, people.platform)
  return world.send(user, 'PUT', `/devices/${id}/config`, {
    version: body.version,
    ...body.config,
    ...change,
  })
}
const versions = (id: number) =>
  world
    .rows<{ n: number }>(`select count(*)::int as n from device_configs where device_id = $1`, [id])
    .then((rows) => rows[0]?.n)

it('shows defaults, writes versions, wants each of them, and mirrors what others look at', async () => {
  expect((await get(1)).body).toMatchObject({
    version: 0,
    config: usual,
    refrigeration: true,
    sync: { state: 'APPLIED', wanted: 0 },
    can: { update: true, limits: true },
  })
  const first = await save(1, { tempMax: 6, dropSensor: false, autoRefund: false })
  expect(first.body).toMatchObject({
    version: 1,
    config: { ...usual, tempMax: 6, dropSensor: false, autoRefund: false },
    sync: { state: 'PENDING', wanted: 1, applied: 0 },
    changedBy: '员工3',
  })
  expect(await world.one(`select drop_sensor, auto_refund from devices where id = 1`)).toEqual({
    drop_sensor: false,
    auto_refund: false,
  })
  expect((await save(1, { volume: 5 })).body).toMatchObject({ version: 2, sync: { wanted: 2 } })
  expect((await save(1, {})).body.version).toBe(2)
  const list = await world.send(people.operator, 'GET', '/devices/1/config/versions')
  expect(
    list.body.list.map((row: { version: number; config: { volume: number } }) => [
      row.version,
      row.config.volume,
    ]),
  ).toEqual([
    [2, 5],
    [1, 60],
  ])
  expect(
    await world.rows(`select kind, data, actor from device_events where device_id = 1 order by id`),
  ).toEqual([
    { kind: 'CONFIG_WANTED', data: { version: 1 }, actor: 'test3' },
    { kind: 'CONFIG_WANTED', data: { version: 2 }, actor: 'test3' },
  ])
  const documents = await world.app.database.read(systemScope, (db) => configDocuments(db, [1, 2]))
  expect([...documents.keys()]).toEqual([1])
  expect(documents.get(1)).toEqual({
    version: 2,
    bodies: [{ ...usual, tempMax: 6, dropSensor: false, volume: 5, autoRefund: undefined }],
  })
})

it('refuses a stale form, a foreign machine, a closed one, wrong values and who may not', async () => {
  const form = (await get(2)).body
  const body = { version: form.version, ...form.config }
  expect(
    (await world.send(people.operator, 'PUT', '/devices/2/config', { ...body, volume: 1 })).status,
  ).toBe(200)
  expect(
    (await world.send(people.operator, 'PUT', '/devices/2/config', { ...body, volume: 2 })).body
      .code,
  ).toBe(409001)
  expect((await get(4)).status).toBe(404)
  expect((await save(4, { volume: 3 })).status).toBe(404)
  expect((await save(6, { volume: 3 })).body.error).toBe('deviceSettings.closed')
  expect((await world.send(people.reader, 'PUT', '/devices/2/config', body)).status).toBe(403)
  expect((await save(2, { tempMin: null, tempMax: null })).body).toMatchObject({
    code: 400001,
    message: '温度不能为空',
    errors: [{ field: 'tempMin' }],
  })
  expect((await save(8, { tempMin: 1, tempMax: 2 })).body).toMatchObject({
    code: 422001,
    errors: [{ field: 'tempMin' }],
  })
  expect((await save(8, { volume: 7 })).body.config).toMatchObject({
    tempMin: null,
    tempMax: null,
    volume: 7,
  })
  expect((await save(5, { tempMax: 8.5 })).body).toMatchObject({
    code: 422001,
    message: '超出商品存储温度要求：商品3',
  })
  expect((await get(5)).body.storage).toEqual([{ product: '商品3', min: 2, max: 8 }])
  expect(await versions(5)).toBe(0)
})

it('a repairer sets the machine but not the limits', async () => {
  expect((await get(7, people.repairer)).body.can).toEqual({ update: true, limits: false })
  expect((await save(7, { limitPerDay: 3 }, people.repairer)).body).toMatchObject({
    code: 403001,
    errors: [{ field: 'limitPerDay' }],
  })
  expect((await save(7, { volume: 3 }, people.repairer)).status).toBe(200)
})

it('two who save at once: one wins', async () => {
  const form = (await get(2)).body
  const answers = await Promise.all(
    [11, 12, 13].map((volume) =>
      world.send(people.operator, 'PUT', '/devices/2/config', {
        version: form.version,
        ...form.config,
        volume,
      }),
    ),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409])
})

it('a batch writes only what is ticked and leaves out who refuses, after a dry run that writes nothing', async () => {
  const before = (await get(1)).body
  const input = { ids: [1, 2, 5, 6, 8], config: { tempMin: 3, tempMax: 9 } }
  const dry = await world.send(people.operator, 'POST', '/device-configs/preview', input)
  const expected = {
    1: '',
    2: '',
    5: '超出商品存储温度要求：商品3',
    6: '设备已外售或报废，不能修改',
    8: '该机型不制冷，不能设置温度',
  }
  expect(dry.body).toMatchObject({ done: 2, skipped: 3 })
  expect(
    Object.fromEntries(
      dry.body.results.map((row: { id: number; reason: string }) => [row.id, row.reason]),
    ),
  ).toEqual(expected)
  expect((await get(1)).body.version).toBe(before.version)
  expect((await world.send(people.operator, 'POST', '/device-configs/batch', input)).body).toEqual(
    dry.body,
  )
  expect((await get(1)).body).toMatchObject({
    version: before.version + 1,
    config: { ...before.config, tempMin: 3, tempMax: 9 },
  })
  expect((await get(8)).body.config.tempMin).toBeNull()
  // the same again changes nothing
  const again = await world.send(people.operator, 'POST', '/device-configs/batch', {
    ids: [1, 2],
    config: { tempMin: 3 },
  })
  expect(
    again.body.results.map((row: { ok: boolean; changed: boolean }) => [row.ok, row.changed]),
  ).toEqual([
    [true, false],
    [true, false],
  ])
  expect((await get(1)).body.version).toBe(before.version + 1)
  expect(
    (
      await world.send(people.operator, 'POST', '/device-configs/batch', {
        ids: [1, 4],
        config: { volume: 1 },
      })
    ).status,
  ).toBe(404)
  expect(
    (
      await world.send(people.operator, 'POST', '/device-configs/batch', {
        ids: [],
        config: { volume: 1 },
      })
    ).body.message,
  ).toBe('请至少选择一台设备')
  expect(
    (
      await world.rows(
        `select 1 from operation_logs
          where action = 'deviceSettings.saveBatch' and result = 'SUCCESS'`,
      )
    ).length,
  ).toBe(4)
})

it('lists how far documents have come', async () => {
  await save(1, { volume: 33 })
  await save(3, { volume: 33 }, people.platform)
  await world.rows(
    `update device_shadows set refused = wanted, reason = 'too cold' where device_id = 1`,
  )
  const states = async (query: string, user: number) => {
    const { body } = await world.send(user, 'GET', `/device-configs?${query}`)
    return body.list.map((row: { id: number; config: { state: string; reason: string } }) => [
      row.id,
      row.config.state,
      row.config.reason,
    ])
  }
  expect(await states('state=REFUSED', people.agent)).toEqual([[1, 'REFUSED', 'too cold']])
  expect(await states('state=PENDING', people.agent)).toEqual([[3, 'PENDING', '']])
  expect(await states('state=PENDING', people.operator)).toEqual([])
  expect((await states('kind=PLANOGRAM', people.operator)).length).toBe(5)
})

it('a device form that changes sensor or refunds changes the settings in force', async () => {
  const before = await versions(1)
  const sensor = (await get(1)).body.config.dropSensor
  await bySystem(world.app, (ctx) => mirrorFlags(ctx, 1, { dropSensor: !sensor, autoRefund: true }))
  expect((await get(1)).body.config).toMatchObject({ dropSensor: !sensor, autoRefund: true })
  await bySystem(world.app, (ctx) => mirrorFlags(ctx, 1, { dropSensor: !sensor, autoRefund: true }))
  expect(await versions(1)).toBe((before ?? 0) + 1)
})
