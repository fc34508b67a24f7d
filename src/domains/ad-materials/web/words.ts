import type { Tone } from '../../../web/StatusTag.tsx'
import type { states } from '../contract.ts'

export const stateTones: Readonly<Record<(typeof states)[number], Tone>> = {
  PENDING: 'warn',
  APPROVED: 'online',
  REJECTED: 'fault',
}
export const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024))} kB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`
