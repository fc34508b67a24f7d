import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  baseType,
  type Endpoint,
  fieldOf,
  fromStrings,
  pathParams,
  takesJson,
} from '../shared/contract.ts'
import { common, type FieldError, Refusal } from '../shared/errors.ts'
import { hasLines } from '../shared/fields.ts'
import { readJson } from '../shared/json.ts'
import { bi, notStorable, plainText, storable } from '../shared/text.ts'

/**
 * What arrives becomes input of an endpoint here and nowhere else: readable JSON, text by one rule,
 * then the contract.
 */

const unknown = bi('不支持的字段', 'Unknown field')
const refuse = (field: string, text: string) => new Refusal(common.invalid, {}, [{ field, text }])

const deepest = 32
/**
 * Bytes and parts (values and names, each costs more than its bytes) of what somebody sends: before
 * anybody knows who he is, and after.
 */
export const strangers = { bytes: 16_384, parts: 500 } as const
/** The largest form has 80 kB and a few thousand parts. */
export const persons = { bytes: 262_144, parts: 10_000 } as const
/** Names in an address; the longest list has forty filters. */
export const mostNames = 100
/** Characters of a text whose contract says no length. */
const mostText = 30_000

/** JSON as `shared/json.ts` reads it; what it may not be is refused, with the name it is about. */
export function parseJson(bytes: Uint8Array, mostParts: number = persons.parts): unknown {
  const read = readJson(bytes, { parts: mostParts, depth: deepest })
  if ('value' in read) return read.value
  if (read.wrong === 'forbidden') throw refuse(read.name, unknown)
  if (read.wrong === 'twice')
    throw refuse(read.name.slice(0, 100).toWellFormed(), bi('字段重复', 'Given twice'))
  throw new Refusal(common.invalid)
}

/** What a signature counts over is kept as it came; everything else is JSON. */
export function takeBodies(http: FastifyInstance): void {
  http.removeContentTypeParser('application/json')
  http.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      isSigned(request)
        ? body
        : parseJson(
            body,
            request.routeOptions.bodyLimit === strangers.bytes ? strangers.parts : persons.parts,
          ),
  )
  http.addContentTypeParser(
    /^application\/x-www-form-urlencoded\b/,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (!isSigned(request)) throw new Refusal(common.wrongType)
      return body
    },
  )
}
const isSigned = (request: FastifyRequest) =>
  (request.routeOptions.config as { signed?: boolean }).signed === true
/** The bytes of a signed body. */
export const signedBody = ({ body }: FastifyRequest): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.alloc(0)

/**
 * The contract's input; `given` must not have passed a schema before, so that lengths count what
 * will be stored.
 */
export function contractInput(
  endpoint: Endpoint,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const faults: FieldError[] = []
  const clean = cleaned(given, endpoint.input, '', faults)
  if (faults.length)
    throw new Refusal(
      common.invalid,
      {},
      faults.slice(0, 50).map(({ field, message }) => ({ field, text: message })),
    )
  return endpoint.input.parse(clean)
}

/**
 * A text far beyond its length is refused before anything looks through it: whoever may write 20
 * characters sends no 200,000.
 */
function cleaned(
  value: unknown,
  given: z.ZodType | undefined,
  path: string,
  faults: FieldError[],
): unknown {
  const type = given && baseType(given)
  if (typeof value === 'string') {
    const most = (type instanceof z.ZodString && type.maxLength) || mostText
    // composed and without what nobody sees it may be a quarter
    if (value.length > 4 * most + 100) {
      faults.push({
        field: path,
        message: bi(`不能超过${most}个字符`, `At most ${most} characters`),
      })
      return ''
    }
    if (!storable(value)) faults.push({ field: path, message: notStorable })
    return plainText(value, { lines: hasLines(type) })
  }
  const element = type instanceof z.ZodArray ? (type.element as z.ZodType) : undefined
  if (Array.isArray(value))
    return value.map((item, i) => cleaned(item, element, below(path, i), faults))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (name.length > mostText || !storable(name))
        faults.push({ field: path, message: notStorable })
      return [name, cleaned(item, fieldIn(type, name), below(path, name), faults)]
    }),
  )
}
const fieldIn = (type: z.ZodType | undefined, name: string): z.ZodType | undefined =>
  type instanceof z.ZodObject ? fieldOf(type, name) : undefined
const below = (path: string, name: string | number) =>
  path ? `${path}.${name}` : String(name).slice(0, 100).toWellFormed()

export function parseInput(endpoint: Endpoint, request: FastifyRequest): Record<string, unknown> {
  const params = fromStrings(endpoint.input, (request.params ?? {}) as Record<string, string>)
  const names = new Set(pathParams(endpoint.path))
  const given = takesJson(endpoint)
    ? bodyOf(request)
    : fromStrings(endpoint.input, flat(request.query as Record<string, unknown>))
  const clash = Object.keys(given).find((key) => names.has(key))
  if (clash) throw refuse(clash, unknown)
  return contractInput(endpoint, { ...given, ...params })
}

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  const type = request.headers['content-type']
  if (type !== undefined && !/^application\/json\b/i.test(type)) throw new Refusal(common.wrongType)
  const body = request.body ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) throw new Refusal(common.invalid)
  return body as Record<string, unknown>
}

function flat(query: Record<string, unknown>): Record<string, string> {
  for (const [name, value] of Object.entries(query)) {
    if (name === '__proto__') throw refuse(name, unknown)
    if (typeof value !== 'string') throw new Refusal(common.invalid)
  }
  return query as Record<string, string>
}

export function idempotencyKey(endpoint: Endpoint, request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !endpoint.idempotent) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw refuse('Idempotency-Key', '1-255 ASCII')
  return key
}
