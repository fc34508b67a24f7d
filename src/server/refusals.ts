import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Endpoint, pathParams } from '../shared/contract.ts'
import { common } from '../shared/errors.ts'
import { madeStorable, say } from '../shared/text.ts'
import { refusalOf } from './answers.ts'
import type { Actor, App } from './context.ts'
import { systemScope } from './database.ts'
import { originOf, writeLog } from './logRow.ts'
import { perApp } from './perApp.ts'

/**
 * What was tried and did not happen: a refused right, a write that a rule or a failure stopped. Its
 * own transaction is rolled back, so its row is written afterwards, for people who are signed in
 * and at most sixty a minute of each.
 */
export type Attempt = {
  readonly name: string
  readonly endpoint: Endpoint
  readonly actor: Actor
  readonly startedAt: number
}
const attempts = new WeakMap<FastifyRequest, Attempt>()
export const noteAttempt = (
  request: FastifyRequest,
  name: string,
  endpoint: Endpoint,
  actor: Actor,
): void => {
  attempts.set(request, { name, endpoint, actor, startedAt: performance.now() })
}
export const attemptOf = (request: FastifyRequest): Attempt | undefined => attempts.get(request)

const perMinute = 60
type Window = { began: number; count: number }
const windowsOf = perApp(() => new Map<number, Window>())

/** False when the person already left a minute's worth of rows. */
function allowed(app: App, userId: number, at: number): boolean {
  const windows = windowsOf(app)
  if (windows.size > 10_000) windows.clear()
  const known = windows.get(userId)
  const window = known && at - known.began < 60_000 ? known : { began: at, count: 0 }
  window.count += 1
  windows.set(userId, window)
  return window.count <= perMinute
}

/**
 * Which failures leave a row: no right (reads too); a write refused by its state or a rule, or
 * failed on our side.
 */
export function traceOf(status: number, kind: Endpoint['kind']): 'REFUSED' | 'FAILED' | null {
  if (status === 403) return 'REFUSED'
  if (kind === 'read') return null
  if (status === 404 || status === 409 || status === 422) return 'REFUSED'
  return status === 500 ? 'FAILED' : null
}

/** Never throws: the answer matters more than its trace. */
export async function traceRefusal(
  app: App,
  error: unknown,
  request: FastifyRequest,
): Promise<void> {
  const attempt = attempts.get(request)
  if (!attempt || attempt.actor.userId === null) return
  const { def, values } = refusalOf(error)
  // a question, not a refusal: the act comes again with its answer, and wrong answers leave rows of
  // their own
  if (def === common.proofNeeded) return
  const result = traceOf(def.status, attempt.endpoint.kind)
  if (!result || !allowed(app, attempt.actor.userId, performance.now())) return
  const { name, endpoint, actor, startedAt } = attempt
  const action = endpoint.audit ?? name
  const param = pathParams(endpoint.path)[0]
  const id = madeStorable(
    (param && (request.params as Record<string, string> | undefined)?.[param]) ?? '',
  )
  const content =
    `${app.product.actionLabel(action, 'zh-CN')}${id ? `：${id}` : ''}（${say(def.text, 'zh-CN', values)}）`.slice(
      0,
      500,
    )
  try {
    await app.database.transact(systemScope, async (db) => {
      // a refusal whose trace was committed with it has its row already
      const { rows } = await sql`select 1 from operation_logs
          where created_at > ${new Date(app.now().getTime() - 60_000)}
            and request_id = ${request.id} limit 1`.execute(db)
      if (rows.length) return
      await writeLog(
        { app, db, actor, now: app.now(), ...originOf(request) },
        action,
        { id, name: id },
        { result, errorName: def.name, content, startedAt },
      )
    })
  } catch (failure) {
    app.log.error({ err: failure, requestId: request.id }, 'trace of a refusal')
  }
}
