import path from 'node:path'
import type { App } from '../server/context.ts'
import { buildHttp } from '../server/http.ts'
import { serveEvents } from '../server/events.ts'
import { serveHealth } from '../server/health.ts'
import { servePages } from '../server/pages.ts'

export type Part = { stop(): Promise<void> }

/** The HTTP API and the pages. */
export async function startApi(app: App): Promise<Part> {
  const http = await buildHttp(app)
  serveHealth(http, app)
  serveEvents(http, app)
  await servePages(http, app, path.resolve('dist/web'))
  await http.listen({ host: app.config.host, port: app.config.port })
  return { stop: () => http.close() }
}
