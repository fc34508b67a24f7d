import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { DifferenceRow, RunRow, type reconciliation } from '../contract.ts'
import type { DifferenceKind, Part } from '../rules.ts'

const run = shape(RunRow, ['reconciliation_runs', 'r'], {
  part: sql<Part>`r.part`,
  orgName: sql`o.name`,
  merchant: sql`coalesce(c.mch_id, '')`,
  finishTime: sql`r.finished_at`,
})
export const runs = (ctx: Ctx, input: Input<typeof reconciliation.runs>) =>
  run.page(ctx.db, {
    from: sql`reconciliation_runs r join organisations o on o.id = r.org_id
      left join payment_configs c on c.id = r.config_id`,
    countFrom: sql`reconciliation_runs r`,
    input,
    last: sql`r.id`,
    sort: { day: sql`r.day` },
    where: [
      visible(ctx, 'r.org_id'),
      input.part && sql`r.part = ${input.part}`,
      input.from && sql`r.day >= ${input.from}`,
      input.to && sql`r.day <= ${input.to}`,
    ],
  })

const difference = shape(DifferenceRow, ['reconciliation_differences', 'd'], {
  kind: sql<DifferenceKind>`d.kind`,
  orgName: sql`o.name`,
  merchant: sql`coalesce(c.mch_id, '')`,
  rtuNumber: sql`m.rtu_number`,
  handler: sql`coalesce(h.real_name, h.username)`,
  handleTime: sql`d.handled_at`,
  approver: sql`coalesce(a.real_name, a.username)`,
  createTime: sql`d.created_at`,
})
const from = sql`reconciliation_differences d join organisations o on o.id = d.org_id
  left join devices m on m.id = d.device_id left join users h on h.id = d.handled_by
  left join users a on a.id = d.approved_by
  left join payment_configs c on c.id = d.config_id`
const readable = (ctx: Ctx) => visible(ctx, 'd.org_id', 'd.device_id')

export const differences = (ctx: Ctx, input: Input<typeof reconciliation.differences>) =>
  difference.page(ctx.db, {
    from,
    countFrom: sql`reconciliation_differences d`,
    input,
    last: sql`d.id`,
    sort: { day: sql`d.day` },
    where: [
      readable(ctx),
      input.open === true && sql`d.state in ('OPEN','HANDLING','REVIEW')`,
      input.open === false && sql`d.state in ('RESOLVED','IGNORED')`,
      input.part && sql`d.part = ${input.part}`,
      input.kind && sql`d.kind = ${input.kind}`,
      input.state && sql`d.state = ${input.state}`,
      input.from && sql`d.day >= ${input.from}`,
      input.to && sql`d.day <= ${input.to}`,
    ],
  })

export const one = (ctx: Ctx, id: number) =>
  difference.one(ctx.db, sql`from ${from} where d.id = ${id} and ${readable(ctx)}`)

export type Held = {
  orgId: number
  state: DifferenceRow['state']
  wanted: 'RESOLVED' | 'IGNORED' | null
  handledBy: number | null
  handledAt: Date | null
  localAmount: number
  otherAmount: number
}
/** Locked until the commit. */
export const held = async (ctx: Ctx, id: number): Promise<Held | undefined> =>
  (
    await rowsOf<Held>(ctx.db)`select org_id as "orgId", state, wanted, handled_by as "handledBy",
      handled_at as "handledAt", local_amount as "localAmount", other_amount as "otherAmount"
    from reconciliation_differences d where id = ${id} and ${readable(ctx)} for no key update`
  )[0]

/** By account of whoever is seen; what was before `from` is the opening. */
export const balances = (ctx: Ctx, from: string, to: string) =>
  rowsOf<{ code: string; opening: number; debit: number; credit: number }>(ctx.db)`
    select code, coalesce(sum(debit - credit) filter (where day < ${from}), 0)::bigint as opening,
      coalesce(sum(debit) filter (where day >= ${from}), 0)::bigint as debit,
      coalesce(sum(credit) filter (where day >= ${from}), 0)::bigint as credit
    from ledger_days l where ${visible(ctx, 'l.org_id')} and day <= ${to} group by 1 order by 1`
