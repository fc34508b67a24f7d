import type { Domain } from '../../server/domain.ts'
import { dataReports } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Reports of /data: what was sold, where and of what. */
export const domain = {
  contract: dataReports,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
} satisfies Domain<typeof dataReports>
