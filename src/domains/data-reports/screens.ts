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
    path: '/data/offline-equipment',
    title: bi('线下设备', 'Offline equipment'),
    permission: 'device-report:read',
  },
  {
    path: '/data/best-selling-products',
    title: bi('畅销商品', 'Best-selling products'),
    permission: 'best-selling:read',
  },
  {
    path: '/data/financial-data',
    title: bi('财务数据', 'Financial data'),
    permission: 'financial-data:read',
  },
  {
    path: '/data/financial-data/differences',
    title: bi('对账差异', 'Differences'),
    permission: 'financial-data:read',
    parent: '/data/financial-data',
  },
  {
    path: '/data/inventory-report',
    title: bi('库存报表', 'Inventory report'),
    permission: 'inventory-report:read',
  },
  {
    path: '/data/user-data',
    title: bi('用户数据', 'User data'),
    permission: 'user-data:read',
  },
  // drill-downs of the home page: no menu leads to a child of the root, each figure has its own right
  {
    path: '/best-selling-products',
    title: bi('畅销商品', 'Best-selling products'),
    permission: 'self',
  },
  { path: '/offline-equipment', title: bi('线下设备', 'Machines'), permission: 'self' },
  { path: '/online-platform', title: bi('线上平台', 'Online mall'), permission: 'self' },
])
