import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { dayMs } from '../../../shared/instants.ts'
import type { Account } from '../../payments/server/bills.ts'
import { DifferenceRow, RunRow, type reconciliation } from '../contract.ts'
import {
  type DifferenceKind,
  mayAsk,
  type Outer,
  type Part,
  reopenDays,
  type runStates,
  type Treatment,
} from '../rules.ts'
import type { Treated } from './treat.ts'

type RunState = (typeof runStates)[number]

/** What a run left that nobody has closed, as far as its reader sees it. */
const openOf = (ctx: Ctx) => sql`(select count(*)::int from reconciliation_differences d
  where d.org_id = r.org_id and d.day = r.day and d.part = r.part and d.provider = r.provider
    and d.config_id is not distinct from r.config_id and d.state in ('OPEN','HANDLING','REVIEW')
    and ${visible(ctx, 'd.org_id', 'd.device_id')})`
/** The type of bill that a run is about. */
const billOf = sql`b.bill_type = case r.part when 'BILL' then 'TRADE'
  when 'FUND' then 'FUND' when 'SPLIT' then 'SPLIT' end`
/** The bill of a run, where it is its reader's to ask for. */
const bill = (ctx: Ctx) => sql`left join payment_bill_days b on ${billOf}
  and b.provider = r.provider and b.config_id is not distinct from r.config_id and b.day = r.day
  and b.org_id = r.org_id and ${visible(ctx, 'b.org_id')}`
const stateOf = (ctx: Ctx) => sql<RunState>`case
  when b.state = 'WAITING' then case when b.attempts > 0 then 'FETCHING' else 'WAITING' end
  when b.state = 'KEPT' then 'COMPARING' when b.state = 'FAILED' then 'FAILED'
  when r.finished_at is null then 'WAITING'
  when ${openOf(ctx)} > 0 then 'DIFFERENT' else 'BALANCED' end`
const runShape = (ctx: Ctx) =>
  shape(
    RunRow.extend({ mine: z.boolean() }),
    ['reconciliation_runs', 'r'],
    {
      part: sql<Part>`r.part`,
      orgName: sql`o.name`,
      merchant: sql`coalesce(c.mch_id, '')`,
      gap: sql`r.local_amount - r.other_amount`,
      open: openOf(ctx),
      state: stateOf(ctx),
      closed: sql`exists (select from closed_days cd where cd.day = r.day)`,
      lastError: sql`coalesce(b.last_error, '')`,
      finishTime: sql`r.finished_at`,
      mine: sql`b.id is not null`,
    },
    ['can'],
  )
const runFrom = (ctx: Ctx) => sql`reconciliation_runs r join organisations o on o.id = r.org_id
  left join payment_configs c on c.id = r.config_id ${bill(ctx)}`
const mayRun = <R extends { mine: boolean; configId: number | null }>(
  ctx: Ctx,
  { mine, ...row }: R,
) => {
  const run = mine && may(ctx, 'recon:run')
  return { ...row, can: { run, upload: run && row.configId !== null } }
}

export async function runs(ctx: Ctx, input: Input<typeof reconciliation.runs>) {
  const { rows, total } = await runShape(ctx).page(ctx.db, {
    from: runFrom(ctx),
    input,
    last: sql`r.id`,
    sort: { day: sql`r.day` },
    where: [
      visible(ctx, 'r.org_id'),
      input.part && sql`r.part = ${input.part}`,
      input.state && sql`${stateOf(ctx)} = ${input.state}`,
      input.merchant && sql`c.mch_id = ${input.merchant}`,
      input.from && sql`r.day >= ${input.from}`,
      input.to && sql`r.day <= ${input.to}`,
    ],
  })
  return { list: rows.map((row) => mayRun(ctx, row)), total }
}
export async function runOf(
  ctx: Ctx,
  { orgId, provider, configId }: Account,
  day: string,
  part: Outer,
) {
  const row = await runShape(ctx).one(
    ctx.db,
    sql`from ${runFrom(ctx)} where r.org_id = ${orgId} and r.day = ${day} and r.part = ${part}
      and r.provider = ${provider} and r.config_id is not distinct from ${configId}::bigint
      and ${visible(ctx, 'r.org_id')}`,
  )
  return row && mayRun(ctx, row)
}
/** Whose bill a run is about. */
export const account = (ctx: Pick<Ctx, 'actor' | 'db'>, id: number) =>
  rowOf<Omit<Account, 'provider'> & { id: number; day: string; provider: string; part: Outer }>(
    ctx.db,
  )`select r.id, r.part, b.org_id as "orgId", to_char(r.day, 'YYYY-MM-DD') as day, r.provider,
      r.config_id as "configId"
    from reconciliation_runs r join payment_bill_days b on b.provider = r.provider
      and b.config_id is not distinct from r.config_id and b.day = r.day and b.org_id = r.org_id
      and ${billOf}
    where r.id = ${id} and ${visible(ctx, 'r.org_id')}
      and ${visible(ctx, 'b.org_id')}`

