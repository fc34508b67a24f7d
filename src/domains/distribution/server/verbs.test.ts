import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { add } from '../../../../test/factories/things.ts'
import { bySystem } from '../../../server/run.ts'
import type { Refusal } from '../../../shared/errors.ts'
import { openBoardWorld } from '../../boards/server/testWorld.ts'
import { addDevice, now, people, type World } from '../../devices/server/testWorld.ts'
import type { Fact } from '../../machines/server/facts.ts'
import { addTelemetry } from '../../machines/server/telemetry.ts'
import { createHandlers } from '../../orders/server/create.ts'
import { moves, movesLast, stays } from '../moves.ts'
import { assignmentImporter } from './importer.ts'

let world: World
let next = 10
beforeAll(async () => {
  world = await openBoardWorld()
  await world.rows(`update roles set code = 'ROLE_RTU_REPLENISHER' where id = 908`)
})
afterAll(() => world.close())
let id: number
/**
 * A machine of operator 3 with a lane of the platform's product 2, a fault, a store and its
 * replenisher.
 */
beforeEach(async () => {
  id = next++
  await addDevice(world, id, 3)
  const own = { org_id: 3, device_id: id }
  await add(world.sql, 'lane_floors', { ...own, id })
  await add(world.sql, 'lane_floors', { ...own, id: id + 1000, level: 2, archived_at: new Date() })
  await add(world.sql, 'lanes', {
    ...own,
    id,
    floor_id: id,
    road_index: 1,
    product_id: 2,
    quantity: 5,
    price: 250,
  })
  await add(world.sql, 'lanes', {
    ...own,
    id: id + 1000,
    floor_id: id,
    road_index: 2,
    product_id: 1,
    price: 250,
    archived_at: new Date(),
  })
  await world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at, closed_at)
      values (3, $1, 'OPEN', 'WARN', $2, null), (3, $1, 'OLD', 'WARN', $2, $2)`,
    [id, now],
  )
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind, from_at)
      values (3, $1, 908, 'REPLENISHER', $2)`,
    [id, now],
  )
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'CONFIG', 3, 2, $2)`,
    [id, now],
  )
  await world.rows(
    `insert into device_configs (device_id, config_version, org_id, hum_min, hum_max,
      limit_per_order, limit_per_day, doc, created_at)
      values ($1, 2, 3, 30, 70, 0, 0, '{"volume": 30}', $2)`,
    [id, now],
  )
  await world.rows(`insert into stores (id, org_id, store_name) values ($1, 3, $2)`, [
    id,
    `店${id}`,
  ])
  await world.rows('update devices set store_id = id where id = $1', [id])
  await world.rows(`insert into device_tags (id, org_id, name) values ($1, 3, $2)`, [
    id,
    `tag${id}`,
  ])
  await world.rows('insert into device_tag_links values (3, $1, $1)', [id])
})
const put = (user: number, orgId: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'PUT', `/devices/${id}/owner`, { version: 1, orgId, ...change })
const orgsOf = async (table: string) =>
  (
    await world.rows<{ org_id: number }>(
      `select org_id from ${table} where device_id = $1 order by org_id`,
      [id],
    )
  ).map((row) => row.org_id)
const numberOf = (device: number) => `HD${String(device).padStart(6, '0')}`
/** Somebody else is at this machine, until a rollback. */
async function hold(device: number): Promise<void> {
  onTestFinished(() => void world.sql('rollback'))
  await world.sql('begin')
  await world.sql('select 1 from devices where id = $1 for update', [device])
}
/** Acts that wait for a lock; within a transaction PostgreSQL keeps what it said of others. */
async function waiting() {
  await world.sql('select pg_stat_clear_snapshot()')
  return world.sql(
    `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
}
const refusal = (answer: { status: number; body: { message: string } }) => [
  answer.status,
  answer.body.message,
]

