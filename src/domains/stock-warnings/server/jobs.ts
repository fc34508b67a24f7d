import type { App } from '../../../server/context.ts'
import { sweepWarnings } from './tell.ts'

export async function registerWarningJobs(app: App): Promise<void> {
  app.jobs.every('stock-warnings', 120_000, () => sweepWarnings(app))
}
