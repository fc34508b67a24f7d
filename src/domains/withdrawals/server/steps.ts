import { byRole, type Ctx, found, may } from '../../../server/context.ts'
import { guarding, updateVersion } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { settingOf } from '../../settings/server/values.ts'
import type { WithdrawalRow } from '../contract.ts'
import {
  approvable,
  cancellable,
  confirmable,
  needsSecond,
  payableByHand,
  rejectable,
  retryable,
  type WithdrawalState,
  withdrawalErrors,
  withdrawalFrom,
} from '../rules.ts'
import * as q from './queries.ts'

type Read = NonNullable<Awaited<ReturnType<typeof q.one>>>

export const limitOf = (ctx: Ctx): Promise<number> =>
  settingOf(ctx.db, platformOrg, 'funds.reviewWithdrawal')
export const deciderOf = (ctx: Ctx, limit: number) => ({
  userId: ctx.actor.userId ?? 0,
  administrator: byRole(ctx, (role) => role === 'ROLE_SUPER_ADMIN' || role === 'ROLE_ADMIN'),
  limit,
})

export function shown(
  ctx: Ctx,
  limit: number,
  { stuck, requestedBy, approvedBy, ...row }: Read,
): WithdrawalRow {
  const facts = { ...row, stuck, requestedBy, approvedBy }
  const userId = ctx.actor.userId ?? 0
  const approves = may(ctx, 'withdrawal:approve')
  const pays = may(ctx, 'withdrawal:pay')
  return {
    ...row,
    secondNeeded: needsSecond(row.amount, limit),
    can: {
      cancel: may(ctx, 'withdrawal:create') && cancellable(facts, userId) === null,
      approve: approves && approvable(facts, deciderOf(ctx, limit)) === null,
      reject: approves && rejectable(facts, userId) === null,
      retry: pays && retryable(facts) === null,
      payByHand: pays && payableByHand(facts, userId) === null,
      payee: pays && payableByHand(facts, userId) === null,
      confirm:
        may(ctx, 'withdrawal:create') && confirmable(facts, row.orgId === ctx.actor.orgId) === null,
    },
  }
}
export const get = async (ctx: Ctx, id: number) =>
  shown(ctx, await limitOf(ctx), found(await q.one(ctx, id)))

/** The ledger guards what nobody here foresees: nobody is paid what he does not have. */
const onePending = guarding({ withdrawals_pending: [withdrawalErrors.pending] })
export async function covered<R>(work: Promise<R>): Promise<R> {
  try {
    return await onePending(work)
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'ledger_balances_balance_check')
      throw error
    throw fieldRefusal(withdrawalErrors.tooMuch, 'amount')
  }
}

/** What the log keeps of one. */
export const facts = ({
  orgName,
  referrerName,
  amount,
  fee,
  method,
  accountNo,
  state,
  reason,
  voucher,
}: WithdrawalRow) => ({
  ...{ orgName, referrerName, amount, fee, method, accountNo, state, reason, voucher },
})

type Asked = { id: number; version: number }
/** One step of one withdrawal, with what it was and has become in the log. */
export async function step(
  ctx: Ctx,
  { id, version }: Asked,
  decide: (held: q.Held) =>
    | Promise<{ to: WithdrawalState; set?: Record<string, unknown> }>
    | {
        to: WithdrawalState
        set?: Record<string, unknown>
      },
): Promise<WithdrawalRow> {
  const held = found(await q.held(ctx, id))
  const before = await get(ctx, id)
  const { to, set } = await decide(held)
  if (to !== held.state && !withdrawalFrom(to).includes(held.state))
    throw new Refusal(withdrawalErrors.wrongState)
  await updateVersion(ctx, 'withdrawals', { id, version }, { state: to, ...set })
  const after = await covered(get(ctx, id))
  ctx.audit({
    id,
    name: held.no,
    orgId: held.orgId,
    before: facts(before),
    after: facts(after),
  })
  ctx.touch('withdrawals', held.orgId)
  return after
}
