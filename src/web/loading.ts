/** The overlay's event bus: n shows need n hides; it starts hidden. */
const bus = new EventTarget()
const limit = 100_000
let shown = 0
let forced: ReturnType<typeof setTimeout> | undefined

const tell = () => bus.dispatchEvent(new Event('change'))

export function showLoading(): void {
  shown += 1
  clearTimeout(forced)
  forced = setTimeout(resetLoading, limit)
  tell()
}

export function hideLoading(): void {
  shown = Math.max(0, shown - 1)
  if (shown === 0) clearTimeout(forced)
  tell()
}

/** Also called on a route error: the overlay never outlives what it waits for. */
export function resetLoading(): void {
  shown = 0
  clearTimeout(forced)
  tell()
}

export const isLoading = (): boolean => shown > 0

export function onLoading(listener: () => void): () => void {
  bus.addEventListener('change', listener)
  return () => bus.removeEventListener('change', listener)
}

/** A question in between: the overlay steps aside until it is answered. */
export async function withoutLoading<T>(work: Promise<T>): Promise<T> {
  const held = shown
  resetLoading()
  try {
    return await work
  } finally {
    for (let i = 0; i < held; i += 1) showLoading()
  }
}

/** Runs `work` with the overlay shown. */
export async function withLoading<T>(work: Promise<T>): Promise<T> {
  showLoading()
  try {
    return await work
  } finally {
    hideLoading()
  }
}
