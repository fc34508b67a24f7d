import type { App } from '../../../server/context.ts'
import { forgetOld, runOutbox } from './deliver.ts'
import { sendLoop } from './outbox.ts'
import { sweepAlerts } from './sweep.ts'

export async function registerAlertJobs(app: App): Promise<void> {
  app.jobs.every('alerts', 5000, () => sweepAlerts(app))
  app.jobs.every(sendLoop, 2000, () => runOutbox(app))
  app.jobs.every('alerts-clean', 3_600_000, () => forgetOld(app))
}
