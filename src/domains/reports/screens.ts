import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/home', title: bi('首页', 'Home'), permission: 'self' },
])
