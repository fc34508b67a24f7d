import { randomInt } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, restock, rowId, type World, worldNow } from '../../test/support/world.ts'
import { deviceCommands } from '../domains/device-commands/contract.ts'
import { moves, movesLast } from '../domains/distribution/moves.ts'
import { orderCleanups } from '../domains/order-cleanups/contract.ts'
import { orders } from '../domains/orders/contract.ts'
import { refundKind } from '../domains/orders/server/refunds.ts'
import { recordVend, takeCommands } from '../domains/orders/server/vend.ts'
import { providers } from '../domains/payments/server/providers.ts'
import { createRandom } from '../seed/random.ts'
import { addUpCounts } from './counted.ts'
import { foldAllSales } from './folds.ts'
import { rebuildRollups, rollups, verifyRollups } from './rollups.ts'
import { runDue } from './work.ts'

/** Every figure that is kept is what its facts come to, whatever was done, and can be made anew. */
let world: World
let owner: pg.Client
let now = worldNow
beforeAll(async () => {
  world = await openWorld({ now: () => now })
  owner = new pg.Client({ connectionString: world.ownerUrl })
  await owner.connect()
  await owner.query(`select set_config('app.all', 'on', false)`)
}, 60_000)
afterAll(async () => {
  await owner?.end()
  await world?.close()
})
const wrong = async () => (await verifyRollups(owner)).filter(({ rows }) => rows.length)

const seed = Number(process.env.MODEL_SEED ?? randomInt(1e6))
test(`figures equal the facts after random acts (MODEL_SEED=${seed})`, async () => {
  const { int } = createRandom(String(seed))
  const roll = (below: number) => int(0, below - 1)
  const token = await world.login('ROLE_SUPER_ADMIN')
  const sold: { orderNum: string }[] = []
  const device = rowId('OWN', 1)
  for (const where of ['OWN', 'CHILD'] as const) await restock(world, rowId(where, 1), 190)
  // from the evening of a day to the afternoon of the next in Shanghai, by unequal steps
  now = new Date('2026-11-20T12:30:00Z')
  for (let n = 0; n < Number(process.env.MODEL_OPERATIONS ?? 30); n += 1) {
    now = new Date(now.getTime() + roll(60) * 60_000 + roll(60_000))
    const act = n < 3 ? 0 : roll(10)
    if (act < 5) {
      const results = [['OK'], ['OK', 'NO_DROP'], ['NO_DROP'], ['OK', 'OK']] as const
      const given = results[roll(4)] as (typeof results)[number]
      // a lane that failed is mended
      await world.sql(`update lanes set status = 'ENABLED', lock_reason = null, locked_at = null
        where status = 'LOCKED'`)
      const orderNum = await world.sell(roll(2) ? 'OWN' : 'CHILD', given)
      sold.push({ orderNum })
    } else if (act < 7 && sold.length) {
      const { orderNum } = sold[roll(sold.length)] as { orderNum: string }
      await world.call(
        orders.refund,
        { orderNum, all: true, reason: 'QUALITY', remark: 'x' } as never,
        {
          token,
        },
      )
    } else if (act < 8) {
      const number = sold[roll(Math.max(1, sold.length))]?.orderNum
      if (number)
        await world.call(
          roll(2) ? orderCleanups.clean : orderCleanups.restore,
          { orderNums: [number], reason: '清理' } as never,
          { token },
        )
    } else if (act < 9) {
      // the machine goes to the other organisation and what it sold stays
      for (const table of ['devices', ...Object.keys(moves), ...movesLast])
        await world.sql(
          `update ${table} set org_id = case org_id when 3 then 7 else 3 end
            where ${table === 'devices' ? 'id' : 'device_id'} = $1
              and ${moves[table] ?? 'true'}`,
          [device],
        )
    } else {
      await addUpCounts(world.app)
      await foldAllSales(world.app)
    }
    while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  }
  const days = await world.sql(`select distinct at from sales_rollups where grain = 'DAY'`)
  expect(days.length).toBeGreaterThan(1)
  await foldAllSales(world.app)
  expect(await wrong()).toEqual([])
}, 120_000)

test('a test of a lane stands in no figure, and takes none with it when it is cleaned', async () => {
  const token = await world.login('ROLE_SUPER_ADMIN')
  const device = rowId('SIBLING', 1)
  const asked = await world.call(deviceCommands.testVend, { id: device, laneId: device } as never, {
    token,
  })
  expect([asked.status, asked.body.message]).toEqual([200, undefined])
  for (const { deviceId, cmdId } of await takeCommands(world.app, [device])) {
    const given = { kind: 'result', deviceId, cmdId, result: 'OK', dropDetected: true } as const
    await world.system((ctx) => recordVend(ctx, [{ ...given, durationMs: 900, at: now }]))
  }
  const [made] = await world.sql<{ no: string; state: string }>(
    `select o.order_num as no, u.vend_state as state from orders o
      join order_units u on u.order_id = o.id where o.order_type = 'TEST'`,
  )
  expect(made?.state).toBe('SUCCESS')
  await foldAllSales(world.app)
  expect(await wrong()).toEqual([])
  const input = { orderNums: [made?.no], reason: '清理' } as never
  expect((await world.call(orderCleanups.clean, input, { token })).status).toBe(200)
  await foldAllSales(world.app)
  expect(await wrong()).toEqual([])
})

test('what differs is named, and is right when it was made anew', async () => {
  await addUpCounts(world.app)
  const before = await owner.query('select sum(paid) as paid from sales_rollups')
  await owner.query(`update sales_rollups set paid = paid + 1 where grain = 'HOUR'`)
  await owner.query(`delete from product_rollups where org_id = $1`, [place.CHILD])
  await owner.query(`update row_counts set rows = rows + 1 where list = 'orders'`)
  await owner.query(`update bill_days set fee = 3`)
  expect((await wrong()).map(({ name }) => name)).toEqual([
    'sales by hour equal the facts',
    'sales by product equal the facts',
    'rows of lists are counted as they are written',
    'bills equal the facts',
  ])
  await rebuildRollups(owner)
  expect(await wrong()).toEqual([])
  expect((await owner.query('select sum(paid) as paid from sales_rollups')).rows).toEqual(
    before.rows,
  )
  expect((await verifyRollups(owner)).length).toBe(rollups.length)
}, 60_000)

test('who sells while they are made anew is in them', async () => {
  const sale = world.sell('OWN', ['OK'])
  await rebuildRollups(owner)
  await sale
  expect(await wrong()).toEqual([])
}, 60_000)
