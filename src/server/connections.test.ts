import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { systemScope } from './database.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

describe('whoever holds a connection asks for no second one', () => {
  const one = () => api.app.database.read(systemScope, (db) => sql`select 1`.execute(db))

  test('a loop that begins in an act runs beside it and after it', async () => {
    const failures: unknown[] = []
    let runs = 0
    await api.app.database.transact(systemScope, async () => {
      api.app.jobs.every('begun-in-an-act', 10, async () => {
        await one().catch((error: unknown) => failures.push(error))
        runs += 1
      })
      await sleep(100)
    })
    const within = runs
    await expect.poll(() => runs).toBeGreaterThan(within + 2)
    expect([within > 0, failures]).toEqual([true, []])
  })
  test('a timer that an act left behind is not the act', async () => {
    let late: Promise<unknown> | undefined
    await api.app.database.transact(systemScope, async () => {
      await expect(one()).rejects.toThrow('second one')
      setTimeout(() => {
        late = one()
      }, 50)
    })
    await expect.poll(() => late).toBeDefined()
    await late
  })
})
