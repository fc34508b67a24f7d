import { perApp } from './perApp.ts'

/**
 * Answers that are the same for everybody (`sharedMs` of an endpoint), kept for a moment: however
 * many ask, the database is asked once. Who finds none takes his own turn to make it, so nobody
 * waits behind the queue of another.
 */
type Shared = { readonly key: string; readonly ms: number }
const mostKept = 1000

export function openAnswers(now: () => number = () => performance.now()) {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<unknown> }>()
  return {
    find({ key }: Shared): Promise<unknown> | undefined {
      const found = kept.get(key)
      return found && found.until > now() ? found.answer : undefined
    },
    /**
     * As old as the moment its reading began; a failure is told to who asked meanwhile, and to
     * nobody after.
     */
    keep({ key, ms }: Shared, make: () => Promise<unknown>): Promise<unknown> {
      const entry = { until: now() + ms, answer: make() }
      entry.answer.catch(() => kept.get(key) === entry && kept.delete(key))
      kept.delete(key)
      kept.set(key, entry)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return entry.answer
    },
  }
}

export const keptAnswers = perApp(() => openAnswers())
