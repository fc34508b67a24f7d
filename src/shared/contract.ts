import { z } from 'zod'
import type { ErrorDef } from './errors.ts'

/**
 * What crosses the wire, declared once: the same zod objects check the request, check the answer,
 * resolve the form, parse the URL and write the OpenAPI text. An endpoint is `open` (fixed list),
 * `self` (signed in, own data) or carries a permission; a write also carries an audit decision.
 * There is no other way to declare one.
 */
export type Access = 'open' | 'self' | `${string}:${string}`

export type Endpoint<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = {
  readonly kind: 'read' | 'write'
  readonly access: Access
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /**
   * `/orders/{orderNum}` below /api, or a path of the specification when it starts with one of its
   * roots.
   */
  readonly path: string
  /** Path parameters, query and body as one strict object. */
  readonly input: I
  readonly output: O
  /** Name of the log action, or null with a reason why nothing is logged. */
  readonly audit: string | null
  readonly errors: readonly ErrorDef[]
  /** Takes `Idempotency-Key`; effect and answer are kept together. */
  readonly idempotent: boolean
  /**
   * `system`: the effect crosses organisations (vouchers, distribution); everything else runs in
   * the actor's scope.
   */
  readonly scope: 'actor' | 'system'
  /**
   * Multipart body with one file, which the handler's `prepare` receives; other input travels in
   * the address.
   */
  readonly upload: boolean
  /**
   * A body of any kind that its sender signed: `prepare` reads it byte by byte from the request;
   * other input travels in the address.
   */
  readonly signed: boolean
  /**
   * Something secret can be guessed here: tries are limited per address and minute
   * (SIGN_IN_RATE_LIMIT).
   */
  readonly guessable: boolean
  /** How often one address may ask within a minute; null: as often as anything. */
  readonly perMinute: number | null
  /**
   * A read whose cost grows with the rows of the scope (every list is one): such reads take turns.
   */
  readonly heavy: boolean
  /**
   * An open read whose answer is the same for everybody: it is made once for all who ask within so
   * many milliseconds. 0: each his own.
   */
  readonly sharedMs: number
  /**
   * A read whose answer changes seldom: its asker keeps it so many seconds, and then asks by its
   * tag (`If-None-Match`) whether it is still so. 0: asks each time, and nobody between keeps it.
   * Null: it is never kept.
   */
  readonly keptSeconds: number | null
  /**
   * New work of strangers, which waits at the door so that what was begun gets done, and is turned
   * away while writes already queue: the field of its input that says where (a machine).
   */
  readonly yields: string | null
  /** Word of money: a write that takes no turn with those of people. */
  readonly urgent: boolean
  /**
   * Moves a way to sign in, a secret or a right: whoever calls has shown who he is within the last
   * minutes (`session.proofMinutes`), else common.proofNeeded. `sometimes`: its handler decides by
   * what is asked (`requireProof`).
   */
  readonly fresh: boolean | 'sometimes'
  /** A list whose whole filter may be written to a file, and by whom. */
  readonly export: Access | null
  readonly summary: string
}

type ReadSpec<I extends z.ZodObject, O extends z.ZodType> = {
  path: string
  summary: string
  input?: I
  output: O
  errors?: readonly ErrorDef[]
  scope?: 'actor' | 'system'
  export?: Access
  heavy?: true
  sharedMs?: number
  keptSeconds?: number
  perMinute?: number
}
type WriteSpec<I extends z.ZodObject, O extends z.ZodType> = Omit<
  ReadSpec<I, O>,
  'export' | 'heavy' | 'sharedMs' | 'keptSeconds' | 'perMinute'
> & {
  method?: 'POST' | 'PUT' | 'DELETE'
  audit: string | { none: string }
  idempotent?: boolean
  upload?: boolean
  signed?: true
  guessable?: boolean
  yields?: keyof z.output<I> & string
  urgent?: true
  fresh?: boolean | 'sometimes'
}

const nothing = z.strictObject({})

