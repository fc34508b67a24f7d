import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { addDays } from '../../../shared/instants.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'
import { watchLicences } from './licences.ts'

const start = '2026-11-21'
let world: World
let day = start
beforeAll(async () => {
  world = await openWorld()
  Object.assign(world.app, { now: () => new Date(`${day}T00:00:00Z`) })
  await addPermissions(world.sql, [
    'supplier:read',
    'supplier:update',
    'batch:create',
    'batch:read',
  ])
  await grant(world.sql, [902, 903, 904], ['supplier:update', 'batch:create', 'batch:read'])
  await grant(world.sql, [903, 909], ['supplier:read'])
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  await add(world.sql, 'products', { id: 1, org_id: 1, drug_class: 'OTC_B', barcode: '69000001' })
  await add(world.sql, 'products', { id: 2, org_id: 1, barcode: '69000002' })
})
afterAll(() => world.close())
beforeEach(async () => {
  day = start
  await world.sql('delete from messages')
  await world.sql('delete from batches')
  await world.sql('delete from suppliers')
})

/** Whose licence ends so many days after the first day. */
const supplier = (days: number | null, more: object = {}) =>
  add(world.sql, 'suppliers', {
    org_id: 3,
    name: '康泽',
    phone: '13800138000',
    licence_until: days === null ? null : addDays(start, days),
    ...more,
  })
const told = () =>
  world.sql<{ user_id: number; title_zh: string; title_en: string; link: string }>(
    'select user_id, title_zh, title_en, link from messages order by id',
  )
const heard = async () => (await told()).map(({ user_id, title_zh }) => [user_id, title_zh])
async function at(later: number): Promise<unknown[]> {
  day = addDays(start, later)
  await world.sql('delete from messages')
  await watchLicences(world.app)
  const once = await heard()
  await watchLicences(world.app)
  expect(await heard()).toEqual(once)
  return once
}

test('30, 7 and 1 days before and when it has ended, each once for a date', async () => {
  const id = await supplier(40)
  const says = (n: number) => [[903, `供应商“康泽”的经营许可证还有 ${n} 天到期`]]
  expect(await at(9)).toEqual([])
  expect(await at(10)).toEqual(says(30))
  expect(await at(11)).toEqual([])
  // the day itself was missed: it is said as it is
  expect(await at(34)).toEqual(says(6))
  expect(await at(39)).toEqual(says(1))
  expect(await at(40)).toEqual([])
  expect(await at(41)).toEqual([[903, '供应商“康泽”的经营许可证已过期']])
  expect((await told())[0]).toMatchObject({
    title_en: 'The drug licence of 康泽 has expired',
    link: '/product/supplier-batch?licenceState=EXPIRED',
  })
  expect(await at(60)).toEqual([])
  // a new one ends, too
  await world.sql('update suppliers set licence_until = $2 where id = $1', [
    id,
    addDays(start, 400),
  ])
  expect(await at(61)).toEqual([])
  expect(await at(395)).toEqual([[903, '供应商“康泽”的经营许可证还有 5 天到期']])
})

test('on its last day it still holds, and people hear that it is the last', async () => {
  await supplier(0)
  expect(await at(0)).toEqual([[903, '供应商“康泽”的经营许可证今天到期']])
})

test('the supplier hears it, too; those above where nobody of the owner may change it', async () => {
  await supplier(5, { supplier_org_id: 6 })
  expect((await at(0)).map((row) => (row as unknown[])[0])).toEqual([903, 909])
  await world.sql('delete from suppliers')
  await world.sql(`delete from role_permissions where role_id = 903
    and permission_code = 'supplier:update'`)
  await supplier(5)
  expect((await at(0)).map((row) => (row as unknown[])[0])).toEqual([902])
  await grant(world.sql, [903], ['supplier:update'])
})

test('nobody hears of a supplier that is disabled, or has no licence', async () => {
  await supplier(3, { status: 'DISABLED' })
  await supplier(null, { name: '百货' })
  expect(await at(0)).toEqual([])
})

test('the list says the state, and finds by it', async () => {
  for (const [name, days] of [
    ['无', null],
    ['过期', -1],
    ['今天', 0],
    ['将到期', 30],
    ['有效', 31],
  ] as const)
    await supplier(days, { name })
  const list = async (query = '') =>
    (await world.send(people.operator, 'GET', `/suppliers?sort=name${query}`)).body.list.map(
      (row: { name: string; licenceState: string }) => [row.name, row.licenceState],
    )
  expect(Object.fromEntries(await list())).toEqual({
    无: 'NONE',
    过期: 'EXPIRED',
    今天: 'SOON',
    将到期: 'SOON',
    有效: 'VALID',
  })
  expect(await list('&licenceState=EXPIRED')).toEqual([['过期', 'EXPIRED']])
})

test('who has no valid licence delivers no drugs from the day after; what is no drug he does', async () => {
  const id = await supplier(0)
  const create = async (productId: number, batchNo: string) =>
    world.send(people.operator, 'POST', '/batches', {
      productId,
      supplierId: id,
      batchNo,
      producedOn: '2026-01-01',
      expiresOn: '2029-01-01',
    })
  expect((await create(1, 'B1')).status).toBe(200)
  await world.sql('update suppliers set licence_until = $2 where id = $1', [id, addDays(start, -1)])
  const refused = await create(1, 'B2')
  expect([refused.status, refused.body.errors[0]]).toEqual([
    422,
    { field: 'supplierId', message: '该供应商的经营许可证已过期，不能新增药品批次' },
  ])
  expect((await create(2, 'B3')).status).toBe(200)
})
