import { type Endpoint, fieldOf, fromStrings } from '../shared/contract.ts'
import { common, Refusal } from '../shared/errors.ts'
import type { CallOn } from './bind.ts'

/** Path parameters, and the query or the body: texts of an address, or whatever a body held. */
export type Given = Readonly<Record<string, unknown>>

/**
 * A path of the specification's sample server: how it is said with our own operations, and the
 * answer it wants. Unknown parameters are ignored; versions and confirmations may be left out, the
 * alias reads them itself.
 */
export type Alias = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/organ-manage-list-item/:id`, below the base path. */
  readonly path: string
  /** Changes something: answers POST as well, and GET only while ALIAS_GET is on. */
  readonly writes?: true
  readonly answer: (call: CallOn, given: Given, now: Date) => Promise<unknown>
}

/** What the endpoint knows of the parameters, as its types. */
export function known<E extends Endpoint>(endpoint: E, given: Given): Record<string, unknown> {
  const own = Object.entries(given).filter(
    ([key, value]) => fieldOf(endpoint.input, key) && value !== '' && value !== null,
  )
  const texts = own.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { ...Object.fromEntries(own), ...fromStrings(endpoint.input, Object.fromEntries(texts)) }
}

/** A row id of a path or query; anything else answers like a missing row. */
export function idOf(given: Given, key = 'id'): number {
  const id = Number(given[key])
  if (!Number.isSafeInteger(id) || id < 1) throw new Refusal(common.notFound)
  return id
}

/**
 * The fields of `row` that the endpoint takes, changed by what was given: an edit may name one
 * field only.
 */
export const merged = <E extends Endpoint>(
  endpoint: E,
  row: Given,
  given: Given,
): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(row).filter(([key]) => fieldOf(endpoint.input, key))),
  ...known(endpoint, given),
})

export const pick = <T extends object, K extends keyof T>(row: T, ...keys: K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<T, K>
