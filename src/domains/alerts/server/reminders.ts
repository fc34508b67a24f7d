import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { dueReminders, remindEvery, type Unhandled } from '../reminders.ts'
import type { State } from '../rules.ts'
import { queueReminders } from './outbox.ts'

/**
 * Reminds of alerts nobody has taken on, as often as the organisation wants (alarm.repeat). Part of
 * the sweep's turn: one process at a time, and what was said last stands at the alert, so that a
 * restart neither repeats nor forgets. A flapping machine opens its alert again without a word; the
 * time runs on from the last word.
 */
export async function dueOf(
  { app, db, now }: Pick<Ctx, 'app' | 'db' | 'now'>,
  openHours: State['openHours'],
): Promise<{ id: number; orgId: number }[]> {
  const open = await rowsOf<Omit<Unhandled, 'lastAt'> & { lastAt: Date }>(
    db,
  )`select id, org_id as "orgId", coalesce(device_id, 0) as "deviceId", kind,
      greatest(created_at, reminded_at) as "lastAt" from alerts where state = 'OPEN'`
  const everyOf = await intervalsOf(app, open)
  const unhandled = open.map((alert) => ({ ...alert, lastAt: alert.lastAt.getTime() }))
  const due = new Set(dueReminders(now.getTime(), unhandled, everyOf, openHours))
  return open.filter(({ id }) => due.has(id))
}

async function intervalsOf(
  app: App,
  alerts: readonly { readonly orgId: number }[],
): Promise<(orgId: number) => number | null> {
  const set = await cachedFor(
    app,
    alerts.map(({ orgId }) => orgId),
    ['alarm.repeat'],
  )
  return (orgId) => remindEvery[set(orgId)['alarm.repeat']]
}

export async function remind(
  ctx: Ctx,
  due: readonly { id: number; orgId: number }[],
): Promise<void> {
  if (due.length === 0) return
  const everyOf = await intervalsOf(ctx.app, due)
  // somebody may take one on at this moment: in the order of ids, as people do, and only what is
  // still open
  const reminded = await rowsOf<{ id: number; orgId: number }>(ctx.db)`
    with mine as (select id from alerts where id = any(${due.map(({ id }) => id)}::bigint[])
      order by id for update)
    update alerts a set reminded_at = ${ctx.now}, reminders = a.reminders + 1 from mine
    where a.id = mine.id and a.state = 'OPEN' returning a.id, a.org_id as "orgId"`
  const now = ctx.now.getTime()
  const told = reminded.map((row) => ({ id: row.id, since: now - (everyOf(row.orgId) ?? 0) / 2 }))
  await queueReminders(ctx, told)
  ctx.touch('alerts', reminded)
}
