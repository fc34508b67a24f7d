import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/info', title: bi('个人中心', 'Personal centre'), permission: 'self' },
  { path: '/pwd', title: bi('修改密码', 'Change password'), permission: 'self' },
  { path: '/bindOpenId', title: bi('扫码绑定', 'Bind WeChat'), permission: 'self' },
])
