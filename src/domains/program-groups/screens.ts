import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/market/market-program-group',
    title: bi('节目组', 'Program groups'),
    permission: 'program-group:read',
  },
])
