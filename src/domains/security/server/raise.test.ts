import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorld, type World } from '../../../../test/support/world.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { mostOpen } from '../rules.ts'
import { raiseApart, raiseSecurity } from './raise.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const rows = () =>
  world.app.database.read(
    systemScope,
    async (db) => (await sql<{ subject: string; times: number }>`select subject, times from security_events where kind = 'PAYMENT_FORGED'`.execute(db)).rows,
  )

it('counts repeats of one subject, bounds the subjects of a kind, and survives any text', async () => {
  const event = { orgId: 1, kind: 'PAYMENT_FORGED', subject: 'x'.repeat(200) } as const
  await bySystem(world.app, (ctx) => raiseSecurity(ctx, { ...event, detail: { merchant: `\ud800\u0000${'y'.repeat(5000)}` } }))
  await bySystem(world.app, (ctx) => raiseSecurity(ctx, event))
  await raiseApart(world.app, event)
  await raiseApart(world.app, event)
  expect(await rows()).toEqual([{ subject: 'x'.repeat(80), times: 3 }])
  await bySystem(world.app, async (ctx) => {
    for (let i = 0; i < mostOpen + 20; i += 1) await raiseSecurity(ctx, { ...event, subject: `n${i}` })
  })
  const all = await rows()
  expect([all.length, all.find((row) => row.subject === '*')?.times]).toEqual([mostOpen + 1, 21])
})
