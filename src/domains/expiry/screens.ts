import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/stock/prompt-expired-goods',
    title: bi('临期商品', 'Near-expiry goods'),
    permission: 'near-expiry:read',
  },
])
