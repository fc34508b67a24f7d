import type { Domain } from '../../server/domain.ts'
import { programGroups } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Creatives in an order, for one kind of slot, with the hours in which they play. */
export const domain = {
  contract: programGroups,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  open: {
    'server/bound.ts': 'whoever binds groups takes his turn, and is refused what meets',
    'server/queries.ts': 'hours as people write them, of bindings too',
  },
  topics: { 'program-groups': { rights: ['program-group:read'] } },
} satisfies Domain<typeof programGroups>
