import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import { isLeaving } from '../token.ts'
import { maxTabs, opened, type Tab } from './tabsList.ts'

const key = 'tabs'

let tabs: readonly Tab[] = restore()
let dirty: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

function restore(): readonly Tab[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(found)
      ? (found as Tab[])
          .filter((tab) => typeof tab.path === 'string' && typeof tab.search === 'string')
          .slice(0, maxTabs)
      : []
  } catch {
    return []
  }
}

function change(next: readonly Tab[]): void {
  tabs = next
  sessionStorage.setItem(key, JSON.stringify(next))
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const useTabs = (): readonly Tab[] => useSyncExternalStore(subscribe, () => tabs)
export const useDirtyTabs = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => dirty)
export const isDirty = (path: string): boolean => dirty.has(path)
export const anyDirty = (): boolean => dirty.size > 0

export const openTab = (path: string, search: string): void =>
  change(opened(tabs, path, search, Date.now(), dirty))

/** Where to go when `path` is closed while it is shown: its left neighbour. */
export function closeTab(path: string): Tab | undefined {
  const index = tabs.findIndex((tab) => tab.path === path)
  setDirty(path, false)
  change(tabs.filter((tab) => tab.path !== path))
  return tabs[Math.max(0, index - 1)]
}

/** Dirty tabs stay: closing them asks. Answers what is left. */
export function closeTabs(paths: readonly string[]): readonly Tab[] {
  change(tabs.filter(({ path }) => !paths.includes(path) || dirty.has(path)))
  return tabs
}

/** Its page is made anew. */
export const refreshTab = (path: string): void =>
  change(
    tabs.map((tab) => (tab.path === path ? { ...tab, refreshed: (tab.refreshed ?? 0) + 1 } : tab)),
  )

export function setExtra(path: string, extra: string): void {
  if (tabs.some((tab) => tab.path === path && tab.extra !== extra))
    change(tabs.map((tab) => (tab.path === path ? { ...tab, extra } : tab)))
}

export function setDirty(path: string, on: boolean): void {
  if (dirty.has(path) === on) return
  const next = new Set(dirty)
  if (on) next.add(path)
  else next.delete(path)
  dirty = next
  for (const listener of listeners) listener()
}

addEventListener('beforeunload', (event) => {
  if (dirty.size > 0 && !isLeaving()) event.preventDefault()
})

export type TabContext = { readonly path: string; readonly active: boolean }
export const TabContext = createContext<TabContext>({ path: '', active: true })

/**
 * False in a hidden tab. Modals and drawers must not be rendered there: antd's portal breaks when
 * shown again.
 */
export const useActiveTab = (): boolean => useContext(TabContext).active
export const useTabPath = (): string => useContext(TabContext).path

/** The second part of a tab's title: a machine number, an order number. */
export function useTabTitle(extra: string | undefined): void {
  const path = useTabPath()
  useEffect(() => {
    if (extra) setExtra(path, extra)
  }, [path, extra])
}

/** Registers unsaved changes: dot on the tab, question when it is closed or the page is left. */
export function useDirty(on: boolean): void {
  const path = useTabPath()
  useEffect(() => setDirty(path, on), [path, on])
}
