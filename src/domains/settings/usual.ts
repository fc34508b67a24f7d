// What holds while nobody has set anything, for those who work with it.

/** How many hours the last word of a machine is fresh, and after how many it is stale. */
export const usualAge = { fresh: 4, stale: 8 }
/** No organisation counts a machine as offline before so many seconds. */
export const shortestWait = 60

/**
 * A tile address: http or https, the three numbers in it, nothing that could break out of a
 * security policy.
 */
export const tileAddress =
  /^(?:https?:\/\/[a-z0-9.-]+(?::\d{1,5})?\/(?=[^\s]*\{z\})(?=[^\s]*\{x\})(?=[^\s]*\{-?y\})[\w\-.~/{}?&=%@:]*)?$/i
export const originOf = (address: string): string | null =>
  address !== '' && tileAddress.test(address) ? new URL(address.replace(/[{}]/g, '')).origin : null
