import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { App } from '../server/context.ts'
import { serveEvents } from '../server/events.ts'
import { serveHealth } from '../server/health.ts'
import { buildHttp } from '../server/http.ts'
import { servePages } from '../server/pages.ts'

export type Part = { stop(): Promise<void> }

/** Everything the HTTP side answers, not listening yet. */
export async function buildApi(app: App, webDir = path.resolve('dist/web')): Promise<FastifyInstance> {
  const http = await buildHttp(app)
  serveHealth(http, app)
  serveEvents(http, app)
  await servePages(http, app, webDir)
  return http
}

/** The HTTP API and the pages. */
export async function startApi(app: App): Promise<Part> {
  const http = await buildApi(app)
  await http.listen({ host: app.config.host, port: app.config.port })
  return { stop: () => http.close() }
}
