/** Short messages over the page, for everything outside React too. Drawn by Toasts.tsx. */
export type ToastKind = 'success' | 'error' | 'info' | 'warning'
export type Toast = { readonly id: number; readonly kind: ToastKind; readonly text: string }

const most = 3
const lasts = 3000
let toasts: readonly Toast[] = []
let last = { text: '', at: 0 }
let count = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** The same text within two seconds is one event seen by several calls. */
export function toast(kind: ToastKind, text: string): void {
  const now = performance.now()
  if (text === last.text && now - last.at < 2000) return
  last = { text, at: now }
  count += 1
  const id = count
  change([...toasts, { id, kind, text }].slice(-most))
  setTimeout(
    () => change(toasts.filter((other) => other.id !== id)),
    kind === 'error' ? lasts * 1.5 : lasts,
  )
}

export const currentToasts = (): readonly Toast[] => toasts
export function onToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
