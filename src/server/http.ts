import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { addressOf } from '../shared/address.ts'
import type { Endpoint, Output } from '../shared/contract.ts'
import { common, Refusal } from '../shared/errors.ts'
import { toLang } from '../shared/text.ts'
import { admissionOf } from './admission.ts'
import { answerError, pathOf, wasShed } from './answers.ts'
import type { CallOn, Handler } from './bind.ts'
import { type App, isRefused, systemActor } from './context.ts'
import { sendCookie } from './cookies.ts'
import { systemScope } from './database.ts'
import { openDebugLog } from './debugLog.ts'
import { answerMalformed, answerUndecodable, boundConnections, guardEvery } from './everyAnswer.ts'
import {
  contractInput,
  idempotencyKey,
  parseInput,
  persons,
  strangers,
  takeBodies,
} from './input.ts'
import { keptAnswers } from './keptAnswers.ts'
import { originOf } from './logRow.ts'
import { perApp } from './perApp.ts'
import { endpointsOf, type NamedEndpoint } from './product.ts'
import { requireProof } from './proof.ts'
import { rateKey } from './rateKeys.ts'
import { rateStore } from './rateStore.ts'
import { traceRefusal } from './refusals.ts'
import { act, type Caller, databaseRefusal, isReplay, longestAct, once } from './run.ts'
import { askerOf, heavyReads, lightReads, writes } from './shares.ts'

type Entry = NamedEndpoint & { readonly handler: Handler<Endpoint> }

/** Every endpoint of every contract, with its handler. */
const entriesOf = perApp(async ({ product }: App): Promise<readonly Entry[]> => {
  const handlers = await product.handlers()
  return endpointsOf(product.contracts).map((entry) => {
    const handler = handlers[entry.domain]?.[entry.key]
    if (!handler) throw new Error(`no handler for ${entry.name}`)
    return { ...entry, handler }
  })
})

const isAsset = (request: FastifyRequest) =>
  request.method === 'GET' && /^\/assets\/[\w.-]+\.\w+$/.test(request.url)

export async function buildHttp(app: App): Promise<FastifyInstance> {
  const http: FastifyInstance = Fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // one proxy: the address it wrote itself, never what a caller wrote before it
    trustProxy: app.config.trustProxy,
    bodyLimit: strangers.bytes,
    requestTimeout: 30_000,
    // who sends a part and stops is found soon: until then his bytes are kept
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000, requireHostHeader: false },
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    rewriteUrl: (request) => belowBase(app.config.basePath, request.url ?? '/'),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) =>
      void answerUndecodable(app, http, error, request, reply),
    clientErrorHandler: answerMalformed,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 200 },
  })
  await http.register(rateLimit, {
    global: false,
    // a first visit takes some thirty files, and an office opens at nine
    max: (request) => (isAsset(request) ? 10 * app.config.rateLimit : app.config.rateLimit),
    timeWindow: 1000,
    store: rateStore,
    ban: -1,
    keyGenerator: (request) =>
      isAsset(request) ? `assets ${addressOf(request.ip)}` : rateKey(app, request),
    allowList: (request) => request.url.split('?', 1)[0] === '/health',
    errorResponseBuilder: () => new Refusal(common.tooMany),
  })
  guardEvery(http)
  boundConnections(app, http.server)
  takeBodies(http)
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
  await http.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions,
    globalDecompression: false,
  })
  // nobody needs it, and a kilobyte would unpack to a gigabyte
  http.addHook('onRequest', async (request) => {
    if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      throw new Refusal(common.compressed)
  })
  await http.register(multipart, {
    limits: { files: 1, fields: 5, fileSize: 8_388_608, parts: 6, headerPairs: 50 },
  })
  const wholeAt = new WeakMap<FastifyRequest, number>()
  http.addHook('preHandler', async (request) => void wholeAt.set(request, performance.now()))
  const debugLog = openDebugLog(app)
  http.addHook('onClose', () => debugLog.stop())
  http.addHook('onResponse', async (request, reply) => {
    debugLog.note(request, reply.statusCode, reply.elapsedTime)
    // how long a body took to come is its sender's affair
    const ms = Math.round(performance.now() - (wholeAt.get(request) ?? performance.now()))
    app.log[
      reply.statusCode >= 500 && !wasShed(app, request) ? 'error' : ms > 1000 ? 'warn' : 'debug'
    ](
      {
        requestId: request.id,
        method: request.method,
        url: pathOf(request.url),
        status: reply.statusCode,
        ms,
      },
      'request',
    )
  })
  http.setErrorHandler(async (error, request, reply) => {
    await traceRefusal(app, error, request)
    return answerError(app, error, request, reply)
  })

  const methods = new Map<string, Set<string>>()
  for (const entry of await entriesOf(app)) {
    const { name, endpoint, handler } = entry
    const url = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
    const most = endpoint.guessable ? app.config.signInRateLimit : endpoint.perMinute
    const config = {
      signed: endpoint.signed,
      ...(most !== null
        ? {
            rateLimit: {
              max: most,
              timeWindow: 60_000,
              keyGenerator: (request: FastifyRequest) => addressOf(request.ip),
            },
          }
        : {}),
    }
    // who asks is known before a byte of the body is read: a stranger's is small, and is never
    // parsed where he may not call
    const known = new WeakMap<FastifyRequest, Known>()
    const preParsing = async (request: FastifyRequest, reply: FastifyReply) =>
      void known.set(request, await askedBy(app, entry, request, reply))
    const body = (endpoint.access === 'open' ? strangers : persons).bytes
    http.route({
      method: endpoint.method,
      url,
      config,
      bodyLimit: body,
      preParsing,
      handler: (request, reply) =>
        serve(app, { name, endpoint, handler, ...(known.get(request) as Known), request }, reply),
    })
    const declared = methods.get(url) ?? new Set<string>()
    methods.set(url, declared.add(endpoint.method))
  }
  refuseOtherMethods(http, app, methods)
  return http
}

