import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/organ/organ-user',
    title: bi('组织用户', 'Organisation users'),
    permission: 'user:read',
  },
  {
    path: '/system/forgetpwd',
    title: bi('重置密码', 'Reset password'),
    permission: 'user:reset-password',
  },
])
