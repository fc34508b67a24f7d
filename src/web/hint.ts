import type { ReactNode } from 'react'

/** The one tooltip of the page: what it says and which element it belongs to. */
export type Shown = {
  readonly node: HTMLElement
  readonly text: ReactNode
  readonly side: string
} | null

let shown: Shown = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
const wait = 120

function set(next: Shown): void {
  shown?.node.removeAttribute('aria-describedby')
  shown = next
  next?.node.setAttribute('aria-describedby', 'hd-hint')
  for (const listener of listeners) listener()
}

export function showHint(next: Exclude<Shown, null>): void {
  clearTimeout(timer)
  timer = setTimeout(() => set(next), wait)
}

export function hideHint(): void {
  clearTimeout(timer)
  if (shown) set(null)
}

export const currentHint = (): Shown => shown
export function onHint(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
