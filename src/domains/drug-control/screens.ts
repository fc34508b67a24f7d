import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/stock/prompt-expired-goods'
const title = bi('药品合规', 'Drug control')
export const screens = defineScreens([
  { path: '/stock/drug-control', title, permission: 'near-expiry:read', parent },
])
