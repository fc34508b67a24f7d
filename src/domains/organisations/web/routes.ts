import { domainRoutes } from '../../../web/routes.ts'

const form = () => import('./OrganisationForm.tsx').then((m) => m.OrganisationForm)

export const routes = domainRoutes('organisations', () => import('../locale.ts'), {
  '/organ/organ-manage': () => import('./OrganisationList.tsx').then((m) => m.OrganisationList),
  '/organ/organ-manage/create': form,
  '/organ/organ-manage/edit/:id': form,
})
