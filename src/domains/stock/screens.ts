import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/stock/waste', title: bi('库存流水', 'Stock flow'), permission: 'stock-flow:read' },
])
