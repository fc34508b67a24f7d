/** What became of each of many things, and how many of them it was done to. */
export function outcomeOf<R extends { readonly ok: boolean }>(
  results: R[],
): { done: number; skipped: number; results: R[] } {
  const done = results.filter(({ ok }) => ok).length
  return { done, skipped: results.length - done, results }
}
