import type { App } from '../../../server/context.ts'
import { exportKind, removeExpired } from './exports.ts'

export async function registerJobJobs(app: App): Promise<void> {
  app.jobs.work(exportKind(app, 'quick'))
  app.jobs.work(exportKind(app, 'large'))
  await app.jobs.schedule('job-files-expire', '20 4 * * *', () => removeExpired(app))
}
