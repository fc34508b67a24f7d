import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { App } from './context.ts'
import { perApp } from './perApp.ts'
import { tokenHash } from './sessions.ts'

/** Who a request counts for: its address, until its token was found to be somebody's session. */

/** An address as it is counted: of IPv6 the network, as one household has 2^64 of them. */
export function addressKey(ip: string): string {
  if (!isIPv6(ip)) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = ip.split('%')[0]?.split('::') ?? []
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')
}

/** The token a request carries; empty when there is none, several, or something else. `Bearer ` may stand before it. */
export function tokenOf(request: FastifyRequest): string {
  const given = request.raw.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === 'authorization')
  const token = given.length === 1 ? (given[0] as string).replace(/^Bearer /, '') : ''
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? token : ''
}

const mostKept = 20_000
const provenOf = perApp(() => new Map<string, string>())
const keyOf = (token: string) => tokenHash(token).toString('base64')

export function noteProven(app: App, token: string, sessionId: string): void {
  const proven = provenOf(app)
  const [oldest] = proven.keys()
  if (proven.size >= mostKept && oldest) proven.delete(oldest)
  proven.set(keyOf(token), sessionId)
}
export const forgetToken = (app: App, token: string): unknown => provenOf(app).delete(keyOf(token))

export function rateKey(app: App, request: FastifyRequest): string {
  const token = tokenOf(request)
  return (token && provenOf(app).get(keyOf(token))) || addressKey(request.ip)
}
