import type { App } from '../../../server/context.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { providers } from './providers.ts'

/** Refunds, by the channel that was paid through. */
export async function registerPaymentJobs(app: App): Promise<void> {
  app.jobs.work(refundKind(app, providers))
}
