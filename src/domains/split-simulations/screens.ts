import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/sub-account/:id/simulate',
    title: bi('分账模拟', 'What-if simulation'),
    permission: 'split-strategy:simulate',
    parent: '/finance/sub-account',
  },
])
