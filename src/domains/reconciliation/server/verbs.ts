import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { addDays, dayMs, shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type DifferenceRow, type reconciliation, reconciliationErrors } from '../contract.ts'
import { type DifferenceState, differenceFrom, needsReview, reopenDays } from '../rules.ts'
import { fetch, upload } from './fetching.ts'
import * as q from './queries.ts'

type Contract = typeof reconciliation
type Asked = { id: number; version: number }

/** One step of one difference, with what it was and what it has become in the log. */
async function step(
  ctx: Ctx,
  { id, version }: Asked,
  decide: (held: q.Held) => { to: DifferenceState; set?: Record<string, unknown> },
): Promise<DifferenceRow> {
  const held = found(await q.held(ctx, id))
  const { to, set } = decide(held)
  if (!differenceFrom(to).includes(held.state)) throw new Refusal(reconciliationErrors.wrongState)
  await updateVersion(ctx, 'reconciliation_differences', { id, version }, { state: to, ...set })
  const after = found(await q.one(ctx, id))
  ctx.audit({
    id,
    name: after.subject,
    orgId: held.orgId,
    before: { state: held.state },
    after: { state: after.state, reason: after.reason },
  })
  ctx.touch('reconciliation', held.orgId)
  return after
}

const mine = (ctx: Ctx) => ({ handled_by: ctx.actor.userId, handled_at: ctx.now })

/** Closed at once, or when somebody else agrees. */
const close =
  (wanted: 'RESOLVED' | 'IGNORED'): Handlers<Contract>['resolve'] =>
  async (ctx, { reason, treatment, ...asked }) => {
    const limit = await settingOf(ctx.db, platformOrg, 'funds.reviewDifference')
    return step(ctx, asked, (held) => ({
      to: needsReview(wanted, held, limit) ? 'REVIEW' : wanted,
      set: { ...mine(ctx), reason, wanted, treatment: treatment ?? null, approved_by: null },
    }))
  }

const assign: Handlers<Contract>['assign'] = async (ctx, { userId, ...asked }) => {
  if (!(await q.handlerOf(ctx, userId)))
    throw fieldRefusal(reconciliationErrors.notTheirs, 'userId')
  const after = await step(ctx, asked, () => ({
    to: 'HANDLING',
    set: { handled_by: userId, handled_at: ctx.now, wanted: null },
  }))
  await notify(ctx, {
    kind: 'SYSTEM',
    userIds: [userId],
    title: bi('有对账差异指派给您', 'A difference was given to you'),
    body: bi(`${after.day} · ${after.subject}`, `${after.day} · ${after.subject}`),
    link: '/finance/billing-details/reconciliation/differences?open=true',
  })
  return after
}

export const handlers: Handlers<Contract> = {
  runs: q.runs,
  fetch,
  upload,
  differences: q.differences,
  assign,
  claim: (ctx, asked) =>
    step(ctx, asked, () => ({ to: 'HANDLING', set: { ...mine(ctx), wanted: null } })),
  resolve: close('RESOLVED'),
  ignore: close('IGNORED'),
  approve: (ctx, asked) =>
    step(ctx, asked, (held) => {
      if (held.state !== 'REVIEW' || !held.wanted)
        throw new Refusal(reconciliationErrors.wrongState)
      if (held.handledBy === ctx.actor.userId) throw new Refusal(reconciliationErrors.samePerson)
      return { to: held.wanted, set: { approved_by: ctx.actor.userId } }
    }),
  reopen: (ctx, asked) =>
    step(ctx, asked, ({ handledAt }) => {
      if (handledAt && ctx.now.getTime() - handledAt.getTime() > reopenDays * dayMs)
        throw new Refusal(reconciliationErrors.wrongState)
      return { to: 'OPEN', set: { wanted: null, approved_by: null, settled: false } }
    }),
  async trialBalance(ctx, input) {
    const to = input.to ?? addDays(shanghaiDay(ctx.now), -1)
    const from = input.from ?? to
    const accounts = (await q.balances(ctx, from, to)).map((row) => ({
      ...row,
      closing: row.opening + row.debit - row.credit,
    }))
    const sum = (key: 'debit' | 'credit' | 'opening') =>
      accounts.reduce((total, account) => total + account[key], 0)
    const [debit, credit] = [sum('debit'), sum('credit')]
    const whole = ctx.actor.scope.all && (await q.seesWhole(ctx))
    const balanced = whole ? debit === credit && sum('opening') === 0 : null
    return { from, to, accounts, debit, credit, balanced }
  },
}
