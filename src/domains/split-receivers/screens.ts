import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/sub-ledger-list/receivers',
    title: bi('分账接收方', 'Split receivers'),
    permission: 'receiver:read',
    parent: '/finance/sub-ledger-list',
  },
])
