import type { Tone } from '../../../web/StatusTag.tsx'
import type { Alert } from '../contract.ts'

export const deliveryTones: Readonly<Record<Alert['deliveries'][number]['state'], Tone>> = {
  WAITING: 'paid',
  SENDING: 'paid',
  SENT: 'success',
  FAILED: 'fault',
  DROPPED: 'closed',
}
export const lastTones: Readonly<Record<'SENT' | 'RETRY' | 'FAILED', Tone>> = {
  SENT: 'success',
  RETRY: 'warn',
  FAILED: 'fault',
}

/**
 * Why a message did not go out, in words where it is a code; what the other side said stays as it
 * is.
 */
export function failureWord(
  t: (key: string, options: { defaultValue: string }) => string,
  reason: string,
): string {
  const key = reason.toUpperCase().replaceAll(' ', '_')
  return /^[A-Z_]+$/.test(key) ? t(`enums.failure.${key}`, { defaultValue: reason }) : reason
}

/** A rule or a channel: what it is, its state, where it tells, what can be done. */
export const ruleColumns = 'minmax(200px, 2fr) minmax(96px, 0.6fr) minmax(140px, 1fr) 216px'
