import type { Domain } from '../../server/domain.ts'
import { drugEvidence } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What a regulator is handed: signed files about machines, a batch or a box. */
export const domain = {
  contract: drugEvidence,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'drug-evidence': { rights: ['drug-evidence:read'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerEvidenceJobs(app),
} satisfies Domain<typeof drugEvidence>
