import type { Domain } from '../../server/domain.ts'
import { medicalInsurance } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What the national medical insurance says about drugs. */
export const domain = {
  contract: medicalInsurance,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'medical-insurance': { rights: ['medical-insurance:read'], shared: true } },
  importer: async () => (await import('./server/importer.ts')).insuranceImporter,
} satisfies Domain<typeof medicalInsurance>
