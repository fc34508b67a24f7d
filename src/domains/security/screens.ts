import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/log/security-events',
    title: bi('安全事件', 'Security events'),
    permission: 'security:read',
    parent: '/log/operate-log',
  },
])
