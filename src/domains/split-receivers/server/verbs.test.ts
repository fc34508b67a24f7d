import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, place, rowId, type World } from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { splitFaults } from '../../payment-channels/server/splitSimulator.ts'
import { splitReceivers } from '../contract.ts'
import { receiverKind, syncReceivers } from './jobs.ts'

let world: World
let finance: string
let platform: string
beforeAll(async () => {
  world = await openWorld()
  await splitSales(world, 'OWN')
  finance = await world.login('ROLE_FULL')
  platform = await world.login('PLATFORM_FULL')
  await world.sql(`update organisations set name = '代理有限公司' where id = $1`, [place.PARENT])
})
afterAll(() => world?.close())
beforeEach(async () => {
  splitFaults.clear()
  await world.sql('delete from split_receivers')
})

const given = {
  ...{ partyId: place.PARENT, kind: 'MERCHANT_ID', account: '1900 0001 09' },
  // spaces are none of the name, and tell it from the party's in the log
  ...{ holderName: '代理 有限公司', relation: 'DISTRIBUTOR' },
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
  expect(logged[0]?.text).not.toContain('代理 有限公司')
})

test.each([
  [{ account: '12' }, 'splitReceivers.wrongAccount', 'account'],
  [{ partyId: place.OWN }, 'splitReceivers.collects', 'partyId'],
  [{ partyId: place.SIBLING }, 'splitReceivers.wrongParty', 'partyId'],
  [{ configId: 987_654 }, 'splitReceivers.noMerchant', 'configId'],
  // his own account in the place of the agent's
  [{ holderName: '运营有限公司' }, 'splitReceivers.otherHolder', 'holderName'],
  [
    { kind: 'PERSONAL_OPENID', account: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o', holderName: '张三' },
    'splitReceivers.onlyPlatform',
    'kind',
  ],
])('%j is refused', async (change, error, field) => {
  const { body } = await create(change)
  expect([body.error, body.errors[0].field]).toEqual([error, field])
  expect(await world.sql('select 1 from split_receivers')).toEqual([])
})

test('a party has one place, a place one party', async () => {
  await create()
  expect((await create({ account: '1900000110' })).body.error).toBe('splitReceivers.partyTaken')
  const [own] = await world.sql<{ name: string }>('select name from organisations where id = 1')
  const other = await create({ partyId: 1, holderName: own?.name })
  expect(other.body.error).toBe('splitReceivers.accountTaken')
})

test('the party hears where it is paid, once, when the channel has taken it', async () => {
  const told = () =>
    world.sql<{ username: string; body: string }>(
      `select u.username, m.body_zh as body from messages m join users u on u.id = m.user_id
        where m.title_zh like '%登记%接收方%' order by u.username`,
    )
  await world.sql('delete from messages')
  await create()
  expect(await told()).toEqual([])
  await work()
  const [first, ...others] = await told()
  expect(first?.username).toBe('ROLE_RTU_AGENT')
  expect(first?.body).toContain('****0109')
  // of the party alone
  expect(others).toEqual([])
  await syncReceivers(world.app)
  await work()
  expect(await told()).toHaveLength(1)
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
  const person = { kind: 'PERSONAL_OPENID', account: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' }
  const { body } = await world.call(
    splitReceivers.create,
    { ...given, ...person, holderName: '张三' } as typeof given,
    { token: platform },
  )
  await work()
  expect(
    await world.sql('select state, return_consent from split_receivers where id = $1', [body.id]),
  ).toEqual([{ state: 'REGISTERED', return_consent: false }])
})

test('another name than the party has does not take its place', async () => {
  const { body } = await create()
  const asked = { id: body.id, version: body.version, relation: 'SUPPLIER' as const }
  const other = await world.call(
    splitReceivers.update,
    { ...asked, holderName: '运营有限公司' },
    { token: finance },
  )
  expect(other.body.error).toBe('splitReceivers.otherHolder')
  const same = { ...asked, holderName: '代理有限公司 ' }
  expect((await world.call(splitReceivers.update, same, { token: finance })).status).toBe(200)
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
