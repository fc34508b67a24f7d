/**
 * Who knocks at the broker's port: what one address may cost before anybody has proven anything.
 */
export type ConnectionLimits = {
  /**
   * Connections that have not said a whole packet yet, of one address and in all; beyond it the
   * oldest ends.
   */
  readonly silent: number
  readonly silentInAll: number
  /** Refused sign-ins of one address a second, and at once. */
  readonly refusals: number
  readonly refusalBurst: number
  /**
   * Connections a second that are still heard beyond it: other machines may stand behind the same
   * address.
   */
  readonly knocks: number
}
/** Addresses that are remembered, and how many are looked at to make room for one more. */
const mostKept = 20_000
const looks = 10
type Address = { readonly silent: Set<() => void>; tokens: number; knocks: number; at: number }

export type ConnectionGuard = {
  /** A connection came; null: not from this address now. */
  arrive(address: string, end: () => void): { spoke(): void } | null
  refused(address: string): void
}

export function openConnectionGuard(limits: ConnectionLimits): ConnectionGuard {
  const addresses = new Map<string, Address>()
  const silent = new Map<() => void, Address>()

  function of(key: string): Address {
    const now = performance.now()
    const known = addresses.get(key)
    if (known) {
      const seconds = (now - known.at) / 1000
      known.tokens = Math.min(limits.refusalBurst, known.tokens + seconds * limits.refusals)
      known.knocks = Math.min(limits.knocks, known.knocks + seconds * limits.knocks)
      known.at = now
      // the one that was quiet longest stands first
      addresses.delete(key)
      addresses.set(key, known)
      return known
    }
    let left = addresses.size < mostKept ? 0 : looks
    for (const [name, { silent }] of addresses) {
      if (left-- <= 0) break
      if (!silent.size) addresses.delete(name)
    }
    const fresh = {
      silent: new Set<() => void>(),
      tokens: limits.refusalBurst,
      knocks: limits.knocks,
      at: now,
    }
    addresses.set(key, fresh)
    return fresh
  }
  function leave(end: () => void): void {
    silent.get(end)?.silent.delete(end)
    silent.delete(end)
  }
  function endOldest(ends: Iterable<() => void>): void {
    const [oldest] = ends
    if (!oldest) return
    leave(oldest)
    oldest()
  }

  return {
    arrive(key, end) {
      const address = of(key)
      if (address.tokens < 1) {
        if (address.knocks < 1) return null
        address.knocks -= 1
      }
      address.silent.add(end)
      silent.set(end, address)
      if (address.silent.size > limits.silent) endOldest(address.silent)
      if (silent.size > limits.silentInAll) endOldest(silent.keys())
      return { spoke: () => leave(end) }
    },
    refused(key) {
      const address = of(key)
      address.tokens = Math.max(0, address.tokens - 1)
    },
  }
}
