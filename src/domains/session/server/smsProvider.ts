import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import type { Failed, Retry } from '../../../server/work.ts'

/** A code, or with `NOTICE` a text without one. The key tells a message that is sent again. */
export type Message = {
  key: string
  phone: string
  purpose: 'LOGIN' | 'RESET' | 'CHANGE_PHONE' | 'NOTICE'
  code: string
  content: string
}
export type SendAnswer = { state: 'SENT' } | Retry | Failed
export type SmsProvider = { send(message: Message): Promise<SendAnswer> }

/** Any gateway that takes JSON and a bearer key. */
const http = (url: string, key: string): SmsProvider => ({
  async send({ key: once, ...message }) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': once,
          ...(key ? { authorization: `Bearer ${key}` } : {}),
        },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(5000),
        redirect: 'error',
      })
      await response.body?.cancel()
      if (response.ok) return { state: 'SENT' }
      return {
        state:
          response.status >= 400 && response.status < 500 && response.status !== 429
            ? 'FAILED'
            : 'RETRY',
        reason: `HTTP ${response.status}`,
      }
    } catch (error) {
      return {
        state: 'RETRY',
        reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown',
      }
    }
  },
})

/** Into the developer inbox and the server's log: for the demo only. */
const simulated = (app: App): SmsProvider => ({
  async send({ phone, content }) {
    app.log.info({ phone, content }, 'sms (simulated)')
    await bySystem(app, (ctx) =>
      ctx.db
        .insertInto('dev_messages')
        .values({ org_id: 1, phone, content, created_at: ctx.now })
        .execute(),
    )
    return { state: 'SENT' }
  },
})

export const hasSms = (app: App): boolean => app.config.smsApiUrl !== undefined || app.config.demo
export const smsProvider = (app: App): SmsProvider | null =>
  app.config.smsApiUrl !== undefined
    ? http(app.config.smsApiUrl, app.config.smsApiKey)
    : app.config.demo
      ? simulated(app)
      : null
