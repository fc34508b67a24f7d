import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import type { Person } from '../../../server/person.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { addDays, dayMs, shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { notify } from '../../notices/server/notify.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type DifferenceRow, type reconciliation, reconciliationErrors } from '../contract.ts'
import {
  booksItself,
  type DifferenceState,
  differenceFrom,
  needsReview,
  reopenDays,
} from '../rules.ts'
import { ask } from './ask.ts'
import { fetch, upload } from './fetching.ts'
import * as q from './queries.ts'
import { checkTreatment, treat } from './treat.ts'

type Contract = typeof reconciliation
type Asked = { id: number; version: number }

type Decided = { to: DifferenceState; set?: Record<string, unknown> }

/** One step of one difference, with what it was and what it has become in the log. */
async function step(
  ctx: Ctx,
  { id, version }: Asked,
  decide: (held: q.Held) => Decided | Promise<Decided>,
): Promise<DifferenceRow> {
  const held = found(await q.held(ctx, id))
  const { to, set } = await decide(held)
  if (!differenceFrom(to).includes(held.state)) throw new Refusal(reconciliationErrors.wrongState)
  await updateVersion(ctx, 'reconciliation_differences', { id, version }, { state: to, ...set })
  const after = found(await q.one(ctx, id))
  ctx.audit({
    id,
    name: after.subject,
    orgId: held.orgId,
    before: { state: held.state },
    after: { state: after.state, reason: after.reason, treatment: after.treatment },
  })
  ctx.touch('reconciliation', held.orgId)
  return after
}

const mine = (ctx: Ctx) => ({ handled_by: ctx.actor.userId, handled_at: ctx.now })

/** Closed at once and treated, or when somebody else agrees. */
const close =
  (wanted: 'RESOLVED' | 'IGNORED'): Handlers<Contract>['resolve'] =>
  async (ctx, { reason, treatment: chosen, ...asked }) => {
    const limit = await settingOf(ctx.db, platformOrg, 'funds.reviewDifference')
    const treatment = wanted === 'IGNORED' ? null : (chosen ?? null)
    return step(ctx, asked, async (held) => {
      checkTreatment(ctx, held, treatment)
      const set = { ...mine(ctx), reason, wanted, treatment, approved_by: null }
      if (needsReview(wanted, held, limit, booksItself(held.kind, treatment)))
        return { to: 'REVIEW', set }
      expectOpen(held, wanted)
      return { to: wanted, set: { ...set, ...(await treat(ctx, held, treatment)) } }
    })
  }
/** Nothing is done about what is closed, or waits for somebody else. */
const expectOpen = ({ state }: q.Held, to: DifferenceState) => {
  if (!differenceFrom(to).includes(state) || state === 'REVIEW')
    throw new Refusal(reconciliationErrors.wrongState)
}

/** To whoever may handle it and sees it: of some machines, or of another branch, nobody does. */
const assign = prepared<Contract['assign'], Person | null>({
  prepare: (app, { userId }) => loadPerson(app.database, userId),
  async run(ctx, { userId, ...asked }, person) {
    const after = await step(ctx, asked, async ({ id }) => {
      const fits =
        person?.permissions.has('recon:resolve') &&
        (await q.handlerOf(ctx, userId)) &&
        (await q.seenWith(ctx, id, person.scopeOf('recon:resolve')))
      if (!fits) throw fieldRefusal(reconciliationErrors.notTheirs, 'userId')
      return { to: 'HANDLING', set: { handled_by: userId, handled_at: ctx.now, wanted: null } }
    })
    await notify(ctx, {
      kind: 'SYSTEM',
      userIds: [userId],
      title: bi('有对账差异指派给您', 'A difference was given to you'),
      body: bi(`${after.day} · ${after.subject}`, `${after.day} · ${after.subject}`),
      link: '/finance/billing-details/reconciliation/differences?open=true',
    })
    return after
  },
})

/** Those that somebody works at already stay his. */
const claimMany: Handlers<Contract>['claimMany'] = async (ctx, { ids }) => {
  const rows = await q.heldMany(ctx, ids)
  if (rows.length < ids.length) throw new Refusal(common.notFound)
  const mineNow = rows.filter(({ state }) => state === 'OPEN')
  await sql`update reconciliation_differences set state = 'HANDLING', wanted = null,
      handled_by = ${ctx.actor.userId}, handled_at = ${ctx.now}, version = version + 1
    where id = any(${mineNow.map(({ id }) => id)}::bigint[]) and state = 'OPEN'`.execute(ctx.db)
  ctx.audit(
    ...mineNow.map(({ id, subject, orgId }) => ({
      ...{ id, name: subject, orgId, before: { state: 'OPEN' }, after: { state: 'HANDLING' } },
    })),
  )
  ctx.touch(
    'reconciliation',
    mineNow.map(({ orgId }) => orgId),
  )
  return { done: mineNow.length }
}

export const handlers: Handlers<Contract> = {
  runs: q.runs,
  fetch,
  upload,
  differences: q.differences,
  assign,
  claim: (ctx, asked) =>
    step(ctx, asked, () => ({ to: 'HANDLING', set: { ...mine(ctx), wanted: null } })),
  claimMany,
  ask,
  resolve: close('RESOLVED'),
  ignore: close('IGNORED'),
  approve: (ctx, asked) =>
    step(ctx, asked, async (held) => {
      if (held.state !== 'REVIEW' || !held.wanted)
        throw new Refusal(reconciliationErrors.wrongState)
      if (held.handledBy === ctx.actor.userId) throw new Refusal(reconciliationErrors.samePerson)
      const done = held.wanted === 'RESOLVED' ? await treat(ctx, held, held.treatment) : {}
      return { to: held.wanted, set: { approved_by: ctx.actor.userId, ...done } }
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
