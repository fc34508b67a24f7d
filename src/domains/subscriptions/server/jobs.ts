import type { App } from '../../../server/context.ts'
import { mailKind } from './mails.ts'
import { dropOld, fileKind, startDue } from './runs.ts'

export async function registerSubscriptionJobs(app: App): Promise<void> {
  app.jobs.work(fileKind(app))
  app.jobs.work(mailKind(app))
  await app.jobs.schedule('subscriptions', '0 * * * *', () => startDue(app))
  await app.jobs.schedule('subscriptions-clean', '40 4 * * *', () => dropOld(app))
}