/** A known path with another method is a 405 that names the right ones. */
export function refuseOtherMethods(
  http: FastifyInstance,
  app: App,
  methods: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, declared] of methods) {
    const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'].filter(
      (m) => !declared.has(m),
    )
    http.route({
      method: others,
      url,
      exposeHeadRoute: false,
      handler: (request, reply) =>
        answerError(
          app,
          new Refusal(common.wrongMethod),
          request,
          reply.header('allow', [...declared].join(', ')),
        ),
    })
  }
}

/**
 * Routes are written from the root; the base path is taken off here, whether or not a proxy did so
 * already.
 */
const belowBase = (base: string, url: string): string =>
  base !== '/' && url.startsWith(base) ? url.slice(base.length - 1) : url

async function serve(app: App, asked: Omit<Given, 'key'>, reply: FastifyReply): Promise<unknown> {
  const { endpoint, request } = asked
  const { answer, replayed } = await perform(
    app,
    { ...asked, key: idempotencyKey(endpoint, request) },
    parseInput(endpoint, request),
  )
  if (replayed) reply.header('idempotency-replayed', 'true')
  sendCookie(request, reply)
  return endpoint.keptSeconds === null
    ? reply.send(answer)
    : sendUnlessKnown(answer, endpoint.keptSeconds, request, reply)
}

