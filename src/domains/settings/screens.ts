import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const home = '/system/organ-system'

export const screens = defineScreens([
  { path: home, title: bi('系统设置', 'System settings'), permission: 'setting:read' },
  {
    path: '/system/calendar',
    title: bi('节假日日历', 'Calendar'),
    permission: 'setting:read',
    parent: home,
  },
  {
    path: '/system/dictionary',
    title: bi('字典', 'Dictionary'),
    permission: 'setting:read',
    parent: home,
  },
  {
    path: '/system/server',
    title: bi('服务器状态', 'Server'),
    permission: 'server:read',
    parent: home,
  },
])
