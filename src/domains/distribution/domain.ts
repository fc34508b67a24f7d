import type { Domain } from '../../server/domain.ts'
import { distribution } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Whose a machine is and who looks after it. */
export const domain = {
  contract: distribution,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  importer: async () => (await import('./server/importer.ts')).assignmentImporter,
  open: {
    'web/AssignDialog.tsx': 'who looks after machines, from the list that shows what they want',
    'server/transfer.ts': 'the only writer of whose a machine is',
  },
} satisfies Domain<typeof distribution>
