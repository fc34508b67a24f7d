import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { buildApi } from '../apps/api.ts'
import { systemScope } from './database.ts'
import { databaseRefusal } from './run.ts'

let api: TestApi
let http: FastifyInstance
beforeAll(async () => {
  api = await startTestApi()
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  // whose clocks are these from the start
  http = await buildApi({ ...api.app }, '/nowhere')
})
afterAll(async () => {
  vi.useRealTimers()
  await http?.close()
  await api?.close()
})
const health = async () => {
  const answer = await http.inject('/health')
  return [answer.statusCode, answer.json().status]
}
const later = (ms: number) => vi.advanceTimersByTime(ms)

test('health is 503 while the database takes no writes, and 200 again by itself', async () => {
  expect(await health()).toEqual([200, 'ok'])
  // what a disk without room for its log says to every write
  await api.sql(
    `create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$`,
  )
  await api.sql(
    'create trigger full_disk before update on installation for each statement execute function full_disk()',
  )
  later(2000)
  expect(await health()).toEqual([503, 'database takes no writes'])
  // the wall clock is set back: nothing waits for it
  vi.setSystemTime(Date.now() - 3_600_000)
  await api.sql('drop trigger full_disk on installation')
  later(2000)
  expect(await health()).toEqual([200, 'ok'])
})

test('no worker or no gateway for 30 s: said in the body, and the API is taken out by nobody', async () => {
  const missing = async () => {
    const answer = await http.inject('/health')
    return [answer.statusCode, answer.json().missing]
  }
  const report = (part: string) =>
    api.sql(
      `insert into process_stats (process, at, started_at, parts, version, figures)
        values (gen_random_uuid(), $1, $1, array[$2, 'api'], '1', '{}')`,
      [new Date(), part],
    )
  await api.sql(
    `insert into organisations (id, parent_id, path, kind, name) overriding system value
      values (1, null, '1', 'PLATFORM', 'p')`,
  )
  later(31_000)
  expect(await missing()).toEqual([200, ['gateway', 'worker']])
  await report('worker')
  later(2000)
  expect(await missing()).toEqual([200, ['gateway']])
  await report('gateway')
  later(20_000)
  expect(await missing()).toEqual([200, []])
  later(9000)
  expect(await missing()).toEqual([200, ['worker']])
})

test('a transaction without room counts, and is told to come again', async () => {
  const full = api.app.database.transact(systemScope, (db) =>
    sql`do $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$`.execute(db),
  )
  const error = await full.catch((reason: unknown) => reason)
  expect(databaseRefusal(error)?.def.status).toBe(503)
  expect(await health()).toEqual([503, 'database takes no writes'])
  later(15_000)
  expect(await health()).toEqual([200, 'ok'])
})
