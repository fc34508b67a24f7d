import type { App } from './context.ts'

/**
 * Something in memory that belongs to one opened App and goes with it; made when it is first asked
 * for.
 */
export function perApp<T>(make: (app: App) => T): (app: App) => T {
  const kept = new WeakMap<App, { readonly value: T }>()
  return (app) => {
    const known = kept.get(app)
    if (known) return known.value
    const value = make(app)
    kept.set(app, { value })
    return value
  }
}
