import type { Domain } from '../../server/domain.ts'
import { roles } from './contract.ts'
import { locale } from './locale.ts'
import { menus as menuContract } from './menuContract.ts'
import { screens } from './screens.ts'

/** Roles with their rights, and the menus they see. */
export const domain = {
  contract: roles,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { roles: { rights: ['role:read', 'role:distribute-read'], shared: true } },
  open: {
    'server/assign.ts': 'which roles somebody may give',
    'server/named.ts': 'which role a file means',
  },
} satisfies Domain<typeof roles>

/** What stands in the menu. */
export const menus = {
  contract: menuContract,
  handlers: async () => (await import('./server/menus.ts')).handlers,
  topics: { menus: { rights: ['menu:read'], shared: true } },
} satisfies Domain<typeof menuContract>
