import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('roles', () => import('../locale.ts'), {
  '/system/organ-role': () => import('./RoleList.tsx').then((m) => m.RoleList),
  '/system/organ-role/create': () => import('./RoleForm.tsx').then((m) => m.RoleForm),
  '/system/organ-role/edit/:id': () => import('./RoleForm.tsx').then((m) => m.RoleForm),
  '/system/organ-menu': () => import('./MenuList.tsx').then((m) => m.MenuList),
  '/system/organ-menu/create': () => import('./MenuForm.tsx').then((m) => m.MenuForm),
  '/system/organ-menu/edit/:id': () => import('./MenuForm.tsx').then((m) => m.MenuForm),
  '/system/createroledistribute': () => import('./Distribution.tsx').then((m) => m.Distribution),
})
