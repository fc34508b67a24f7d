import type { Domain } from '../../server/domain.ts'
import { billAliases } from './bills.ts'
import { deviceAliases } from './devices.ts'
import { financeAliases } from './finance.ts'
import { laneAliases } from './lanes.ts'
import { orderAliases } from './orders.ts'
import { peopleAliases } from './people.ts'
import { productAliases } from './products.ts'
import { reportAliases } from './reports.ts'
import { stockAliases } from './stock.ts'

/** Paths of the specification's sample server. */
export const domain = {
  aliases: [
    ...billAliases,
    ...deviceAliases,
    ...financeAliases,
    ...laneAliases,
    ...orderAliases,
    ...peopleAliases,
    ...productAliases,
    ...reportAliases,
    ...stockAliases,
  ],
} satisfies Domain
