import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { bySystem } from '../../../server/run.ts'
import type { Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { noteRefusals, writeRefusals } from '../../drug-guard/server/refusals.ts'
import { MobileOrder } from '../../orders/contract.ts'
import { createHandlers } from '../../orders/server/create.ts'
import { makeRoom } from '../../orders/server/room.ts'
import { takeCommands } from '../../orders/server/vend.ts'
import {
  addDevice,
  addLane,
  openWorld,
  people,
  type World,
} from '../../products/server/testWorld.ts'
import { guardFleet } from './guard.ts'

const codes = [
  ...['device:read', 'near-expiry:read', 'lane:lock', 'device:update', 'drug-evidence:read'],
  ...['order:read', 'drug-evidence:export'],
]
let world: World
const drugs = { A: 4, B: 5, coded: 6 }
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  const plain = { org_id: 1, trace_required: false }
  await add(world.sql, 'products', { id: drugs.A, ...plain, drug_class: 'OTC_A' })
  await add(world.sql, 'products', { id: drugs.B, ...plain, drug_class: 'OTC_B' })
  await add(world.sql, 'products', { id: drugs.coded, org_id: 1, drug_class: 'OTC_B' })
  await add(world.sql, 'suppliers', { id: 1, org_id: 3, name: '供', phone: '13800138000' })
  await add(world.sql, 'batches', {
    ...{ id: 1, org_id: 3, product_id: drugs.coded, supplier_id: 1, batch_no: 'C1' },
    ...{ produced_on: '2026-01-01', expires_on: '2028-01-01' },
  })
})
afterAll(() => world.close())

let device = 100
let lanes: { A: number; B: number }
/** A machine with a pharmacist and a lane of each class. */
beforeEach(async () => {
  device += 1
  await addDevice(world, device, 3, 'DRUG', 'PHARMACIST')
  await add(world.sql, 'device_states', { device_id: device, org_id: 3, online: true })
  lanes = {
    A: await addLane(world, device, 3, 1, drugs.A, 300),
    B: await addLane(world, device, 3, 2, drugs.B, 300),
  }
})
/** A lane of six pieces that leave with their trace codes, and so many codes in it. */
const addCoded = async (codes: number) => {
  const id = await addLane(world, device, 3, 3, drugs.coded, 300)
  for (let pos = 1; pos <= codes; pos += 1) await addCode(id, pos)
  return id
}
const addCode = (lane_id: number, pos: number) =>
  world.rows(
    `insert into trace_codes (code, org_id, batch_id, state, lane_id, pos, machine_id)
      values ($1, 3, 1, 'LOADED', $2, $3, $4)`,
    [`CODE-${lane_id}-${pos}`, lane_id, pos, device],
  )
const post = (user: number, path: string, body: object) => world.send(user, 'POST', path, body)
const get = async (path: string, user = people.operator) =>
  (await world.send(user, 'GET', path)).body
const stateOf = async (id: number) => {
  const [row] = await world.rows<{ status: string; reason: string | null; since: boolean }>(
    `select status, lock_reason as reason, locked_at is not null as since from lanes where id = $1`,
    [id],
  )
  return row?.status === 'LOCKED' ? `${row.reason} ${row.since}` : row?.status
}
const lock = (id: number, reason: string) =>
  world.rows(`update lanes set status = 'LOCKED', lock_reason = $2 where id = $1`, [id, reason])
const refusals = () =>
  world.rows<{ act: string; key: string; times: number; by: number | null }>(
    `select act, key, times, user_id::int as by from drug_guard_refusals where device_id = $1
      order by id`,
    [device],
  )

