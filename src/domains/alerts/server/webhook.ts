import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { Blocked, resolveTarget, type SendAnswer, timeoutMs } from './outbound.ts'

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>` with the channel's secret. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

type Post = {
  url: string
  secret: string | null
  id: string
  body: string
  now: Date
  privateAllowed: boolean
}

/**
 * One POST within five seconds to an address that was checked; redirects are refused, of the answer
 * only the status counts.
 */
export async function postWebhook({
  url,
  secret,
  id,
  body,
  now,
  privateAllowed,
}: Post): Promise<SendAnswer> {
  const target = new URL(url)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Huodao-Alerts',
    'x-huodao-delivery': id,
    ...(secret === null
      ? {}
      : { 'x-huodao-signature': signatureOf(secret, Math.floor(now.getTime() / 1000), body) }),
  }
  try {
    const { address, family } = await resolveTarget(target.hostname, privateAllowed)
    const status = await new Promise<number>((done, fail) => {
      const secure = target.protocol === 'https:'
      const call = (secure ? httpsRequest : httpRequest)(
        {
          host: address,
          family,
          port: target.port || (secure ? 443 : 80),
          path: target.pathname + target.search,
          method: 'POST',
          headers: { ...headers, host: target.host },
          ...(secure && !isIP(target.hostname.replace(/^\[|\]$/g, ''))
            ? { servername: target.hostname }
            : {}),
          agent: false,
          signal: AbortSignal.timeout(timeoutMs),
        },
        (answer) => {
          done(answer.statusCode ?? 0)
          answer.destroy()
        },
      )
      call.on('error', fail)
      call.end(body)
    })
    if (status >= 200 && status < 300) return { state: 'SENT' }
    return {
      state: 'RETRY',
      reason:
        status >= 300 && status < 400
          ? `HTTP ${status}, redirects are not followed`
          : `HTTP ${status}`,
    }
  } catch (error) {
    if (error instanceof Blocked) return { state: 'FAILED', reason: error.message }
    return { state: 'RETRY', reason: reasonOf(error) }
  }
}

/** A word for people, without addresses: what a name resolves to is not theirs to learn. */
export function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'ETIMEDOUT'
  return typeof code === 'string'
    ? code
    : error instanceof Error && /^E[A-Z]+$/.test(error.message)
      ? error.message
      : 'failed'
}
