import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { queueLimits } from '../rules.ts'

/**
 * How old the queue between payment and machine is: told by gateways, asked before an order is
 * taken.
 */

const gateway = `${hostname()}:${process.pid}`.slice(0, 100)
const told = perApp(() => ({ at: Number.NEGATIVE_INFINITY, behind: false }))
/** While nothing waits, once in a while is enough. */
const quietMs = 5000
const late = queueLimits.platformMs / 2

/** Called every second by a gateway with the age of the oldest thing it has not done yet. */
export async function tellQueue(app: App, behindMs: number): Promise<void> {
  const last = told(app)
  const behind = behindMs >= late
  if (!behind && !last.behind && performance.now() - last.at < quietMs) return
  Object.assign(last, { at: performance.now(), behind })
  const now = app.now()
  await app.database.transact(systemScope, async (db) => {
    const row = { behind_ms: Math.min(Math.round(behindMs), 86_400_000), told_at: now }
    await db
      .insertInto('vend_queues')
      .values({ gateway, ...row })
      .onConflict((oc) => oc.column('gateway').doUpdateSet(row))
      .execute()
    // another that has been silent for minutes was not stopped but killed, and this one serves its
    // machines
    await sql`delete from vend_queues
      where told_at < ${new Date(now.getTime() - 8 * queueLimits.silentMs)}`.execute(db)
  })
}

/** A gateway that stops on purpose is not late. */
export const leaveQueue = (app: App): Promise<unknown> =>
  app.database.transact(systemScope, (db) =>
    sql`delete from vend_queues where gateway = ${gateway}`.execute(db),
  )

type Look = { at: number; behind: number; asking: Promise<void> | null }
const looks = perApp((): Look => ({ at: Number.NEGATIVE_INFINITY, behind: 0, asking: null }))

/** Nobody orders at night: what was so then says nothing of now. */
const oldMs = 3000
/**
 * Milliseconds the platform is behind; read once a second however many order. Infinity: every
 * gateway fell silent.
 */
export async function platformBehind(app: App): Promise<number> {
  const look = looks(app)
  const age = performance.now() - look.at
  if (age > 1000) {
    look.asking ??= ask(app)
      .then((behind) => Object.assign(look, { at: performance.now(), behind }))
      .then(() => {})
      .finally(() => {
        look.asking = null
      })
    // while orders come, nobody waits for the answer
    if (age > oldMs) await look.asking
    else
      look.asking.catch((error: unknown) => app.log.warn({ err: error }, 'age of the vend queue'))
  }
  return look.behind
}

async function ask(app: App): Promise<number> {
  const speaking = new Date(app.now().getTime() - queueLimits.silentMs)
  const { rows } = await app.database.aside((db) =>
    sql<{ behind: number | null; gateways: number }>`
      select max(behind_ms) filter (where told_at > ${speaking}) as behind,
        count(*)::int as gateways from vend_queues`.execute(db),
  )
  const { behind = null, gateways = 0 } = rows[0] ?? {}
  return behind ?? (gateways ? Number.POSITIVE_INFINITY : 0)
}
