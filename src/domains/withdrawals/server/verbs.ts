import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { plainYuan, yuan } from '../../../shared/money.ts'
import { bi } from '../../../shared/text.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { post } from '../../ledger/server/post.ts'
import { notify } from '../../notices/server/notify.ts'
import { payeeOf as merchantOf } from '../../payment-channels/server/configs.ts'
import { accountState, sameName } from '../../payout-accounts/rules.ts'
import { lockOrg, openAccount, payeeOf } from '../../payout-accounts/server/accounts.ts'
import type { withdrawals } from '../contract.ts'
import {
  approvable,
  availableOf,
  cancellable,
  givenBack,
  needsSecond,
  paidOut,
  payableByHand,
  rejectable,
  retryable,
  setAside,
  withdrawalErrors,
} from '../rules.ts'
import { confirmCode, lookConfirm } from './confirm.ts'
import { tell, transfersName } from './pay.ts'
import * as q from './queries.ts'
import { covered, deciderOf, facts, get, limitOf, shown, step } from './steps.ts'

type Contract = typeof withdrawals

/** Requests of an organisation take turns: each sees what the one before it set aside. */
const turnOf = (orgId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`withdrawals ${orgId}`}, 0))`

async function affordable(ctx: Ctx, orgId: number, amount: number): Promise<void> {
  if (amount > availableOf(await q.fundsOf(ctx, orgId)))
    throw fieldRefusal(withdrawalErrors.tooMuch, 'amount')
}

const create: Handlers<Contract>['create'] = async (ctx, { amount, accountId, remark }) => {
  const { orgId, userId } = ctx.actor
  ctx.later(turnOf(orgId))
  const org = found(await lockOrg(ctx, orgId))
  if (org.status !== 'ENABLED') throw new Refusal(withdrawalErrors.closedOrg)
  const payee = await payeeOf(ctx, orgId, accountId)
  if (!payee) throw fieldRefusal(withdrawalErrors.accountNeeded, 'accountId')
  const state = accountState({ ...payee, orgName: org.name }, ctx.now)
  if (state !== 'USABLE')
    throw fieldRefusal(
      state === 'RESTING' ? withdrawalErrors.accountRests : withdrawalErrors.holderChanged,
      'accountId',
    )
  const funds = await q.fundsOf(ctx, orgId)
  if (amount < funds.minimum)
    throw fieldRefusal(withdrawalErrors.tooLittle, 'amount', { n: plainYuan(funds.minimum) })
  if (amount > availableOf(funds)) throw fieldRefusal(withdrawalErrors.tooMuch, 'amount')
  if (funds.used >= funds.perDay) throw new Refusal(withdrawalErrors.tooOften, { n: funds.perDay })
  const { id, no } = await covered(
    onlyRow<{ id: number; no: string }>(ctx.db)`
      insert into withdrawals (org_id, withdrawal_no, amount, account_id, method, holder, bank_name,
        account, account_no, remark, requested_by, requested_at, created_at)
      values (${orgId}, 'TX' || ${shanghaiDay(ctx.now).replaceAll('-', '')}
          || lpad((nextval('withdrawal_numbers') % 100000000)::text, 8, '0'),
        ${amount}, ${payee.id}, ${payee.method}, ${payee.holder}, ${payee.bankName},
        ${payee.account}, ${payee.accountNo}, ${remark}, ${userId}, ${ctx.now}, ${ctx.now})
      returning id, withdrawal_no as no`,
  )
  post(ctx, [setAside({ no, round: 1, orgId, amount })])
  const after = await covered(get(ctx, id))
  ctx.audit({ id, name: no, after: facts(after) })
  ctx.touch('withdrawals')
  ctx.afterCommit(() => ask(ctx, no, amount, org.name))
  return after
}

/** Whoever decides sits in the platform, which the applicant does not see. */
const ask = (ctx: Ctx, no: string, amount: number, orgName: string): Promise<void> =>
  bySystem(ctx.app, async (system) => {
    await notify(system, {
      kind: 'SYSTEM',
      permission: 'withdrawal:approve',
      orgId: platformOrg,
      title: bi('有新的提现申请待审核', 'A withdrawal waits for approval'),
      body: bi(`${orgName} · ${no} · ${yuan(amount)}`, `${orgName} · ${no} · ${yuan(amount)}`),
      link: '/finance/billing-details/withdrawals?state=PENDING',
      quietHours: 1,
    })
  })

/** The channel of the platform pays what is not paid by hand; chosen once. */
async function sender(ctx: Ctx, held: q.Held): Promise<Record<string, unknown>> {
  if (held.method === 'BANK') return {}
  const merchant = await merchantOf(ctx.app, { orgId: platformOrg }, held.method)
  // nobody is paid by a simulator where money is real
  if (!merchant || (merchant.configId === null && ctx.app.config.production))
    throw new Refusal(withdrawalErrors.channelStopped)
  const { provider, configId } = merchant
  ctx.afterCommit(() => ctx.app.jobs.poke(transfersName))
  return { provider, config_id: configId, next_at: ctx.now, attempts: 0, waited: 0 }
}

async function sameHolder(ctx: Ctx, held: q.Held): Promise<void> {
  const org = found(await lockOrg(ctx, held.orgId))
  if (!sameName(org.name, held.holder)) throw new Refusal(withdrawalErrors.holderChanged)
}

const approve: Handlers<Contract>['approve'] = (ctx, asked) =>
  step(ctx, asked, async (held) => {
    const limit = await limitOf(ctx)
    const decider = deciderOf(ctx, limit)
    reject(approvable(held, decider))
    await sameHolder(ctx, held)
    const mine = ctx.actor.userId
    if (held.approvedBy === null && needsSecond(held.amount, limit))
      return { to: 'PENDING', set: { approved_by: mine, approved_at: ctx.now } }
    return {
      to: 'APPROVED',
      set: {
        ...(held.approvedBy === null
          ? { approved_by: mine, approved_at: ctx.now }
          : { second_by: mine, second_at: ctx.now }),
        ...(await sender(ctx, held)),
      },
    }
  })

/** What was asked for and is not paid may be withdrawn again. */
function back(ctx: Ctx, held: q.Held, reason: string): Record<string, unknown> {
  post(ctx, [givenBack(held)])
  return { reason, returned_at: ctx.now }
}

const rejected: Handlers<Contract>['reject'] = (ctx, { reason, ...asked }) =>
  step(ctx, asked, async (held) => {
    reject(rejectable(held, ctx.actor.userId ?? 0))
    const set = {
      ...back(ctx, held, reason),
      ...(held.approvedBy === null ? { approved_by: ctx.actor.userId, approved_at: ctx.now } : {}),
    }
    await tell(ctx, held, bi('提现申请被驳回', 'A withdrawal was rejected'))
    return { to: 'REJECTED', set }
  })

const cancel: Handlers<Contract>['cancel'] = (ctx, asked) =>
  step(ctx, asked, (held) => {
    reject(cancellable(held, ctx.actor.userId ?? 0))
    return { to: 'CANCELLED', set: back(ctx, held, '') }
  })

/** Money that went back is set aside again, if it is still there. */
async function again(ctx: Ctx, held: q.Held): Promise<Record<string, unknown>> {
  ctx.later(turnOf(held.orgId))
  await affordable(ctx, held.orgId, held.amount)
  const round = held.round + 1
  post(ctx, [setAside({ ...held, round })])
  return { round, returned_at: null, reason: '' }
}

const retry: Handlers<Contract>['retry'] = (ctx, asked) =>
  step(ctx, asked, async (held) => {
    reject(retryable(held))
    ctx.afterCommit(() => ctx.app.jobs.poke(transfersName))
    const due = { next_at: ctx.now, waited: sql`attempts`, last_error: null }
    // whoever does not know what became of it only asks
    if (held.stuck) return { to: held.state, set: due }
    await sameHolder(ctx, held)
    return { to: 'PAYING', set: { ...due, ...(await again(ctx, held)) } }
  })

const offlinePaid: Handlers<Contract>['offlinePaid'] = (ctx, { voucher, fee, ...asked }) =>
  step(ctx, asked, async (held) => {
    reject(payableByHand(held, ctx.actor.userId ?? 0))
    if (fee >= held.amount) throw fieldRefusal(withdrawalErrors.feeTooLarge, 'fee')
    if ((await missingPictures(ctx, [voucher], uploadedBy(ctx))).length)
      throw fieldRefusal(common.notFound, 'voucher')
    const set = held.state === 'FAILED' ? await again(ctx, held) : {}
    post(ctx, [paidOut(held, { account: '1003', payer: platformOrg, configId: null })])
    await tell(ctx, held, bi('提现已到账', 'A withdrawal was paid'))
    return {
      to: 'PAID',
      set: { ...set, voucher, fee, paid_at: ctx.now, paid_by: ctx.actor.userId },
    }
  })

const payee: Handlers<Contract>['payee'] = async (ctx, { id }) => {
  const held = found(await q.held(ctx, id))
  reject(payableByHand(held, ctx.actor.userId ?? 0))
  ctx.audit({ id, name: held.no, orgId: held.orgId })
  return {
    withdrawalNo: held.no,
    method: held.method,
    holder: held.holder,
    bankName: held.bankName,
    account: openAccount(ctx.app, held, held.account),
    amount: held.amount,
  }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.list(ctx, input)
    const limit = await limitOf(ctx)
    return { list: rows.map((row) => shown(ctx, limit, row)), total }
  },
  async funds(ctx) {
    const funds = await q.fundsOf(ctx, ctx.actor.orgId)
    const { balance, debts, reserve, underWay, minimum, ledgerMode } = funds
    return {
      ...{ balance, debts, reserve, underWay, minimum, ledgerMode },
      available: availableOf(funds),
      left: Math.max(0, funds.perDay - funds.used),
    }
  },
  create,
  cancel,
  approve,
  reject: rejected,
  retry,
  offlinePaid,
  payee,
  confirmCode,
  lookConfirm,
}
