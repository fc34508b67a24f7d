import type { Domain } from '../../server/domain.ts'
import { boards } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Main boards: what a machine signs in with. */
export const domain = {
  contract: boards,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: {
    'main-boards': { rights: ['main-board:read'] },
    'unknown-boards': { rights: ['main-board:create'] },
  },
  importer: async () => (await import('./server/importer.ts')).boardImporter,
  open: {
    'server/binding.ts': 'the only writer of which board a machine has, and of its secret',
    'server/codes.ts': 'the only writer of activation codes',
  },
} satisfies Domain<typeof boards>
