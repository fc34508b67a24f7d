import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/complaint/feedback', title: bi('用户反馈', 'Feedback'), permission: 'complaint:read' },
])
