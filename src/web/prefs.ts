import { useSyncExternalStore } from 'react'
import { type Lang, toLang } from '../shared/text.ts'

/**
 * Choices of this browser: they must be known before anybody signs in, so they live in local
 * storage.
 */
export type Prefs = {
  readonly lang: Lang
  readonly theme: 'light' | 'dark'
  readonly compact: boolean
  readonly folded: boolean
}

const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
let current: Prefs = {
  lang: toLang(stored('lang') ?? undefined),
  theme: stored('theme') === 'dark' ? 'dark' : 'light',
  compact: stored('compact') === '1',
  folded: stored('folded') === '1',
}
const listeners = new Set<() => void>()

export const prefs = (): Prefs => current

export function setPrefs(change: Partial<Prefs>): void {
  current = { ...current, ...change }
  for (const [key, value] of Object.entries(change))
    localStorage.setItem(key, typeof value === 'boolean' ? (value ? '1' : '0') : value)
  for (const listener of listeners) listener()
}

export function onPrefs(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePrefs = (): Prefs => useSyncExternalStore(onPrefs, prefs)
