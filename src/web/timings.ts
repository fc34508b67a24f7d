/** How often figures are read again: choices of the specification ("timings"), in milliseconds. */
export const timings = { off: 0, s30: 30_000, m1: 60_000, m30: 1_800_000, h1: 3_600_000 } as const
export type Timing = keyof typeof timings
export const isTiming = (found: unknown): found is Timing =>
  typeof found === 'string' && found in timings
export const everyOf = (timing: Timing): number | false => timings[timing] || false
