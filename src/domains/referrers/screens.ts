import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/busManager',
    title: bi('推荐人设置', 'Referrer settings'),
    permission: 'referrer:read',
  },
  {
    path: '/finance/busManager/create',
    title: bi('推荐人信息', 'Referrer'),
    permission: 'referrer:create',
    parent: '/finance/busManager',
  },
])
