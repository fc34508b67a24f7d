import type { App } from '../../../server/context.ts'
import { transferKind } from './pay.ts'

export function registerWithdrawalJobs(app: App): void {
  app.jobs.work(transferKind(app))
}
