import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/product/supplier-batch/batches',
    title: bi('批次管理', 'Batches'),
    permission: 'batch:read',
    parent: '/product/product-manage',
  },
])
