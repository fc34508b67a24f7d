import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { common, Refusal } from '../shared/errors.ts'
import { answerError, safeUrl } from './answers.ts'
import type { App } from './context.ts'
import { fileName } from './files.ts'
import { sendPart } from './sendPart.ts'

/** A picture as wide as it is shown; null: as it is. */
export type Smaller = (
  app: App,
  name: string,
  width: number,
  kind: 'webp' | 'jpg',
) => Promise<Buffer | null>

/** The app's pages, its assets and uploaded pictures. Page navigations get the app, which shows /404 itself, and so does whoever asks
 * for the address of a page without saying how, as probes and curl do. */
export async function servePages(
  http: FastifyInstance,
  app: App,
  webDir: string,
  isPage: (path: string) => boolean,
  imagesFrom: (app: App) => Promise<string | null> = async () => null,
  smaller?: Smaller,
): Promise<void> {
  const indexFile = path.join(webDir, 'index.html')
  const base = app.config.basePath
  if (existsSync(webDir)) {
    await http.register(async (files) => {
      // a folder, a name too long, a twisted path: nothing lies there
      files.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
        if (error instanceof Refusal || (error.statusCode ?? 500) >= 500) throw error
        reply.callNotFound()
      })
      await files.register(fastifyStatic, {
        root: webDir,
        prefix: '/',
        wildcard: true,
        index: false,
        preCompressed: true,
        allowedPath: (file) => !file.startsWith('/index.html'),
        setHeaders: (reply, file) => {
          reply.header(
            'cache-control',
            file.includes(`${path.sep}assets${path.sep}`)
              ? 'public, max-age=31536000, immutable'
              : 'no-cache',
          )
          // the worker of phones reads the files it keeps, and loads no code
          if (/[\\/]sw\.js(\.br|\.gz)?$/.test(file))
            reply.header('content-security-policy', "default-src 'none'; connect-src 'self'")
        },
      })
    })
  }
  http.get('/files/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    if (!fileName.test(name)) return answerError(app, new Refusal(common.notFound), request, reply)
    const width = Number((request.query as { w?: unknown }).w)
    const webp = request.headers.accept?.includes('image/webp') ?? false
    const less =
      width && smaller && !name.endsWith('.mp4')
        ? await smaller(app, name, width, webp ? 'webp' : 'jpg')
        : null
    if (less)
      return reply
        .type(webp ? 'image/webp' : 'image/jpeg')
        .header('vary', 'accept')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(less)
    return sendFile(app, request, reply, name)
  })
  http.setNotFoundHandler(async (request, reply) => {
    const accept = request.headers.accept ?? '*/*'
    const path = request.url.split('?', 1)[0] ?? '/'
    const wantsPage =
      ['GET', 'HEAD'].includes(request.method) &&
      (accept.includes('text/html') || (accept.includes('*/*') && isPage(path)))
    if (wantsPage && existsSync(indexFile)) {
      // read each time: a rebuild beside a running server must not leave an old page pointing at
      // gone files
      return sendPage(
        reply,
        readFileSync(indexFile, 'utf8'),
        base,
        await imagesFrom(app).catch(() => null),
      )
    }
    return answerError(
      app,
      new Refusal(common.noPath, { url: safeUrl(request.url) }),
      request,
      reply,
    )
  })
}

const types: Readonly<Record<string, string>> = { png: 'image/png', mp4: 'video/mp4' }

async function sendFile(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply> {
  const size = await app.files.size(name)
  if (size === null) throw new Refusal(common.notFound)
  return sendPart(request, reply, size, (part) => app.files.open(name, part), {
    'content-type': types[name.slice(-3)] ?? 'image/jpeg',
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${name.slice(0, 36)}"`,
  })
}

function sendPage(
  reply: FastifyReply,
  template: string,
  base: string,
  imageOrigin: string | null,
): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const page = template
    .replaceAll('__NONCE__', nonce)
    .replaceAll('__BASE__', base)
    .replaceAll('"./', `"${base}`)
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header(
      'content-security-policy',
      [
        "default-src 'self'",
        `script-src 'self'${chunkNames(page)}`,
        `style-src 'self' 'nonce-${nonce}'`,
        "style-src-attr 'unsafe-inline'",
        `img-src 'self' data: blob:${imageOrigin ? ` ${imageOrigin}` : ''}`,
        "connect-src 'self'",
        "font-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ].join('; '),
    )
    .send(page)
}

/**
 * The table of where our chunks lie is no script, but must stand in the page: it is allowed by its
 * contents, and nothing else is.
 */
function chunkNames(page: string): string {
  const table = /<script type="importmap">([^<]*)<\/script>/.exec(page)?.[1]
  return table === undefined
    ? ''
    : ` 'sha256-${createHash('sha256').update(table).digest('base64')}'`
}
