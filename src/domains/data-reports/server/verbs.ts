import type { Handlers } from '../../../server/bind.ts'
import type { dataReports } from '../contract.ts'
import { buyers, buyersTrend } from './buyers.ts'
import { offlineChannel, offlineMachines } from './drill.ts'
import { equipment, equipmentSummary } from './equipment.ts'
import { products, productsSummary, ranking, rankingSummary } from './goods.ts'
import { inventory, inventorySummary } from './inventory.ts'
import { financial, financialDifferences, financialSummary } from './money.ts'
import { sales, salesSummary } from './sales.ts'

export const handlers: Handlers<typeof dataReports> = {
  sales,
  salesSummary,
  products,
  productsSummary,
  ranking,
  rankingSummary,
  offlineChannel,
  offlineMachines,
  equipment,
  equipmentSummary,
  financial,
  financialSummary,
  financialDifferences,
  inventory,
  inventorySummary,
  buyers,
  buyersTrend,
}
