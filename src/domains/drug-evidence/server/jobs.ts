import type { App } from '../../../server/context.ts'
import { evidenceKind, removeOldPacks } from './make.ts'

export async function registerEvidenceJobs(app: App): Promise<void> {
  app.jobs.work(evidenceKind(app))
  await app.jobs.schedule('evidence-expire', '40 4 * * *', () => removeOldPacks(app))
}
