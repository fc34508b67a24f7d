import type { Routes } from '../web/routes.ts'
import { alertRoutes } from './alerts/web/routes.ts'
import { auditRoutes } from './audit/web/routes.ts'
import { boardRoutes } from './boards/web/routes.ts'
import { complaintRoutes } from './complaints/web/routes.ts'
import { deviceTypeRoutes } from './device-types/web/routes.ts'
import { deviceRoutes } from './devices/web/routes.ts'
import { distributionRoutes } from './distribution/web/routes.ts'
import { jobsRoutes } from './jobs/web/routes.ts'
import { laneRoutes } from './lanes/web/routes.ts'
import { noticeRoutes } from './notices/web/routes.ts'
import { ordersRoutes } from './orders/web/routes.ts'
import { organisationRoutes } from './organisations/web/routes.ts'
import { productsRoutes } from './products/web/routes.ts'
import { reportsRoutes } from './reports/web/routes.ts'
import { rolesRoutes } from './roles/web/routes.ts'
import { securityRoutes } from './security/web/routes.ts'
import { sessionRoutes } from './session/web/routes.ts'
import { settingsRoutes } from './settings/web/routes.ts'
import { stockRoutes } from './stock/web/routes.ts'
import { storeRoutes } from './stores/web/routes.ts'
import { userRoutes } from './users/web/routes.ts'

/** Pages of every domain by their path, one line per domain; each page is its own lazy chunk. */
export const routes: Routes = {
  ...alertRoutes,
  ...auditRoutes,
  ...boardRoutes,
  ...complaintRoutes,
  ...deviceRoutes,
  ...deviceTypeRoutes,
  ...distributionRoutes,
  ...jobsRoutes,
  ...laneRoutes,
  ...noticeRoutes,
  ...ordersRoutes,
  ...organisationRoutes,
  ...productsRoutes,
  ...reportsRoutes,
  ...rolesRoutes,
  ...securityRoutes,
  ...sessionRoutes,
  ...settingsRoutes,
  ...stockRoutes,
  ...storeRoutes,
  ...userRoutes,
}
