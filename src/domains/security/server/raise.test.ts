import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorld, type World } from '../../../../test/support/world.ts'
import { type Actor, type Ctx, systemActor } from '../../../server/context.ts'
import { noScope, systemScope } from '../../../server/database.ts'
import { act, bySystem, systemCaller } from '../../../server/run.ts'
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
    async (db) =>
      (
        await sql<{
          subject: string
          times: number
        }>`select subject, times from security_events where kind = 'PAYMENT_FORGED'`.execute(db)
      ).rows,
  )

it('counts repeats of one subject, bounds the subjects of a kind, and survives any text', async () => {
  const event = { orgId: 1, kind: 'PAYMENT_FORGED', subject: 'x'.repeat(200) } as const
  await bySystem(world.app, (ctx) =>
    raiseSecurity(ctx, { ...event, detail: { merchant: `\ud800\u0000${'y'.repeat(5000)}` } }),
  )
  await bySystem(world.app, (ctx) => raiseSecurity(ctx, event))
  await raiseApart(world.app, event)
  await raiseApart(world.app, event)
  expect(await rows()).toEqual([{ subject: 'x'.repeat(80), times: 3 }])
  await bySystem(world.app, async (ctx) => {
    for (let i = 0; i < mostOpen + 20; i += 1)
      await raiseSecurity(ctx, { ...event, subject: `n${i}` })
  })
  const all = await rows()
  expect([all.length, all.find((row) => row.subject === '*')?.times]).toEqual([mostOpen + 1, 21])
})

it('is told to people of the organisation, else to those of the nearest one above that may read it', async () => {
  await world.sql(
    `insert into organisations (id, parent_id, path, kind, name)
      values (9901, 7, '1.2.3.7.9901', 'OPERATOR', 'below')`,
  )
  const raise = (orgId: number) => (ctx: Ctx) =>
    raiseSecurity(ctx, { orgId, kind: 'WAY_UNDONE', subject: 'somebody' })
  const own = { ...systemActor, orgId: 9901, scope: { ...noScope, orgs: [9901] } }
  const told = async (orgId: number, by?: Actor) => {
    await world.sql('delete from messages')
    await (by
      ? act(world.app, systemCaller(by), { audit: null, scope: 'actor' }, raise(orgId))
      : bySystem(world.app, raise(orgId)))
    const rows = await world.sql<{ org: number }>(
      `select distinct org_id::int as org from messages where link = '/log/security-events'`,
    )
    await world.sql('delete from security_events')
    return rows.map(({ org }) => org)
  }
  expect([await told(3), await told(9901)]).toEqual([[3], [3]])
  await world.sql(`update users set status = 'DISABLED' where org_id = 3`)
  expect([await told(3), await told(9901), await told(9901, own)]).toEqual([[2], [2], [2]])
})
