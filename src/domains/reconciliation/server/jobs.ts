import type { App } from '../../../server/context.ts'
import { askForBills, billKind, settleImport } from './billRun.ts'
import { closeDays } from './closing.ts'
import { crossDays } from './crossDays.ts'
import { reconcile } from './run.ts'

export async function registerReconciliationJobs(app: App): Promise<void> {
  await app.jobs.schedule('reconcile', '30 3 * * *', () => reconcile(app))
  await app.jobs.schedule('settle-import', '30 9,12 * * *', () => settleImport(app))
  await app.jobs.schedule('recon-crossday', '30 11 * * *', () => crossDays(app))
  await app.jobs.schedule('close-days', '40 11 * * *', () => closeDays(app))
  app.jobs.work(billKind(app))
  await app.jobs.schedule('payment-bills', '30 10 * * *', () => askForBills(app))
}
