import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { Overdue, systemScope } from './database.ts'
import { databaseRefusal } from './run.ts'

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
    let over = false
    await api.app.database.transact(systemScope, async () => {
      await expect(one()).rejects.toThrow('second one')
      const timer = setInterval(() => {
        if (!over) return
        clearInterval(timer)
        late = one()
      }, 20)
    })
    over = true
    await expect.poll(() => late).toBeDefined()
    await late
  })
})

describe('an act that may not go on', () => {
  const locks = sql`select 1 from held_row for update`
  const holdsNothing = () =>
    api.sql(`begin; set local lock_timeout = '1s'; select 1 from held_row for update; commit`)
  beforeAll(async () => {
    await api.sql(
      'create table held_row (n int); insert into held_row values (1); grant select, update on held_row to huodao_app',
    )
  })
  const ended = async (
    bounds: { ms?: number; gone?: AbortSignal },
    work: (ask: (text: string) => Promise<unknown>) => Promise<unknown>,
  ) => {
    const began = performance.now()
    const act = api.app.database.transact(
      systemScope,
      async (db) => {
        await locks.execute(db)
        await work((text) => sql.raw(text).execute(db))
      },
      bounds,
    )
    const error: unknown = await act.then(
      () => null,
      (cause: unknown) => cause,
    )
    expect(performance.now() - began).toBeLessThan(10_000)
    await holdsNothing()
    return error
  }

  test('is ended in the middle of a statement', async () => {
    const error = await ended({ ms: 200 }, (ask) => ask('select pg_sleep(15)'))
    expect([error instanceof Overdue, databaseRefusal(error)?.def.name]).toEqual([
      true,
      'common.tooLong',
    ])
  })
  test('is ended between two, whatever it makes of a refusal', async () => {
    const error = await ended({ ms: 200 }, async (ask) => {
      for (;;) {
        await ask('savepoint one')
        await ask('select pg_sleep(0.02)').catch(() => {})
        await ask('rollback to savepoint one')
      }
    })
    expect(error).toBeInstanceOf(Overdue)
  })
  test('is ended when nobody waits for it any more', async () => {
    const left = new AbortController()
    setTimeout(() => left.abort(), 200)
    expect(await ended({ gone: left.signal }, (ask) => ask('select pg_sleep(15)'))).toBeInstanceOf(
      Overdue,
    )
    expect(await ended({ gone: left.signal }, (ask) => ask('select pg_sleep(15)'))).toBeInstanceOf(
      Overdue,
    )
  })
  test('is let alone when it ends in time', async () => {
    const left = new AbortController()
    expect(await ended({ ms: 1000, gone: left.signal }, (ask) => ask('select 1'))).toBeNull()
    // its time is over and its asker leaves while the connection does another one's work
    setTimeout(() => left.abort(), 200)
    expect(await ended({}, (ask) => ask('select pg_sleep(1.5)'))).toBeNull()
  })
})

test('a process that stood still in an act is told to come again, and its connection is not used again', async () => {
  const failure = await api.app.database
    .transact(systemScope, async (db) => {
      await sql`set local idle_in_transaction_session_timeout = '50ms'`.execute(db)
      const until = performance.now() + 300
      while (performance.now() < until);
      throw new Error('over')
    })
    .catch((error: unknown) => error)
  expect(databaseRefusal(failure)?.def.status).toBe(503)
  for (let n = 0; n < 20; n += 1)
    await api.app.database.transact(systemScope, (db) => sql`select 1`.execute(db))
})
