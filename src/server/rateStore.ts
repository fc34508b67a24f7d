import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'

/** As many are counted at once; who asked first in a window is forgotten first. */
const mostCounted = 20_000

/**
 * How often each key asked in the window that began with its first request. By the clock that only
 * goes on: the other one may be set back, and windows that began later than now would never end.
 */
export function openCounts(
  most = mostCounted,
): FastifyRateLimitStore & { readonly size: () => number } {
  // in the order in which their windows began
  const counts = new Map<string, { current: number; until: number }>()
  return {
    incr(key, done, window) {
      const now = performance.now()
      for (const [old, { until }] of counts) {
        if (until > now) break
        counts.delete(old)
      }
      const known = counts.get(key)
      const count = known && known.until > now ? known : { current: 0, until: now + window }
      count.current += 1
      if (count !== known) {
        counts.delete(key)
        const [oldest] = counts.keys()
        if (counts.size >= most && oldest !== undefined) counts.delete(oldest)
        counts.set(key, count)
      }
      done(null, { current: count.current, ttl: count.until - now })
    },
    child: () => openCounts(most),
    size: () => counts.size,
  }
}

function RateStore(): FastifyRateLimitStore {
  return openCounts()
}
/** The plugin makes its stores with `new`. */
export const rateStore = RateStore as unknown as FastifyRateLimitStoreCtor
