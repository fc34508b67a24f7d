import type { App } from '../../../server/context.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { askForBills, billKind } from './billChecks.ts'
import { checkKind } from './checks.ts'
import { providers } from './providers.ts'

/** Payments and refunds, by the channel that was paid through, and the bills of its days. */
export async function registerPaymentJobs(app: App): Promise<void> {
  app.jobs.work(refundKind(app, providers(app)))
  app.jobs.work(checkKind(app))
  app.jobs.work(billKind(app))
  await app.jobs.schedule('payment-bills-day', '30 10 * * *', () => askForBills(app))
}
