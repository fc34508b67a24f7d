import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/main-board',
    title: bi('主板管理', 'Main boards'),
    permission: 'main-board:read',
  },
  {
    path: '/device/unknown-boards',
    title: bi('未登记主板', 'Unknown boards'),
    permission: 'main-board:create',
    parent: '/device/main-board',
  },
])