describe('a way of dispensing', () => {
  const path = () => `/devices/${device}/dispensing-mode`
  const ask = (user: number, to = 'UNATTENDED') => post(user, path(), { to, reason: '药师离职' })
  const decide = async (user: number, stops: number, agree = true) => {
    const { waiting } = await get(path())
    return post(user, `/dispensing-mode-changes/${waiting.id}/decide`, { agree, stops })
  }
  test('changes when another person agrees; lanes that fail stop, with a row of why', async () => {
    expect((await get(path())).stops).toEqual({ UNATTENDED: 1, PHARMACIST: 0, MEDICAL: 0 })
    expect((await ask(people.agent)).body.waiting).toMatchObject({ to: 'UNATTENDED', own: true })
    expect((await ask(people.operator)).body.error).toBe('drugControl.modeWaits')
    expect((await decide(people.agent, 1)).body.error).toBe('drugControl.samePerson')
    // another number of lanes than he saw
    expect((await decide(people.operator, 0)).status).toBe(409)
    expect((await decide(people.sibling, 1)).status).toBe(404)
    const { status, body } = await decide(people.operator, 1)
    expect([status, body.mode, body.waiting]).toEqual([200, 'UNATTENDED', null])
    expect([await stateOf(lanes.A), await stateOf(lanes.B)]).toEqual(['COMPLIANCE true', 'ENABLED'])
    expect(await refusals()).toEqual([{ act: 'MODE', key: 'otcARefused', times: 1, by: 903 }])
  })
  test('is taken back by whoever asked, and stays', async () => {
    await ask(people.agent, 'MEDICAL')
    expect((await decide(people.agent, 0, false)).body).toMatchObject({
      mode: 'PHARMACIST',
      waiting: null,
    })
  })
  test('of two who agree at once one does', async () => {
    await ask(people.agent)
    const { waiting } = await get(path())
    const both = await Promise.all(
      [people.operator, people.platform].map((user) =>
        post(user, `/dispensing-mode-changes/${waiting.id}/decide`, { agree: true, stops: 1 }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('at night', () => {
  test('what fails stops and is kept, what somebody else stopped stays with him', async () => {
    await world.rows(`update devices set licence_until = '2026-11-20' where id = $1`, [device])
    await lock(lanes.B, 'COUNT_NEEDED')
    await guardFleet(world.app)
    await guardFleet(world.app)
    expect([await stateOf(lanes.A), await stateOf(lanes.B)]).toEqual([
      'COMPLIANCE true',
      'COUNT_NEEDED true',
    ])
    expect(await refusals()).toEqual([
      { act: 'NIGHTLY', key: 'noLicence', times: 2, by: null },
      { act: 'NIGHTLY', key: 'noLicence', times: 2, by: null },
    ])
    // with a licence he releases it
    const release = { was: 'COMPLIANCE', choice: 'RELEASE', reason: '已补证' }
    const decide = (user = people.operator) => post(user, `/drug-locks/${lanes.A}/decide`, release)
    expect((await decide()).body.error).toBe('drugGuard.noLicence')
    await world.rows(`update devices set licence_until = '2027-11-20' where id = $1`, [device])
    expect((await decide(people.sibling)).status).toBe(404)
    expect((await decide()).body).toEqual({ ok: true })
    expect(await stateOf(lanes.A)).toBe('ENABLED')
  })
  test('a lane whose boxes and codes do not agree stops for somebody who compares them', async () => {
    const lane = await addCoded(5)
    await guardFleet(world.app)
    expect([await stateOf(lane), await stateOf(lanes.B)]).toEqual(['TRACE_CODE true', 'ENABLED'])
    expect(await refusals()).toEqual([{ act: 'NIGHTLY', key: 'codesApart', times: 1, by: null }])
  })
})

describe('checkout and vend', () => {
  const asked = (road: number) =>
    MobileOrder.parse({
      rtuNumber: number,
      items: [{ roadIndex: road, count: 1, price: 300 }],
      payType: 'WECHAT',
      clientId: randomUUID(),
    })
  const refused = (road: number) =>
    makeRoom(world.app, asked(road), { ip: '10.0.0.9' }).catch((error: Refusal) => error.def.name)
  let number = ''
  beforeEach(async () => {
    const [row] = await world.rows<{ n: string }>(
      `select rtu_number as n from devices where id = $1`,
      [device],
    )
    number = row?.n ?? ''
  })
  test('without a pharmacist class A is refused, and a thousand tries are one row', async () => {
    for (let n = 0; n < 3; n += 1) expect(await refused(1)).toBe('orders.drugForbidden')
    await expect
      .poll(refusals)
      .toEqual([{ act: 'CHECKOUT', key: 'otcARefused', times: 1, by: null }])
  })
  test('what leaves with its trace code is sold while each piece has one', async () => {
    const shelf = async () => {
      const { list } = await bySystem(world.app, (ctx) =>
        createHandlers.mobileLanes(ctx, { rtuNumber: number }),
      )
      return list.map(({ roadIndex }) => roadIndex)
    }
    const ordered = () =>
      bySystem(world.app, (ctx) => createHandlers.mobileOrder(ctx, asked(3))).then(
        () => 'ordered',
        (error: Refusal) => say(error.def.text, 'zh-CN'),
      )
    const lane = await addCoded(5)
    expect(await shelf()).toEqual([2])
    expect(await refused(3)).toBe('orders.drugForbidden')
    expect(await ordered()).toBe('商品追溯码与数量不符，暂停销售')
    await expect.poll(refusals).toMatchObject([{ act: 'CHECKOUT', key: 'codesApart' }])
    await addCode(lane, 6)
    expect(await shelf()).toEqual([2, 3])
    expect(await ordered()).toBe('ordered')
  })
  test('what may not be sold any more does not leave', async () => {
    await bySystem(world.app, (ctx) => createHandlers.mobileOrder(ctx, asked(2)))
    await world.rows(
      `with o as (update orders set pay_state = 'PAID', order_status = 'PAID', payable_amount = 0,
          discount_amount = total_amount, paid_amount = 0, paid_at = created_at where device_id = $1 returning *),
        u as (update order_units set attempt = 1, paid = 0, discount = list_price where device_id = $1 returning *)
      insert into vend_commands (cmd_id, org_id, device_id, order_id, order_at, order_num, unit_id,
        unit_no, lane_id, road, motor_no, attempt, created_at)
      select gen_random_uuid(), u.org_id, u.device_id, u.order_id, u.created_at, u.order_num, u.id,
        u.unit_no, u.lane_id, u.road, 2, 1, u.created_at from u`,
      [device],
    )
    await world.rows(`update devices set licence_until = '2026-11-20' where id = $1`, [device])
    expect(await takeCommands(world.app, [device])).toEqual([])
    expect(
      await world.rows(`select vend_state, hold from order_units where device_id = $1`, [device]),
    ).toEqual([{ vend_state: 'VOID', hold: 'RELEASED' }])
    expect(await refusals()).toMatchObject([{ act: 'VEND', key: 'noLicence' }])
  })
})

describe('decisions about lanes', () => {
  const decide = (was: string, choice = 'RELEASE') =>
    post(people.operator, `/drug-locks/${lanes.B}/decide`, { was, choice, reason: '已检' })
  test.each([
    ['EXPIRY', 'drugControl.takeOutFirst'],
    ['RECALL', 'drugControl.takeOutFirst'],
    ['WRONG_PRODUCT', 'drugControl.takeOutFirst'],
    ['TRACE_CODE', undefined],
    ['COMPLIANCE', undefined],
  ])('%s', async (reason, error) => {
    await lock(lanes.B, reason)
    expect((await decide('TEMPERATURE')).status).toBe(404)
    const { body } = await decide(reason)
    expect([body.error, await stateOf(lanes.B)]).toEqual([
      error,
      error ? `${reason} true` : 'ENABLED',
    ])
  })
  test('what was stopped for its trace codes is released when each piece has one', async () => {
    const lane = await addCoded(5)
    await lock(lane, 'TRACE_CODE')
    const release = { was: 'TRACE_CODE', choice: 'RELEASE', reason: '已核对' }
    const decided = () => post(people.operator, `/drug-locks/${lane}/decide`, release)
    expect((await decided()).body.error).toBe('drugGuard.codesApart')
    expect(await stateOf(lane)).toBe('TRACE_CODE true')
    await addCode(lane, 6)
    expect((await decided()).status).toBe(200)
    expect(await stateOf(lane)).toBe('ENABLED')
  })
  test('what is scrapped stays stopped, and whoever fills the machine is asked to fetch it', async () => {
    await add(world.sql, 'device_assignments', {
      ...{ org_id: 3, device_id: device, user_id: 908, kind: 'REPLENISHER' },
    })
    await lock(lanes.B, 'TRACE_CODE')
    expect((await decide('TRACE_CODE', 'SCRAP')).status).toBe(200)
    expect(await stateOf(lanes.B)).toBe('TRACE_CODE true')
    expect(
      await world.rows(`select user_id::int as to from messages where link like '%' || $1::text`, [
        device,
      ]),
    ).toEqual([{ to: 908 }])
  })
  test('an excursion is decided about when it is over, and only once; its lanes follow', async () => {
    await lock(lanes.B, 'TEMPERATURE')
    const open = await add(world.sql, 'temperature_excursions', {
      ...{ org_id: 3, device_id: device, kind: 'OUTSIDE', from_at: '2026-11-21T01:00:00Z' },
      ...{ sampled_at: '2026-11-21T01:00:00Z', locked_at: '2026-11-21T02:00:00Z', temp_max: 12 },
      lanes: JSON.stringify([{ id: lanes.B, road: 2, product: 'x', drugClass: 'OTC_B', qty: 6 }]),
    })
    const settle = (choice: string, user = people.operator) =>
      post(user, `/temperature-excursions/${open}/decide`, { choice, reason: '短时' })
    expect((await decide('TEMPERATURE')).body.error).toBe('drugControl.excursionFirst')
    expect((await settle('RELEASE')).body.error).toBe('drugControl.stillOutside')
    await world.rows(
      `update temperature_excursions set to_at = '2026-11-21T03:00:00Z' where id = $1`,
      [open],
    )
    expect((await settle('RELEASE', people.sibling)).status).toBe(404)
    const both = await Promise.all([settle('RELEASE'), settle('SCRAP')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const [row] = await world.rows<{ decision: string }>(
      `select decision from temperature_excursions where id = $1`,
      [open],
    )
    expect(await stateOf(lanes.B)).toBe(
      row?.decision === 'RELEASED' ? 'ENABLED' : 'TEMPERATURE true',
    )
    const list = await get(`/temperature-excursions?deviceId=${device}`)
    expect(list.list).toMatchObject([
      { state: row?.decision, minutes: 120, laneCount: 1, pieces: 6 },
    ])
  })
  test('lists tell them, each to its own', async () => {
    await lock(lanes.B, 'COMPLIANCE')
    const path = `/drug-locks?deviceId=${device}`
    expect((await get(path)).list).toMatchObject([{ roadIndex: 2, reason: 'COMPLIANCE', qty: 6 }])
    expect((await get(path, people.sibling)).total).toBe(0)
  })
})

test('refusals are kept by hour and person, and what is fine is not', async () => {
  const of = { orgId: 3, deviceId: device, road: 1, productId: drugs.A, act: 'PLACE' as const }
  const verdict = { ok: false, rule: 2, key: 'otcARefused' } as const
  const by = (userId: number) => ({ ...of, verdict, userId, who: 'x' })
  await writeRefusals(world.app, [by(903), { ...of, verdict: { ok: true } }])
  await writeRefusals(world.app, [by(903)])
  await writeRefusals(world.app, [by(902)])
  await bySystem(world.app, async (ctx) => {
    noteRefusals(ctx, [by(903)])
    throw new Error('thrown away')
  }).catch(() => undefined)
  expect(await refusals()).toMatchObject([
    { by: 903, times: 3 },
    { by: 902, times: 1 },
  ])
})
