import type { App } from '../../../server/context.ts'
import { endLapsed } from './duties.ts'
import { guardFleet } from './guard.ts'
import { watchDrugLicences } from './licences.ts'

export async function registerDrugJobs(app: App): Promise<void> {
  await app.jobs.schedule('drug-guard-nightly', '30 2 * * *', () => guardFleet(app))
  await app.jobs.schedule('drug-licence-watch', '0 8 * * *', () => watchDrugLicences(app))
  app.jobs.every('pharmacist-lapse', 15_000, () => endLapsed(app))
}
