import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/device-list/cargo-road/:id',
    title: bi('货道设置', 'Lanes'),
    permission: 'lane:read',
    parent: '/device/device-list',
    wide: true,
  },
])
