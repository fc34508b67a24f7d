import type { Domain } from '../../server/domain.ts'
import { deviceSettings } from './contract.ts'
import { locale } from './locale.ts'

/** What a machine is told to do by itself. */
export const domain = {
  contract: deviceSettings,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
} satisfies Domain<typeof deviceSettings>
