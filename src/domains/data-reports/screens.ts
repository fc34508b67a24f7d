import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/data/sales-report',
    title: bi('销售报表', 'Sales report'),
    permission: 'sales-report:read',
  },
  {
    path: '/data/products-report',
    title: bi('商品报表', 'Products report'),
    permission: 'product-report:read',
  },
  {
    path: '/data/best-selling-products',
    title: bi('畅销商品', 'Best-selling products'),
    permission: 'best-selling:read',
  },
])
