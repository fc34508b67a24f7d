import type { Tone } from '../../../web/StatusTag.tsx'
import type { VisitRow } from '../contract.ts'

export const stateTones: Readonly<Record<VisitRow['state'], Tone>> = {
  DRAFT: 'shipped',
  SUBMITTED: 'paid',
  POSTED: 'success',
  PARTIAL: 'warn',
  REJECTED: 'fault',
  CANCELLED: 'closed',
}
