import type { App } from '../../../server/context.ts'
import { sweepPictures } from './unused.ts'

export async function registerFileJobs(app: App): Promise<void> {
  await app.jobs.schedule('pictures-unused', '50 3 * * *', () => sweepPictures(app))
}
