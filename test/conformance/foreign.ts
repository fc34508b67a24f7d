import { z } from 'zod'
import { baseType, type Endpoint, pathParams } from '../../src/shared/contract.ts'
import type { TestApi } from '../support/api.ts'
import { endpoints, fieldsOf, idField, type Registered } from '../support/registry.ts'
import type { Place, World } from '../support/world.ts'
import {
  fieldSource,
  idFieldsIn,
  params,
  readSamples,
  samples,
  sourcesOf,
  withIdOf,
} from './samples.ts'

export type Case = Registered & {
  /** Where the foreign id travels. */
  by: 'path' | 'body' | 'query'
  /** Which field of the body. */
  field?: string
  /** Rows organisations above share downwards: reading one of the agent's is allowed. */
  shared: boolean
  /** The request with ids of a place; null is a place nobody has. */
  at(where: Place | null): Record<string, unknown>
}

/**
 * Every way an id of a row can reach the server, from the registry; inputs of writes are prepared
 * once.
 */
export async function foreignCases(
  world: World,
  among: readonly Registered[] = endpoints,
): Promise<Case[]> {
  const cases: Case[] = []
  for (const entry of among) {
    const { endpoint, name } = entry
    if (endpoint.access === 'open' || endpoint.upload) continue
    const input =
      endpoint.kind === 'write' ? ((await samples[name]?.(world)) ?? {}) : neededOf(entry, world)
    const sources = Object.values(sourcesOf(endpoint))
    if (sources.length)
      cases.push({
        ...entry,
        by: 'path',
        shared: sources.every((source) => source.shared),
        at: (where) => ({ ...input, ...params(endpoint, where, world) }),
      })
    if (endpoint.kind === 'write') {
      // the path stays the actor's own, and all the body names but one field
      for (const field of idFieldsIn(endpoint, input, world))
        cases.push({
          ...entry,
          by: 'body',
          field,
          shared: false,
          at: (where) => withIdOf(endpoint, input, field, where, world),
        })
      continue
    }
    for (const [field, type] of Object.entries(fieldsOf(endpoint))) {
      const kind = pathParams(endpoint.path).includes(field) ? null : idField(field, type)
      const source = fieldSource(endpoint, field)
      if (!kind) continue
      if (!source)
        throw new Error(
          `test/conformance/samples.ts does not say whose row the filter ${field} of ${name} is`,
        )
      const own = params(endpoint, 'OWN', world)
      cases.push({
        ...entry,
        by: 'query',
        shared: source.shared ?? false,
        at: (where) => {
          const id = where ? source.own(where, world) : source.none
          return { ...own, [field]: kind === 'many' ? [id] : id }
        },
      })
    }
  }
  return cases
}

/** Every read with every value of its choices, at the actor's own rows. */
export function readsOf(entry: Registered, world: World): Record<string, unknown>[] {
  const base = { ...neededOf(entry, world), ...params(entry.endpoint, 'OWN', world) }
  const choices = Object.entries(fieldsOf(entry.endpoint)).flatMap(
    ([field, type]): Record<string, unknown>[] => {
      const inner = baseType(type)
      if (inner instanceof z.ZodEnum)
        return (inner.options as string[]).map((value) => ({ [field]: value }))
      if (inner instanceof z.ZodBoolean) return [{ [field]: true }, { [field]: false }]
      if (field === 'keyword') return [{ keyword: '机' }, { keyword: '0001' }]
      return []
    },
  )
  const all = [
    base,
    ...[...choices, ...(readSamples[entry.name] ?? [])].map((choice) => ({ ...base, ...choice })),
  ]
  // a choice that needs another field is tested by its sample
  return all.filter((input) => entry.endpoint.input.safeParse(input).success)
}
/** What must be said beside the path. */
function neededFields(endpoint: Endpoint): [string, z.ZodType][] {
  const inPath = new Set(pathParams(endpoint.path))
  return Object.entries(fieldsOf(endpoint)).filter(
    ([field, type]) => !inPath.has(field) && !type.safeParse(undefined).success,
  )
}
export const asksAboutRows = ({ endpoint }: Registered): boolean =>
  neededFields(endpoint).some(([field]) => fieldSource(endpoint, field))

/** What a read asks for beside its path: rows of the actor, or any value that fits. */
function neededOf({ endpoint }: Registered, world: World): Record<string, unknown> {
  return Object.fromEntries(
    neededFields(endpoint).map(([field, type]) => {
      const own = fieldSource(endpoint, field)?.own('OWN', world)
      return [field, own === undefined ? filler(type) : type.safeParse(own).success ? own : [own]]
    }),
  )
}
/** A value for a required field that no source names: a machine number, a number, a month, a day. */
const filler = (type: z.ZodType): unknown =>
  ['OWN9001', 1, 7, '2026-09', '2026-09-01', ...enumOf(type)]
    .flatMap((value) => [value, [value]])
    .find((value) => type.safeParse(value).success)

export const ask = (
  world: Pick<TestApi, 'call'>,
  entry: Registered,
  input: Record<string, unknown>,
  token: string,
  on?: TestApi['http'],
) => world.call(entry.endpoint, input, on ? { token, on } : { token })
const enumOf = (type: z.ZodType): unknown[] => {
  const inner = baseType(type)
  if (inner instanceof z.ZodArray) return enumOf(inner.element as z.ZodType)
  return inner instanceof z.ZodEnum ? (inner.options as string[]) : []
}