/** Whoever has this answer already is not sent it again. */
function sendUnlessKnown(
  answer: unknown,
  seconds: number,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const body = JSON.stringify(answer)
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`
  reply.header('etag', tag)
  // what is one person's stays in no browser; a client that keeps it itself asks by its tag
  reply.header('cache-control', seconds ? `public, max-age=${seconds}` : 'no-store')
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim())
  // a proxy that compresses makes the tag a weak one
  return known.includes(tag) || known.includes(`W/${tag}`)
    ? reply.code(304).send()
    : reply.type('application/json; charset=utf-8').send(body)
}

/** Runs operations of the registry for the sender of this request. */
export function callOn(app: App, request: FastifyRequest, reply: FastifyReply): CallOn {
  return async (endpoint, input) => {
    const entry = (await entriesOf(app)).find((one) => one.endpoint === (endpoint as Endpoint))
    if (!entry) throw new Error(`${endpoint.path} is not registered`)
    const { answer } = await perform(
      app,
      { ...entry, ...(await askedBy(app, entry, request, reply)), request, key: undefined },
      contractInput(endpoint, input as Record<string, unknown>),
    )
    return answer as Output<typeof endpoint>
  }
}

/** Writes that wait for a connection before new work is turned away: about a second's worth. */
export const mostWaiting = 100

/** Who asks, and the same looked up again when that was a while ago. */
type Known = { caller: Caller; again: () => Promise<Caller> }
type Given = Known & {
  name: string
  endpoint: Endpoint
  handler: Handler<Endpoint>
  request: FastifyRequest
  key: string | undefined
}

/**
 * Who asks is believed so long: a body may take half a minute to come, and others' turns may come
 * first.
 */
const believedMs = 250

async function askedBy(
  app: App,
  entry: Entry,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Known> {
  const look = () => callerOf(app, entry, request, reply)
  const caller = await look()
  const at = performance.now()
  return {
    caller,
    again: async () =>
      entry.endpoint.access === 'open' || performance.now() - at < believedMs ? caller : look(),
  }
}

/** One operation; new work of strangers waits its turn at the admission. */
function perform(
  app: App,
  given: Given,
  input: Record<string, unknown>,
): Promise<{ answer: unknown; replayed: boolean }> {
  const { yields } = given.endpoint
  return yields
    ? admissionOf(app).enter(String(input[yields]), addressOf(given.caller.ip), () =>
        run(app, given, input),
      )
    : run(app, given, input)
}

/** Slow work first, then one transaction; a refusal is thrown, its trace is committed. */
async function run(
  app: App,
  given: Given,
  input: Record<string, unknown>,
): Promise<{ answer: unknown; replayed: boolean }> {
  const { name, endpoint, handler, caller, again, request, key } = given
  // before it takes a connection of its own
  if (endpoint.yields && app.database.stats().writes.waiting >= mostWaiting)
    throw new Refusal(common.busy)
  const asker = askerOf(caller)
  const slow =
    typeof handler === 'function'
      ? undefined
      : await handler.prepare(app, input as never, request, caller.actor)
  const verb =
    typeof handler === 'function'
      ? handler
      : (ctx: Parameters<typeof handler.run>[0], value: never) => handler.run(ctx, value, slow)
  if (endpoint.kind === 'read') {
    const asked = async () => {
      const now = await again()
      return app.database.read(endpoint.scope === 'system' ? systemScope : now.actor.scope, (db) =>
        verb(
          {
            app,
            db,
            ...now,
            now: app.now(),
            audit: refuseInRead,
            touch: refuseInRead,
            later: refuseInRead,
            afterCommit: refuseInRead,
            afterEnd: refuseInRead,
          },
          input as never,
        ),
      )
    }
    const answer = async () => {
      const given = await asked()
      if (isRefused(given)) throw new Refusal(given.refused, given.values, given.fields)
      return checked(endpoint, given)
    }
    const inTurn = (work: () => Promise<unknown>) =>
      (endpoint.heavy ? heavyReads : lightReads)(app).take(asker, work)
    if (!endpoint.sharedMs) return { answer: await inTurn(answer), replayed: false }
    const shared = { key: `${name} ${JSON.stringify(input)}`, ms: endpoint.sharedMs }
    const kept = keptAnswers(app)
    return {
      answer: await (kept.find(shared) ??
        inTurn(() => kept.find(shared) ?? kept.keep(shared, answer))),
      replayed: false,
    }
  }
  const written = async () =>
    act(
      app,
      await again(),
      endpoint,
      async (ctx) => {
        if (!key) return verb(ctx, input as never)
        const outcome = await once(
          ctx,
          name,
          key,
          input,
          () => verb(ctx, input as never) as Promise<unknown>,
        )
        return isReplay(outcome) ? outcome : outcome.fresh
      },
      longestAct,
    )
  // new orders have had their turn at the door, and word of a payment waits for nobody
  const result = await (endpoint.yields || endpoint.urgent
    ? written()
    : writes(app).take(asker, written)
  ).catch(translate)
  if (isRefused(result)) throw new Refusal(result.refused, result.values, result.fields)
  if (isReplay(result)) return { answer: result.replay.body, replayed: true }
  return { answer: checked(endpoint, result), replayed: false }
}

/** The answer through its own schema: an explicit list of fields, or our fault. */
function checked(endpoint: Endpoint, answer: unknown): unknown {
  const parsed = endpoint.output.safeParse(answer)
  if (!parsed.success)
    throw new Error(
      `answer of ${endpoint.method} ${endpoint.path} does not fit its contract: ${parsed.error.message}`,
    )
  return parsed.data
}

const refuseInRead = () => {
  throw new Error('a read endpoint changes nothing')
}
function translate(error: unknown): never {
  throw databaseRefusal(error) ?? error
}

async function callerOf(
  app: App,
  { name, endpoint }: NamedEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const base = { lang: toLang(request.headers['accept-language']), ...originOf(request) }
  if (endpoint.access === 'open') return { ...base, actor: { ...systemActor, username: 'public' } }
  const person = await app.product.signedIn(app, request, { name, endpoint })
  reply.header('x-perm-version', person.mark)
  const actor = { ...person, scope: person.scopeOf(endpoint.access) }
  if (endpoint.access !== 'self' && !person.permissions.has(endpoint.access))
    throw new Refusal(common.forbidden)
  if (person.view && endpoint.kind !== 'read') throw new Refusal(common.viewOnly)
  if (endpoint.fresh === true) await requireProof(app, person)
  return { ...base, actor }
}
