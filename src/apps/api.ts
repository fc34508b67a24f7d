import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveStatements } from '../domains/billing/server/statementFile.ts'
import { serveEvidence } from '../domains/drug-evidence/server/download.ts'
import { smaller } from '../domains/files/server/smaller.ts'
import { tileOrigin } from '../domains/geo/server/verbs.ts'
import { serveInvoices } from '../domains/invoices/server/files.ts'
import { serveDownloads } from '../domains/jobs/server/download.ts'
import { screens } from '../domains/product.ts'
import { serveReleases } from '../domains/releases/server/download.ts'
import { serveSignInPages } from '../domains/session/server/pages.ts'
import { reportProcess } from '../domains/settings/server/processStats.ts'
import { serveScreens } from '../domains/workbench/server/stream.ts'
import { serveAliases } from '../server/aliases.ts'
import type { App } from '../server/context.ts'
import { serveEvents } from '../server/events.ts'
import { serveHealth } from '../server/health.ts'
import { buildHttp } from '../server/http.ts'
import { servePages } from '../server/pages.ts'

/** Addresses that are pages, whoever asks; a parameter is one part of the path. */
const pages = new RegExp(
  `^(${['/', '/login', '/404', '/screen', ...screens.map(({ path }) => path.replace(/:\w+/g, '[^/]+'))].join('|')})$`,
)

export type Part = { stop(): Promise<void> }

/** Everything the HTTP side answers, not listening yet. */
export async function buildApi(
  app: App,
  webDir = path.resolve('dist/web'),
): Promise<FastifyInstance> {
  const http = await buildHttp(app)
  serveAliases(http, app)
  serveHealth(http, app)
  serveEvents(http, app)
  serveDownloads(http, app)
  serveEvidence(http, app)
  serveInvoices(http, app)
  serveStatements(http, app)
  serveReleases(http, app)
  serveScreens(http, app)
  serveSignInPages(http, app)
  await servePages(http, app, webDir, (path) => pages.test(path), tileOrigin, smaller)
  return http
}

/** The HTTP API and the pages. */
export async function startApi(app: App): Promise<Part> {
  const http = await buildApi(app)
  reportProcess(app, 'api')
  await http.listen({ host: app.config.host, port: app.config.port })
  return { stop: () => http.close() }
}
