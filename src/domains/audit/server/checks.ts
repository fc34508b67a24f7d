import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { shape } from '../../../server/shapes.ts'
import { type Kind, Lost, leased, type Piece } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type audit, auditErrors, Check } from '../contract.ts'
import { verifyLog } from './chain/verify.ts'

const check = shape(Check, ['log_checks', 'c'], {
  heads: sql`coalesce((c.result->>'heads')::int, 0)`,
  seconds: sql`coalesce((c.result->>'seconds')::int, 0)`,
  broken: sql`c.result->'broken'`,
  createTime: sql`c.created_at`,
})
const lastCheck = async (ctx: Ctx): Promise<Check | null> =>
  (await check.one(ctx.db, sql`from log_checks c order by c.id desc limit 1`)) ?? null

const checkName = 'log-check'

export const checks = {
  /** One check at a time: the second who asks is told so. */
  async verify(ctx) {
    const { numAffectedRows } =
      await sql`insert into log_checks (org_id, requested_by, created_at, next_at)
      values (${ctx.actor.orgId}, ${ctx.actor.userId}, ${ctx.now}, ${ctx.now})
      on conflict do nothing`.execute(ctx.db)
    const made = await lastCheck(ctx)
    if (!numAffectedRows || !made) throw new Refusal(auditErrors.checkRunning)
    ctx.audit({ id: made.id, name: `#${made.id}` })
    ctx.touch('log-checks')
    ctx.afterCommit(() => ctx.app.jobs.poke(checkName))
    return made
  },
  check: async (ctx) => ({ check: await lastCheck(ctx) }),
} satisfies Partial<Handlers<typeof audit>>

type Running = Piece & { id: number; org_id: number }
type Checked = { state: 'DONE' } & Awaited<ReturnType<typeof verifyLog>> & { seconds: number }

/** Runs a check that somebody asked for; what it says so far renews the lease. */
export const checkKind = (app: App): Kind<Running, Checked> => {
  const kind: Kind<Running, Checked> = {
    name: checkName,
    table: 'log_checks',
    begins: sql`state = 'RUNNING', checked = 0`,
    atOnce: 1,
    leaseSeconds: 120,
    waits: [],
    most: 3,
    async do(check) {
      const began = performance.now()
      let toldAt = 0
      const found = await verifyLog(app, async (checked, total) => {
        if (performance.now() - toldAt < 500) return
        toldAt = performance.now()
        const kept = await app.database.transact(systemScope, (db) =>
          sql`update log_checks set ${leased(app, kind)}, checked = ${checked}, total = ${total}
            where ${check.ours}`.execute(db),
        )
        if (!kept.numAffectedRows) throw new Lost()
        app.live.publish(['log-checks'], check.org_id)
      })
      if (found.broken)
        app.log.error({ broken: found.broken }, 'the operation log does not fit its chain')
      return { state: 'DONE', ...found, seconds: Math.round((performance.now() - began) / 1000) }
    },
    async mark(ctx, check, to) {
      const { broken, heads, seconds, checked, total } =
        to.state === 'DONE' ? to : ({} as Partial<Checked>)
      const result = to.state === 'DONE' ? JSON.stringify({ broken, heads, seconds }) : null
      await sql`update log_checks
        set state = ${to.state}, next_at = ${to.nextAt}, checked = coalesce(${checked}, checked),
          total = coalesce(${total}, total),
        result = ${result}::jsonb where ${check.ours}`.execute(ctx.db)
      ctx.touch('log-checks', check.org_id)
    },
  }
  return kind
}
