import type { Domain } from '../../server/domain.ts'
import { adBindings } from './contract.ts'
import { locale } from './locale.ts'

/** Which program group plays on which machine, and when. */
export const domain = {
  contract: adBindings,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerBindingJobs(app),
  locale,
  topics: { 'ad-bindings': { rights: ['ad-binding:read'] } },
} satisfies Domain<typeof adBindings>
