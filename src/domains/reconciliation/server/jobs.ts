import type { App } from '../../../server/context.ts'
import { reconcile, reconcileBills } from './run.ts'

/** Channels have the bill of a day at ten in the morning after it. */
export async function registerReconciliationJobs(app: App): Promise<void> {
  await app.jobs.schedule('reconcile', '30 3 * * *', () => reconcile(app))
  await app.jobs.schedule('payment-bills', '30 10 * * *', async () => {
    await reconcileBills(app)
  })
}