describe('transfer', () => {
  test('the present moves, the past stays, all at once', async () => {
    const { status, body } = await put(people.agent, 4)
    expect([status, body.orgId, body.orgName, body.storeId, body.version]).toEqual([
      200,
      4,
      '机构4',
      null,
      2,
    ])
    expect(
      await world.one('select org_id, store_id, version from devices where id = $1', [id]),
    ).toEqual({ org_id: 4, store_id: null, version: 2 })
    expect(
      (
        await world.one<{ org_id: number }>('select org_id from main_boards where board_no = $1', [
          `BOARD-${id}`,
        ])
      ).org_id,
    ).toBe(4)
    for (const [table, orgs] of [
      ['device_states', [4]],
      ['device_shadows', [4]],
      ['lanes', [3, 4]],
      ['lane_floors', [3, 4]],
      ['device_faults', [3, 4]],
      ['device_tag_links', []],
    ] as const)
      expect([table, await orgsOf(table)]).toEqual([table, orgs])
    expect(
      await world.one(`select status, quantity, org_id from lanes where id = $1`, [id]),
    ).toEqual({ status: 'ENABLED', quantity: 5, org_id: 4 })
    expect(
      await world.rows(
        'select org_id, config_version, doc from device_configs where device_id = $1 order by 2',
        [id],
      ),
    ).toEqual([
      { org_id: 3, config_version: 2, doc: { volume: 30 } },
      { org_id: 4, config_version: 3, doc: { volume: 30 } },
    ])
    expect(
      (
        await world.one<{ wanted: number }>(
          `select wanted from device_shadows where device_id = $1`,
          [id],
        )
      ).wanted,
    ).toBe(3)
    expect(
      await world.rows(
        `select org_id, kind, data from device_events
          where device_id = $1 and kind like 'OWNER%' order by org_id`,
        [id],
      ),
    ).toEqual([
      { org_id: 3, kind: 'OWNER_LEFT', data: { to: '机构4' } },
      { org_id: 4, kind: 'OWNER_CHANGED', data: {} },
    ])
    expect(
      body.owners.map((o: { orgName: string; to: string | null; by: string }) => [
        o.orgName,
        o.to !== null,
        o.by,
      ]),
    ).toEqual([
      ['机构4', false, '员工2'],
      ['机构3', true, ''],
    ])
    // the new owner reads that it came, not from whom
    const log = await world.rows<{
      org_id: number
      before: { org: string } | null
      after: { org: string }
    }>(
      `select org_id, before, after from operation_logs where action = 'distribution.transfer'
        order by id desc limit 2`,
    )
    expect(log.map((row) => [row.org_id, row.before?.org, row.after.org])).toEqual([
      [4, undefined, '机构4'],
      [3, '机构3', '机构4'],
    ])
  })
  test('an open activation code ends, and gateways look again whom they let in', async () => {
    await world.rows(
      `insert into activation_codes (org_id, device_id, code_hash, created_at, expires_at)
        values (3, $1, $2, $3, $3::timestamptz + interval '1 hour')`,
      [id, Buffer.from(`code ${id}`), now],
    )
    const heard: string[] = []
    onTestFinished(world.app.live.subscribe((topics) => heard.push(...topics)))
    await put(people.agent, 4)
    await expect.poll(() => heard).toContain('identity')
    expect(
      await world.one(
        'select revoked_at is not null as ended from activation_codes where device_id = $1',
        [id],
      ),
    ).toEqual({ ended: true })
  })
  test('the old people lose it with their next request, the new owner has it', async () => {
    expect((await world.send(people.replenisher, 'GET', `/devices/${id}`)).status).toBe(200)
    await put(people.agent, 4)
    const statuses = await Promise.all(
      [people.replenisher, people.operator, people.sibling].map(
        async (user) => (await world.send(user, 'GET', `/devices/${id}`)).status,
      ),
    )
    expect(statuses).toEqual([404, 404, 200])
    expect(
      (await world.send(people.sibling, 'GET', `/devices/${id}/lanes`)).body.floors.length,
    ).toBe(1)
    // the former owner still sees his time
    expect(
      await world.rows(
        `select org_id, upper_inf(valid) as open from device_owner_history where device_id = $1
          order by id`,
        [id],
      ),
    ).toEqual([
      { org_id: 3, open: false },
      { org_id: 4, open: true },
    ])
  })
  test('the hour in which it changes hands has measurements of both', async () => {
    const measured = (orgId: number, minute: number, temperature: number) =>
      bySystem(world.app, (ctx) =>
        addTelemetry(ctx, [
          {
            machine: { id, orgId, rtu: '', epoch: 0 },
            up: {
              kind: 'telemetry',
              boot: 1,
              seq: minute,
              ts: null,
              body: { temperature },
              notes: [],
            },
            at: new Date(now.getTime() + minute * 60_000),
          } as unknown as Fact,
        ]),
      )
    await measured(3, 1, 4)
    await measured(3, 2, 6)
    await put(people.agent, 4)
    await measured(4, 3, 9)
    await measured(4, 4, 11)
    await measured(4, 70, 5)
    expect(
      await world.rows(
        'select org_id, temp_min::float8, temp_max::float8, temp_count from telemetry_hours where device_id = $1 order by hour, org_id',
        [id],
      ),
    ).toEqual([
      { org_id: 3, temp_min: 4, temp_max: 6, temp_count: 2 },
      { org_id: 4, temp_min: 9, temp_max: 11, temp_count: 2 },
      { org_id: 4, temp_min: 5, temp_max: 5, temp_count: 1 },
    ])
    await world.rows(
      `update telemetry_hours set hour = hour - interval '1 day' where device_id = $1`,
      [id],
    )
    const curve = async (user: number) =>
      (await world.send(user, 'GET', `/devices/${id}/telemetry?span=7d`)).body.list.map(
        (p: { temperature: number }) => p.temperature,
      )
    expect(await curve(people.sibling)).toEqual([10, 5])
    // whoever stands above both sees the whole of it
    expect(await curve(people.agent)).toEqual([7.5, 5])
  })
  test('people above both go on', async () => {
    await world.rows(
      `insert into device_assignments (org_id, device_id, user_id, kind)
        values (3, $1, 902, 'REPAIRER')`,
      [id],
    )
    await put(people.platform, 4)
    expect(
      await world.rows(
        'select org_id, user_id, to_at is null as live from device_assignments where device_id = $1 order by user_id',
        [id],
      ),
    ).toEqual([
      { org_id: 4, user_id: 902, live: true },
      { org_id: 3, user_id: 908, live: false },
    ])
  })
  test('goods the new owner does not have are named', async () => {
    await world.rows('update lanes set product_id = 1 where id = $1', [id])
    expect(refusal(await put(people.agent, 4))).toEqual([422, '新所属用户看不到以下商品：商品1'])
    expect((await put(people.agent, 2)).status).toBe(422)
    expect(
      (await world.one<{ org_id: number }>('select org_id from devices where id = $1', [id]))
        .org_id,
    ).toBe(3)
  })
  test('goods of a batch go with the machine where the batch is known', async () => {
    await world.rows('update lanes set product_id = 2 where id = $1', [id])
    const supplier = { phone: '13800138000', name: `供${id}` }
    for (const org_id of [2, 3]) {
      const made = await add(world.sql, 'suppliers', { ...supplier, org_id })
      await add(world.sql, 'batches', {
        id: id * 10 + org_id,
        org_id,
        product_id: 2,
        supplier_id: made,
        batch_no: `B${org_id}`,
        produced_on: '2026-01-01',
        expires_on: '2030-01-01',
      })
    }
    const fill = (batch: number) =>
      world.rows(
        `with y as (insert into lane_layers (org_id, device_id, lane_id, pos, batch_id, qty)
          values (3, $1, $1, 1, $2, 5)
          on conflict (lane_id, pos) do update set batch_id = excluded.batch_id)
        update lanes set layered = true, goods_expire_on = '2030-01-01' where id = $1`,
        [id, batch],
      )
    await fill(id * 10 + 3)
    expect(refusal(await put(people.agent, 4))).toEqual([422, '新所属用户看不到以下商品：商品2 B3'])
    await fill(id * 10 + 2)
    expect((await put(people.agent, 4)).status).toBe(200)
    expect(await orgsOf('lane_layers')).toEqual([4])
  })
  test('reserved and uncounted pieces stop it', async () => {
    await world.rows('update lanes set reserved = 1 where id = $1', [id])
    expect(refusal(await put(people.agent, 4))).toEqual([422, '设备有未完成的订单，不能转移'])
    await world.rows('update lanes set reserved = 0, failed_hold = 1 where id = $1', [id])
    expect(refusal(await put(people.agent, 4))).toEqual([422, '货道 1 有待盘点的商品，请先盘点'])
  })
  test.each([
    [people.agent, 3, 422, '设备已属于该机构'],
    [people.platform, 6, 422, '该机构不能拥有设备'],
    [people.agent, 5, 404, '数据不存在或无权查看'],
    [people.stranger, 5, 404, '数据不存在或无权查看'],
    [people.sibling, 4, 404, '数据不存在或无权查看'],
    [people.reader, 3, 403, '无权限执行该操作'],
  ])('by %i to %i is %i %s', async (user, orgId, status, message) =>
    expect(refusal(await put(user, orgId))).toEqual([status, message]),
  )
  test('stale, closed, a type of others, a closed organisation', async () => {
    expect((await put(people.agent, 4, { version: 2 })).body.code).toBe(409001)
    expect((await put(people.agent, 4, { orgId: undefined })).body.errors[0].message).toBe(
      '请选择用户',
    )
    await add(world.sql, 'device_types', { id: 77, org_id: 3, name: '外机' })
    await world.rows('update devices set type_id = 77 where id = $1', [id])
    expect(refusal(await put(people.platform, 4))).toEqual([422, '新所属用户不能使用设备类型 外机'])
    await world.rows('update devices set type_id = 1 where id = $1', [id])
    await world.rows(`update organisations set status = 'DISABLED' where id = 4`)
    expect(refusal(await put(people.agent, 4))).toEqual([422, '该机构已停用'])
    await world.rows(`update organisations set status = 'ENABLED' where id = 4`)
    await world.rows(`update devices set lifecycle = 'SCRAPPED', board_no = null where id = $1`, [
      id,
    ])
    expect(refusal(await put(people.agent, 4))).toEqual([422, '设备已外售或报废'])
  })
  test('an operator distributes his people only', async () => {
    await world.rows(
      `delete from role_permissions where role_id = 903 and permission_code = 'device:transfer'`,
    )
    const tries: [string, Record<string, unknown>][] = [
      [`/devices/${id}/owner/return`, { version: 1 }],
      ['/device-assignments', { deviceIds: [id], kind: 'OWNER', orgId: 3 }],
      ['/device-assignments/remove', { deviceIds: [id], kind: 'OWNER' }],
    ]
    const answers = tries.map(([url, body]) => world.send(people.operator, 'POST', url, body))
    for (const answer of [put(people.operator, 3), ...answers])
      expect((await answer).status).toBe(403)
    const file = `机器编号,用户,分配类型\r\n${numberOf(id)},test3,OWNER`
    const imported = await world.sendFile(
      await world.login('test3'),
      '/imports/device-assignments?dryRun=true',
      file,
    )
    expect(imported.body.faults[0].message).toBe('无权限执行该操作')
    expect(
      (await world.send(people.operator, 'GET', `/devices/${id}/assignments`)).body.can,
    ).toEqual({
      transfer: false,
      giveBack: false,
      staff: true,
      store: true,
    })
    await world.rows(`insert into role_permissions values (903, 'device:transfer')`)
  })
  test('two at once: one of them', async () => {
    const answers = await Promise.all([put(people.agent, 4), put(people.platform, 2)])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect(
      (
        await world.rows(
          'select 1 from device_owner_history where device_id = $1 and upper_inf(valid)',
          [id],
        )
      ).length,
    ).toBe(1)
  })
  test('returned to whoever stands above', async () => {
    const back = await world.send(people.agent, 'POST', `/devices/${id}/owner/return`, {
      version: 1,
    })
    expect([back.body.orgId, back.body.can.giveBack]).toEqual([2, false])
    expect(
      refusal(
        await world.send(people.agent, 'POST', `/devices/${id}/owner/return`, { version: 2 }),
      ),
    ).toEqual([422, '没有可退回的上级机构'])
  })
})

