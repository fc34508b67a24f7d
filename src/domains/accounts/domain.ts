import type { Domain } from '../../server/domain.ts'
import { accounts } from './contract.ts'
import { locale } from './locale.ts'

/** Organisations, people and roles as choices of every screen; who may do what. */
export const domain = {
  contract: accounts,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  jobs: async (app) => (await import('./server/firstPassword.ts')).registerFirstPassword(app),
  open: {
    'server/menuTree.ts': 'the menu tree a person gets',
    'server/named.ts': 'which organisation a file means',
    'server/owner.ts': 'whom something new is given to',
    'server/people.ts': 'who an account is',
  },
} satisfies Domain<typeof accounts>
