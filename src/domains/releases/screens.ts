import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/apk/apk-manage', title: bi('应用版本', 'App versions'), permission: 'apk:read' },
  {
    path: '/firmware/firmware-manage',
    title: bi('固件版本', 'Firmware versions'),
    permission: 'firmware:read',
  },
  { path: '/apk/apk-history', title: bi('升级记录', 'Update history'), permission: 'apk:read' },
  {
    path: '/firmware/firmware-history',
    title: bi('固件历史', 'Firmware history'),
    permission: 'firmware:read',
  },
])
