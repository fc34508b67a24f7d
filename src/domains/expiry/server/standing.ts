import type { Standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { expiry } from '../contract.ts'
import { stands } from './queries.ts'

const same = {
  list: expiry.list,
  page: '/stock/prompt-expired-goods',
  act: ['near-expiry:update'],
  money: 'product:cost',
  per: 'ONCE',
} as const

export const standings: readonly Standing[] = [
  {
    ...same,
    key: 'expiredGoods',
    title: bi('过期商品', 'Expired goods'),
    tone: 'fault',
    filter: () => ({ state: 'expired' }),
    measure: (ctx) => stands(ctx, 'expired'),
  },
  {
    ...same,
    key: 'nearExpiry',
    title: bi('临期商品', 'Goods near their date'),
    tone: 'warn',
    filter: () => ({ state: 'near' }),
    measure: (ctx) => stands(ctx, 'near'),
  },
]
