import { z } from 'zod'
import { contracts } from '../../src/domains/product.ts'
import { endpointsOf, type NamedEndpoint } from '../../src/server/product.ts'
import { baseType, type Endpoint, pathParams } from '../../src/shared/contract.ts'

export type Registered = NamedEndpoint

/**
 * Every endpoint of the product; the tests of this folder run over it, so a new one is tested
 * without a line written.
 */
export const endpoints: readonly Registered[] = endpointsOf(contracts)
export const endpointNamed = (name: string): Endpoint => {
  const found = endpoints.find((entry) => entry.name === name)
  if (!found) throw new Error(`no endpoint ${name}`)
  return found.endpoint
}

export const fieldsOf = (endpoint: Endpoint): Record<string, z.ZodType> =>
  endpoint.input.shape as Record<string, z.ZodType>
export const isList = (endpoint: Endpoint): boolean =>
  ['page', 'pageSize', 'sort'].every((field) => field in fieldsOf(endpoint))
export const hasParams = (endpoint: Endpoint): boolean => pathParams(endpoint.path).length > 0

/** The values of an enum field, through optional and default; empty for anything else. */
export function choicesOf(field: z.ZodType | undefined): string[] {
  const type = field ? baseType(field) : undefined
  return type instanceof z.ZodEnum ? (type.options as string[]) : []
}

/** Whether a field takes row ids: by its name and by its type. */
export function idField(name: string, field: z.ZodType): 'one' | 'many' | null {
  const type = baseType(field)
  if (/(^id|Id)$/.test(name) && type instanceof z.ZodNumber) return 'one'
  if (/(^ids|Ids)$/.test(name) && type instanceof z.ZodArray) return 'many'
  return null
}

/** Top-level keys of an answer, of every alternative of a union. */
export function answerKeys(output: z.ZodType): string[] {
  const type = baseType(output)
  if (type instanceof z.ZodObject) return Object.keys(type.shape)
  if (type instanceof z.ZodUnion) return (type.options as z.ZodType[]).flatMap(answerKeys)
  return []
}
