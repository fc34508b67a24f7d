import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/device-distribution',
    title: bi('设备分配', 'Device distribution'),
    permission: 'device:assign',
  },
  {
    path: '/device/device-list/distribution/:id',
    title: bi('设备分配', 'Distribute device'),
    permission: 'device:assign',
    parent: '/device/device-list',
  },
])
