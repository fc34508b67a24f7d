import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { type Kind, Lost, leased, type Piece } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { auditErrors, type Check } from '../contract.ts'
import { verifyLog } from './chain/verify.ts'

type Row = {
  id: number
  state: Check['state']
  checked: number
  total: number
  result: { broken: Check['broken']; heads: number; seconds: number } | null
  created_at: Date
}
const columns = sql`id, state, checked, total, result, created_at`
const shown = (row: Row): Check => ({
  id: row.id,
  state: row.state,
  checked: row.checked,
  total: row.total,
  heads: row.result?.heads ?? 0,
  seconds: row.result?.seconds ?? 0,
  broken: row.result?.broken ?? null,
  createTime: row.created_at.toISOString(),
})

const checkName = 'log-check'

/** One check at a time: the second who asks is told so. */
export async function requestCheck(ctx: Ctx): Promise<Check> {
  const { rows } =
    await sql<Row>`insert into log_checks (org_id, requested_by, created_at, next_at) values (${ctx.actor.orgId}, ${ctx.actor.userId}, ${ctx.now}, ${ctx.now})
    on conflict do nothing returning ${columns}`.execute(ctx.db)
  const check = rows[0]
  if (!check) throw new Refusal(auditErrors.checkRunning)
  ctx.audit({ id: check.id, name: `#${check.id}` })
  ctx.touch('log-checks')
  ctx.afterCommit(() => ctx.app.jobs.poke(checkName))
  return shown(check)
}

export async function lastCheck(ctx: Ctx): Promise<Check | null> {
  const { rows } = await sql<Row>`select ${columns} from log_checks order by id desc limit 1`.execute(ctx.db)
  return rows[0] ? shown(rows[0]) : null
}

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
          sql`update log_checks set ${leased(app, kind)}, checked = ${checked}, total = ${total} where ${check.ours}`.execute(db),
        )
        if (!kept.numAffectedRows) throw new Lost()
        app.live.publish(['log-checks'], check.org_id)
      })
      if (found.broken) app.log.error({ broken: found.broken }, 'the operation log does not fit its chain')
      return { state: 'DONE', ...found, seconds: Math.round((performance.now() - began) / 1000) }
    },
    async mark(ctx, check, to) {
      const { broken, heads, seconds, checked, total } = to.state === 'DONE' ? to : ({} as Partial<Checked>)
      const result = to.state === 'DONE' ? JSON.stringify({ broken, heads, seconds }) : null
      await sql`update log_checks set state = ${to.state}, next_at = ${to.nextAt}, checked = coalesce(${checked}, checked), total = coalesce(${total}, total),
        result = ${result}::jsonb where ${check.ours}`.execute(ctx.db)
      ctx.touch('log-checks', check.org_id)
    },
  }
  return kind
}
