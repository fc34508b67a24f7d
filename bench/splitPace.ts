import { openApp } from '../src/apps/app.ts'
import { accrue, mostDue, settleDue } from '../src/domains/splits/server/accrue.ts'
import { usualSize } from '../src/seed/scale/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { type Measured, measured } from './gateway/cpu.ts'
import { saturate } from './gateway/saturate.ts'
import { prepare } from './gateway/vends.ts'
import { withScale } from './scale/database.ts'

/**
 * Whether shares keep pace with sales: over a large installation results of vends as fast as the
 * gateway stores them, before and after the orders that wait are shared out and done. Below one,
 * orders at the gateway's full speed would wait longer and longer for their shares.
 */
const number = (name: string, usual: number) => Number(process.env[name] ?? usual)
const unsplit = number('PACE_UNSPLIT', 50_000)
const size = {
  ...usualSize,
  machines: number('PACE_MACHINES', usualSize.machines),
  operators: number('PACE_OPERATORS', usualSize.operators),
  orders: number('PACE_ORDERS', usualSize.orders),
  unsplit,
}
const vends = number('PACE_VENDS', 4000)

const say = (what: string, { done, perSecond, cpu }: Measured) =>
  console.log(
    `${what.padEnd(11)} ${done}, ${Math.round(perSecond)} a second; CPU of one: ${cpu.node} us here, ${cpu.database} us in the database`,
  )

await withScale(size, {}, async ({ env, owner }) => {
  const app = await openApp(loadConfig({ ...env, DEMO: '0' }), 'bench')
  const counted = async (which: string) => {
    const { rows } = await owner.query<{ n: number }>(`select count(*)::int as n from ${which}`)
    return rows[0]?.n ?? -1
  }
  const store = async (from: number) =>
    saturate(app, owner, await prepare(owner, 'HS%', from, vends))
  const before = await store(0)
  say('stored', before)
  // those of the vends have no payment: they are no part of it
  await owner.query(`update split_orders set touched_at = null where order_id > 9000000`)
  const waiting = await counted(
    '(select distinct order_id from split_orders where touched_at is not null) x',
  )
  const shared = await measured(owner, () => accrue(app))
  say('shared out', shared)
  await owner.query(`update split_orders set due_at = now() - interval '1 minute'
    where state = 'READY'`)
  const due = await counted(`split_orders where state = 'READY'`)
  const settled = await measured(owner, async () => {
    let done = 0
    for (let some = mostDue; some === mostDue; done += some) some = await settleDue(app)
    return done
  })
  say('done', settled)
  const after = await store(vends)
  say('stored', after)
  const pace = 1000 / (shared.ms / shared.done + settled.ms / settled.done)
  const stored = (before.done + after.done) / ((before.ms + after.ms) / 1000)
  const sold = await counted(`vend_commands where state = 'SUCCESS' and order_num like '9%'`)
  const wrong = await counted(`split_orders where fail_reason is not null and order_id < 9000000`)
  const kept = [shared.done === waiting, settled.done === due, sold === 2 * vends, wrong === 0]
  console.log(
    `${kept.every(Boolean) ? 'ok  ' : `FAIL ${kept}`} settled ${Math.round(pace)} a second / stored ${Math.round(stored)} a second = ${(pace / stored).toFixed(1)}`,
  )
  await closeApp(app)
  return kept.every(Boolean)
})
