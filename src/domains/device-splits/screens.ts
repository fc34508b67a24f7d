import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/sub-ledger-list',
    title: bi('分账列表', 'Sub-ledger list'),
    permission: 'split:read',
  },
])
