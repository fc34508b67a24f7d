import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { add, addDevice, addOrganisations, type Sql } from '../../../test/factories/things.ts'
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts'
import { isTooLarge } from '../../domains/splits/rules.ts'
import { checkInvariants } from '../../server/invariants.ts'
import { shanghaiDay, startOfDay } from '../../shared/instants.ts'
import { fillScale, refuseFilled } from './index.ts'

let database: TestDatabase
let client: pg.Client
const sql: Sql = async (text, values) => (await client.query(text, values)).rows
/** Where machines stand, what they are and what they sell is the demo's. */
beforeAll(async () => {
  database = await testDatabase()
  client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  await addOrganisations(sql, [1, null, 'PLATFORM'])
  await add(sql, 'device_types', { id: 1, org_id: 1 })
  await add(sql, 'product_categories', { id: 1, org_id: 1 })
  for (const id of [1, 2, 3])
    await add(sql, 'products', { id, org_id: 1, retail_price: 250 + 199 * id })
  await addDevice(sql, { id: 1, org_id: 1, lng: 113.9, lat: 22.5 })
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

test('a database of somebody is refused, also one without the tables of today', async () => {
  await refuseFilled(database.ownerUrl)
  await sql('alter table users rename to users_of_today')
  await refuseFilled(database.ownerUrl)
  await sql('alter table users_of_today rename to users')
  await add(sql, 'users', { id: 1, org_id: 1, username: 'somebody' })
  await expect(refuseFilled(database.ownerUrl)).rejects.toThrow('not empty')
  await sql('delete from users')
})

test('a large installation holds every invariant, and has some of everything', async () => {
  const size = { orders: 2000, machines: 40, operators: 7, days: 40, unsplit: 10 }
  // yesterday afternoon: some of its sales are due at night
  const now = new Date(startOfDay(shanghaiDay(new Date())).getTime() - 9 * 3_600_000)
  await fillScale(database.ownerUrl, size, { now })
  expect(await checkInvariants(database.ownerUrl)).toEqual([])
  const [sales] =
    await sql(`select count(*)::int as orders, count(distinct device_id) > 30 as machines,
      count(distinct (created_at at time zone 'Asia/Shanghai')::date)::int as days,
      max(created_at) < now() as past, count(*) filter (where pay_state = 'CLOSED') > 30 as closed,
      count(*) filter (where refunded_amount > 0) > 20 as refunded from orders`)
  expect(sales).toEqual({
    ...{ orders: 2000, machines: true, days: 40, past: true, closed: true, refunded: true },
  })
  const states = await sql<{ state: string }>('select distinct state from split_orders order by 1')
  expect(states.map(({ state }) => state)).toEqual(['CLOSED', 'DONE', 'READY', 'RETURNED', 'WAIT'])
  const carries = await sql<{ carry: number }>('select carry from split_carries where carry <> 0')
  expect(carries.length).toBeGreaterThan(10)
  expect(carries.filter(({ carry }) => isTooLarge(carry))).toEqual([])
})
