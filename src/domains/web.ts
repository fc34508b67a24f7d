import type { Routes } from '../web/routes.ts'
import { deviceTypeRoutes } from './device-types/web/routes.ts'
import { deviceRoutes } from './devices/web/routes.ts'
import { laneRoutes } from './lanes/web/routes.ts'
import { ordersRoutes } from './orders/web/routes.ts'
import { productsRoutes } from './products/web/routes.ts'
import { reportsRoutes } from './reports/web/routes.ts'
import { sessionRoutes } from './session/web/routes.ts'
import { stockRoutes } from './stock/web/routes.ts'

/** Pages of every domain by their path, one line per domain; each page is its own lazy chunk. */
export const routes: Routes = {
  ...deviceRoutes,
  ...deviceTypeRoutes,
  ...laneRoutes,
  ...ordersRoutes,
  ...productsRoutes,
  ...reportsRoutes,
  ...sessionRoutes,
  ...stockRoutes,
}
