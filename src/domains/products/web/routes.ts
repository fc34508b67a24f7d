import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('products', () => import('../locale.ts'), {
  '/product/product-category': () => import('./CategoryList.tsx').then((m) => m.CategoryList),
  '/product/product-manage': () => import('./ProductList.tsx').then((m) => m.ProductList),
  '/product/product-manage/create': () => import('./ProductForm.tsx').then((m) => m.ProductForm),
  '/product/product-manage/edit/:id': () => import('./ProductForm.tsx').then((m) => m.ProductForm),
})
