import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/stock/drug-control/evidence',
    title: bi('监管证据包', 'Evidence packages'),
    permission: 'drug-evidence:read',
    parent: '/stock/prompt-expired-goods',
  },
])
