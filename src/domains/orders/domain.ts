import type { Domain } from '../../server/domain.ts'
import { orders } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Orders, vending and refunds. */
export const domain = {
  contract: orders,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: {
    orders: { rights: ['order:read', 'dashboard:read', 'device:test'], watched: ['orders'] },
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerOrderJobs(app),
  open: {
    'server/giveBack.ts': 'payments that are made good are given back in one way',
    'server/revend.ts': 'and their pieces vended in one way',
    'server/supplement.ts': 'and orders made for them',
    'server/rollups.ts': 'orders that are cleaned leave the figures',
    'server/parked.ts': 'a count settles what machines said too late',
    'server/rows.ts': 'orders are locked in one way',
    'server/refunds.ts': 'what a payment channel is asked for',
    'server/timers.ts': 'orders are closed in one way',
    'server/specials.ts': 'packs that are vended again are counted in one way',
    'server/vend.ts': "the gateway's two doors",
  },
} satisfies Domain<typeof orders>
