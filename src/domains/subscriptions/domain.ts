import type { Domain } from '../../server/domain.ts'
import { subscriptions } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Figures that come by themselves: lists as files and statements, in the app and by mail. */
export const domain = {
  contract: subscriptions,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  jobs: async (app) => (await import('./server/jobs.ts')).registerSubscriptionJobs(app),
} satisfies Domain<typeof subscriptions>
