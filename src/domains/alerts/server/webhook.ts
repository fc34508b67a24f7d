import { createHmac } from 'node:crypto'
import { Blocked, callOut, reasonOf, type SendAnswer } from '../../../server/outbound.ts'

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
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Huodao-Alerts',
    'x-huodao-delivery': id,
    ...(secret === null
      ? {}
      : { 'x-huodao-signature': signatureOf(secret, Math.floor(now.getTime() / 1000), body) }),
  }
  try {
    const answer = await callOut({ url, headers, body, privateAllowed })
    answer.destroy()
    const status = answer.statusCode ?? 0
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
