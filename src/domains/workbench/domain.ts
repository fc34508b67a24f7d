import type { Domain } from '../../server/domain.ts'
import { workbench } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What needs somebody now, and the display on the wall. */
export const domain = {
  contract: workbench,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'screen-links': { rights: ['screen:share'] } },
} satisfies Domain<typeof workbench>
