import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { verifyLog } from '../../../server/verifyLog.ts'
import { Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { auditErrors, type Check } from '../contract.ts'
import { checkStateTable } from '../rules.ts'

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

/** One check at a time: the second who asks is told so. */
export async function requestCheck(ctx: Ctx): Promise<Check> {
  const { rows } =
    await sql<Row>`insert into log_checks (org_id, requested_by, created_at, updated_at) values (${ctx.actor.orgId}, ${ctx.actor.userId}, ${ctx.now}, ${ctx.now})
    on conflict do nothing returning ${columns}`.execute(ctx.db)
  const check = rows[0]
  if (!check) throw new Refusal(auditErrors.checkRunning)
  ctx.audit({ id: check.id, name: `#${check.id}` })
  ctx.touch('log-checks')
  ctx.afterCommit(() => ctx.app.jobs.poke('log-check'))
  return shown(check)
}

export async function lastCheck(ctx: Ctx): Promise<Check | null> {
  const { rows } = await sql<Row>`select ${columns} from log_checks order by id desc limit 1`.execute(ctx.db)
  return rows[0] ? shown(rows[0]) : null
}

const staleAfter = 120_000

/** Runs a check that waits, or one whose worker died; answers whether there was one. */
export async function runCheck(app: App): Promise<boolean> {
  const system = <T>(work: Parameters<typeof app.database.transact<T>>[1]) => app.database.transact(systemScope, work)
  const claimed = await system(async (db) => {
    const { rows } = await sql<{ id: number; org_id: number }>`update log_checks set state = 'RUNNING', checked = 0, updated_at = ${app.now()} where id = (
      select id from log_checks where state = any(${allowedFrom(checkStateTable, 'RUNNING')}) and (state = 'WAITING' or updated_at < ${new Date(app.now().getTime() - staleAfter)})
      order by id limit 1 for update skip locked) returning id, org_id`.execute(db)
    return rows[0]
  })
  if (!claimed) return false
  const began = performance.now()
  const tell = () => app.live.publish(['log-checks'], claimed.org_id)
  let toldAt = 0
  const progress = async (checked: number, total: number) => {
    if (performance.now() - toldAt < 500) return
    toldAt = performance.now()
    await system((db) => sql`update log_checks set checked = ${checked}, total = ${total}, updated_at = ${app.now()} where id = ${claimed.id}`.execute(db))
    tell()
  }
  try {
    const { checked, total, heads, broken } = await verifyLog(app, progress)
    const result = { broken, heads, seconds: Math.round((performance.now() - began) / 1000) }
    if (broken) app.log.error({ broken }, 'the operation log does not fit its chain')
    await system((db) =>
      sql`update log_checks set state = 'DONE', checked = ${checked}, total = ${total}, result = ${JSON.stringify(result)}::jsonb, updated_at = ${app.now()}
        where id = ${claimed.id} and state = any(${allowedFrom(checkStateTable, 'DONE')})`.execute(db),
    )
  } catch (error) {
    app.log.error({ err: error }, 'check of the operation log')
    await system((db) =>
      sql`update log_checks set state = 'FAILED', updated_at = ${app.now()} where id = ${claimed.id} and state = any(${allowedFrom(checkStateTable, 'FAILED')})`.execute(
        db,
      ),
    )
  }
  tell()
  return true
}
