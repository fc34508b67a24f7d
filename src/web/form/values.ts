import type { z } from 'zod'

export type Values = Record<string, unknown>

/**
 * An emptied field that the contract knows as "left out" is left out; keys the contract does not
 * know stay behind.
 */
export function clean(schema: z.ZodObject, values: Values): Values {
  const out: Values = {}
  for (const [key, type] of Object.entries(schema.shape)) {
    const value = values[key]
    if (value === undefined) continue
    const field = type as z.ZodType
    const empty = value === '' || value === null
    if (empty && !field.safeParse(value).success && field.safeParse(undefined).success) continue
    out[key] = value
  }
  return out
}

/** A field that somebody else changed while it was on the screen. */
export type Crossing = {
  readonly field: string
  readonly theirs: unknown
  /** It was changed here, too, and what is here stays. */
  readonly kept: boolean
}
/**
 * What somebody else saved meanwhile comes in beside what was typed here; where both changed a
 * field, what was typed stays.
 */
export function crossed(
  start: Values,
  theirs: Values,
  mine: Values,
): { readonly values: Values; readonly crossings: readonly Crossing[] } {
  const crossings = Object.keys(theirs).flatMap((field) =>
    same(start[field], theirs[field]) || same(mine[field], theirs[field])
      ? []
      : [{ field, theirs: theirs[field], kept: !same(mine[field], start[field]) }],
  )
  const taken = crossings.filter(({ kept }) => !kept).map(({ field, theirs }) => [field, theirs])
  return { values: { ...mine, ...Object.fromEntries(taken) }, crossings }
}

const normal = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

const same = (a: unknown, b: unknown): boolean =>
  JSON.stringify(normal(a)) === JSON.stringify(normal(b))

/** True when a person changed something: nothing and empty text are the same. */
export function changedFrom(start: Values, now: Values): boolean {
  const keys = new Set([...Object.keys(start), ...Object.keys(now)])
  return [...keys].some((key) => !same(start[key], now[key]))
}

/** The part of a record that an input takes: start values of an edit form. */
export const pickFor = (schema: z.ZodObject, record: Values): Values =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((key) => (key in record ? [[key, record[key]]] : [])),
  )
