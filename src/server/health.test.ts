import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { systemScope } from './database.ts'
import { databaseRefusal } from './run.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(async () => {
  vi.useRealTimers()
  await api?.close()
})
const health = async () => {
  const answer = await api.http.inject('/health')
  return [answer.statusCode, answer.json().status]
}
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

test('health is 503 while the database takes no writes, and 200 again by itself', async () => {
  expect(await health()).toEqual([200, 'ok'])
  // what a disk without room for its log says to every write
  await api.sql(`create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$`)
  await api.sql('create trigger full_disk before update on installation for each statement execute function full_disk()')
  later(2000)
  expect(await health()).toEqual([503, 'database takes no writes'])
  await api.sql('drop trigger full_disk on installation')
  later(2000)
  expect(await health()).toEqual([200, 'ok'])
})

test('a transaction without room counts, and is told to come again', async () => {
  const full = api.app.database.transact(systemScope, (db) => sql`do $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$`.execute(db))
  const error = await full.catch((reason: unknown) => reason)
  expect(databaseRefusal(error)?.def.status).toBe(503)
  expect(await health()).toEqual([503, 'database takes no writes'])
  later(15_000)
  expect(await health()).toEqual([200, 'ok'])
})
