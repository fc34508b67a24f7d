import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/subscriptions', title: bi('报表订阅', 'Subscriptions'), permission: 'self' },
])
