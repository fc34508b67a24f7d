import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('workbench', () => import('../locale.ts'), {
  '/workbench/situation': () => import('./Situation.tsx').then((m) => m.Situation),
  '/workbench/big-data': () => import('./BigData.tsx').then((m) => m.BigData),
  '/workbench/big-data/links': () => import('./LinkList.tsx').then((m) => m.LinkList),
})
