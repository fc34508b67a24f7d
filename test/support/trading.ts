import { moves, movesLast } from '../../src/domains/distribution/moves.ts'
import { orderCleanups } from '../../src/domains/order-cleanups/contract.ts'
import { refundKind } from '../../src/domains/orders/server/refunds.ts'
import { providers } from '../../src/domains/payments/server/providers.ts'
import { createRandom } from '../../src/seed/random.ts'
import { runDue } from '../../src/server/work.ts'
import { openWorld, restock, rowId, type World } from './world.ts'

export const tradingSeed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 1e9))

/**
 * Machines that sell at random across a midnight of Shanghai that ends a month, with refunds on
 * later days, a machine that moves to another owner, and cleaned orders: what reports must agree
 * with.
 */
export async function openTrading() {
  let clock = new Date('2026-10-31T15:20:00Z').getTime()
  const now = () => {
    clock += 400
    return new Date(clock)
  }
  const { next: random, pick } = createRandom(String(tradingSeed))
  const world: World = await openWorld({ now })
  const giveBack = async () => {
    while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  }
  const mendLanes = () =>
    world.sql(`update lanes set status = 'ENABLED', lock_reason = null, locked_at = null
      where status = 'LOCKED'`)
  /** Cleans an order whose money went back: what was answered, 0 without one. */
  async function clean(): Promise<number> {
    const [found] = await world.sql<{ num: string }>(
      `select order_num as num from orders where not excluded and paid_at is not null
        and paid_amount > 0 and refunded_amount = paid_amount order by id limit 1`,
    )
    if (!found) return 0
    const { status } = await world.call(
      orderCleanups.clean,
      { orderNums: [found.num], reason: '清理' } as never,
      { token: await world.login('ROLE_SUPER_ADMIN') },
    )
    if (status !== 200) throw new Error(`an order was not cleaned: ${status}`)
    return status
  }
  async function trade(times: number, act: (n: number) => Promise<void> = async () => {}) {
    for (let n = 0; n < times; n += 1) {
      const results = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        pick(['OK', 'OK', 'NO_DROP'] as const),
      )
      await mendLanes()
      await world.sell(pick(['OWN', 'CHILD', 'SIBLING'] as const), results)
      clock += random() * 240_000
      if (random() < 0.4) await giveBack()
      await act(n)
    }
  }
  /** The first machine of OWN goes to CHILD, or back. */
  async function move(): Promise<void> {
    for (const table of ['devices', ...Object.keys(moves), ...movesLast])
      await world.sql(
        `update ${table} set org_id = case org_id when 3 then 7 else 3 end
          where ${table === 'devices' ? 'id' : 'device_id'} = $1 and ${moves[table] ?? 'true'}`,
        [rowId('OWN', 1)],
      )
  }
  for (const where of ['OWN', 'CHILD', 'SIBLING'] as const)
    await restock(world, rowId(where, 1), 190)
  for (let n = 0; n < 4; n += 1) {
    await mendLanes()
    await world.sell('SIBLING', ['NO_DROP'])
  }
  return {
    ...{ world, trade, move, clean, giveBack },
    /** Time goes on. */
    wait: (ms: number) => {
      clock += ms
    },
    today: () => new Date(clock),
  }
}
export type Trading = Awaited<ReturnType<typeof openTrading>>
