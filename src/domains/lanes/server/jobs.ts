import type { App } from '../../../server/context.ts'
import { runNextCopy } from './copyRun.ts'
import { runNextPrices } from './priceRun.ts'

/** Copies to other machines, one machine a turn, and prices whose time has come; several workers share both. */
export async function registerLaneJobs(app: App): Promise<void> {
  app.jobs.every('lane-copies', 2000, async () => {
    if (await runNextCopy(app)) app.jobs.poke('lane-copies')
  })
  app.live.subscribe((topics) => {
    if (topics.includes('lane-copies')) app.jobs.poke('lane-copies')
  })
  app.jobs.every('price-schedules', 5000, async () => {
    if (await runNextPrices(app)) app.jobs.poke('price-schedules')
  })
}
