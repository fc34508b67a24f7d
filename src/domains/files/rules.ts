/** Bytes of an upload and of what is stored; pixels before decoding; the longer side after it. */
export const imageLimits = { bytes: 2 * 1024 * 1024, pixels: 25_000_000, side: 2000 } as const
/** As wide as phones show it: in a list, and whole on plain and on fine screens. */
export const widths: readonly number[] = [200, 375, 750]
/**
 * A picture that no record names is marked so long after it came, and goes so long after that at
 * the earliest: no act takes as long.
 */
export const unusedLimits = { hours: 24, markedHours: 1 } as const
/**
 * What people of one tenant, of all organisations below his own, may store in a day (Shanghai's): a
 * shop of a thousand new products, not a disk.
 */
export const dayLimits = { pictures: 1000, bytes: 500 * 1024 * 1024 } as const
/**
 * A film of an advertisement: its file, what its longer and shorter side may have, and how long it
 * may play.
 */
export const filmLimits = {
  bytes: 8 * 1024 * 1024,
  longer: 3840,
  shorter: 2160,
  milliseconds: 300_000,
} as const
