import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/sub-account',
    title: bi('分账策略', 'Split strategies'),
    permission: 'split-strategy:read',
  },
  {
    path: '/finance/sub-account/create',
    title: bi('新增分账策略', 'New split strategy'),
    permission: 'split-strategy:create',
    parent: '/finance/sub-account',
  },
  {
    path: '/finance/sub-account/:id/edit',
    title: bi('编辑分账策略', 'Edit split strategy'),
    permission: 'split-strategy:update',
    parent: '/finance/sub-account',
  },
])
