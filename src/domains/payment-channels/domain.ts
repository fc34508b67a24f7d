import type { Domain } from '../../server/domain.ts'
import { locale } from './locale.ts'

/** Drivers of WeChat Pay and Alipay, and the merchants that are paid there. */
export const domain = {
  locale,
  open: {
    'server/bills.ts': 'why a bill is refused',
    'server/channels.ts': 'what a channel says, in one form',
    'server/merchants.ts': 'the only writer of merchants',
    'server/configs.ts': 'whom an order is paid to',
  },
} satisfies Domain
