import type { App } from '../../../server/context.ts'
import { accrue, foldDues, mostDue, settleDue } from './accrue.ts'

export const accrualName = 'split-accrual'

export async function registerSplitJobs(app: App): Promise<void> {
  app.jobs.every(accrualName, 5000, async () => {
    await accrue(app)
    while ((await settleDue(app)) === mostDue);
  })
  app.jobs.every('split-dues', 60_000, () => foldDues(app))
}
