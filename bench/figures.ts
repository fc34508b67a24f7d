import { openApp } from '../src/apps/app.ts'
import { accrue, mostDue, settleDue } from '../src/domains/splits/server/accrue.ts'
import { usualSize } from '../src/seed/scale/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { measured } from './gateway/cpu.ts'
import { saturate } from './gateway/saturate.ts'
import { sell } from './gateway/shop.ts'
import { prepare } from './gateway/vends.ts'
import { withScale } from './scale/database.ts'

/**
 * What the figures cost that triggers keep beside sales (rows of lists, what is due, marks of
 * accounts): rounds with them and without them in turns, each of sales, results of vends and shares.
 * Issue 14 wants at least 0.8 of the throughput without.
 */
const number = (name: string, usual: number) => Number(process.env[name] ?? usual)
const rounds = number('FIGURES_ROUNDS', 8)
const each = number('FIGURES_SALES', 500)
const size = {
  ...usualSize,
  ...{ orders: number('FIGURES_ORDERS', 100_000), unsplit: 2 * rounds * each },
}
const kept = `t.tgname in ('counted', 'recounted', 'marked') or t.tgname like 'note\\_due%'`
const parts = ['sold', 'stored', 'shared out', 'done'] as const

await withScale(size, {}, async ({ env, owner }) => {
  const app = await openApp(loadConfig({ ...env, DEMO: '0' }), 'bench')
  const triggers = await owner.query<{ name: string; at: string }>(`select t.tgname as name,
    t.tgrelid::regclass::text as at from pg_trigger t
    where not t.tgisinternal and t.tgparentid = 0 and (${kept})`)
  const keep = async (on: boolean) => {
    for (const { name, at } of triggers.rows)
      await owner.query(`alter table ${at} ${on ? 'enable' : 'disable'} trigger ${name}`)
  }
  // what waits for its shares is handed out round by round
  await owner.query(`create table waiting as select id, touched_at, row_number() over (order by id)
    as n from split_orders where touched_at is not null and state = 'WAIT'`)
  await owner.query('update split_orders set touched_at = null where touched_at is not null')
  const lanes = await owner.query<{ rtu: string; road: number; price: number }>(
    `select d.rtu_number as rtu, l.road_index as road, coalesce(l.price, l.retail_price)::int as price
    from lanes l join devices d on d.id = l.device_id
    join split_bindings b on b.device_id = d.id and b.released_at is null
    where d.rtu_number like 'HS%' and d.lifecycle = 'OPERATING' and l.quantity - l.reserved > 1
      and l.product_id is not null order by l.road_index, d.id limit $1`,
    [rounds * each],
  )
  const round = async (no: number) => {
    const own = lanes.rows.slice(no * each, (no + 1) * each)
    const facts = await prepare(owner, 'HS%', no * each, each)
    const vends = own.length
    const sold = await measured(owner, async () => {
      const left = [...own]
      const work = async () => {
        for (let one = left.pop(); one; one = left.pop())
          await sell(app, one.rtu, one.road, one.price)
      }
      await Promise.all([work(), work(), work(), work()])
      return vends
    })
    const stored = await saturate(app, owner, facts)
    await owner.query(`update split_orders set touched_at = null where touched_at is not null`)
    await owner.query(
      `update split_orders s set touched_at = w.touched_at from waiting w
      where w.id = s.id and w.n > $1 and w.n <= $2`,
      [no * each, (no + 1) * each],
    )
    const shared = await measured(owner, () => accrue(app))
    await owner.query(`update split_orders s set due_at = now() - interval '1 minute'
      from waiting w where w.id = s.id and s.state = 'READY'`)
    const settled = await measured(owner, async () => {
      let done = 0
      for (let some = mostDue; some === mostDue; done += some) some = await settleDue(app)
      return done
    })
    return [sold, stored, shared, settled]
  }
  // of one: time that passed, and time of a core, which a busy machine does not stretch
  const costs = { on: parts.map(() => [0, 0]), off: parts.map(() => [0, 0]) }
  let fewest = each
  // the first one warms up; then pairs, each beginning with the other
  await round(0)
  for (let no = 1; no < rounds - ((rounds - 1) % 2); no += 1) {
    const on = no % 4 === 1 || no % 4 === 0
    await keep(on)
    for (const [i, { ms, done, cpu }] of (await round(no)).entries()) {
      const cost = costs[on ? 'on' : 'off'][i] as number[]
      cost[0] = (cost[0] ?? 0) + ms / Math.max(1, done)
      cost[1] = (cost[1] ?? 0) + cpu.node + cpu.database
      fewest = Math.min(fewest, done)
    }
  }
  await keep(true)
  const pace = (from: number, to: number) =>
    [0, 1].map((at) => {
      const [off, on] = [costs.off, costs.on].map((list) =>
        list.slice(from, to).reduce((sum, cost) => sum + (cost[at] ?? 0), 0),
      )
      return (off ?? 0) / (on || 1)
    })
  const said = ([time, core]: readonly number[]) =>
    `${time?.toFixed(2)} of the pace without figures, ${core?.toFixed(2)} by time of a core`
  for (const [i, part] of parts.entries()) console.log(`${part.padEnd(11)} ${said(pace(i, i + 1))}`)
  const whole = pace(0, parts.length)
  const fine = (whole[1] ?? 0) >= 0.8 && fewest > each / 2
  console.log(
    `${fine ? 'ok  ' : 'FAIL'} ${triggers.rows.length} triggers, at least ${fewest} of each: ${said(whole)}`,
  )
  await closeApp(app)
  return fine
})
