import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/product/supplier-batch',
    title: bi('供应商与批次管理', 'Suppliers and batches'),
    permission: 'supplier:read',
    parent: '/product/product-manage',
  },
])
