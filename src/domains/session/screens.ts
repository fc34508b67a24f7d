import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/info', title: bi('个人中心', 'Personal centre'), group: null, permission: 'self' },
  { path: '/pwd', title: bi('修改密码', 'Change password'), group: null, permission: 'self' },
  { path: '/bindOpenId', title: bi('扫码绑定', 'Bind WeChat'), group: null, permission: 'self' },
])