test('who buys in the moment of a transfer buys of one owner', async () => {
  const seen: string[] = []
  for (let round = 0; round < 6; round++) {
    const machine = round === 0 ? id : next++
    if (round > 0) {
      await addDevice(world, machine, 3)
      const own = { org_id: 3, device_id: machine, id: machine }
      await add(world.sql, 'lane_floors', own)
      await add(world.sql, 'lanes', {
        ...own,
        floor_id: machine,
        road_index: 1,
        product_id: 2,
        quantity: 5,
        price: 250,
      })
    }
    const input = {
      rtuNumber: `HD${String(machine).padStart(6, '0')}`,
      items: [{ roadIndex: 1, count: 1, price: 250 }],
      payType: 'WECHAT' as const,
      clientId: randomUUID(),
      consumer: '',
    }
    const buy = async () => {
      await new Promise((go) => setTimeout(go, round * 2))
      await bySystem(world.app, (ctx) => createHandlers.mobileOrder(ctx, input)).catch(
        (error: unknown) => seen.push((error as Refusal).def.name),
      )
    }
    const [, moved] = await Promise.all([
      buy(),
      world.send(people.agent, 'PUT', `/devices/${machine}/owner`, { version: 1, orgId: 4 }),
    ])
    seen.push(String(moved.status))
    expect(
      await world.rows(
        `select u.org_id from order_units u join devices d on d.id = u.device_id
          join lanes l on l.id = u.lane_id
          where d.id = $1 and (u.org_id <> d.org_id or l.org_id <> d.org_id)`,
        [machine],
      ),
    ).toEqual([])
  }
  expect(seen.filter((what) => !['200', '422', 'orders.laneNotSelling'].includes(what))).toEqual([])
})

