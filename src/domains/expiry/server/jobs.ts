import type { App } from '../../../server/context.ts'
import { sendDigest } from './tell.ts'

export async function registerExpiryJobs(app: App): Promise<void> {
  await app.jobs.schedule('expiry-digest', '0 8 * * *', () => sendDigest(app))
}