const difference = shape(
  DifferenceRow.extend({ handledBy: z.number().nullable() }),
  ['reconciliation_differences', 'd'],
  {
    part: sql<Part>`d.part`,
    gap: sql`d.local_amount - d.other_amount`,
    age: sql`greatest(0, (current_date - (d.created_at at time zone 'Asia/Shanghai')::date))`,
    treatment: sql`d.treatment`,
    answer: sql`d.answer`,
    askTime: sql`d.asked_at`,
    handledBy: sql`d.handled_by`,
    kind: sql<DifferenceKind>`d.kind`,
    orgName: sql`o.name`,
    merchant: sql`coalesce(c.mch_id, '')`,
    rtuNumber: sql`m.rtu_number`,
    handler: sql`coalesce(h.real_name, h.username)`,
    handleTime: sql`d.handled_at`,
    approver: sql`coalesce(a.real_name, a.username)`,
    createTime: sql`d.created_at`,
  },
  ['can'],
)
type Read = Rows<typeof difference>
/** What this person may do with it now. */
function shown(ctx: Ctx, { handledBy, ...row }: Read): DifferenceRow {
  const mine = may(ctx, 'recon:resolve')
  const open = row.state === 'OPEN' || row.state === 'HANDLING'
  const over = row.state === 'RESOLVED' || row.state === 'IGNORED'
  const since = row.handleTime ? ctx.now.getTime() - Date.parse(row.handleTime) : 0
  return {
    ...row,
    can: {
      claim: mine && (open || row.state === 'REVIEW'),
      ask: mine && open && mayAsk(row.part, row.kind),
      resolve: mine && open,
      correct: mine && open && ctx.actor.ofPlatform,
      approve:
        may(ctx, 'recon:approve') && row.state === 'REVIEW' && handledBy !== ctx.actor.userId,
      reopen: mine && over && since <= reopenDays * dayMs,
    },
  }
}
const from = sql`reconciliation_differences d join organisations o on o.id = d.org_id
  left join devices m on m.id = d.device_id left join users h on h.id = d.handled_by
  left join users a on a.id = d.approved_by
  left join payment_configs c on c.id = d.config_id`
const readable = (ctx: Pick<Ctx, 'actor'>) => visible(ctx, 'd.org_id', 'd.device_id')

export async function differences(ctx: Ctx, input: Input<typeof reconciliation.differences>) {
  const { rows, ...found } = await difference.page(ctx.db, {
    from,
    countFrom: sql`reconciliation_differences d left join payment_configs c on c.id = d.config_id`,
    input,
    last: sql`d.id`,
    grows: true,
    sort: { day: sql`d.day` },
    where: [
      readable(ctx),
      input.open === true && sql`d.state in ('OPEN','HANDLING','REVIEW')`,
      input.open === false && sql`d.state in ('RESOLVED','IGNORED')`,
      input.part && sql`d.part = ${input.part}`,
      input.kind && sql`d.kind = ${input.kind}`,
      input.state && sql`d.state = ${input.state}`,
      input.treatment && sql`d.treatment = ${input.treatment}`,
      input.merchant && sql`c.mch_id = ${input.merchant}`,
      input.handlerId && sql`d.handled_by = ${input.handlerId}`,
      input.from && sql`d.day >= ${input.from}`,
      input.to && sql`d.day <= ${input.to}`,
    ],
  })
  return answerOf(
    found,
    rows.map((row) => shown(ctx, row)),
  )
}

export async function one(ctx: Ctx, id: number): Promise<DifferenceRow | undefined> {
  const row = await difference.one(
    ctx.db,
    sql`from ${from} where d.id = ${id} and ${readable(ctx)}`,
  )
  return row && shown(ctx, row)
}
/** Somebody whom the actor sees. */
export const handlerOf = (ctx: Ctx, userId: number) =>
  rowOf<{ id: number }>(ctx.db)`select u.id from users u where u.id = ${userId}
    and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`
/** Whether somebody with this scope sees one that the actor sees. */
export const seenWith = (ctx: Ctx, id: number, scope: Ctx['actor']['scope']) =>
  exists(ctx.db)`select from reconciliation_differences d
    where d.id = ${id} and ${readable({ actor: { ...ctx.actor, scope } })}`

export type Held = Treated & {
  state: DifferenceRow['state']
  wanted: 'RESOLVED' | 'IGNORED' | null
  treatment: Treatment | null
  handledBy: number | null
  handledAt: Date | null
}
const byId = (ctx: Ctx, id: number, lock = sql``) =>
  rowOf<Held>(ctx.db)`select d.id, d.org_id as "orgId", to_char(d.day, 'YYYY-MM-DD') as day, d.part,
      d.provider, d.config_id as "configId", d.kind, d.subject, d.state, d.wanted, d.treatment,
      d.handled_by as "handledBy", d.handled_at as "handledAt", d.local_amount as "localAmount",
      d.other_amount as "otherAmount"
    from reconciliation_differences d where d.id = ${id} and ${readable(ctx)} ${lock}`
/** Locked by id until the commit. */
export const heldMany = (ctx: Ctx, ids: readonly number[]) =>
  rowsOf<Pick<Held, 'id' | 'orgId' | 'subject' | 'state'>>(ctx.db)`
    select d.id, d.org_id as "orgId", d.subject, d.state from reconciliation_differences d
    where d.id = any(${[...ids]}::bigint[]) and ${readable(ctx)} order by d.id for no key update`
export const seen = (ctx: Ctx, id: number) => byId(ctx, id)
/** Locked until the commit. */
export const held = (ctx: Ctx, id: number) => byId(ctx, id, sql`for no key update`)

/** By account of whoever is seen; what was before `from` is the opening. */
export const balances = (ctx: Ctx, from: string, to: string) =>
  rowsOf<{ code: string; opening: number; debit: number; credit: number }>(ctx.db)`
    select code, coalesce(sum(debit - credit) filter (where day < ${from}), 0)::bigint as opening,
      coalesce(sum(debit) filter (where day >= ${from}), 0)::bigint as debit,
      coalesce(sum(credit) filter (where day >= ${from}), 0)::bigint as credit
    from ledger_days l where ${visible(ctx, 'l.org_id')} and day <= ${to} group by 1 order by 1`

/** Whether whoever asks sees the books whole. */
export const seesWhole = async (ctx: Ctx): Promise<boolean> =>
  (await onlyRow<{ whole: boolean }>(ctx.db)`select app_all() as whole`).whole