describe('what moves', () => {
  test('every table of machines is decided', async () => {
    const tables = await world.rows<{
      name: string
    }>(`select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition
      and (select count(*) from pg_attribute a
        where a.attrelid = c.oid and a.attname in ('device_id', 'org_id')
          and not a.attisdropped) = 2 order by 1`)
    expect([...Object.keys(moves), ...movesLast, ...stays].sort()).toEqual(
      tables.map((table) => table.name),
    )
  })
  test('an owner of the past does not change, nor overlaps', async () => {
    await put(people.agent, 4)
    await expect(
      world.rows('update device_owner_history set org_id = 5 where device_id = $1', [id]),
    ).rejects.toThrow(/does not change/)
    await expect(
      world.rows(
        `insert into device_owner_history (org_id, device_id, valid)
          values (5, $1, tstzrange($2, null))`,
        [id, now],
      ),
    ).rejects.toThrow(/device_owner_history_/)
  })
})

describe('a file that gives machines away', () => {
  const nameOf = async (user: number) =>
    (
      await world.one<{ username: string }>('select username from users where id = $1', [
        900 + user,
      ])
    ).username
  const run = async (
    owners: readonly number[],
    ofIds: readonly number[] = owners.map(() => id),
  ) => {
    const names = await Promise.all(owners.map(nameOf))
    const rows = ofIds.map((device, n) => ({
      line: n + 2,
      value: {
        rtuNumber: `HD${String(device).padStart(6, '0')}`,
        username: names[n],
        kind: 'OWNER',
      },
    }))
    return bySystem(world.app, async (ctx) => {
      const actor = { ...ctx.actor, permissions: new Set(['device:transfer']) }
      const errors = await assignmentImporter.run(
        { ...ctx, actor, audit: () => {} },
        rows,
        undefined,
      )
      if (errors.length) throw Object.assign(new Error('wrong'), { errors })
    }).then(
      () => [],
      (error: { errors?: { line: number; column: string }[] }) =>
        error.errors ?? Promise.reject(error),
    )
  }

  test('names one owner of each', async () => {
    expect(await run([people.sibling, people.operator, people.sibling])).toMatchObject([
      { line: 3, column: 'rtuNumber' },
    ])
    expect(await orgsOf('device_states')).toEqual([3])
    expect(await run([people.operator, people.sibling, people.sibling])).toEqual([])
    for (const table of movesLast) expect([table, await orgsOf(table)]).toEqual([table, [4]])
    expect(
      await world.rows(
        'select org_id, config_version from device_configs where device_id = $1 order by 2',
        [id],
      ),
    ).toEqual([
      { org_id: 3, config_version: 2 },
      { org_id: 4, config_version: 3 },
    ])
    expect(
      (
        await world.one<{ wanted: number }>(
          'select wanted from device_shadows where device_id = $1',
          [id],
        )
      ).wanted,
    ).toBe(3)
  })

  test('a trial whose client left ends, holds nothing, and gives its turn on', async () => {
    const [first, held] = [id, next++]
    await addDevice(world, held, 3)
    await world.http.listen({ host: '127.0.0.1', port: 0 })
    const { port } = world.http.server.address() as AddressInfo
    const lines = [first, held].map((device) => `${numberOf(device)},test4,OWNER`)
    const form = new FormData()
    form.set('file', new Blob([['机器编号,用户,分配类型', ...lines].join('\r\n')]), 'a.csv')
    const authorization = await world.login('test2')
    const tryOut = (signal: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}/api/imports/device-assignments?dryRun=true`, {
        method: 'POST',
        headers: { authorization },
        body: form,
        signal,
      })
    await hold(held)
    const leaving = new AbortController()
    const left = expect(tryOut(leaving.signal)).rejects.toThrow('abort')
    await expect.poll(waiting, { timeout: 5000 }).toHaveLength(1)
    leaving.abort()
    await left
    // long before the lock would have been given up
    await expect.poll(waiting, { timeout: 3000 }).toEqual([])
    await world.sql('select 1 from devices where id = $1 for update nowait', [first])
    await world.sql('rollback')
    const again = await tryOut(AbortSignal.timeout(5000))
    expect([again.status, await again.json()]).toMatchObject([200, { total: 2, failed: 0 }])
    expect(await orgsOf('device_states')).toEqual([3])
  })
})

test('who meets a machine that is held ends at once, and holds no other meanwhile', async () => {
  const [first, held] = [id, next++]
  await addDevice(world, held, 3)
  const token = await world.login('test2')
  await world.sql('begin')
  await world.sql('select 1 from devices where id = $1 for update', [held])
  const rows = [first, held, held, held].map(
    (device) => `HD${String(device).padStart(6, '0')},test4,OWNER`,
  )
  const file = ['机器编号,用户,分配类型', ...rows].join('\r\n')
  const given = { deviceIds: [first, held], kind: 'OWNER', orgId: 4 }
  const began = performance.now()
  const answers = await Promise.all([
    world.sendFile(token, '/imports/device-assignments?dryRun=true', file, 'a.csv'),
    world.sendFile(token, '/imports/device-assignments', file, 'a.csv'),
    world.send(people.agent, 'POST', '/device-assignments', given),
  ])
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
    answers.map(() => [503, 'common.busy']),
  )
  expect(performance.now() - began).toBeLessThan(5000)
  await world.sql('select 1 from devices where id = $1 for update nowait', [first])
  await world.sql('rollback')
  expect(await orgsOf('device_states')).toEqual([3])
})

describe('staff and store', () => {
  const assign = (user: number, userIds: number[], kind = 'REPLENISHER') =>
    world.send(user, 'POST', `/devices/${id}/assignments`, { kind, userIds })
  test('assigned, seen at once, removed', async () => {
    const added = await assign(people.operator, [907], 'REPAIRER')
    expect(
      added.body.staff.map((s: { kind: string; name: string; by: string }) => [
        s.kind,
        s.name,
        s.by,
      ]),
    ).toEqual([
      ['REPAIRER', '员工7', '员工3'],
      ['REPLENISHER', '员工8', ''],
    ])
    expect((await world.send(people.repairer, 'GET', `/devices/${id}`)).status).toBe(200)
    const row = added.body.staff[0].id
    expect(
      (await world.send(people.sibling, 'DELETE', `/devices/${id}/assignments/${row}`)).status,
    ).toBe(404)
    expect(
      (await world.send(people.operator, 'DELETE', `/devices/${id}/assignments/${row}`)).body.staff,
    ).toHaveLength(1)
    expect(
      (await world.send(people.operator, 'DELETE', `/devices/${id}/assignments/${row}`)).status,
    ).toBe(404)
    expect((await world.send(people.repairer, 'GET', `/devices/${id}`)).status).toBe(404)
  })
  test('who serves it already goes on as he does', async () => {
    const [first, second] = [
      await assign(people.operator, [908]),
      await assign(people.agent, [908]),
    ]
    expect([second.status, second.body.staff]).toEqual([200, first.body.staff])
  })
  test('a machine that was sold or scrapped gets neither people nor a store', async () => {
    await world.rows(`update devices set lifecycle = 'SCRAPPED', board_no = null where id = $1`, [
      id,
    ])
    const many = async (body: Record<string, unknown>) => {
      const answer = await world.send(people.operator, 'POST', '/device-assignments', {
        deviceIds: [id],
        ...body,
      })
      return [422, answer.body.results[0].reason]
    }
    const file = `机器编号,用户,分配类型\r\n${numberOf(id)},test8,REPLENISHER`
    const tried = await world.sendFile(
      await world.login('test3'),
      '/imports/device-assignments?dryRun=true',
      file,
    )
    for (const said of [
      refusal(await assign(people.operator, [907], 'REPAIRER')),
      refusal(
        await world.send(people.operator, 'PUT', `/devices/${id}/store`, {
          version: 1,
          storeId: null,
        }),
      ),
      await many({ kind: 'REPAIRER', userIds: [907] }),
      await many({ kind: 'STORE', storeId: id }),
      [422, tried.body.faults?.[0]?.message],
    ])
      expect(said).toEqual([422, '设备已外售或报废'])
  })
  test.each([
    [[908], 'REPAIRER', 422, '员工8 不是该类人员'],
    [[903], 'REPLENISHER', 422, '员工3 不是该类人员'],
    [[904], 'REPLENISHER', 404, '数据不存在或无权查看'],
    [[], 'REPLENISHER', 400, '请选择用户'],
  ])('%o as %s is %i %s', async (userIds, kind, status, message) =>
    expect(refusal(await assign(people.operator, userIds, kind))).toEqual([status, message]),
  )
  test('somebody of another branch would not see the machine', async () => {
    await put(people.agent, 4)
    expect(refusal(await assign(people.agent, [908]))).toEqual([
      422,
      '员工8 不在该设备所属机构或其上级',
    ])
  })
  test('who may be chosen', async () => {
    const names = async (user: number, query: string) =>
      (await world.send(user, 'GET', `/device-assignments/people?${query}`)).body.list.map(
        (p: { id: number }) => p.id,
      )
    expect([
      await names(people.operator, 'kind=REPLENISHER'),
      await names(people.agent, 'kind=REPAIRER'),
      await names(people.agent, 'kind=REPAIRER&orgId=4'),
    ]).toEqual([[908], [907], []])
  })
  test('a store of its owner, or none', async () => {
    const set = (storeId: number | null, version: number) =>
      world.send(people.agent, 'PUT', `/devices/${id}/store`, { version, storeId })
    expect((await set(null, 1)).body).toMatchObject({ storeId: null, version: 2 })
    expect((await set(id, 2)).body.storeName).toBe(`店${id}`)
    await world.rows(`insert into stores (id, org_id, store_name) values ($1, 4, $2)`, [
      id + 5000,
      `店${id}`,
    ])
    expect(refusal(await set(id + 5000, 3))).toEqual([422, '门店不属于该设备的所属用户'])
  })
})

describe('many', () => {
  const many = (user: number, body: Record<string, unknown>) =>
    world.send(user, 'POST', '/device-assignments', body)
  test('a dry run changes nothing and says why not; then what can be done is done', async () => {
    const stuck = id
    await world.rows('update lanes set failed_hold = 1 where id = $1', [stuck])
    await addDevice(world, next, 3)
    const free = next++
    const input = { deviceIds: [stuck, free, free], kind: 'OWNER', orgId: 4 }
    const tried = await many(people.agent, { ...input, dryRun: true })
    expect(tried.body).toMatchObject({ done: 1, skipped: 1 })
    expect(
      tried.body.results.find((r: { deviceId: number }) => r.deviceId === stuck),
    ).toMatchObject({ ok: false, reason: '货道 1 有待盘点的商品，请先盘点' })
    expect(
      (await world.one<{ org_id: number }>('select org_id from devices where id = $1', [free]))
        .org_id,
    ).toBe(3)
    const log = () =>
      world.one(
        `select action, content, resource_id from operation_logs
          where action like 'distribution.%' order by id desc limit 1`,
      )
    expect(await log()).toMatchObject({ resource_id: 'OWNER' })
    expect((await many(people.agent, input)).body).toMatchObject({ done: 1, skipped: 1 })
    expect(await log()).toMatchObject({ resource_id: String(free) })
    expect(
      await world.rows('select id, org_id from devices where id = any($1) order by id', [
        [stuck, free],
      ]),
    ).toEqual([
      { id: stuck, org_id: 3 },
      { id: free, org_id: 4 },
    ])
  })
  test('a trial holds no machine that it is done with, while it waits for another', async () => {
    const [first, held] = [id, next++]
    await addDevice(world, held, 3)
    await hold(held)
    const tried = many(people.agent, {
      deviceIds: [first, held],
      kind: 'OWNER',
      orgId: 4,
      dryRun: true,
    })
    await expect.poll(waiting, { timeout: 5000 }).toHaveLength(1)
    await world.sql('select 1 from devices where id = $1 for update nowait', [first])
    await world.sql('rollback')
    expect((await tried).body).toMatchObject({ done: 2, skipped: 0 })
    expect(await orgsOf('device_states')).toEqual([3])
  })
  test('staff, store and their removal', async () => {
    expect(
      (await many(people.operator, { deviceIds: [id], kind: 'REPAIRER', userIds: [907] })).body
        .done,
    ).toBe(1)
    const remove = (kind: string) =>
      world.send(people.operator, 'POST', '/device-assignments/remove', { deviceIds: [id], kind })
    expect((await remove('REPAIRER')).body.done).toBe(1)
    expect((await remove('REPAIRER')).body.results[0].reason).toBe('没有可移除的分配')
    expect((await remove('STORE')).body.done).toBe(1)
    expect(
      (await many(people.operator, { deviceIds: [id], kind: 'STORE', storeId: id })).body.done,
    ).toBe(1)
  })
  test.each([
    [{ deviceIds: [], kind: 'OWNER', orgId: 4 }, 400, '请至少选择一台设备'],
    [{ kind: 'OWNER', orgId: 4 }, 400, '请至少选择一台设备'],
    [
      { deviceIds: Array.from({ length: 201 }, (_, n) => n + 1), kind: 'OWNER', orgId: 4 },
      400,
      '一次最多200台设备',
    ],
    [{ deviceIds: [1], kind: 'OWNER' }, 400, '请选择用户'],
    [{ deviceIds: [1], kind: 'REPAIRER', userIds: [] }, 400, '请选择用户'],
    [{ deviceIds: [1], kind: 'STORE' }, 400, '请选择门店'],
  ])('%o is refused', async (body, status, message) => {
    const answer = await many(people.agent, body)
    expect([answer.status, answer.body.errors[0].message]).toEqual([status, message])
  })
  test('a machine or target of others answers like a missing one', async () => {
    await addDevice(world, next, 5)
    expect(
      (await many(people.agent, { deviceIds: [id, next++], kind: 'OWNER', orgId: 4 })).status,
    ).toBe(404)
    expect((await many(people.agent, { deviceIds: [id], kind: 'OWNER', orgId: 5 })).status).toBe(
      404,
    )
  })
  test('two crossing calls wait for one another in one order, and both are done', async () => {
    const [a, b] = [id, next++]
    await addDevice(world, b, 3)
    await hold(a)
    const calls = [many(people.agent, { deviceIds: [a, b], kind: 'OWNER', orgId: 4 })]
    await expect.poll(waiting, { timeout: 5000 }).toHaveLength(1)
    calls.push(many(people.platform, { deviceIds: [b, a], kind: 'OWNER', orgId: 2 }))
    await expect.poll(waiting, { timeout: 5000 }).toHaveLength(2)
    await world.sql('rollback')
    expect((await Promise.all(calls)).map(({ body }) => body.done)).toEqual([2, 2])
    for (const table of ['device_states', 'lanes', 'device_owner_history'])
      expect(
        await world.rows(
          `select 1 from ${table} x join devices d on d.id = x.device_id
            where d.id = any($1) and x.org_id <> d.org_id
              ${table === 'lanes' ? 'and x.archived_at is null' : table === 'device_owner_history' ? 'and upper_inf(x.valid)' : ''}`,
          [[a, b]],
        ),
      ).toEqual([])
  })
})

describe('lists', () => {
  test('by owner with those below, by person, by nobody', async () => {
    const ids = async (query: string, user: number = people.agent) =>
      (await world.send(user, 'GET', `/device-assignments?pageSize=200&${query}`)).body.list.map(
        (row: { id: number }) => row.id,
      )
    expect(await ids('orgId=2')).toContain(id)
    expect(await ids('orgId=4')).not.toContain(id)
    expect(await ids(`groupBy=replenisher&userId=908`)).toContain(id)
    expect(await ids('groupBy=repairer')).not.toContain(id)
    expect(await ids('groupBy=none')).not.toContain(id)
    expect(await ids(`storeId=${id}`)).toEqual([id])
    expect(await ids(`keyword=HD${String(id).padStart(6, '0')}`)).toEqual([id])
    expect(await ids('', people.stranger)).not.toContain(id)
    const chosen = await world.send(
      people.agent,
      'GET',
      `/device-assignments?ids=${id},${id - 1},999999`,
    )
    expect(chosen.body.list.map((row: { id: number }) => row.id).sort()).toEqual(
      [id - 1, id].sort(),
    )
    expect((await world.send(people.agent, 'GET', '/device-assignments?ids=1,x')).status).toBe(400)
    const { body } = await world.send(people.agent, 'GET', `/device-assignments?storeId=${id}`)
    expect(body.list[0]).toMatchObject({
      ownedUserName: '机构3',
      replenishers: ['员工8'],
      repairers: [],
      storeName: `店${id}`,
      assignedBy: '',
    })
  })
  test('groups count machines, those below included', async () => {
    const groups = async (groupBy: string) =>
      (await world.send(people.agent, 'GET', `/device-assignments/groups?groupBy=${groupBy}`)).body
    const owners = await groups('owner')
    const of = (org: number) => owners.list.find((row: { id: number }) => row.id === org).devices
    expect([of(2), owners.list[0].parentId]).toEqual([owners.total, null])
    expect(of(2)).toBeGreaterThanOrEqual(of(3) + of(4))
    const served = await groups('replenisher')
    expect(served.list.map((row: { id: number }) => row.id)).toEqual([908])
    for (const groupBy of ['owner', 'replenisher', 'repairer', 'none'])
      expect((await groups(groupBy)).total, groupBy).toBe(
        (await world.send(people.agent, 'GET', `/device-assignments?groupBy=${groupBy}`)).body
          .total,
      )
    expect(served.total).toBeLessThan(owners.total)
  })
})
