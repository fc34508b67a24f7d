import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/stock/replenish',
    title: bi('补货管理', 'Replenishment'),
    permission: 'replenish:read',
  },
])
