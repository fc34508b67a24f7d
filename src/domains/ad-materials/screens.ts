import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/market/market-manage',
    title: bi('广告素材', 'Ad materials'),
    permission: 'ad-material:read',
  },
  {
    path: '/market/market-manage/creatives',
    title: bi('广告创意', 'Ad creatives'),
    permission: 'ad-material:read',
    parent: '/market/market-manage',
  },
])
