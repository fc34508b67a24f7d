import type { App } from '../../../server/context.ts'
import { sweepControls } from './gateway.ts'

/** Commands that nobody took or finished in time end by the platform's clock. */
export async function registerCommandJobs(app: App): Promise<void> {
  app.jobs.every('device-commands', 1000, () => sweepControls(app))
}
