import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { type Kind, Lost, leased, type Piece } from '../../../server/work.ts'
import { dayMs } from '../../../shared/instants.ts'
import type { SimulationResult } from '../contract.ts'
import { limits, simulationFrom } from '../rules.ts'
import { type Kept, simulated } from './simulated.ts'

export const simulationsName = 'split-simulations'

type Due = Piece & { id: number; org_id: number; strategy_id: number; input: Kept }
type Made = { state: 'DONE'; result: SimulationResult; done: number }

/**
 * Reads what was sold a slice at a time, as of one moment, and divides it; between two slices
 * whoever waits comes first. Each slice renews the lease, and finds out whether somebody stopped it.
 */
export const simulationKind = (app: App): Kind<Due, Made> => {
  const kind: Kind<Due, Made> = {
    name: simulationsName,
    table: 'split_simulations',
    begins: sql`state = 'RUNNING', done = 0`,
    atOnce: 1,
    leaseSeconds: 60,
    waits: [10],
    do: run,
    async mark(ctx, due, to) {
      const state = to.state === 'RETRY' ? 'RUNNING' : to.state
      const result = to.state === 'DONE' ? JSON.stringify(to.result) : null
      await sql`update split_simulations set state = ${state}, next_at = ${to.nextAt},
          done = ${to.state === 'DONE' ? to.done : 0}, result = ${result}::jsonb,
          error = ${to.state === 'DONE' ? '' : to.reason.slice(0, 500)},
          finished_at = case when ${to.state === 'RETRY'} then null else ${ctx.now}::timestamptz end
        where ${due.ours} and state = any(${simulationFrom(state)})`.execute(ctx.db)
      ctx.touch('split-simulations', due.org_id)
    },
  }
  return kind

  async function run(due: Due): Promise<Made> {
    let toldAt = Number.NEGATIVE_INFINITY
    const progress = async (done: number) => {
      if (performance.now() - toldAt < 500) return
      toldAt = performance.now()
      const kept = await app.database.transact(systemScope, (db) =>
        sql`update split_simulations set ${leased(app, kind)}, done = ${done}
          where ${due.ours} and state = 'RUNNING'`.execute(db),
      )
      if (!kept.numAffectedRows) throw new Lost()
      app.live.publish(['split-simulations'], due.org_id)
    }
    const made = await app.database.snapshot(systemScope, (db) =>
      simulated(db, { ...due, orgId: due.org_id, strategyId: due.strategy_id }, progress),
    )
    return { state: 'DONE', ...made }
  }
}

export async function registerSimulationJobs(app: App): Promise<void> {
  app.jobs.work(simulationKind(app))
  await app.jobs.schedule('split-simulations-clean', '20 4 * * *', () => removeOld(app))
}
/** Results after their time. */
const removeOld = (app: App): Promise<void> =>
  bySystem(app, async ({ db, now }) => {
    await sql`delete from split_simulations where next_at is null
      and created_at < ${new Date(now.getTime() - limits.keepDays * dayMs)}`.execute(db)
  })
