import type { App } from '../../../server/context.ts'
import { mailKind } from './mail.ts'
import { openReds } from './reds.ts'

export async function registerInvoiceJobs(app: App): Promise<void> {
  app.jobs.every('invoice-reds', 10_000, () => openReds(app))
  app.jobs.work(mailKind(app))
}
