import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/product/medical-insurance',
    title: bi('医保管理', 'Medical insurance'),
    permission: 'medical-insurance:read',
  },
])
