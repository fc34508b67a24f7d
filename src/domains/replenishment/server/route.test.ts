import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { place, rowId, unassigned } from '../../../../test/support/world.ts'
import { guardVersion } from '../../drug-guard/server/version.ts'
import { replenishment } from '../contract.ts'
import type { OfflinePack, Route } from '../routeContract.ts'
import { type Floor, laneOf, machine, openFloor } from './testWorld.ts'

let floor: Floor
const today = '2026-11-21'
const [first, second] = [machine, rowId('OWN', unassigned)]
beforeAll(async () => {
  floor = await openFloor()
  // two machines of his, one of which is far away
  await floor.sql(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      select 3, $1, user_id, kind from device_assignments
      where device_id = $2 and kind = 'REPLENISHER' and to_at is null on conflict do nothing`,
    [second, first],
  )
  await floor.sql(`update devices set lng = 121, lat = 31 where id = $1`, [first])
  await floor.sql(
    `update devices set lng = 121.1, lat = 31, lifecycle = 'OPERATING' where id = $1`,
    [second],
  )
  for (const road of [1, 2, 8] as const) await floor.hold(road, 5)
  await floor.sql(`update device_states set lanes_low = 1 where device_id = any($1)`, [
    [first, second],
  ])
})
afterAll(() => floor.close())
beforeEach(async () => {
  await floor.sql('delete from route_plans')
  await floor.sql('delete from route_skips')
})

const route = async (query: object = {}, token = floor.replenisher) =>
  (await floor.call(replenishment.myRoute, { date: today, ...query }, { token })).body as Route
const idsOf = ({ stops }: Route) => stops.map((stop) => stop.deviceId)
const take = (headers = {}, token = floor.replenisher) =>
  floor.call(replenishment.offlinePack, { date: today }, { token, headers })

test('machines of his that want something, and nobody else’s', async () => {
  const found = await route()
  expect(idsOf(found).sort()).toEqual([first, second].sort())
  expect(found).toMatchObject({ ordered: false, done: 0, more: 0 })
  expect(found.stops.find((stop) => stop.deviceId === first)).toMatchObject({
    low: 1,
    state: 'OPEN',
    closed: false,
  })
  expect(found.stops[1]?.km).toBeGreaterThan(5)
  await floor.sql('update device_states set lanes_low = 0 where device_id = $1', [second])
  expect(idsOf(await route())).toEqual([first])
  await floor.sql('update device_states set lanes_low = 1 where device_id = $1', [second])
  await floor.sql(`update device_assignments set to_at = now() where device_id = $1`, [second])
  expect(idsOf(await route())).toEqual([first])
  await floor.sql(`update device_assignments set to_at = null where device_id = $1`, [second])
})

test('an operator looks at the day of his people; of strangers he sees nothing', async () => {
  const { userId } = await route()
  expect(idsOf(await route({ userId }, floor.operator))).toHaveLength(2)
  expect(idsOf(await route({}, floor.operator))).toEqual([])
  const foreign = await floor.call(
    replenishment.myRoute,
    { userId: rowId('SIBLING', 1) },
    { token: floor.operator },
  )
  expect(foreign.status).toBe(404)
})

test('an own order holds until it is given up', async () => {
  const suggested = idsOf(await route())
  const own = [...suggested].reverse()
  const order = (deviceIds: number[], date = today) =>
    floor.call(replenishment.orderRoute, { date, deviceIds }, { token: floor.replenisher })
  expect(idsOf((await order(own)).body)).toEqual(own)
  expect(await route()).toMatchObject({ ordered: true })
  expect(idsOf((await order([])).body)).toEqual(suggested)
  expect((await order([rowId('SIBLING', 1)])).status).toBe(404)
  expect((await order(own, '2026-11-20')).body.error).toBe('replenishment.otherDay')
})

test('a machine that is left out has a reason, and comes back', async () => {
  const skip = (more: object) =>
    floor.call(replenishment.skipStop, { date: today, deviceId: first, ...more } as never, {
      token: floor.replenisher,
    })
  expect((await skip({})).body.errors).toMatchObject([
    { field: 'reason', message: '请选择跳过原因' },
  ])
  const skipped = await skip({ reason: 'NO_ACCESS', remark: '门锁' })
  expect(skipped.status, JSON.stringify(skipped.body)).toBe(200)
  const left = skipped.body as Route
  expect(left.stops.at(-1)).toMatchObject({
    deviceId: first,
    state: 'SKIPPED',
    skipReason: 'NO_ACCESS',
    skipRemark: '门锁',
  })
  const back = await floor.call(
    replenishment.unskipStop,
    { date: today, deviceId: first },
    { token: floor.replenisher },
  )
  expect((back.body as Route).stops.map(({ state }) => state)).toEqual(['OPEN', 'OPEN'])
})

test('what was visited is done, and the rest goes on from there', async () => {
  const { id } = await floor.start()
  expect((await route()).stops.map(({ state }) => state).sort()).toEqual(['DRAFT', 'OPEN'])
  await floor.save(id, [{ laneId: laneOf[1], addedQty: 1 }])
  await floor.submit(id)
  const found = await route()
  expect(found).toMatchObject({ done: 1 })
  expect(found.stops[0]).toMatchObject({ deviceId: first, state: 'DONE', visitId: id })
  await floor.sql(`update replenishment_visits set started_at = '2026-11-01' where id = $1`, [id])
  await floor.sql('update device_states set lanes_low = 1 where device_id = $1', [first])
})

describe('what a phone takes along', () => {
  test('lanes with the number of their last flow, their goods and what may be put in', async () => {
    await floor.sql(`insert into suppliers (id, org_id, name, phone) overriding system value
      values (78, 3, '供二', '13800138001') on conflict do nothing`)
    await floor.sql(
      `insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
        received_qty, recall_level, recalled_at, status)
        values (3, $1, 78, 'P1', '2026-01-01', '2027-06-01', 4, null, null, 'NORMAL'),
          (3, $1, 78, 'P2', '2026-01-01', '2027-06-01', 0, 'I', now(), 'RECALLED'),
          (3, $1, 78, 'P3', '2026-01-01', '2027-06-01', 0, null, null, 'NORMAL')`,
      [machine],
    )
    const { body } = (await take()) as { body: OfflinePack }
    const [lane] = await floor.sql<{ seq: string; q: number }>(
      'select last_flow_seq as seq, quantity as q from lanes where id = $1',
      [laneOf[1]],
    )
    expect(body.lanes.find((one) => one.id === laneOf[1])).toMatchObject({
      deviceId: machine,
      roadIndex: 1,
      quantity: lane?.q,
      flowSeq: Number(lane?.seq),
      capacity: 10,
      planned: 10 - Number(lane?.q),
    })
    expect(body.products.find((one) => one.id === machine)).toMatchObject({ drugClass: 'NONE' })
    const said = new Map(body.batches.map((one) => [one.batchNo, one]))
    expect(said.get('P1')).toMatchObject({ recalled: false, room: 4 })
    expect(said.get('P2')).toMatchObject({ recalled: true })
    expect(said.has('P3')).toBe(false)
    expect(body.machines.map(({ id }) => id).sort()).toEqual([first, second].sort())
    // goods of those above lie in his machines, too, though he does not see who they are
    for (const { orgIds } of body.machines) expect(orgIds).toEqual([1, 2, 3])
  })
  test('what the guard is asked there, by the version of its rules; one machine alone', async () => {
    const { body } = (await take()) as { body: OfflinePack }
    expect(body.guardVersion).toBe(guardVersion)
    expect(body.machines.find(({ id }) => id === first)).toMatchObject({
      kind: 'GENERAL',
      dispensingMode: null,
      site: null,
    })
    expect(body.products.find(({ id }) => id === machine)).toMatchObject({ drug: null })
    const ask = (deviceId: number, token = floor.replenisher) =>
      floor.call(replenishment.offlinePack, { date: today, deviceId }, { token })
    const one = (await ask(second)).body as OfflinePack
    expect(one.machines.map(({ id }) => id)).toEqual([second])
    expect(one.lanes.every(({ deviceId }) => deviceId === second)).toBe(true)
    // off the route, as for whoever only looks after it now, what fits is planned
    const whole = (await ask(first, floor.operator)).body as OfflinePack
    expect(whole.lanes.length).toBeGreaterThan(0)
    for (const lane of whole.lanes) expect(lane.planned).toBe(lane.capacity - lane.quantity)
    expect((await ask(rowId('SIBLING', 1))).status).toBe(404)
  })
  test('only of machines he serves: the pack of nobody else has one of them', async () => {
    const walls = async (token: string) => {
      const { body } = (await take({}, token)) as { body: OfflinePack }
      return [...body.lanes.map((one) => one.deviceId), ...body.machines.map(({ id }) => id)]
    }
    expect(new Set(await walls(floor.replenisher))).toEqual(new Set([first, second]))
    expect(await walls(floor.operator)).toEqual([])
    const orgs = await floor.sql<{ org: number }>(
      'select distinct org_id as org from lanes where id = any($1)',
      [((await take()).body as OfflinePack).lanes.map(({ id }) => id)],
    )
    expect(orgs.map(({ org }) => Number(org))).toEqual([place.OWN])
    expect((await floor.call(replenishment.offlinePack, { date: today })).status).toBe(401)
  })
  test('sent once: who has it already is told so until something changes', async () => {
    const { headers } = await take()
    const etag = String(headers.etag)
    const again = await take({ 'if-none-match': etag })
    expect([again.status, again.body]).toEqual([304, ''])
    expect((await take({ 'if-none-match': `"x", W/${etag}` })).status).toBe(304)
    await floor.hold(2, 4)
    await floor.sql('update device_states set lanes_low = 1 where device_id = $1', [first])
    const changed = await take({ 'if-none-match': etag })
    expect([changed.status, changed.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(changed.headers.etag).not.toBe(etag)
  })
  test('what was loaded of a product goes where it is worth most', async () => {
    await floor.call(
      replenishment.loadRoute,
      { date: today, products: [{ productId: machine, qty: 3 }] },
      { token: floor.replenisher },
    )
    const { body } = (await take()) as { body: OfflinePack }
    const planned = body.lanes
      .filter((lane) => lane.productId === machine)
      .reduce((sum, lane) => sum + lane.planned, 0)
    expect(planned).toBe(3)
  })
})
