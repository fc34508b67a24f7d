import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './context.ts'

/** Handlers see requests, not replies: what they want the browser to keep goes out with the answer. */
const waiting = new WeakMap<FastifyRequest, string>()
type Cookie = { readonly name: string; readonly value: string; readonly path: string; readonly days: number }

/** Kept from scripts, from other sites and, behind TLS, from the open wire. `path` is below the base path. */
export function setCookie(app: App, request: FastifyRequest, { name, value, path, days }: Cookie): void {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  waiting.set(request, `${name}=${value}; Path=${app.config.basePath}${path}; Max-Age=${days * 86_400}; HttpOnly; SameSite=Strict${secure}`)
}
export function sendCookie(request: FastifyRequest, reply: FastifyReply): void {
  const cookie = waiting.get(request)
  if (cookie) reply.header('set-cookie', cookie)
}
