import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { bySystem } from '../../../server/run.ts'
import { bi, say } from '../../../shared/text.ts'
import { type Note, notify } from '../../notices/server/notify.ts'
import { locale } from '../locale.ts'
import { mostOpen, type SecurityKind } from '../rules.ts'

/**
 * As read from the event: short values, no secrets. Each has its word in locale.ts under `facts`.
 */
export type Facts = Readonly<Partial<Record<keyof typeof locale.zh.facts, string | number>>>

/** Something that should not happen, in the organisation whose people must look at it. */
export type SecurityEvent = {
  readonly orgId: number
  readonly kind: SecurityKind
  /** A machine number, order number, account or address; cut to 80 characters. */
  readonly subject: string
  readonly deviceId?: number
  readonly detail?: Facts
}

/**
 * One open row for each kind and subject; a repeat counts up and brings its facts. People who may
 * read security events there, or in the nearest organisation above that has such people, get one
 * message while it is open. Part of the caller's transaction: what is thrown away with it was not
 * raised (see `raiseApart`).
 */
export async function raiseSecurity(ctx: Ctx, event: SecurityEvent): Promise<void> {
  const subject = await subjectOf(ctx, event)
  const { rows } = await sql<{ times: number }>`
    insert into security_events (org_id, kind, subject, device_id, detail, first_at, last_at)
    values (${event.orgId}, ${event.kind}, ${subject}, ${event.deviceId ?? null},
      ${JSON.stringify(shortened(event.detail))}, ${ctx.now}, ${ctx.now})
    on conflict (org_id, kind, subject) where state = 'OPEN' do update
      set times = security_events.times + 1,
        last_at = greatest(security_events.last_at, excluded.last_at), detail = excluded.detail,
        version = security_events.version + 1
    returning times`.execute(ctx.db)
  ctx.touch('security', event.orgId)
  if (rows[0]?.times === 1) await tell(ctx, event, subject)
}

const written = perApp(() => new Map<string, number>())

/**
 * In a transaction of its own, for acts that are refused; at most one row a second for each kind
 * and subject. Never throws.
 */
export async function raiseApart(app: App, event: SecurityEvent): Promise<void> {
  const key = `${event.orgId} ${event.kind} ${event.subject}`
  const last = written(app)
  const now = app.now().getTime()
  if (Math.abs(now - (last.get(key) ?? Number.NEGATIVE_INFINITY)) < 1000) return
  if (last.size > 10_000) last.clear()
  last.set(key, now)
  await bySystem(app, (ctx) => raiseSecurity(ctx, event)).catch((error: unknown) =>
    app.log.error({ err: error, kind: event.kind }, 'a security event'),
  )
}

/**
 * Whoever chooses the subject must not fill the table: beyond the bound a kind has one row more.
 */
async function subjectOf(
  ctx: Ctx,
  { orgId, kind, subject: given }: SecurityEvent,
): Promise<string> {
  const subject = [...given.toWellFormed()].slice(0, 80).join('') || '*'
  const { rows } = await sql<{ room: boolean }>`
    select exists (select from security_events
      where org_id = ${orgId} and kind = ${kind} and subject = ${subject} and state = 'OPEN')
      or (select count(*) from (select from security_events
        where org_id = ${orgId} and kind = ${kind} and state = 'OPEN' limit ${mostOpen}) x)
        < ${mostOpen} as room`.execute(ctx.db)
  return rows[0]?.room ? subject : '*'
}

const shortened = (detail: SecurityEvent['detail'] = {}) =>
  Object.fromEntries(
    Object.entries(detail)
      .slice(0, 20)
      .map(([key, value]) => [
        key,
        typeof value === 'string'
          ? value.toWellFormed().replaceAll('\u0000', '').slice(0, 100)
          : value,
      ]),
  )

async function tell(ctx: Ctx, event: SecurityEvent, subject: string): Promise<void> {
  const note: Note = {
    kind: 'SYSTEM',
    title: bi(
      say(locale.zh.told, 'zh-CN', { what: locale.zh.enums.kind[event.kind], subject }),
      say(locale.en.told, 'en', { what: locale.en.enums.kind[event.kind], subject }),
    ),
    link: '/log/security-events',
    quietHours: 1,
    permission: 'security:read',
    orgId: event.orgId,
    orAbove: true,
  }
  // in the scope of a person nobody stands above him
  if (ctx.actor.scope.all) await notify(ctx, note)
  else ctx.afterCommit(() => bySystem(ctx.app, async (system) => void (await notify(system, note))))
}
