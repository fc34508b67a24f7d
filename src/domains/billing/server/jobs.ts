import type { App } from '../../../server/context.ts'
import { issueStatements, statementKind } from './statements.ts'

export async function registerBillingJobs(app: App): Promise<void> {
  app.jobs.work(statementKind(app))
  await app.jobs.schedule('statement-month', '0 6 1 * *', () => issueStatements(app))
}
