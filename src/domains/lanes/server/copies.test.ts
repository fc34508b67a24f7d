import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runDue } from '../../../server/work.ts'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { copyKind } from './copyRun.ts'

let world: World
const runNextCopy = (app: World['app']) => runDue(app, copyKind(app))
let next = 500
/**
 * Each test: a machine of operator 3 with lanes 01 to 03, of which 01 holds product 1 for 2.50, and
 * three machines with the same lanes, empty.
 */
let source: number
let targets: number[]

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function machine(org = 3, drawn = true): Promise<number> {
  next += 1
  await addDevice(world, next, org)
  if (drawn)
    await world.send(people.operator, 'POST', `/devices/${next}/lanes`, {
      version: 0,
      levels: [{ columns: 3 }],
    })
  return next
}
const lanes = (device: number) =>
  world.rows<{ id: string; product_id: number | null; price: number | null; capacity: number }>(
    'select id, product_id, price, capacity from lanes where device_id = $1 and archived_at is null order by road_index',
    [device],
  )
const version = (device: number) =>
  world
    .one<{ v: number }>('select planogram_version as v from devices where id = $1', [device])
    .then((row) => row.v)
const put = async (device: number, road: number, patch: object) =>
  world.send(people.operator, 'PUT', `/devices/${device}/lanes`, {
    version: await version(device),
    lanes: [{ id: Number((await lanes(device))[road - 1]?.id), ...patch }],
  })
const body = (more: object = {}) => ({
  targetIds: targets,
  parts: ['product', 'price', 'capacity'],
  ...more,
})
const copy = (more: object = {}, user = people.operator) =>
  world.send(user, 'POST', `/devices/${source}/lanes/copy`, body(more))
const plan = (more: object = {}, user = people.operator) => {
  const query = new URLSearchParams(
    Object.entries(body(more)).map(([key, value]) => [key, String(value)]),
  )
  return world.send(user, 'GET', `/devices/${source}/lanes/copy-plan?${query}`)
}
const state = async (id: number, user = people.operator) =>
  (await world.send(user, 'GET', `/lane-copies/${id}`)).body
const undo = (id: number) => world.send(people.operator, 'POST', `/lane-copies/${id}/undo`)
async function run(turns = 20): Promise<void> {
  for (let i = 0; i < turns && (await runNextCopy(world.app)); i += 1);
}
const states = (row: { targets: { state: string }[] }) => row.targets.map((target) => target.state)

beforeEach(async () => {
  source = await machine()
  await put(source, 1, { productId: 1, price: 250, roadCapacity: 10 })
  targets = [await machine(), await machine(), await machine()]
})

describe('plan', () => {
  test('of one machine says every setting, what it was and what it would be', async () => {
    const asked = { targetIds: [targets[0]] }
    expect((await plan(asked)).body.targets[0].changes).toEqual([
      { road: 1, level: 1, field: 'productId', from: null, to: expect.any(String) },
      { road: 1, level: 1, field: 'price', from: null, to: 250 },
      { road: 1, level: 1, field: 'retailPrice', from: null, to: 300 },
      { road: 1, level: 1, field: 'capacity', from: 8, to: 10 },
      { road: 1, level: 1, field: 'warnQty', from: 0, to: 2 },
    ])
    expect(
      (await plan()).body.targets.map((target: { changes: unknown[] }) => target.changes),
    ).toEqual([[], [], []])
  })
  test('by machine and lane, with reasons, and nothing is written', async () => {
    await put(targets[0] as number, 1, { productId: 2 })
    await world.rows('update lanes set quantity = 2 where device_id = $1 and road_index = 1', [
      targets[0],
    ])
    targets.push(await machine(3, false))
    const answer = (await plan()).body
    expect([answer.machines, answer.lanes]).toEqual([2, 2])
    expect(answer.targets[0]).toMatchObject({
      problem: '',
      write: [],
      same: [2, 3],
      skipped: [{ road: 1, reason: '目标货道仍有其他商品库存' }],
    })
    expect(answer.targets[1]).toMatchObject({ write: [1], same: [2, 3], skipped: [] })
    expect(answer.targets[3]).toMatchObject({ problem: '该设备还没有货道', write: [] })
    expect((await plan({ layout: 'CREATE' })).body.targets[3]).toMatchObject({
      problem: '',
      creates: true,
      write: [1],
    })
    expect(await version(targets[1] as number)).toBe(1)
  })
  test('refusals', async () => {
    expect((await plan({ targetIds: '' })).body.message).toBe('请至少选择一台设备')
    expect((await plan({ targetIds: source })).body.message).toBe('请至少选择一台设备')
    expect((await plan({ parts: '' })).body.message).toBe('请选择要复制的内容')
    expect(
      (await copy({ targetIds: Array.from({ length: 201 }, (_, i) => i + 1) })).body.message,
    ).toBe('一次最多选择200台设备')
    expect((await copy({ targetIds: [await machine(4)] })).status).toBe(404)
    expect((await copy({}, people.reader)).status).toBe(403)
    expect((await copy({}, people.sibling)).status).toBe(404)
  })
})

