type Known = ReadonlyMap<string, { readonly read: string | null; readonly blocked: unknown }>

/**
 * The set after a tick: an action brings its read along, a read that goes takes its actions with
 * it. What the person may not change stays as it is.
 */
export function toggled(
  chosen: ReadonlySet<string>,
  targets: readonly string[],
  on: boolean,
  known: Known,
): string[] {
  const next = new Set(chosen)
  const free = (code: string) => known.get(code)?.blocked === null
  for (const code of targets.filter(free)) {
    if (on) {
      const read = known.get(code)?.read
      if (read && !next.has(read) && !free(read)) continue
      next.add(code)
      if (read) next.add(read)
      continue
    }
    const leaning = [...next].filter((other) => known.get(other)?.read === code)
    // an action that must stay keeps its read
    if (leaning.some((other) => !free(other))) continue
    next.delete(code)
    for (const other of leaning) next.delete(other)
  }
  return [...next]
}
