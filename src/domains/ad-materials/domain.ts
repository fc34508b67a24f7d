import type { Domain } from '../../server/domain.ts'
import { adMaterials } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Files of advertisements, their review, and what is made of them. */
export const domain = {
  contract: adMaterials,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerMaterialJobs(app),
  locale,
  screens,
  standing: async () => (await import('./server/standing.ts')).standings,
  topics: { 'ad-materials': { rights: ['ad-material:read'] } },
} satisfies Domain<typeof adMaterials>
