import type { App } from '../../../server/context.ts'
import { tellMoves } from './places.ts'

export async function registerDeviceJobs(app: App): Promise<void> {
  app.jobs.every('drug-machine-moves', 10_000, () => tellMoves(app))
}