describe('copy', () => {
  test('writes each machine as a version of its own; the source may change meanwhile', async () => {
    const made = await copy()
    expect([made.status, made.body.open]).toEqual([200, 3])
    await put(source, 1, { price: 200 })
    await run()
    const done = await state(made.body.id)
    expect([states(done), done.open, done.can.undo]).toEqual([['DONE', 'DONE', 'DONE'], 0, true])
    for (const target of targets) {
      expect((await lanes(target))[0]).toMatchObject({ product_id: 1, price: 250, capacity: 10 })
      expect(await version(target)).toBe(2)
      expect(
        (await world.send(people.operator, 'GET', `/devices/${target}/planogram-versions`)).body
          .list[0],
      ).toMatchObject({
        source: 'COPY',
        byName: 'test3',
      })
    }
    expect(
      await world.one(
        `select count(*)::int as n from operation_logs
          where action = 'lanes.copied' and resource_id = any($1)`,
        [targets.map(String)],
      ),
    ).toEqual({ n: 3 })
  })
  test('a process that dies between two machines, and one that dies inside, leaves the rest to the next', async () => {
    const { id } = (await copy()).body
    await run(1)
    expect(states(await state(id))).toEqual(['DONE', 'WAITING', 'WAITING'])
    // taken by a process that was killed before it could commit: the row says so only by its count
    await world.rows(
      `update lane_copy_targets set attempts = 1 where copy_id = $1 and state = 'WAITING'`,
      [id],
    )
    await run()
    expect(states(await state(id))).toEqual(['DONE', 'DONE', 'DONE'])
    expect(await Promise.all(targets.map(version))).toEqual([2, 2, 2])
  })
  test('what breaks inside a machine leaves nothing of it, and the next turn does it whole', async () => {
    const { id } = (await copy({ targetIds: [targets[0]] })).body
    // the last thing of the transaction fails once: lanes, version and counters were written by
    // then
    await world.rows(
      `create function break_once() returns trigger language plpgsql as $$ begin raise exception 'no half of a machine'; end $$`,
    )
    await world.rows(
      `create trigger break_once before update on lane_copy_targets for each row when (new.state = 'DONE') execute function break_once()`,
    )
    await expect(runNextCopy(world.app)).rejects.toThrow(/half of a machine/)
    expect([
      await version(targets[0] as number),
      (await lanes(targets[0] as number))[0]?.product_id,
      states(await state(id)),
    ]).toEqual([1, null, ['WAITING']])
    await world.rows('drop trigger break_once on lane_copy_targets')
    await world.rows('drop function break_once')
    await run()
    expect([await version(targets[0] as number), states(await state(id))]).toEqual([2, ['DONE']])
  })
  test('a machine that kills every process that touches it is given up', async () => {
    const { id } = (await copy({ targetIds: [targets[0]] })).body
    await world.rows(`update lane_copy_targets set attempts = 3 where copy_id = $1`, [id])
    await run()
    expect((await state(id)).targets[0]).toMatchObject({ state: 'FAILED', problem: '操作失败' })
    expect(await version(targets[0] as number)).toBe(1)
  })
  test('two workers at once write each machine once', async () => {
    const { id } = (await copy()).body
    // the last machines end at the same moment: one of them ends the copy
    await world.rows(
      `create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return new; end $$`,
    )
    await world.rows(`create constraint trigger linger after update on lane_copy_targets deferrable initially deferred for each row
      when (new.next_at is null) execute function linger()`)
    await Promise.all([run(), run(), run()])
    await world.rows('drop trigger linger on lane_copy_targets')
    await world.rows('drop function linger')
    const done = await state(id)
    expect([states(done), done.finishTime]).toEqual([['DONE', 'DONE', 'DONE'], expect.any(String)])
    expect(await Promise.all(targets.map(version))).toEqual([2, 2, 2])
  })
  test('the right is asked again for each machine', async () => {
    const { id } = (await copy()).body
    await run(1)
    await world.rows(
      `delete from role_permissions where role_id = 903 and permission_code = 'lane:copy'`,
    )
    await run()
    await world.rows(`insert into role_permissions values (903, 'lane:copy')`)
    const done = await state(id)
    expect([states(done), done.targets[1].problem]).toEqual([
      ['DONE', 'FAILED', 'FAILED'],
      '操作权限已被收回',
    ])
  })
  test('draws lanes like those of the source where there are none', async () => {
    const all = await lanes(source)
    await world.send(people.operator, 'POST', `/devices/${source}/lanes/merge`, {
      version: await version(source),
      mainId: Number(all[1]?.id),
      secondaryIds: [Number(all[2]?.id)],
    })
    const bare = await machine(3, false)
    const { id } = (await copy({ targetIds: [bare], layout: 'CREATE' })).body
    await run()
    expect(states(await state(id))).toEqual(['DONE'])
    expect(
      await world.rows(
        'select road_index, status, price from lanes where device_id = $1 order by road_index',
        [bare],
      ),
    ).toEqual([
      { road_index: 1, status: 'ENABLED', price: 250 },
      { road_index: 2, status: 'ENABLED', price: null },
      { road_index: 3, status: 'MERGED', price: null },
    ])
    await undo(id)
    await run()
    expect([states(await state(id)), (await lanes(bare)).length]).toEqual([['UNDONE'], 0])
  })
  test('a rebuild waits for the copy', async () => {
    await copy({ targetIds: [targets[0]] })
    const rebuild = () =>
      world.send(people.operator, 'POST', `/devices/${targets[0]}/lanes/rebuild`, {
        version: 1,
        confirmNumber: `HD${String(targets[0]).padStart(6, '0')}`,
        levels: [{ columns: 2 }],
      })
    expect((await rebuild()).body.error).toBe('lanes.copyRunning')
    await run()
  })
})

