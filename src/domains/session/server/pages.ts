import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { answerError, safeUrl } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { toLang } from '../../../shared/text.ts'
import { locale } from '../locale.ts'

/** The address in a QR code, and the developer inbox. Neither is a screen of the app. */
export function serveSignInPages(http: FastifyInstance, app: App): void {
  http.get('/scan', async (request, reply) => {
    const { t = '', code = '' } = request.query as Record<string, string>
    const query = new URLSearchParams({
      mode: 'phone',
      t: String(t).slice(0, 64),
      ...(code ? { code: String(code).slice(0, 200) } : {}),
    })
    return reply.redirect(`${app.config.basePath}login?${query}`, 302)
  })
  http.get('/dev/inbox', async (request, reply) => {
    if (!app.config.demo)
      return answerError(
        app,
        new Refusal(common.noPath, { url: safeUrl(request.url) }),
        request,
        reply,
      )
    const rows = await app.database.read(systemScope, async (db) => {
      const found = await sql<{
        phone: string
        content: string
        created_at: Date
      }>`select phone, content, created_at from dev_messages where org_id = 1
        order by created_at desc, id desc limit 50`.execute(db)
      return found.rows
    })
    const nonce = randomBytes(16).toString('base64')
    const texts = locale[toLang(request.headers['accept-language']) === 'en' ? 'en' : 'zh'].inbox
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      .send(inboxPage(texts, rows, nonce))
  })
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const time = new Intl.DateTimeFormat('sv-SE', {
  dateStyle: 'short',
  timeStyle: 'medium',
  timeZone: 'Asia/Shanghai',
})
const style =
  'body{font:14px/22px system-ui,sans-serif;max-width:720px;margin:0 auto;padding:24px 16px;color:#1a2530;background:#f3f5f7}h1{font-size:20px}li{list-style:none;background:#fff;border:1px solid #e4e8ec;border-radius:8px;padding:12px 16px;margin:0 0 8px}ul{padding:0}small{color:#556270}p{margin:4px 0 0}@media(prefers-color-scheme:dark){body{color:#e4eaf0;background:#0e1318}li{background:#161c23;border-color:#27303a}small{color:#a3afbc}}'

const inboxPage = (
  texts: { title: string; hint: string; empty: string },
  rows: readonly { phone: string; content: string; created_at: Date }[],
  nonce: string,
) =>
  `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="refresh" content="5"><title>${escaped(texts.title)}</title><style nonce="${nonce}">${style}</style></head><body><h1>${escaped(texts.title)}</h1><small>${escaped(texts.hint)}</small><ul>${
    rows
      .map(
        (row) =>
          `<li><small>${time.format(row.created_at)} · ${escaped(row.phone)}</small><p>${escaped(row.content)}</p></li>`,
      )
      .join('') || `<li>${escaped(texts.empty)}</li>`
  }</ul></body></html>`
