import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from '../shared/address.ts'
import { common, type ErrorDef, Refusal } from '../shared/errors.ts'
import { say } from '../shared/text.ts'
import { answerError } from './answers.ts'
import type { App } from './context.ts'
import { mostNames } from './input.ts'

/**
 * For all that is no page: a browser that opens it shows it, runs nothing and lets nobody frame it.
 */
const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * What every answer carries, whoever gives it: a route, the stream of a screen, the framework, or
 * Node itself.
 */
const headersOf = (id: string): Record<string, string> => ({
  'x-request-id': id,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'content-security-policy': noPage,
})

/**
 * Onto the raw answer, so that streams and answers of the framework have them too; what a route
 * says of `cache-control` counts more.
 */
function mark(request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(headersOf(request.id)))
    reply.raw.setHeader(name, value)
  // once seen over TLS, never again without it
  if (request.protocol === 'https')
    reply.raw.setHeader('strict-transport-security', 'max-age=31536000; includeSubDomains')
}

/** The first hook of every request: headers, then the limit, unknown paths and methods included. */
export function guardEvery(http: FastifyInstance): void {
  const limited = http.rateLimit()
  http.addHook('onRequest', async ({ raw }, reply) => {
    if (isTooMany(raw.socket, reply.raw)) reply.hijack()
  })
  http.addHook('onRequest', async (request, reply) => mark(request, reply))
  http.addHook('onRequest', async (request, reply) => {
    // a route with a limit of its own counts by itself
    if (!request.routeOptions.config?.rateLimit) await limited.call(http, request, reply)
  })
  http.addHook('onRequest', async ({ raw }) => {
    if ((raw.url?.match(/&/g)?.length ?? 0) >= mostNames) throw new Refusal(common.invalid)
  })
  http.addHook('onRequest', async ({ raw }) => {
    if (isNeedless(raw)) throw new Refusal(common.invalid)
    boundChunks(raw)
  })
  // HTTP asks for it; Node would answer in a shape of its own
  http.addHook('onRequest', async ({ raw }) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      throw new Refusal(common.invalid)
  })
  http.addHook('onSend', async ({ raw }, reply) => {
    if (isUnread(raw)) reply.header('connection', 'close')
  })
  http.addHook('onResponse', async ({ raw }) => leaveUnread(raw))
  // an expectation we do not know is no reason to refuse
  http.server.on('checkExpectation', (request, response) => http.routing(request, response))
}

/**
 * Bytes of a body that may still come after its answer, and how long one has to read an answer that
 * came before the body's end.
 */
const smallRest = 262_144
const readingAnswer = 2000

/** A question has no body: nobody would read it, or count it. */
const isNeedless = ({ method, headers }: FastifyRequest['raw']): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
const isUnread = (raw: FastifyRequest['raw']): boolean =>
  raw.complete === false &&
  (isNeedless(raw) ||
    (raw.method !== 'GET' &&
      raw.method !== 'HEAD' &&
      Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) > smallRest))
/**
 * Answered before its body is whole: Node would take in the rest, however much it is. A small one
 * ends by itself.
 */
function leaveUnread(raw: FastifyRequest['raw']): void {
  if (!isUnread(raw)) return
  // a tick later: Node has just set the rest flowing
  setImmediate(() => raw.socket.pause())
  setTimeout(() => raw.socket.destroy(), readingAnswer).unref()
}

/**
 * Each part of a body costs, however little is in it: from so many on there has to be something in
 * them.
 */
const mostParts = 1000
const leastInPart = 64
function boundChunks(raw: FastifyRequest['raw']): void {
  const push = raw.push.bind(raw)
  let parts = 0
  let bytes = 0
  raw.push = (part, encoding) => {
    parts += 1
    bytes += part?.length ?? 0
    if (parts > mostParts && bytes < parts * leastInPart) raw.socket.destroy()
    return push(part, encoding)
  }
}

/** An address that cannot be decoded never reaches a route, nor its hooks. */
export async function answerUndecodable(
  app: App,
  http: FastifyInstance,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  mark(request, reply)
  if (isUnread(request.raw)) {
    reply.header('connection', 'close')
    leaveUnread(request.raw)
  }
  const refusal = await Promise.resolve(http.rateLimit().call(http, request, reply)).then(
    () => error,
    (limit: unknown) => limit,
  )
  if (refusal === error && request.headers.accept?.includes('text/html'))
    reply.redirect(`${app.config.basePath}404`)
  else answerError(app, refusal, request, reply)
}

/**
 * Asked one behind the other without waiting for an answer: each may hold a file, and no browser
 * does it.
 */
const mostUnanswered = 10
const unanswered = new WeakMap<Socket, number>()
function isTooMany(socket: Socket, response: ServerResponse): boolean {
  const count = (unanswered.get(socket) ?? 0) + 1
  unanswered.set(socket, count)
  response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
  if (count > mostUnanswered) socket.destroy()
  return socket.destroyed
}

/** Connections of one address; behind a proxy all come from the proxy, which bounds them itself. */
const mostOfOne = 1000
export function boundConnections(app: Pick<App, 'config'>, server: Server, most = mostOfOne): void {
  if (app.config.trustProxy) return
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress ?? '')
    const count = (open.get(address) ?? 0) + 1
    if (count > most) return void socket.destroy()
    open.set(address, count)
    socket.on('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left) open.set(address, left)
      else open.delete(address)
    })
  })
}

const tooMuch = new Set(['HPE_HEADER_OVERFLOW', 'HPE_CHUNK_EXTENSIONS_OVERFLOW'])

/**
 * What is no HTTP: answered once, in both languages because no header of it is believed, and the
 * connection ends.
 */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const def: ErrorDef = tooMuch.has(error.code ?? '') ? common.tooLarge : common.invalid
  const requestId = randomUUID()
  const body = JSON.stringify({
    code: def.code,
    error: def.name,
    message: `${say(def.text, 'zh-CN')} ${say(def.text, 'en')}`,
    requestId,
  })
  const headers = {
    ...headersOf(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${def.status} ${STATUS_CODES[def.status]}\r\n${head.join('')}\r\n${body}`)
}
