import { z } from 'zod'
import { baseType, type Endpoint } from './contract.ts'

/** The row of a list's answer; null when the endpoint is no list. */
export function rowShape(endpoint: Pick<Endpoint, 'output'>): z.ZodObject | null {
  const output = baseType(endpoint.output)
  const list = output instanceof z.ZodObject ? baseType(output.shape.list as z.ZodType) : undefined
  const row = list instanceof z.ZodArray ? baseType(list.element as z.ZodType) : undefined
  return row instanceof z.ZodObject ? row : null
}

export const unitOf = (type: z.ZodType): unknown =>
  ({ ...baseType(type).meta(), ...type.meta() }).unit

const kinds = new Set(['string', 'number', 'boolean', 'enum', 'literal'])
const kindOf = (type: z.ZodType): string => (baseType(type).def as { type: string }).type

/**
 * Fields that fit into one cell, in the order of the contract: texts, numbers, words and lists of
 * them; no pictures, no marks for the screen.
 */
export function exportKeys(endpoint: Pick<Endpoint, 'output'>): string[] {
  const row = rowShape(endpoint)
  if (!row) return []
  return Object.entries(row.shape as Record<string, z.ZodType>)
    .filter(([key, type]) => {
      if (key === 'version' || unitOf(type) === 'image') return false
      const base = baseType(type)
      return (
        kinds.has(kindOf(type)) ||
        (base instanceof z.ZodArray &&
          unitOf(base.element as z.ZodType) !== 'image' &&
          kinds.has(kindOf(base.element as z.ZodType)))
      )
    })
    .map(([key]) => key)
}
