import type { Domain } from '../../server/domain.ts'
import { deviceTags } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Words of an organisation for its machines. */
export const domain = {
  contract: deviceTags,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'device-tags': { rights: ['device-tag:read'] } },
} satisfies Domain<typeof deviceTags>
