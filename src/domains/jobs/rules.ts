import { shanghaiClock } from '../../shared/instants.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'
import { storable } from '../../shared/text.ts'

/** Bounds of exports and imports. */
export const jobLimits = {
  exportRows: 200_000,
  /**
   * Rows a list handler reads at once for a file; the process does nothing else while it turns them
   * into answers.
   */
  exportPage: 1_000,
  /** Up to here an export runs ahead of the large ones. */
  quickRows: 1_000,
  importRows: 1_000,
  importBytes: 8_388_608,
  /** Faults kept with a job and named in an answer. */
  faults: 200,
  openJobs: 5,
  attempts: 3,
  leaseSeconds: 120,
  keepDays: 7,
  sameFileMs: 600_000,
} as const

/**
 * What a sheet that people fill in may have at most; blank rows count, a cell is as long as Excel's
 * longest.
 */
export const sheetLimits = {
  lines: 2 * jobLimits.importRows,
  columns: 200,
  cell: 32_767,
  text: 4_000_000,
} as const

export type JobState = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'

export const jobStates = defineStates<JobState>({
  name: 'jobs.state',
  column: 'jobs.state',
  // an import is its own transaction: its row begins where it ended
  start: ['QUEUED', 'DONE', 'FAILED'],
  moves: {
    QUEUED: ['RUNNING', 'CANCELLED'],
    // a worker that was killed loses its lease; another one begins anew
    RUNNING: ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'],
    DONE: [],
    FAILED: ['QUEUED'],
    CANCELLED: ['QUEUED'],
  },
})
export const jobFrom = (next: JobState): JobState[] => allowedFrom(jobStates, next)

type JobFacts = { kind: 'EXPORT' | 'IMPORT'; state: JobState; expireTime: string | null }
export const cancellable = (job: JobFacts): boolean => jobFrom('CANCELLED').includes(job.state)
export const retryable = (job: JobFacts): boolean =>
  job.kind === 'EXPORT' && jobFrom('QUEUED').includes(job.state)
export const downloadable = (job: JobFacts, now: Date): boolean =>
  job.expireTime !== null && new Date(job.expireTime) > now

/** A cell that a spreadsheet would run as a formula becomes plain text; wide signs are signs, too. */
export const neutralised = (text: string): string =>
  /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text

/** `2026-11-22 14:05:09` in Asia/Shanghai. */
export const shanghaiText = (instant: string): string =>
  shanghaiClock(new Date(instant)).slice(0, 19).replace('T', ' ')

/** Header and note of a column as both languages and hurried people write it. */
export const headerKey = (text: string): string =>
  text.length > 100 || !storable(text)
    ? ''
    : text.normalize('NFKC').replace(/\s|\*/g, '').toLowerCase()

/** Lines that carry the same value twice, by the value. */
export function doubled<T>(
  rows: readonly { line: number; value: T }[],
  keyOf: (value: T) => unknown,
): { line: number; others: number[] }[] {
  const groups = Map.groupBy(
    rows.filter(({ value }) => keyOf(value) !== undefined && keyOf(value) !== ''),
    ({ value }) => String(keyOf(value)).trim().toLowerCase(),
  )
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .flatMap((group) =>
      group.map(({ line }) => ({
        line,
        others: group.map((row) => row.line).filter((other) => other !== line),
      })),
    )
}

/** A plan that runs once a day or rarer, in parts that words are made of; null for others. */
export function timeOfCron(cron: string): {
  each: 'day' | 'week' | 'month' | 'year' | 'daysOfMonth'
  time: string
  n: string
  m: string
} | null {
  const [minute = '', hour = '', n = '', m = '', weekday = ''] = cron.split(' ')
  const one = (part: string) => /^\d+$/.test(part)
  if (!one(minute) || !one(hour) || ![n, m, weekday].every((part) => part === '*' || one(part)))
    return null
  const at = { time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, n, m }
  if (weekday !== '*') return n === '*' && m === '*' ? { ...at, each: 'week', n: weekday } : null
  if (n === '*') return { ...at, each: m === '*' ? 'day' : 'daysOfMonth' }
  return { ...at, each: m === '*' ? 'month' : 'year' }
}
