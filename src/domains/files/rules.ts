/** Bytes of an upload and of what is stored; pixels before decoding; the longer side after it. */
export const imageLimits = { bytes: 2 * 1024 * 1024, pixels: 25_000_000, side: 2000 } as const
/** What people of one organisation may store in a day (Shanghai's): a shop of a thousand new products, not a disk. */
export const dayLimits = { pictures: 1000, bytes: 500 * 1024 * 1024 } as const
