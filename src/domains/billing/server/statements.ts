import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type App, type Ctx, found, visible } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { shape } from '../../../server/shapes.ts'
import type { Kind, Piece } from '../../../server/work.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { madeStorable } from '../../../shared/text.ts'
import type { billing } from '../contract.ts'
import { statementCodes } from '../rules.ts'
import { type Content, StatementRow, statementErrors } from '../statementContract.ts'
import { contentOf, monthOf } from './statementContent.ts'

type Contract = typeof billing
export const statementsName = 'statements'

const row = shape(StatementRow, ['statements', 's'], {
  month: sql<string>`to_char(s.month, 'YYYY-MM')`,
  issuedBy: sql<string>`coalesce(nullif(u.real_name, ''), u.username, '')`,
  createTime: sql`s.created_at`,
})
const joins = sql`left join users u on u.id = s.issued_by`

/** The organisation, for whoever sees all of its machines. */
export async function whole(ctx: Ctx, orgId: number) {
  if (ctx.actor.scope.devices !== null) throw new Refusal(common.notFound)
  return found(
    await rowOf<{ name: string }>(ctx.db)`select o.name from organisations o
      where o.id = ${orgId} and ${visible(ctx, 'o.id')} and (select app_devices()) is null`,
  )
}

export const statementHandlers: Pick<Handlers<Contract>, 'statements' | 'issueStatement'> = {
  async statements(ctx, { orgId, month }) {
    await whole(ctx, orgId)
    const list = await row.all(
      ctx.db,
      sql`from statements s ${joins} where s.org_id = ${orgId} and ${visible(ctx, 's.org_id')}
        and s.month = ${`${month}-01`}::date order by s.version_no desc limit 50`,
    )
    return { list }
  },
  async issueStatement(ctx, { orgId, month }) {
    const { name } = await whole(ctx, orgId)
    if (month >= shanghaiDay(ctx.now).slice(0, 7)) throw new Refusal(statementErrors.notOver)
    // two at once are one: a month of an organisation waits once
    const made = await rowOf<{ id: number }>(ctx.db)`
      insert into statements (org_id, month, version_no, issued_by, created_at, next_at)
      select ${orgId}::bigint, ${`${month}-01`}::date, coalesce(max(version_no), 0) + 1,
        ${ctx.actor.userId}::bigint, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from statements where org_id = ${orgId} and month = ${`${month}-01`}::date
      on conflict do nothing returning id`
    if (!made) throw new Refusal(statementErrors.making)
    const after = found(
      await row.one(ctx.db, sql`from statements s ${joins} where s.id = ${made.id}`),
    )
    ctx.audit({
      id: made.id,
      name: `${name} ${month}`,
      orgId,
      after: { versionNo: after.versionNo },
    })
    ctx.touch('ledger', orgId)
    ctx.afterCommit(() => ctx.app.jobs.poke(statementsName))
    return after
  },
}

type Due = Piece & { id: number; org_id: number; month_of: string }
/** Figures of a month are put together by the work, and stay as they were issued. */
export const statementKind = (app: App): Kind<Due, { state: 'DONE'; content: Content }> => ({
  name: statementsName,
  table: 'statements',
  reads: sql`to_char(t.month, 'YYYY-MM') as month_of`,
  atOnce: 1,
  leaseSeconds: 300,
  waits: [60, 600, 3600],
  do: async ({ org_id, month_of }) => ({
    state: 'DONE',
    content: await app.database.snapshot(systemScope, (db) =>
      contentOf(db, org_id, monthOf(month_of)),
    ),
  }),
  async mark(ctx, piece, to) {
    const state = to.state === 'RETRY' ? 'WAITING' : to.state
    await sql`update statements set state = ${state}, next_at = ${to.nextAt},
        content = ${to.state === 'DONE' ? JSON.stringify(to.content) : null}::jsonb,
        issued_at = ${to.state === 'DONE' ? ctx.now : null}::timestamptz,
        error = ${'reason' in to ? madeStorable(to.reason).slice(0, 200) : ''}
      where ${piece.ours}`.execute(ctx.db)
    ctx.touch('ledger', piece.org_id)
  },
})

/** The first of the month: a statement of the one before for everybody who had money in it. */
export const issueStatements = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const month = `${addDays(`${shanghaiDay(ctx.now).slice(0, 7)}-01`, -1).slice(0, 7)}-01`
    await rowsOf(ctx.db)`
      insert into statements (org_id, month, version_no, created_at, next_at)
      select distinct a.org_id, ${month}::date, 1, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from ledger_accounts a where a.code = any(${[...statementCodes]}::text[])
      order by 1 on conflict do nothing`
    ctx.afterCommit(() => app.jobs.poke(statementsName))
  })
