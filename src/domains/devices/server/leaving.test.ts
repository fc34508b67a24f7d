import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDevice, now, openWorld, people } from './testWorld.ts'

let world: Awaited<ReturnType<typeof openWorld>>
beforeAll(async () => {
  world = await openWorld()
  for (const id of [1, 2, 3, 4]) await addDevice(world, id, 3)
  await addDevice(world, 5, 5)
})
afterAll(() => world.close())

const device = (id: number) =>
  world.one<{ lifecycle: string; board_no: string | null; version: number; secret_hash: Buffer }>(
    'select * from devices where id = $1',
    [id],
  )
const kindsOf = async (id: number) =>
  (
    await world.rows<{ kind: string }>(
      'select kind from device_events where device_id = $1 order by id',
      [id],
    )
  ).map((row) => row.kind)
const pause = (id: number, version: number) =>
  world.send(people.operator, 'POST', `/devices/${id}/lifecycle`, {
    version,
    to: 'PAUSED',
    reason: '搬迁',
  })

test('a machine leaves service empty, without open orders, with its number typed; board and card are free; only the super administrator brings it back', async () => {
  await pause(1, 1)
  const retire = (input: object) =>
    world.send(people.operator, 'POST', '/devices/1/retire', {
      version: 2,
      to: 'SCRAPPED',
      reason: '老旧',
      confirmNumber: 'HD000001',
      ...input,
    })
  expect((await retire({ confirmNumber: 'HD000002' })).body.errors[0]).toMatchObject({
    field: 'confirmNumber',
    message: '机器编号不一致',
  })
  expect((await retire({ reason: ' ' })).body.errors[0].message).toBe('请填写原因')
  expect((await retire({ version: 1 })).status).toBe(409)
  expect(
    (
      await world.send(people.stranger, 'POST', '/devices/1/retire', {
        version: 2,
        to: 'SOLD',
        reason: 'x',
        confirmNumber: 'HD000001',
      })
    ).status,
  ).toBe(404)
  const [floor] = await world.rows<{ id: string }>(
    `insert into lane_floors (org_id, device_id, level, name) values (3, 1, 1, '1') returning id`,
  )
  await world.rows(
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id,
      capacity, quantity, retail_price, price) values (3, 1, $1, 1, 1, 1, 1, 9, 4, 300, 300)`,
    [floor?.id],
  )
  expect((await retire({})).body.message).toBe('设备仍有4件库存，请先清空')
  await world.rows('update lanes set quantity = 0 where device_id = 1')
  const before = await device(1)
  expect((await retire({})).status).toBe(200)
  const after = await device(1)
  expect([after.lifecycle, after.board_no]).toEqual(['SCRAPPED', null])
  expect(after.secret_hash).not.toEqual(before.secret_hash)
  expect((await retire({ version: after.version })).body.error).toBe('devices.wrongMove')
  const undo = (who: number) =>
    world.send(who, 'POST', '/devices/1/restore', { version: after.version, reason: '误操作' })
  expect((await undo(people.operator)).status).toBe(403)
  expect((await undo(people.platform)).status).toBe(403)
  await world.rows(`update roles set code = 'ROLE_SUPER_ADMIN' where code = 'ROLE_TEST_1'`)
  expect((await undo(people.platform)).status).toBe(200)
  expect((await device(1)).lifecycle).toBe('STOCK')
  expect((await kindsOf(1)).filter((kind) => kind === 'LIFECYCLE')).toHaveLength(3)
})

test('sales of many stop, after a dry run that writes nothing; who does not sell is named', async () => {
  const preview = await world.send(people.operator, 'GET', '/devices/batch-pause?ids=1,2,3')
  expect(preview.body).toMatchObject({ done: 2, skipped: 1 })
  expect((await device(2)).lifecycle).toBe('OPERATING')
  expect(
    (await world.send(people.operator, 'POST', '/devices/batch-pause', { ids: [], reason: 'x' }))
      .body.errors[0].message,
  ).toBe('请至少选择一台设备')
  expect(
    (
      await world.send(people.operator, 'POST', '/devices/batch-pause', {
        ids: [2, 5],
        reason: 'x',
      })
    ).status,
  ).toBe(404)
  const done = await world.send(people.operator, 'POST', '/devices/batch-pause', {
    ids: [1, 2, 3],
    reason: '检修',
  })
  expect(done.body.results.map((row: { ok: boolean }) => row.ok)).toEqual([false, true, true])
  expect([(await device(2)).lifecycle, (await device(3)).lifecycle]).toEqual(['PAUSED', 'PAUSED'])
})

test('another board means another secret, told once; a taken board is refused and nothing changes', async () => {
  const shown = (await world.send(people.operator, 'GET', '/devices/4')).body
  const form = {
    nickname: shown.nickname,
    typeId: 1,
    kind: 'GENERAL',
    county: '440305',
    address: shown.address,
    dropSensor: true,
  }
  const save = (input: object) =>
    world.send(people.operator, 'PUT', '/devices/4', { version: 1, ...form, ...input })
  const before = await device(4)
  expect((await save({ boardNo: 'BOARD-2' })).body.errors[0]).toMatchObject({
    field: 'boardNo',
    message: '该主板已绑定其他设备',
  })
  expect((await device(4)).secret_hash).toEqual(before.secret_hash)
  const kept = await save({ boardNo: 'BOARD-4', remark: 'x' })
  expect([kept.status, kept.body.secret, kept.body.version]).toEqual([200, null, 2])
  const moved = await save({ version: 2, boardNo: 'BOARD-NEW' })
  expect([moved.body.boardNo, moved.body.secret]).toEqual([
    'BOARD-NEW',
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ])
  expect((await device(4)).secret_hash).not.toEqual(before.secret_hash)
  expect(await kindsOf(4)).toEqual(['BOARD_REPLACED'])
  const taken = await save({ version: moved.body.version, boardNo: null })
  expect([taken.body.boardNo, taken.body.secret]).toEqual(['', null])
})

test('the timeline joins messages and events, filters by group, and counts what is missing between', async () => {
  const say = (seq: number, kind: string, minutes: number) =>
    Promise.all([
      world.rows(
        `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
          values (3, $1, 2, 'b', $2, $3, '{}')`,
        [new Date(now.getTime() - minutes * 60_000), seq, kind],
      ),
      world.rows(
        `insert into device_message_keys (device_id, boot, seq, org_id, received_at)
          values (2, 'b', $1, 3, $2)`,
        [seq, now],
      ),
    ])
  await say(1, 'hello', 30)
  await say(2, 'telemetry', 29)
  await say(6, 'door', 20)
  const lines = async (query = '') =>
    (await world.send(people.operator, 'GET', `/devices/2/timeline${query}`)).body.list as {
      kind: string
      missing: number
    }[]
  const all = await lines()
  expect(all.map((line) => line.kind)).toEqual(['LIFECYCLE', 'door', 'hello'])
  expect(all.map((line) => line.missing)).toEqual([0, 3, 0])
  expect((await lines('?group=TELEMETRY')).map((line) => line.kind)).toEqual(['telemetry'])
  expect((await lines('?group=DOOR')).map((line) => line.kind)).toEqual(['door'])
  expect((await world.send(people.stranger, 'GET', '/devices/2/timeline')).status).toBe(404)
})

test('an answer of the machine stands with what it answers: a vend or a command of a person', async () => {
  const [vend, command] = [
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  ]
  const from = new Date(now.getTime() - 600_000)
  await world.rows(
    `insert into device_commands (cmd_id, org_id, device_id, type, issued_at, expire_at)
      values ($1, 3, 2, 'LOCK', $2::timestamptz, $2::timestamptz + interval '30 s')`,
    [command, from],
  )
  const { id } = await world.one<{ id: string }>(
    `select id from lanes order by device_id <> 2, id limit 1`,
  )
  await world.rows(
    `insert into vend_commands (cmd_id, org_id, device_id, order_id, order_at, order_num, unit_id,
      unit_no, lane_id, road, motor_no, attempt, created_at)
    values ($1, 3, 2, 1, $2, '20261121000000000001', 1, 1, $3, 7, 7, 1, $2)`,
    [vend, from, id],
  )
  for (const [n, cmdId] of [vend, command, 'no id'].entries())
    await world.rows(
      `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
        values (3, $1, 2, 'a', $2, 'cmd_ack', $3)`,
      [from, n + 1, JSON.stringify({ cmdId, ack: 'ACCEPTED' })],
    )
  const seqs = async (group: string) =>
    (await world.send(people.operator, 'GET', `/devices/2/timeline?group=${group}`)).body.list.map(
      (line: { seq: number | null }) => line.seq,
    )
  expect(await seqs('VEND')).toEqual([3, 1])
  const vends = async (who: typeof people.operator) =>
    (await world.send(who, 'GET', '/devices/2/timeline?group=VEND')).body.list.map(
      (line: { vend: unknown }) => line.vend,
    )
  expect(await vends(people.operator)).toEqual([
    null,
    { road: 7, orderNum: '20261121000000000001' },
  ])
  expect(await vends(people.reader)).toEqual([null, { road: 7, orderNum: null }])
  expect(await seqs('COMMAND')).toEqual([2])
})

test('curves come from messages for a day and from hours for more', async () => {
  for (const [minutes, temperature] of [
    [11, 4],
    [12, 6],
    [300, 8],
  ] as const)
    await world.rows(
      `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
        values (3, $1, 3, 'b', $2, 'telemetry', $3)`,
      [
        new Date(now.getTime() - minutes * 60_000),
        minutes,
        JSON.stringify({ temperature, humidity: 50, rsrp: -90 }),
      ],
    )
  await world.rows(
    `insert into telemetry_hours (device_id, hour, org_id, temp_min, temp_max, temp_sum, temp_count,
      rsrp_sum, rsrp_count) values (3, $1, 3, 2, 9, 22, 4, -180, 2)`,
    [new Date('2026-11-20T06:00:00Z')],
  )
  const curve = async (span: string) =>
    (await world.send(people.operator, 'GET', `/devices/3/telemetry?span=${span}`)).body.list
  expect((await curve('24h')).map((point: { temperature: number }) => point.temperature)).toEqual([
    8, 5,
  ])
  expect(await curve('7d')).toEqual([
    {
      at: '2026-11-20T06:00:00.000Z',
      temperature: 5.5,
      tempMin: 2,
      tempMax: 9,
      humidity: null,
      rsrp: -90,
    },
  ])
})
