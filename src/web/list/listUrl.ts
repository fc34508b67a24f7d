import type { z } from 'zod'
import { fieldOf, fromStrings } from '../../shared/contract.ts'

/**
 * A list's query in the address: only what differs from the defaults, in the contract's own field
 * names.
 */
export type Query = Readonly<Record<string, unknown>>

const defaultOf = (type: z.ZodType): unknown => {
  const found = type.safeParse(undefined)
  return found.success ? found.data : undefined
}

/** `skip`: fields the page fixes itself (a path parameter); they never show in the address. */
export function defaultsOf(input: z.ZodObject, skip: Query = {}): Query {
  const entries = Object.entries(input.shape).map(
    ([key, type]) => [key, key in skip ? skip[key] : defaultOf(type as z.ZodType)] as const,
  )
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/**
 * What does not fit the contract is dropped, so that an old or mistyped address still shows a list.
 */
export function readQuery(input: z.ZodObject, search: string, fixed: Query = {}): Query {
  const raw: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(search))
    if (fieldOf(input, key) && !(key in fixed)) raw[key] = value
  const values = fromStrings(input, raw)
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(values)) {
    const found = (input.shape[key] as z.ZodType).safeParse(value)
    if (found.success) kept[key] = found.data
  }
  const defaults = { ...defaultsOf(input, fixed), ...fixed }
  const query = { ...defaults, ...kept, ...fixed }
  const refused = input.safeParse(query).error?.issues.map(({ path: [key] }) => String(key))
  if (!refused) return query
  // each fits by itself, and they do not fit together (a range that ends before it begins)
  const rest = Object.fromEntries(Object.entries(query).filter(([key]) => !refused.includes(key)))
  const fitting = { ...defaults, ...rest }
  return input.safeParse(fitting).success ? fitting : defaults
}

/** Parameters that are not the list's own (an opened detail) stay as they are. */
export function writeQuery(
  input: z.ZodObject,
  query: Query,
  search: string,
  fixed: Query = {},
): string {
  const params = new URLSearchParams(search)
  const defaults = defaultsOf(input, fixed)
  for (const key of Object.keys(input.shape)) {
    const value = query[key]
    const text =
      value === undefined || value === null
        ? ''
        : Array.isArray(value)
          ? value.join(',')
          : String(value)
    if (key in fixed || text === '' || text === String(defaults[key] ?? '')) params.delete(key)
    else params.set(key, text)
  }
  const written = params.toString()
  return written === '' ? '' : `?${written}`
}

const paging = ['page', 'pageSize', 'sort']

/** The filters in use: neither paging nor defaults. */
export function activeFilters(input: z.ZodObject, query: Query, fixed: Query = {}): string[] {
  const defaults = defaultsOf(input, fixed)
  return Object.keys(input.shape).filter(
    (key) =>
      !paging.includes(key) &&
      !(key in fixed) &&
      query[key] !== undefined &&
      query[key] !== '' &&
      String(query[key]) !== String(defaults[key] ?? ''),
  )
}

/** What is listed, whichever page of it in whichever order. */
export const listedBy = (query: Query): string =>
  JSON.stringify(Object.entries(query).filter(([key]) => !paging.includes(key)))

/** A changed filter starts at the first page again. */
export const withChange = (query: Query, change: Query): Query => ({
  ...query,
  ...('page' in change || 'pageSize' in change ? {} : { page: 1 }),
  ...change,
})
