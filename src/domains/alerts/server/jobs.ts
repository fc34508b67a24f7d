import type { App } from '../../../server/context.ts'
import { forgetOld, sendKind } from './deliver.ts'
import { recipientKind } from './recipients.ts'
import { sweepAlerts } from './sweep.ts'

export async function registerAlertJobs(app: App): Promise<void> {
  app.jobs.every('alerts', 5000, () => sweepAlerts(app))
  app.jobs.work(sendKind(app))
  app.jobs.work(recipientKind(app))
  app.jobs.every('alerts-clean', 3_600_000, () => forgetOld(app))
}
