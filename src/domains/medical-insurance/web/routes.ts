import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('medicalInsurance', () => import('../locale.ts'), {
  '/product/medical-insurance': () => import('./InsuranceList.tsx').then((m) => m.InsuranceList),
})
