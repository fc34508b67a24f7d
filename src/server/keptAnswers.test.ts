import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openWorld, rowId, type World } from '../../test/support/world.ts'
import { orders } from '../domains/orders/contract.ts'
import { openAnswers } from './keptAnswers.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test('however many look at a shelf, it is read once, and a change shows after a second', async () => {
  const [device] = await world.sql<{ rtu_number: string }>(
    'select rtu_number from devices where id = $1',
    [rowId('OWN', 1)],
  )
  const shelf = async () =>
    (await world.call(orders.mobileLanes, { rtuNumber: device?.rtu_number as string })).body
      .list as { roadIndex: number }[]
  const reads = vi.spyOn(world.app.database, 'read')
  const [first, ...others] = await Promise.all(Array.from({ length: 40 }, shelf))
  expect(reads.mock.calls.length, 'one, and those that began with it').toBeLessThanOrEqual(1)
  reads.mockRestore()
  expect(first?.length).toBeGreaterThan(0)
  for (const other of others) expect(other).toEqual(first)
  await world.sql("update lanes set status = 'DISABLED' where device_id = $1", [rowId('OWN', 1)])
  await vi.waitFor(async () => expect(await shelf()).toEqual([]), { timeout: 10_000, interval: 50 })
})

test('a failure is not kept, an answer as long as it says, and not more than a thousand', async () => {
  let at = 0
  const answers = openAnswers(() => at)
  const of = (key: string) => ({ key, ms: 1000 })
  await expect(answers.keep(of('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(answers.find(of('a'))).toBeUndefined()
  await answers.keep(of('a'), async () => 1)
  at = 999
  expect(await answers.find(of('a'))).toBe(1)
  at = 1000
  expect(answers.find(of('a'))).toBeUndefined()
  for (let i = 0; i <= 1000; i += 1) await answers.keep(of(String(i)), async () => i)
  expect([answers.find(of('0')), await answers.find(of('1'))]).toEqual([undefined, 1])
})
