import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import type { Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { MobileOrder } from '../../orders/contract.ts'
import { makeRoom } from '../../orders/server/room.ts'
import {
  addDevice,
  addLane,
  openWorld,
  people,
  type World,
} from '../../products/server/testWorld.ts'
import { endLapsed } from './duties.ts'

const codes = ['near-expiry:read', 'lane:lock', 'user:read', 'user:update']
const start = new Date('2026-11-21T06:00:00Z')
let now = start
const later = (seconds: number) => {
  now = new Date(now.getTime() + 1000 * seconds)
}
let world: World
let store = 0
let machine = 0
const classA = 4
beforeAll(async () => {
  world = await openWorld(start)
  Object.assign(world.app, { now: () => now })
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905, 906], codes)
  await world.rows('update roles set rank = 1000 - id where id in (901, 902)')
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  await add(world.sql, 'products', {
    ...{ id: classA, org_id: 1, drug_class: 'OTC_A', trace_required: false },
  })
})
afterAll(() => world.close())
/** A store with a machine that sells with a pharmacist, and nobody there. */
beforeEach(async () => {
  now = start
  await world.rows('delete from pharmacist_duties')
  await world.rows('delete from pharmacists')
  machine += 1
  store = await add(world.sql, 'stores', { org_id: 3, store_name: `店${machine}` })
  await addDevice(world, machine, 3, 'DRUG', 'PHARMACIST')
  await world.rows('update devices set store_id = $2 where id = $1', [machine, store])
  await add(world.sql, 'device_states', { device_id: machine, org_id: 3, online: true })
  await addLane(world, machine, 3, 1, classA, 300)
})
const post = (user: number, path: string, body: object = {}) => world.send(user, 'POST', path, body)
const licence = (user: number, change: object = {}, by = people.agent) =>
  world.send(by, 'PUT', `/organ-users/${900 + user}/pharmacist`, {
    licenceNo: `PH${user}0000000000`,
    validUntil: '2027-01-01',
    ...change,
  })
const goOn = (user: number, change: object = {}) =>
  post(user, '/pharmacist-duties', { storeId: store, place: 'ONSITE', ...change })
const beat = async (user: number) => (await post(user, '/pharmacist-duties/beat')).body.stores
const duties = async (user: number) => (await world.send(user, 'GET', '/pharmacist-duties')).body
const here = async (user: number = people.operator) =>
  (await duties(user)).stores.find((one: { storeId: number }) => one.storeId === store)
const sells = async () => {
  const { n } = await world.one<{ n: string }>(
    'select rtu_number as n from devices where id = $1',
    [machine],
  )
  const asked = MobileOrder.parse({
    rtuNumber: n,
    items: [{ roadIndex: 1, count: 1, price: 300 }],
    payType: 'WECHAT',
    clientId: randomUUID(),
  })
  return makeRoom(world.app, asked, { ip: '10.0.0.9' }).then(
    () => true,
    (error: Refusal) => say(error.def.text, 'zh-CN'),
  )
}
const refused = '该设备不允许销售此类药品：甲类非处方药'

test('class A is sold while a pharmacist is heard of, and refused 181 seconds after', async () => {
  expect(await sells()).toBe(refused)
  expect((await goOn(people.operator)).body.error).toBe('duties.noLicence')
  expect((await licence(people.operator)).status).toBe(200)
  expect(await sells()).toBe(refused)
  expect((await goOn(people.operator)).status).toBe(200)
  expect(await sells()).toBe(true)
  later(120)
  expect(await beat(people.operator)).toEqual([`店${machine}`])
  later(180)
  expect(await sells()).toBe(true)
  later(1)
  expect(await sells()).toBe(refused)
  // what has lapsed does not come back by itself; he hears so, once
  expect(await beat(people.operator)).toEqual([])
  await endLapsed(world.app)
  await endLapsed(world.app)
  expect(
    await world.one(`select extract(epoch from ended_at - seen_at)::int as after,
      (select count(*)::int from messages where user_id = 903
        and title_zh = '您的药师值守已失效') as told from pharmacist_duties`),
  ).toEqual({ after: 180, told: 1 })
  expect((await here()).people).toEqual([])
})

test.each([20, 100, 4000])('a clock set back by %i seconds prolongs nothing', async (seconds) => {
  await licence(people.operator)
  await goOn(people.operator)
  later(-seconds)
  expect(await sells()).toBe(refused)
  expect(await beat(people.operator)).toEqual([])
  await endLapsed(world.app)
  // when the clock comes there again nobody is there
  later(seconds)
  expect(await sells()).toBe(refused)
})

