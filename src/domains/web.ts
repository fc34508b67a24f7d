import type { Routes } from '../web/routes.ts'
import { productsRoutes } from './products/web/routes.ts'
import { reportsRoutes } from './reports/web/routes.ts'
import { sessionRoutes } from './session/web/routes.ts'
import { stockRoutes } from './stock/web/routes.ts'

/** Pages of every domain by their path, one line per domain; each page is its own lazy chunk. */
export const routes: Routes = {
  ...productsRoutes,
  ...reportsRoutes,
  ...sessionRoutes,
  ...stockRoutes,
}
