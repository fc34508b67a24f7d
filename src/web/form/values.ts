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

const normal = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

/** True when a person changed something: nothing and empty text are the same. */
export function changedFrom(start: Values, now: Values): boolean {
  const keys = new Set([...Object.keys(start), ...Object.keys(now)])
  return [...keys].some(
    (key) => JSON.stringify(normal(start[key])) !== JSON.stringify(normal(now[key])),
  )
}

/** The part of a record that an input takes: start values of an edit form. */
export const pickFor = (schema: z.ZodObject, record: Values): Values =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((key) => (key in record ? [[key, record[key]]] : [])),
  )
