import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { addressOf } from '../shared/address.ts'
import type { App } from './context.ts'
import { perApp } from './perApp.ts'

/**
 * Who a request counts for: its address, until its token was found to be somebody's; all sessions
 * of a person count together.
 */

/**
 * The token a request carries; empty when there is none, several, or something else. `Bearer ` may
 * stand before it.
 */
export function tokenOf(request: FastifyRequest): string {
  const given = request.raw.rawHeaders.filter(
    (_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === 'authorization',
  )
  const token = given.length === 1 ? (given[0] as string).replace(/^Bearer /, '') : ''
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? token : ''
}

/** How a token is kept. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()

const mostKept = 20_000
const provenOf = perApp(() => new Map<string, string>())
const keyOf = (token: string) => tokenHash(token).toString('base64')

export function noteProven(app: App, token: string, userId: number): void {
  const proven = provenOf(app)
  const [oldest] = proven.keys()
  if (proven.size >= mostKept && oldest) proven.delete(oldest)
  proven.set(keyOf(token), `person ${userId}`)
}
export const forgetToken = (app: App, token: string): unknown => provenOf(app).delete(keyOf(token))

export function rateKey(app: App, request: FastifyRequest): string {
  const token = tokenOf(request)
  return (token && provenOf(app).get(keyOf(token))) || addressOf(request.ip)
}