describe('undo', () => {
  test('puts back every machine but those somebody changed since, which are named', async () => {
    const { id } = (await copy()).body
    expect((await undo(id)).status).toBe(409)
    await run()
    await put(targets[1] as number, 2, { roadCapacity: 3 })
    expect((await undo(id)).body.open).toBe(3)
    await run()
    const done = await state(id)
    expect([states(done), done.targets[1].problem, done.can.undo]).toEqual([
      ['UNDONE', 'KEPT', 'UNDONE'],
      '此后已被修改',
      false,
    ])
    expect((await Promise.all(targets.map(lanes))).map((of) => of[0]?.product_id)).toEqual([
      null,
      1,
      null,
    ])
    expect(
      (await world.send(people.operator, 'GET', `/devices/${targets[0]}/planogram-versions`)).body
        .list[0],
    ).toMatchObject({ source: 'UNDO' })
    expect((await undo(id)).status).toBe(409)
  })
  test('goods that were filled in meanwhile keep their lane', async () => {
    const { id } = (await copy({ targetIds: [targets[0]] })).body
    await run()
    await world.rows('update lanes set quantity = 1 where device_id = $1 and road_index = 1', [
      targets[0],
    ])
    await undo(id)
    await run()
    expect((await state(id)).targets[0]).toMatchObject({ state: 'KEPT' })
    expect(await version(targets[0] as number)).toBe(2)
  })
  test('for ten minutes', async () => {
    const { id } = (await copy()).body
    await run()
    await world.rows(
      `update lane_copies set finished_at = finished_at - interval '601 seconds' where id = $1`,
      [id],
    )
    expect([(await undo(id)).body.error, (await state(id)).can.undo]).toEqual([
      'lanes.undoTooLate',
      false,
    ])
  })
  test('others see nothing of it', async () => {
    const { id } = (await copy()).body
    await run()
    expect((await world.send(people.sibling, 'GET', `/lane-copies/${id}`)).status).toBe(404)
    expect((await world.send(people.sibling, 'POST', `/lane-copies/${id}/undo`)).status).toBe(404)
    expect(
      (await world.send(people.operator, 'GET', `/devices/${source}/lane-copies`)).body.list.map(
        (row: { id: number }) => row.id,
      ),
    ).toEqual([id])
  })
})
