import type { App } from '../../../server/context.ts'
import { removeExpired, runNextExport } from './exports.ts'

/** Two lanes, so that a short list never waits behind a long one; several workers share them. */
export async function registerJobJobs(app: App): Promise<void> {
  for (const [name, quick] of [
    ['exports-quick', true],
    ['exports-large', false],
  ] as const) {
    app.jobs.every(name, 2000, async () => {
      // one after the other until none is left
      if (await runNextExport(app, quick)) app.jobs.poke(name)
    })
    app.live.subscribe((topics) => {
      if (topics.includes('job-queue')) app.jobs.poke(name)
    })
  }
  await app.jobs.schedule('job-files-expire', '20 4 * * *', () => removeExpired(app))
}
