import type { App } from '../../../server/context.ts'
import { sweepExpiry } from './expiry.ts'

/** A new day begins at midnight in Shanghai. */
export async function registerBatchJobs(app: App): Promise<void> {
  app.jobs.every('lanes-expiry', 60_000, () => sweepExpiry(app))
}