export function read<O extends z.ZodType, I extends z.ZodObject = typeof nothing>(
  access: Access,
  spec: ReadSpec<I, O>,
): Endpoint<I, O> {
  return {
    kind: 'read',
    access,
    method: 'GET',
    path: rooted(spec.path),
    input: spec.input ?? (nothing as unknown as I),
    output: spec.output,
    audit: null,
    errors: spec.errors ?? [],
    idempotent: false,
    scope: spec.scope ?? 'actor',
    upload: false,
    signed: false,
    guessable: false,
    perMinute: spec.perMinute ?? null,
    heavy: spec.heavy ?? 'pageSize' in (spec.input?.shape ?? {}),
    sharedMs: spec.sharedMs ?? 0,
    keptSeconds: spec.keptSeconds ?? null,
    yields: null,
    urgent: false,
    fresh: false,
    export: spec.export ?? null,
    summary: spec.summary,
  }
}

export function write<O extends z.ZodType, I extends z.ZodObject = typeof nothing>(
  access: Access,
  spec: WriteSpec<I, O>,
): Endpoint<I, O> {
  return {
    kind: 'write',
    access,
    method: spec.method ?? 'POST',
    path: rooted(spec.path),
    input: spec.input ?? (nothing as unknown as I),
    output: spec.output,
    audit: typeof spec.audit === 'string' ? spec.audit : null,
    errors: spec.errors ?? [],
    idempotent: spec.idempotent ?? false,
    scope: spec.scope ?? 'actor',
    upload: spec.upload ?? false,
    signed: spec.signed ?? false,
    guessable: spec.guessable ?? false,
    perMinute: null,
    heavy: false,
    sharedMs: 0,
    keptSeconds: null,
    yields: spec.yields ?? null,
    urgent: spec.urgent ?? false,
    fresh: spec.fresh ?? false,
    export: null,
    summary: spec.summary,
  }
}

/** The specification's calls keep their own roots; everything of ours lives below /api. */
const rooted = (path: string) => (/^\/(auth|mobile|pay|rtu)\//.test(path) ? path : `/api${path}`)

export type Contract = Record<string, Endpoint>
export type Input<E> = E extends Endpoint<infer I, z.ZodType> ? z.output<I> : never
/** What a caller writes: defaults may be left out. */
export type CallInput<E> = E extends Endpoint<infer I, z.ZodType> ? z.input<I> : never
export type Output<E> = E extends Endpoint<z.ZodObject, infer O> ? z.output<O> : never

/** Whether its input travels in the body, as JSON. */
export const takesJson = ({ method, upload, signed }: Endpoint): boolean =>
  !upload && !signed && (method === 'POST' || method === 'PUT')

export const pathParams = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1] as string)

/** Turns input into URL and body; the one place that knows how an endpoint's input travels. */
export function toRequest(
  endpoint: Endpoint,
  input: Record<string, unknown>,
): { url: string; body: Record<string, unknown> | undefined } {
  const rest = { ...input }
  const url = endpoint.path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = rest[key]
    delete rest[key]
    return encodeURIComponent(String(value))
  })
  if (takesJson(endpoint)) return { url, body: rest }
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null || value === '') continue
    query.set(key, Array.isArray(value) ? value.join(',') : String(value))
  }
  return { url: query.size ? `${url}?${query}` : url, body: undefined }
}

/** The field of that name, if the shape has one: what every object has is none (`constructor`). */
export const fieldOf = ({ shape }: z.ZodObject, name: string): z.ZodType | undefined =>
  Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined

/** Reads strings of a URL as the shape's types, so that contracts need no coercing schemas. */
export function fromStrings(
  shape: z.ZodObject,
  raw: Record<string, string>,
): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(raw)) {
    const field = fieldOf(shape, key)
    out[key] = field ? fromString(baseType(field), value) : value
  }
  return out
}

function fromString(type: z.ZodType, value: string): unknown {
  if (type instanceof z.ZodArray)
    return value === ''
      ? []
      : value.split(',').map((item) => fromString(baseType(type.element as z.ZodType), item))
  if (type instanceof z.ZodNumber && /^-?(0|[1-9]\d{0,15})(\.\d{1,6})?$/.test(value))
    return Number(value)
  if (type instanceof z.ZodBoolean && (value === 'true' || value === 'false'))
    return value === 'true'
  return value
}

/** The innermost type below optional, default, nullable and pipes. */
export function baseType(type: z.ZodType): z.ZodType {
  if (
    type instanceof z.ZodOptional ||
    type instanceof z.ZodDefault ||
    type instanceof z.ZodNullable
  )
    return baseType(type.unwrap() as z.ZodType)
  if (type instanceof z.ZodPipe) return baseType(type.in as z.ZodType)
  return type
}
