import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/device/alerts',
    title: bi('告警', 'Alerts'),
    permission: 'alarm:read',
    parent: '/device/device-list',
  },
  {
    path: '/device/alert-rules',
    title: bi('告警规则', 'Alert rules'),
    permission: 'alarm-rule:read',
    parent: '/device/device-list',
  },
])
