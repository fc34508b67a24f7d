import type { Domain } from '../../server/domain.ts'
import { deviceTypes } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Models of machines. */
export const domain = {
  contract: deviceTypes,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'device-types': { rights: ['device-type:read'], shared: true } },
} satisfies Domain<typeof deviceTypes>
