import type { Domain } from '../../server/domain.ts'

/** Which drug may be placed, loaded and sold where, and what was refused. */
export const domain = {
  topics: {
    'drug-refusals': { rights: ['drug-evidence:read'], watched: ['drug_guard_refusals'] },
  },
  open: {
    'server/facts.ts': 'what the guard is told stands in one place',
    'server/version.ts': 'whoever asks the guard elsewhere is told which one it is',
    'server/refusals.ts': 'the only writer of what it refused',
  },
} satisfies Domain
