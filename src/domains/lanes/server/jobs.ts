import type { App } from '../../../server/context.ts'
import { copyKind } from './copyRun.ts'
import { priceKind } from './priceRun.ts'

/** Copies to other machines, one machine at a time, and prices whose time has come. */
export async function registerLaneJobs(app: App): Promise<void> {
  app.jobs.work(copyKind(app))
  app.jobs.work(priceKind(app))
}
