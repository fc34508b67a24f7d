import type { Tone } from '../../../web/StatusTag.tsx'
import type { ComplaintRow } from '../contract.ts'

export const stateTones: Readonly<Record<ComplaintRow['state'], Tone>> = {
  OPEN: 'warn',
  HANDLING: 'paid',
  WAITING: 'shipped',
  RESOLVED: 'success',
  CLOSED: 'closed',
  INVALID: 'closed',
}
