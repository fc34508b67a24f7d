import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('replenishment', () => import('../locale.ts'), {
  '/stock/replenish': () => import('./TaskPage.tsx').then((m) => m.TaskPage),
  '/stock/replenish/route': () => import('./RoutePage.tsx').then((m) => m.RoutePage),
  '/stock/replenish/sync': () => import('./SyncPage.tsx').then((m) => m.SyncPage),
  '/stock/replenish/visits': () => import('./VisitList.tsx').then((m) => m.VisitList),
  '/stock/replenish/pick-lists': () => import('./PickLists.tsx').then((m) => m.PickLists),
  '/stock/replenish/pick-lists/:id': () => import('./PickItems.tsx').then((m) => m.PickItems),
  '/stock/waste/correct/:id': () => import('./CorrectPage.tsx').then((m) => m.CorrectPage),
  '/stock/replenish/visit/:id': () => import('./VisitPage.tsx').then((m) => m.VisitPage),
})
