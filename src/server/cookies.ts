import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Handlers see requests, not replies: what they want the browser to keep goes out with the answer.
 */
const waiting = new WeakMap<FastifyRequest, string>()
type Cookie = { readonly name: string; readonly value: string; readonly days: number }

/**
 * Behind TLS a browser takes it from this host by TLS alone, so that no neighbour and nobody on the
 * wire can set it.
 */
export const cookieName = (request: FastifyRequest, name: string): string =>
  request.protocol === 'https' ? `__Host-${name}` : name

/** Kept from scripts, from other sites and, behind TLS, from the open wire. */
export function setCookie(request: FastifyRequest, { name, value, days }: Cookie): void {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  waiting.set(
    request,
    `${cookieName(request, name)}=${value}; Path=/; Max-Age=${days * 86_400}; HttpOnly; SameSite=Strict${secure}`,
  )
}
export function sendCookie(request: FastifyRequest, reply: FastifyReply): void {
  const cookie = waiting.get(request)
  if (cookie) reply.header('set-cookie', cookie)
}
