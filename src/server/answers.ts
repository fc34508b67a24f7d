import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { common, type ErrorDef, type FieldError, Refusal } from '../shared/errors.ts'
import { say, toLang } from '../shared/text.ts'
import type { App } from './context.ts'
import { isHeld } from './database.ts'
import { perApp } from './perApp.ts'
import { databaseRefusal } from './run.ts'

/** The requested path as it may be shown: cut and with markup escaped. */
export const safeUrl = (url: string) =>
  url.slice(0, 200).replace(/[<>"'\u0000-\u001f]/g, (c) => encodeURIComponent(c))

/** For the process log: what stands behind the path may be a code, a phone, a name. */
export const pathOf = (url: string): string => (url.split('?', 1)[0] ?? '').slice(0, 200)

/** One error shape; never a stack, SQL or path. */
export function answerError(
  app: App,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const lang = toLang(request.headers['accept-language'])
  const { refusal, fields } = asRefusal(error, lang)
  const { def } = refusal
  if (def.status >= 500) {
    if (isHeld(error) || (error instanceof Refusal && !error.cause))
      noteTurnedAway(app, def, request)
    else
      app.log.error(
        { err: error, requestId: request.id, url: pathOf(request.url) },
        'request failed',
      )
  }
  if (def.status === 503) reply.header('retry-after', '5')
  return reply
    .status(def.status)
    .type('application/json; charset=utf-8')
    .send({
      code: def.code,
      error: def.name,
      message:
        (error instanceof z.ZodError && fields[0]?.message) || say(def.text, lang, refusal.values),
      requestId: request.id,
      ...(fields.length ? { errors: fields } : {}),
    })
}

const turnedAway = perApp(() => ({
  requests: new WeakSet<FastifyRequest>(),
  kinds: new Map<string, { said: number; count: number }>(),
}))
/** Whether the answer was no fault of ours, whatever its status. */
export const wasShed = (app: App, request: FastifyRequest): boolean =>
  turnedAway(app).requests.has(request)

/** On purpose, for others' sake: a line a second of each kind, however many ask. */
function noteTurnedAway(app: App, def: ErrorDef, request: FastifyRequest): void {
  const { requests, kinds } = turnedAway(app)
  requests.add(request)
  const kind = kinds.get(def.name) ?? { said: Number.NEGATIVE_INFINITY, count: 0 }
  kinds.set(def.name, kind)
  kind.count += 1
  if (performance.now() - kind.said < 1000) return
  app.log.warn(
    { error: def.name, count: kind.count, requestId: request.id, url: pathOf(request.url) },
    'turned away',
  )
  Object.assign(kind, { said: performance.now(), count: 0 })
}

/** What went wrong, as the person would be told. */
export const refusalOf = (error: unknown): Refusal => asRefusal(error, 'zh-CN').refusal

function asRefusal(
  error: unknown,
  lang: ReturnType<typeof toLang>,
): { refusal: Refusal; fields: FieldError[] } {
  if (error instanceof Refusal)
    return {
      refusal: error,
      fields: error.fields.map((f) => ({
        field: f.field,
        message: say(f.text, lang, error.values),
      })),
    }
  if (error instanceof z.ZodError) {
    const fields = error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({
            field: [...issue.path, key].join('.'),
            message: say('不支持的字段\u001fUnknown field', lang),
          }))
        : [{ field: issue.path.join('.'), message: say(issue.message, lang) }],
    )
    return { refusal: new Refusal(common.invalid), fields: fields.slice(0, 50) }
  }
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  const known = databaseRefusal(error)
  if (known) return { refusal: known, fields: [] }
  const def =
    statusCode === 413 || code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      ? common.tooLarge
      : statusCode === 415
        ? common.wrongType
        : statusCode === 429
          ? common.tooMany
          : statusCode !== undefined && statusCode >= 400 && statusCode < 500
            ? common.invalid
            : common.unexpected
  return { refusal: new Refusal(def), fields: [] }
}
