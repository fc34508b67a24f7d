import type { App } from '../../../server/context.ts'
import { closeUnpaid, sweepCommands } from './timers.ts'
import { forgetIdle } from './unpaid.ts'

/**
 * The sweeps of the order domain; each takes its rows with skip locked, so several workers share
 * them.
 */
export async function registerOrderJobs(app: App): Promise<void> {
  app.jobs.every('order-commands', 1000, () => sweepCommands(app))
  app.jobs.every('order-unpaid', 2000, () => closeUnpaid(app))
  app.jobs.every('order-unpaid-counts', 3_600_000, () => forgetIdle(app))
}
