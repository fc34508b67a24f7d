/**
 * Opened pages. A tab is a path; its query travels with it. Home is always first and cannot be
 * closed.
 */
export type Tab = {
  readonly path: string
  readonly search: string
  readonly extra?: string
  readonly usedAt: number
  /** How often its page was made anew. */
  readonly refreshed?: number
}
export const homePath = '/home'
export const maxTabs = 12

/** Opens or updates a tab; the least recently used clean one makes room. */
export function opened(
  list: readonly Tab[],
  path: string,
  search: string,
  now: number,
  held: ReadonlySet<string>,
): readonly Tab[] {
  const found = list.find((tab) => tab.path === path)
  if (found) return list.map((tab) => (tab === found ? { ...tab, search, usedAt: now } : tab))
  const next = [...list, { path, search, usedAt: now }]
  if (next.length <= maxTabs) return next
  const oldest = next
    .filter((tab) => tab.path !== homePath && tab.path !== path && !held.has(tab.path))
    .sort((a, b) => a.usedAt - b.usedAt)[0]
  return oldest ? next.filter((tab) => tab !== oldest) : next
}
