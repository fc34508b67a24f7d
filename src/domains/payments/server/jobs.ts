import type { App } from '../../../server/context.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { checkKind } from './checks.ts'
import { providers } from './providers.ts'

/** Payments and refunds, by the channel that was paid through. */
export async function registerPaymentJobs(app: App): Promise<void> {
  app.jobs.work(refundKind(app, providers(app)))
  app.jobs.work(checkKind(app))
}
