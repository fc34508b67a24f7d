import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/downloads', title: bi('我的下载', 'My downloads'), permission: 'self' },
  {
    path: '/system/job-console',
    title: bi('任务控制台', 'Job console'),
    parent: '/system/organ-system',
    permission: 'job-console:read',
  },
])
