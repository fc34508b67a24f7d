import type { CallInput, Endpoint, Output } from '../shared/contract.ts'
import { toRequest } from '../shared/contract.ts'
import { common, type FieldError, sessionCodes } from '../shared/errors.ts'
import { basePath } from './base.ts'
import { noteClock } from './clock.ts'
import { translate } from './i18n.ts'
import { prefs } from './prefs.ts'
import { endSession, token } from './token.ts'
import { viewHeader } from './view.ts'

/** Milliseconds after which the client gives up (specification, section 9). */
const timeout = 100_000

export type ApiError = {
  readonly kind: 'refused' | 'timeout' | 'network' | 'blocked' | 'cancelled'
  readonly code: number
  readonly error: string
  readonly message: string
  readonly requestId: string | undefined
  readonly errors: readonly FieldError[]
}

export const isApiError = (found: unknown): found is ApiError =>
  typeof found === 'object' && found !== null && 'kind' in found && 'code' in found

/** What a person may read of any failure. */
export const messageOf = (found: unknown): string =>
  isApiError(found) ? found.message : translate('error.unexpected')

type Options = { signal?: AbortSignal; idempotencyKey?: string; file?: Blob; signIn?: boolean }

/**
 * Calls one endpoint of a contract. Rejects with ApiError only. Session codes end the session,
 * except while signing in. Where the server wants to know who is there, the person is asked and the
 * same call goes again, with the same key.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  options: Options = {},
): Promise<Output<E>> {
  const kept = { ...options, idempotencyKey: options.idempotencyKey ?? newKey() }
  try {
    return await callOnce(endpoint, input, kept)
  } catch (error) {
    if (!onProof || !isApiError(error) || error.error !== common.proofNeeded.name) throw error
    if (!(await onProof())) throw failure('cancelled', '')
    return callOnce(endpoint, input, kept)
  }
}

let onProof: (() => Promise<boolean>) | undefined
/** Asks the person who he is and tells the server; answers whether he did. */
export function whenProofNeeded(ask: () => Promise<boolean>): void {
  onProof = ask
}

async function callOnce<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  options: Options,
): Promise<Output<E>> {
  const { url, body } = toRequest(endpoint, input as Record<string, unknown>)
  const limit = AbortSignal.timeout(timeout)
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit
  let response: Response
  let text: string
  const sent = Date.now()
  try {
    response = await fetch(basePath() + url.slice(1), {
      method: endpoint.method,
      headers: headersFor(endpoint, body, options),
      body: bodyOf(body, options),
      signal,
    })
    noteClock(response.headers.get('date'), sent, Date.now())
    text = await response.text()
  } catch {
    if (options.signal?.aborted) throw failure('cancelled', '')
    throw limit.aborted
      ? failure('timeout', translate('error.timeout'))
      : failure('network', translate('error.network'))
  }
  noteRights(response)
  const answer = parse(text, response)
  const refusal = refusalOf(answer, response)
  if (!refusal) return answer as Output<E>
  if (sessionCodes.includes(refusal.code) && !options.signIn) endSession(translate('error.session'))
  // the password or a second factor became due while the page was open: the guard leads there
  if (refusal.error === common.passwordFirst.name || refusal.error === common.factorFirst.name)
    onRights?.()
  throw refusal
}

let rights = { holder: null as string | null, mark: '' }
let onRights: (() => void) | undefined
/**
 * Called when an answer says that the rights or menus of the signed-in person are no longer those
 * of the answer before.
 */
export function whenRightsChange(listener: () => void): void {
  onRights = listener
}
function noteRights(response: Response): void {
  const mark = response.headers.get('x-perm-version')
  if (!mark) return
  const holder = token()
  const changed = rights.holder === holder && rights.mark !== mark
  rights = { holder, mark }
  if (changed) onRights?.()
}

function headersFor(endpoint: Endpoint, body: unknown, options: Options): Headers {
  const headers = new Headers({ Accept: 'application/json', 'Accept-Language': prefs().lang })
  // who asks what every buyer may ask says not who he is
  const held = endpoint.path.startsWith('/mobile/') ? null : token()
  if (held) headers.set('Authorization', held)
  if (body !== undefined && !options.file) headers.set('Content-Type', 'application/json')
  const view = viewHeader(endpoint)
  if (view) headers.set(...view)
  if (endpoint.idempotent) headers.set('Idempotency-Key', options.idempotencyKey ?? newKey())
  return headers
}

function bodyOf(body: Record<string, unknown> | undefined, options: Options): BodyInit | null {
  if (!options.file) return body === undefined ? null : JSON.stringify(body)
  const form = new FormData()
  for (const [key, value] of Object.entries(body ?? {})) form.set(key, String(value))
  form.set('file', options.file)
  return form
}

/** A UUID; randomUUID is missing on plain-http addresses other than localhost. */
export function newKey(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

const failure = (kind: ApiError['kind'], message: string): ApiError => ({
  kind,
  code: 0,
  error: `web.${kind}`,
  message,
  requestId: undefined,
  errors: [],
})

/** A page instead of JSON comes from a proxy or portal in between, never from our server. */
function parse(text: string, response: Response): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw [502, 503, 504].includes(response.status)
      ? { ...failure('refused', translate('error.busy')), code: response.status * 1000 }
      : failure('blocked', translate('error.blocked'))
  }
}

/** `code` 200 or absent is success (specification, section 7); some gateways send it as text. */
function refusalOf(answer: unknown, response: Response): ApiError | null {
  const found = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<
    string,
    unknown
  >
  const code =
    found.code === undefined || found.code === null
      ? response.ok
        ? 200
        : response.status * 1000
      : Number(found.code)
  if (code === 200 && response.ok) return null
  return {
    kind: 'refused',
    code: code === 200 ? response.status * 1000 : code,
    error: typeof found.error === 'string' ? found.error : '',
    message:
      typeof found.message === 'string' && found.message !== ''
        ? found.message
        : translate('error.unexpected'),
    requestId:
      typeof found.requestId === 'string'
        ? found.requestId
        : (response.headers.get('x-request-id') ?? undefined),
    errors: Array.isArray(found.errors) ? (found.errors as FieldError[]) : [],
  }
}
