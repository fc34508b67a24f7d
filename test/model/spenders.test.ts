import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../src/server/invariants.ts'
import type { Endpoint } from '../../src/shared/contract.ts'
import { samples } from '../conformance/samples.ts'
import { endpointNamed, endpoints } from '../support/registry.ts'
import { fullFor, openWorld, type World } from '../support/world.ts'

/**
 * T2 for every act about money, goods and what they cost: ten people who do the same at once. One
 * does it, the others are told so; never a 500. At night every write of the product is tried.
 */
const crowd = 10
const everyWrite = Number(process.env.RACE_REPEATS ?? 10) > 10
const spending = [
  ...['orders', 'orderSupplements', 'orderCleanups', 'payments', 'reconciliation', 'lanes'],
  ...['replenishment', 'batches', 'drugControl', 'products'],
  ...['billing', 'splits', 'payoutAccounts', 'withdrawals'],
]
/** Of which ten are ten: who says one twice has a key. */
const keyed = [
  ...[
    'billing.adjust',
    'batches.destroy',
    'lanes.copy',
    'payoutAccounts.create',
    'products.create',
    'replenishment.correct',
  ],
  'replenishment.postLane',
]
/** Of which ten say the same, and why. */
const alike: Readonly<Record<string, string>> = {
  'orders.mobileOrder': 'the same clientId is one order, which all are answered',
  'payments.simulatorNotify': 'a notice is answered alike however often it is told',
  'payments.prepay': 'the payment of an order is one',
  'orderSupplements.syncBill': 'asks for a bill, once a minute',
  'reconciliation.fetch': 'asks for a bill once more',
  'reconciliation.claimMany': 'takes what nobody has, and says how many those were',
  'deviceSplits.bind': 'says of each machine whether it was bound',
  'deviceSplits.release': 'says of each machine whether it was released',
  'deviceSplits.undo': 'says of each machine whether it was taken back',
  'referrers.bindQrcode': 'a code to scan, which counts once',
  'splitSimulations.create': 'a computation of his own, three at a time',
  'splitStrategies.preview': 'computes only',
  'splitStrategies.copy': 'each is a draft of its own name',
  'withdrawals.confirmCode': 'a code to scan, which moves nothing',
  'withdrawals.lookConfirm': 'looks, and changes nothing',
  'withdrawals.payee': 'reads an account, and says so in the log',
  'drugControl.goOnDuty': 'whoever is there already is there',
  'drugControl.beat': 'a sign of life',
  'batches.upload': 'asks the platform to take what waits',
  'replenishment.start': 'the own visit that was begun goes on',
  'replenishment.saveItems': 'a draft as it shall be',
  'replenishment.saveItem': 'a draft as it shall be',
  'replenishment.ops': 'each operation has a number and counts once',
  'replenishment.pick': 'a list to carry',
  'replenishment.orderRoute': 'a route as it shall be',
  'replenishment.loadRoute': 'a load as it shall be',
  'replenishment.skipStop': 'a stop as it shall be',
  'replenishment.unskipStop': 'a stop as it shall be',
}
const writes = endpoints.filter(
  ({ endpoint }) => endpoint.kind === 'write' && !endpoint.upload && !endpoint.signed,
)
/** Of the domains above, and whatever stands below the menu of finance. */
const spenders = writes.filter(
  ({ domain, endpoint }) => spending.includes(domain) || endpoint.path.startsWith('/api/finance/'),
)
const once = new Set(spenders.map(({ name }) => name)).difference(
  new Set([...keyed, ...Object.keys(alike)]),
)

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

type Answer = { status: number; body: { error?: string } }
const together = async (name: string, endpoint: Endpoint, headers = {}): Promise<Answer[]> => {
  const input = await samples[name]?.(world)
  if (!input) throw new Error(`${name} has no sample`)
  const token = await world.login(fullFor(endpoint))
  return Promise.all(
    Array.from({ length: crowd }, () => world.call(endpoint, input, { token, headers })),
  )
}
const done = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200)

test.each(everyWrite ? writes : spenders)('$name by ten at once', async ({ name, endpoint }) => {
  const answers = await together(name, endpoint)
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  const losers = answers.filter(({ status }) => status !== 200)
  expect(losers.filter(({ body }) => !body.error)).toEqual([])
  if (once.has(name)) expect(done(answers)).toHaveLength(1)
})

test.each(keyed)('%s by ten with one key: done once', async (name) => {
  const endpoint = endpointNamed(name)
  expect(endpoint.idempotent).toBe(true)
  const logged = async () =>
    (
      await world.sql(
        `select 1 from operation_logs where action = $1 and level = 'INFO'`, // refusals stand there, too
        [endpoint.audit],
      )
    ).length
  const before = await logged()
  const answers = await together(name, endpoint, { 'idempotency-key': crypto.randomUUID() })
  expect(done(answers).length).toBeGreaterThan(0)
  expect(answers.map(({ status }) => status).filter((s) => s !== 200 && s !== 409)).toEqual([])
  expect(await logged()).toBe(before + 1)
})

test('afterwards the books agree', async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
