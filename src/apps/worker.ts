import { startJobs } from '../domains/product.ts'
import { reportProcess } from '../domains/settings/server/processStats.ts'
import { foldAllBuyers } from '../server/buyerFolds.ts'
import type { App } from '../server/context.ts'
import { addUpCounts } from '../server/counted.ts'
import { foldAllSales } from '../server/folds.ts'
import { ensurePartitions } from '../server/partitions.ts'
import { addUpStockDays } from '../server/stockDays.ts'
import type { Part } from './api.ts'

/** Sweeps and schedules. Several workers may run; each sweep takes rows with skip locked. */
export async function startWorker(app: App): Promise<Part> {
  reportProcess(app, 'worker')
  await app.jobs.schedule('partitions', '10 3 * * *', () =>
    ensurePartitions(app.config.databaseUrl as string, app.now(), 1, 3),
  )
  app.jobs.every('row-counts', 5000, () => addUpCounts(app))
  app.jobs.every('stock-days', 5000, () => addUpStockDays(app))
  app.jobs.every('sales-folds', 600_000, () => foldAllSales(app))
  app.jobs.every('buyer-folds', 600_000, () => foldAllBuyers(app))
  await startJobs(app)
  await app.jobs.setRight()
  return { async stop() {} }
}
