import type { App } from '../../../server/context.ts'
import { markBalances } from './marks.ts'
import { issueStatements, statementKind } from './statements.ts'
import { mailKind, mailWeek } from './subscriptions.ts'

export async function registerBillingJobs(app: App): Promise<void> {
  app.jobs.work(statementKind(app))
  app.jobs.work(mailKind(app))
  await app.jobs.schedule('statement-month', '0 6 1 * *', () => issueStatements(app))
  await app.jobs.schedule('statement-week', '0 7 * * 1', () => mailWeek(app))
}
