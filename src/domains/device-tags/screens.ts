import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/device-tags',
    title: bi('设备标签', 'Device tags'),
    permission: 'device-tag:read',
    parent: '/device/device-list',
  },
])
