import type { Tone } from '../../../web/StatusTag.tsx'
import type { tones } from '../contract.ts'

/** A colour of the palette as the pair of tint and text that both themes keep readable. */
export const toneOf: Readonly<Record<(typeof tones)[number], Tone>> = {
  GREY: 'offline',
  BLUE: 'paid',
  GREEN: 'online',
  AMBER: 'warn',
  RED: 'fault',
  PINK: 'soldOut',
  VIOLET: 'shipped',
  BROWN: 'refunded',
}
