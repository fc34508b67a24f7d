import type { App } from '../../../server/context.ts'
import { markBalances } from './marks.ts'
import { issueStatements, statementKind } from './statements.ts'

export async function registerBillingJobs(app: App): Promise<void> {
  app.jobs.work(statementKind(app))
  app.jobs.every('ledger-marks', 30_000, () => markBalances(app))
  await app.jobs.schedule('statement-month', '0 6 1 * *', () => issueStatements(app))
}
