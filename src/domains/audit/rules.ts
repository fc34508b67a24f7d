import { defineStates } from '../../shared/moves.ts'

export const debugMinutes = 1440

export const checkStates = ['WAITING', 'RUNNING', 'DONE', 'FAILED'] as const
export type CheckState = (typeof checkStates)[number]
/** A check whose worker died is taken up again by another: RUNNING to RUNNING. */
export const checkStateTable = defineStates<CheckState>({
  name: 'log check',
  column: 'log_checks.state',
  start: ['WAITING'],
  moves: { WAITING: ['RUNNING'], RUNNING: ['RUNNING', 'DONE', 'FAILED'], DONE: [], FAILED: [] },
})

/** `orders.refund` -> `orders`. */
export const moduleOf = (action: string): string => action.split('.')[0] ?? ''

const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['WeChat', /MicroMessenger\/(\d+)/],
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Samsung Internet', /SamsungBrowser\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari/],
  ['curl', /^curl\/(\d+)/],
]
const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['HarmonyOS', /HarmonyOS|OpenHarmony/],
  ['Windows', /Windows/],
  ['iPhone', /iPhone|iPod/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux|X11/],
]

/**
 * `Chrome 130 · Windows`: names are the same in both languages; what is unknown is shown as it
 * came, cut.
 */
export function deviceOf(userAgent: string): string {
  const browser = browsers.flatMap(([name, pattern]) => {
    const version = pattern.exec(userAgent)?.[1]
    return version ? [`${name} ${version}`] : []
  })[0]
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return [browser, system].filter(Boolean).join(' · ') || userAgent.slice(0, 40)
}

export type Change = { field: string; before: unknown; after: unknown }

/** Keys that change with every edit or say nothing about the thing. */
const noise: ReadonlySet<string> = new Set([
  'version',
  'can',
  'updatedAt',
  'updateTime',
  'updated_at',
])

/**
 * What differs, field by field; nested objects by their path. Without a before everything came,
 * without an after everything went.
 */
export function changesOf(before: unknown, after: unknown): Change[] {
  const [old, now] = [leaves(before), leaves(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => !field.split('.').some((key) => noise.has(key)))
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .slice(0, 200)
}

function leaves(
  value: unknown,
  path = '',
  found = new Map<string, unknown>(),
): Map<string, unknown> {
  if (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    path.split('.').length < 4
  ) {
    for (const [key, inner] of Object.entries(value))
      leaves(inner, path ? `${path}.${key}` : key, found)
  } else if (path) found.set(path, value)
  else if (value !== null && value !== undefined) found.set('value', value)
  return found
}

/**
 * Of two lists only what went and what came, so that one tick among hundreds is seen; null when
 * they are no lists of plain values.
 */
export function listChange(
  before: unknown,
  after: unknown,
): { gone: unknown[]; came: unknown[] } | null {
  const [old, now] = [before ?? [], after ?? []]
  if (!isPlainList(old) || !isPlainList(now)) return null
  const [had, has] = [new Set(old), new Set(now)]
  const [gone, came] = [old.filter((item) => !has.has(item)), now.filter((item) => !had.has(item))]
  return gone.length + came.length > 0 ? { gone, came } : { gone: old, came: now }
}
const isPlainList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item !== 'object')

export type Kickable = { rank: number; current: boolean }
/** Nobody ends a session of somebody above him, nor by this way his own. */
export const kickProblem = (
  own: { rank: number },
  target: Kickable,
): 'higherRank' | 'ownSession' | null =>
  target.current ? 'ownSession' : target.rank > own.rank ? 'higherRank' : null
