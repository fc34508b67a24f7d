import { createHash, timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import client from 'prom-client'
import { apiDocs, styleHash } from './apiDocs.ts'
import type { App } from './context.ts'
import { metricsOf } from './metrics.ts'
import { openApi } from './openapi.ts'
import { openPartsProbe } from './parts.ts'
import { openWriteProbe } from './writeProbe.ts'

/**
 * Figures tell a stranger how much is sold and where it hurts: in production they are for whoever
 * has the token.
 */
function maySeeFigures({ config }: App, request: FastifyRequest): boolean {
  if (!config.metricsToken) return !config.production
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(
    digest(request.headers.authorization ?? ''),
    digest(`Bearer ${config.metricsToken}`),
  )
}

/** Health for load balancers, metrics for Prometheus, and the contract as OpenAPI. */
export function serveHealth(http: FastifyInstance, app: App): void {
  const registry = metricsOf(app)
  const requests = new client.Histogram({
    name: 'http_request_seconds',
    help: 'Requests by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  })
  const pool = new client.Gauge({
    name: 'database_connections',
    help: 'Connections by pool and state',
    labelNames: ['pool', 'state'],
    registers: [registry],
  })
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()
  http.addHook('onResponse', async (request, reply) => {
    requests.observe(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
      },
      reply.elapsedTime / 1000,
    )
  })
  const takesWrites = openWriteProbe(app.database)
  const missing = openPartsProbe(app.database.aside, app.now)
  http.get('/health', async (_, reply) => {
    try {
      await app.database.ping()
      if (!(await takesWrites()))
        return reply
          .status(503)
          .send({ status: 'database takes no writes', environment: app.config.environment })
      // this API works, whatever is missing beside it: 200, and the body says what to look after
      return { status: 'ok', environment: app.config.environment, missing: await missing() }
    } catch {
      return reply
        .status(503)
        .send({ status: 'database away', environment: app.config.environment })
    }
  })
  http.get('/metrics', async (request, reply) => {
    if (!maySeeFigures(app, request)) return reply.callNotFound()
    const { reads, writes } = app.database.stats()
    for (const [name, stats] of Object.entries({ reads, writes })) {
      for (const [state, count] of Object.entries(stats)) pool.set({ pool: name, state }, count)
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
  if (!app.config.apiDocs) return
  const { contracts } = app.product
  const document = openKept(() => JSON.stringify(openApi(contracts, app.config.basePath)))
  http.get('/openapi.json', async (request, reply) =>
    document(request, reply.type('application/json; charset=utf-8')),
  )
  const docs = openKept(() => apiDocs(contracts))
  http.get('/api-docs', async (request, reply) =>
    docs(
      request,
      reply
        .type('text/html; charset=utf-8')
        .header(
          'content-security-policy',
          `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        ),
    ),
  )
}

/**
 * What is large and the same for everybody is written and packed once: for each stranger who asks it
 * would take the time of a hundred others.
 */
function openKept(make: () => string) {
  let kept: { plain: Buffer; packed: Buffer } | undefined
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (!kept) {
      const plain = Buffer.from(make())
      kept = { plain, packed: gzipSync(plain) }
    }
    reply.header('vary', 'accept-encoding')
    return /\bgzip\b/.test(String(request.headers['accept-encoding']))
      ? reply.header('content-encoding', 'gzip').send(kept.packed)
      : reply.send(kept.plain)
  }
}
