import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/stock/cordon_stock',
    title: bi('库存预警', 'Stock warning'),
    permission: 'stock-warning:read',
  },
])
