import type { App } from '../../../server/context.ts'
import { chaseRecalls } from './chase.ts'
import { sweepExpiry } from './expiry.ts'
import { renewalKind } from './renewals.ts'
import { gatherCodes, uploadKind } from './uploads.ts'

/** A new day begins at midnight in Shanghai. */
export async function registerBatchJobs(app: App): Promise<void> {
  app.jobs.work(uploadKind(app))
  app.jobs.work(renewalKind(app))
  app.jobs.every('trace-upload', 60_000, () => gatherCodes(app))
  app.jobs.every('recall-chase', 15 * 60_000, () => chaseRecalls(app))
  app.jobs.every('lanes-expiry', 60_000, () => sweepExpiry(app))
}
