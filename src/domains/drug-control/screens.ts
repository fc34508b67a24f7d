import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/stock/prompt-expired-goods'
export const screens = defineScreens([
  {
    path: '/stock/drug-control',
    title: bi('药品合规', 'Drug control'),
    permission: 'near-expiry:read',
    parent,
  },
  {
    path: '/stock/drug-control/temperature',
    title: bi('温度偏离', 'Temperature excursions'),
    permission: 'near-expiry:read',
    parent,
  },
  {
    path: '/stock/drug-control/refusals',
    title: bi('药品拒绝记录', 'Drug refusals'),
    permission: 'drug-evidence:read',
    parent,
  },
])
