import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { debtWrittenOff } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { type SplitDetail, splitErrors, type splits } from '../contract.ts'
import { returnsName, soonestSeconds, splitFrom, splitsName } from '../rules.ts'
import { accrualName } from './jobs.ts'
import * as q from './queries.ts'
import { begin } from './send.ts'
import { calendar, settlement } from './timeline.ts'

type Contract = typeof splits
type Asked = { id: number; version: number }
type Change = Record<string, unknown> | null

/** One step of one split order, with what it was and what it has become in the log. */
async function step(
  ctx: Ctx,
  { id, version }: Asked,
  decide: (held: q.Held) => Change | Promise<Change>,
): Promise<SplitDetail> {
  const held = found(await q.held(ctx, id))
  // null: it is written already
  const change = await decide(held)
  if (change) await updateVersion(ctx, 'split_orders', { id, version }, change)
  const after = found(await q.one(ctx, id))
  ctx.audit({
    id,
    name: after.splitNo,
    orgId: held.orgId,
    before: { state: held.state, failReason: held.failReason },
    after: { state: after.state, ledgerBy: after.ledgerBy },
  })
  ctx.touch('splits', held.orgId)
  ctx.afterCommit(() => ctx.app.jobs.poke(accrualName))
  return after
}

const done = (ctx: Ctx) => ({
  ...{ state: 'DONE', done_at: ctx.now, ledger_by: null, fail_reason: null },
})

/** Those that did not get it are sent it once more, under another number. */
async function retryPartial(ctx: Ctx, id: number): Promise<Change> {
  const began = await begin(ctx, [id], 'PARTIAL')
  if (began === 'NO_RECEIVER') throw new Refusal(splitErrors.noReceiver)
  // refunds took all of it
  return began === 'NOTHING' ? done(ctx) : null
}
async function askAgain(ctx: Ctx, { id, orderId }: q.Held): Promise<Change> {
  for (const table of ['split_requests', 'split_returns'] as const)
    await sql`update ${sql.table(table)} set next_at = ${ctx.now}, attempts = 0
      where split_id = ${id} and state = 'SENDING' and next_at is null`.execute(ctx.db)
  await sql`update split_requests set next_at = ${ctx.now}, attempts = 0
    where order_id = ${orderId} and kind = 'RELEASE' and state = 'SENDING'
      and next_at is null`.execute(ctx.db)
  ctx.afterCommit(() => {
    for (const kind of [splitsName, returnsName]) ctx.app.jobs.poke(kind)
  })
  return { fail_reason: null }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, ...found } = await q.list(ctx, input)
    return answerOf(found, rows)
  },
  get: async (ctx, { id }) => found(await q.one(ctx, id)),
  calendar,
  settlement,
  // the loop does it: what a refund touched meanwhile goes first
  run: (ctx, asked) =>
    step(ctx, asked, ({ state, dueAt, createdAt }) => {
      if (state !== 'READY' || (dueAt && dueAt <= ctx.now))
        throw new Refusal(splitErrors.wrongState)
      if (ctx.now.getTime() - createdAt.getTime() < 1000 * soonestSeconds)
        throw new Refusal(splitErrors.tooSoon)
      return { due_at: ctx.now }
    }),
  retry: (ctx, asked) =>
    step(ctx, asked, async (held) => {
      const { id, state, failReason, isStuck } = held
      if (state === 'PARTIAL') {
        if (held.version !== asked.version) throw new Refusal(common.stale)
        return retryPartial(ctx, id)
      }
      // nobody knows what became of it: the same number is asked for again
      if (isStuck) return askAgain(ctx, held)
      if (failReason === null) throw new Refusal(splitErrors.wrongState)
      return failReason === 'PENDING_MISMATCH'
        ? { fail_reason: null, touched_at: ctx.now }
        : { fail_reason: null }
    }),
  toLedger: (ctx, asked) =>
    step(ctx, asked, ({ state, mode, ledgerBy }) => {
      if (mode === 'LEDGER' || !['READY', 'PARTIAL'].includes(state))
        throw new Refusal(splitErrors.wrongState)
      if (ledgerBy === null) return { ledger_by: ctx.actor.userId }
      if (ledgerBy === ctx.actor.userId) throw new Refusal(splitErrors.samePerson)
      // what the channel owes others stays in the hands of the collector: his people do not agree
      if (!ctx.actor.ofPlatform) throw new Refusal(splitErrors.platformAgrees)
      if (!splitFrom('DONE').includes(state)) throw new Refusal(splitErrors.wrongState)
      return done(ctx)
    }),
  async debts(ctx, input) {
    const { rows, ...found } = await q.debts(ctx, input)
    return answerOf(found, rows)
  },
  async writeOff(ctx, { id, version, reason }) {
    const held = found(await q.heldDebt(ctx, id))
    const { orgId, orderId, orderNum, configId, party, collector, rest, offBy } = held
    if (rest === 0) throw new Refusal(splitErrors.wrongState)
    if (offBy === ctx.actor.userId) throw new Refusal(splitErrors.samePerson)
    if (offBy === null)
      await updateVersion(
        ctx,
        'split_debts',
        { id, version },
        { off_by: ctx.actor.userId, off_at: ctx.now, off_reason: reason },
      )
    else {
      await updateVersion(
        ctx,
        'split_debts',
        { id, version },
        { written_off: rest, off_by: null, off_at: null },
      )
      // whoever gave the buyer the money bears it; what that is itself, the platform
      const bearer = party === collector ? platformOrg : collector
      const [has] = await rowsOf<{ owed: number }>(ctx.db)`
        select owed from ledger_hold(${[bearer, party].sort((a, b) => a - b)}::bigint[])
        where party = ${bearer}`
      if ((has?.owed ?? 0) < rest) throw new Refusal(splitErrors.bearerShort)
      const of = { orgId, orderId, orderNum, configId }
      post(ctx, [debtWrittenOff(id, { party, bearer, amount: rest }, of)])
    }
    const after = found(await q.oneDebt(ctx, id))
    ctx.audit({
      id,
      name: `${after.partyName} ${orderNum}`,
      orgId,
      before: { rest },
      after: { rest: after.rest, reason },
    })
    ctx.touch('splits', orgId)
    return after
  },
}
