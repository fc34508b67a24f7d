import type { Routes } from '../web/routes.ts'
import { publicSessionRoutes } from './session/web/publicRoutes.ts'

/** Pages open without a session, one line per domain; they must not pull in the shell or antd. */
export const publicRoutes: Routes = { ...publicSessionRoutes }
