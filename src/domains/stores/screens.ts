import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/stores',
    title: bi('门店管理', 'Stores'),
    permission: 'store:read',
    parent: '/device/device-list',
  },
])
