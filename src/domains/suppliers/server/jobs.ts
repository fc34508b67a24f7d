import type { App } from '../../../server/context.ts'
import { watchLicences } from './licences.ts'

export async function registerSupplierJobs(app: App): Promise<void> {
  await app.jobs.schedule('licence-watch', '0 8 * * *', () => watchLicences(app))
}
