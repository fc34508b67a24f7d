import type { App } from '../../../server/context.ts'
import { expireDue, fanOut, publishDue, sweepEnded } from './fanout.ts'

/** Loops of the domain; rows are taken with skip locked, so several workers share them. */
export async function registerNoticeJobs(app: App): Promise<void> {
  app.jobs.every('notice-publish', 5000, async () => {
    while ((await publishDue(app)) > 0);
    while ((await fanOut(app)) > 0);
  })
  app.jobs.every('notice-expire', 30_000, async () => {
    while ((await expireDue(app)) > 0);
    while ((await sweepEnded(app)) > 0);
  })
  app.live.subscribe((topics) => {
    if (topics.includes('notices')) app.jobs.poke('notice-publish')
  })
}
