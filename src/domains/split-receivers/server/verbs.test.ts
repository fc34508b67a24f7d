import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, place, rowId, type World } from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { splitFaults } from '../../payment-channels/server/splitSimulator.ts'
import { splitReceivers } from '../contract.ts'
import { receiverKind, syncReceivers } from './jobs.ts'

let world: World
let finance: string
beforeAll(async () => {
  world = await openWorld()
  await splitSales(world, 'OWN')
  finance = await world.login('ROLE_FULL')
})
afterAll(() => world?.close())
beforeEach(async () => {
  splitFaults.clear()
  await world.sql('delete from split_receivers')
})

const given = {
  ...{ partyId: place.PARENT, kind: 'MERCHANT_ID', account: '1900 0001 09' },
  ...{ holderName: '代理有限公司', relation: 'DISTRIBUTOR' },
} as const
const work = () => runDue(world.app, receiverKind(world.app))
const create = (change: object = {}) =>
  world.call(splitReceivers.create, { ...given, ...change }, { token: finance })
const read = async (id: number) =>
  (await world.call(splitReceivers.list, {}, { token: finance })).body.list.find(
    (row: { id: number }) => row.id === id,
  )

test('a receiver is entered, registered by the channel, and shown masked', async () => {
  const { status, body } = await create()
  expect([status, body.state, body.account, body.holderName]).toEqual([
    ...[200, 'NEW', '****0109', '代**'],
  ])
  await work()
  expect(await read(body.id)).toMatchObject({ state: 'REGISTERED', returnConsent: true })
  const kept = await world.sql<{ text: string }>(
    `select encode(account, 'escape') || encode(holder, 'escape') as text from split_receivers`,
  )
  expect(kept[0]?.text).not.toContain('1900000109')
  const logged = await world.sql<{ text: string }>(
    `select string_agg(o::text, ' ') as text from operation_logs o`,
  )
  expect(logged[0]?.text).not.toContain('1900000109')
  expect(logged[0]?.text).not.toContain('代理有限公司')
})

test.each([
  [{ account: '12' }, 'splitReceivers.wrongAccount', 'account'],
  [{ partyId: place.OWN }, 'splitReceivers.collects', 'partyId'],
  [{ partyId: place.SIBLING }, 'splitReceivers.wrongParty', 'partyId'],
  [{ configId: 987_654 }, 'splitReceivers.noMerchant', 'configId'],
])('%j is refused', async (change, error, field) => {
  const { body } = await create(change)
  expect([body.error, body.errors[0].field]).toEqual([error, field])
  expect(await world.sql('select 1 from split_receivers')).toEqual([])
})

test('a party has one place, a place one party', async () => {
  await create()
  expect((await create({ account: '1900000110' })).body.error).toBe('splitReceivers.partyTaken')
  expect((await create({ partyId: 1 })).body.error).toBe('splitReceivers.accountTaken')
})

test('silence is tried again, a refusal is shown; the morning asks once more', async () => {
  const { body } = await create()
  splitFaults.set('1900000109', ['DROPPED'])
  await work()
  expect(await read(body.id)).toMatchObject({ state: 'NEW', lastError: 'ETIMEDOUT' })
  await world.sql(`update split_receivers set next_at = '2026-11-01'`)
  splitFaults.set('1900000109', ['REFUSED'])
  await work()
  expect(await read(body.id)).toMatchObject({ state: 'FAILED', lastError: 'USER_NOT_EXIST' })
  await syncReceivers(world.app)
  await work()
  expect(await read(body.id)).toMatchObject({ state: 'REGISTERED', lastError: null })
})

test('to a person goes what never comes back', async () => {
  const { body } = await create({
    kind: 'PERSONAL_OPENID',
    account: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o',
  })
  await work()
  expect(await read(body.id)).toMatchObject({ state: 'REGISTERED', returnConsent: false })
})

test('an empty name stays, another one is registered anew; what is paid now is not deleted', async () => {
  const { body } = await create()
  await work()
  const asked = { id: body.id, version: body.version, relation: 'SUPPLIER', holderName: '' }
  const kept = await world.call(splitReceivers.update, asked, { token: finance })
  expect(kept.body).toMatchObject({ relation: 'SUPPLIER', holderName: '代**' })
  const stale = await world.call(splitReceivers.update, asked, { token: finance })
  expect(stale.body.error).toBe('common.stale')
  const one = { id: body.id, version: kept.body.version }
  const [id] = [rowId('OWN', 1)]
  const mode = async (to: string) => {
    await world.sql('alter table split_strategy_versions disable trigger keep')
    await world.sql(
      `update split_strategy_versions set mode = $2, config_id = null where id = $1`,
      [...[id, to]],
    )
    await world.sql('alter table split_strategy_versions enable trigger keep')
  }
  await mode('CHANNEL')
  const used = await world.call(splitReceivers.remove, one, { token: finance })
  expect(used.body.error).toBe('splitReceivers.inUse')
  await mode('LEDGER')
  expect((await world.call(splitReceivers.remove, one, { token: finance })).status).toBe(200)
  await work()
  expect(await world.sql(`select state, next_at from split_receivers`)).toEqual([
    { state: 'REMOVED', next_at: null },
  ])
  const [known] = await world.sql<{ gone: string }>(
    `select body ->> 'gone' as gone from simulated_splits where no = 'RCV 1900000109'`,
  )
  expect(known?.gone).toBe('true')
  // and may be entered again
  expect((await create()).status).toBe(200)
})
