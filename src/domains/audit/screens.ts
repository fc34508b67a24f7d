import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/log/operate-log', title: bi('操作日志', 'Operation log'), permission: 'log:read' },
  {
    path: '/log/login-log',
    title: bi('登录日志', 'Sign-in log'),
    permission: 'log:read',
    parent: '/log/operate-log',
  },
  {
    path: '/organ/online-users',
    title: bi('在线用户', 'Online users'),
    permission: 'user:read',
    parent: '/organ/organ-user',
  },
])
