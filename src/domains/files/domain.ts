import type { Domain } from '../../server/domain.ts'
import { files } from './contract.ts'
import { locale } from './locale.ts'

/** Pictures that people upload. */
export const domain = {
  contract: files,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
} satisfies Domain<typeof files>