test('whose licence ends, is taken back or closed, is not there any more', async () => {
  await licence(people.operator, { validUntil: '2026-11-21' })
  const on = async () => {
    await goOn(people.operator)
    expect(await sells()).toBe(true)
  }
  await on()
  await world.rows(`update users set status = 'DISABLED' where id = 903`)
  expect(await sells()).toBe(refused)
  await world.rows(`update users set status = 'ENABLED' where id = 903`)
  expect((await licence(people.operator, { licenceNo: '', validUntil: null })).status).toBe(200)
  expect([await sells(), await beat(people.operator)]).toEqual([refused, []])
  await licence(people.operator, { validUntil: '2026-11-21' })
  await on()
  await world.rows(`update pharmacists set valid_until = '2026-11-20'`)
  expect(await sells()).toBe(refused)
  expect((await goOn(people.operator)).body.error).toBe('duties.noLicence')
})

test('the pharmacist of others counts for nothing', async () => {
  await licence(people.agent, {}, people.platform)
  await licence(people.sibling)
  expect((await goOn(people.sibling)).status).toBe(404)
  expect((await goOn(people.agent)).body.error).toBe('duties.otherStore')
  for (const [user, org] of [
    [902, 2],
    [904, 4],
  ])
    await world
      .rows(
        `insert into pharmacist_duties (org_id, store_id, user_id, place, store_name, name, licence_no,
          began_at, seen_at) values ($1, $2, $3, 'ONSITE', 'x', 'x', 'x', $4, $4)`,
        [org, store, user, now],
      )
      .catch(() => undefined)
  // not even a row that says so
  await world.rows(
    `insert into pharmacist_duties (org_id, store_id, user_id, place, store_name, name, licence_no,
      began_at, seen_at) values (3, $1, 904, 'ONSITE', 'x', 'x', 'x', $2, $2)`,
    [store, now],
  )
  expect(await sells()).toBe(refused)
  expect(await duties(people.stranger)).toEqual({ licence: null, stores: [] })
})

test('whoever watches the region knows that somebody is there, and where', async () => {
  await world.rows(`update users set org_id = 1, region_code = '440300' where id = 907`)
  await world.rows(`update roles set org_id = 1, data_scope = 'REGION_DRUGS' where id = 907`)
  await grant(world.sql, [907], ['near-expiry:read'])
  await licence(people.operator)
  await goOn(people.operator)
  expect(await here(people.reader)).toMatchObject({
    storeName: '机构3',
    can: false,
    people: [{ name: '员工3', own: false }],
  })
  await world.rows(`update users set region_code = '110000' where id = 907`)
  expect((await duties(people.reader)).stores).toEqual([])
})

test('a licence is said by another one, once in an organisation', async () => {
  expect((await licence(people.operator, {}, people.operator)).body.error).toBe('users.notOneself')
  expect((await licence(people.operator, {}, people.sibling)).status).toBe(404)
  expect((await licence(people.operator)).status).toBe(200)
  const same = { licenceNo: `ph${people.operator}0000000000` }
  expect((await licence(people.noCost, same)).body.error).toBe('users.licenceTaken')
  expect((await licence(people.noCost, { validUntil: '2026-11-20' })).body.error).toBe(
    'users.licenceOver',
  )
  expect((await licence(people.noCost, { licenceNo: '1234' })).status).toBe(400)
  expect((await licence(people.noCost, { validUntil: null })).status).toBe(400)
})

test('one relieves the other, on site is in one place, and only one of a doubled tap stays', async () => {
  await licence(people.operator)
  await licence(people.noCost)
  const both = await Promise.all([goOn(people.operator), goOn(people.operator)])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect((await here()).people).toMatchObject([{ name: '员工3', place: 'ONSITE', own: true }])
  expect((await goOn(people.noCost, { place: 'REMOTE', takeOver: true })).status).toBe(200)
  const { people: there } = await here()
  expect(there).toMatchObject([{ name: '员工6', place: 'REMOTE', own: false }])
  expect(await sells()).toBe(true)
  // nobody ends another's
  expect((await post(people.operator, `/pharmacist-duties/${there[0].id}/end`)).status).toBe(404)
  expect((await post(people.noCost, `/pharmacist-duties/${there[0].id}/end`)).status).toBe(200)
  expect((await here()).people).toEqual([])
  const other = await add(world.sql, 'stores', { org_id: 3, store_name: `别${store}` })
  await Promise.all([goOn(people.operator), goOn(people.operator, { storeId: other })])
  expect(await beat(people.operator)).toHaveLength(1)
  await goOn(people.operator, { place: 'REMOTE' })
  await goOn(people.operator, { storeId: other, place: 'REMOTE' })
  expect(await beat(people.operator)).toHaveLength(2)
  // a page that was forgotten open does not stand there for ever
  await world.rows(`update pharmacist_duties set began_at = began_at - interval '12 hours'`)
  expect(await beat(people.operator)).toEqual([])
})
