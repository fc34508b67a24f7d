import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/device/device-list', title: bi('设备列表', 'Device list'), permission: 'device:read' },
  {
    path: '/device/device-map',
    title: bi('设备地图', 'Device map'),
    permission: 'device:read',
    parent: '/device/device-list',
  },
  {
    path: '/device/device-list/edit/:id',
    title: bi('编辑设备', 'Edit device'),
    permission: 'device:update',
    parent: '/device/device-list',
  },
  {
    path: '/device/device-create',
    title: bi('创建设备', 'Create devices'),
    permission: 'device:create',
  },
])
