import type { Domain } from '../../server/domain.ts'
import { paymentChannels } from './contract.ts'
import { locale } from './locale.ts'

/** Drivers of WeChat Pay and Alipay, and the merchants that are paid there. */
export const domain = {
  contract: paymentChannels,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  open: {
    'server/sealedReceivers.ts': 'a split says to which account it goes',
    'server/splitChannel.ts': 'shares are paid where receivers are registered',
    'server/bills.ts': 'why a bill is refused',
    'server/billFile.ts': 'a bill that somebody uploads is read as one that was fetched',
    'server/channels.ts': 'what a channel says, in one form',
    'server/merchants.ts': 'the writer of merchants beside their page',
    'server/configs.ts': 'whom an order is paid to, and keys at rest',
    'server/keyChecks.ts': 'what a key must be',
  },
} satisfies Domain<typeof paymentChannels>
