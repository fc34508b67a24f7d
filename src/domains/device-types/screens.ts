import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/device-category',
    title: bi('设备类型', 'Device types'),
    permission: 'device-type:read',
  },
])
