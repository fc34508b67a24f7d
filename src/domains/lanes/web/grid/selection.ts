import { useSyncExternalStore } from 'react'

/**
 * The chosen lanes, outside the tree: a key moves them on a machine with hundreds of lanes, and
 * only cards that change are drawn. `settled` is the same a moment later, for what is dear to draw:
 * while a box is drawn or a key held down it waits.
 */
export type Selection = {
  get: () => ReadonlySet<number>
  set: (ids: Iterable<number>) => void
  subscribe: Subscribe
  settled: Store
}
type Subscribe = (listener: () => void) => () => void
type Store = { get: () => ReadonlySet<number>; subscribe: Subscribe }

const calm = 120

function store(): Store & { put: (next: ReadonlySet<number>) => void } {
  let held: ReadonlySet<number> = new Set()
  const listeners = new Set<() => void>()
  return {
    get: () => held,
    put(next) {
      held = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function createSelection(): Selection {
  const [now, settled] = [store(), store()]
  let last = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    get: now.get,
    subscribe: now.subscribe,
    settled,
    set(ids) {
      const next = new Set(ids)
      if (next.size === now.get().size && [...next].every((id) => now.get().has(id))) return
      now.put(next)
      const at = performance.now()
      const rushed = at - last < calm
      last = at
      clearTimeout(timer)
      if (rushed) timer = setTimeout(() => settled.put(now.get()), calm)
      else settled.put(next)
    },
  }
}

export const useChosen = ({ get, subscribe }: Store): ReadonlySet<number> =>
  useSyncExternalStore(subscribe, get)
export const useIsChosen = (selection: Selection, id: number): boolean =>
  useSyncExternalStore(selection.subscribe, () => selection.get().has(id))
