import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { plainYuan, yuan } from '../../../shared/money.ts'
import { bi } from '../../../shared/text.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { partyOf } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { notify } from '../../notices/server/notify.ts'
import { payeeOf as merchantOf } from '../../payment-channels/server/configs.ts'
import { accountState, type Method, sameName } from '../../payout-accounts/rules.ts'
import { lockOrg, openPayee, payeeOf } from '../../payout-accounts/server/accounts.ts'
import { type Person, personOf } from '../../referrers/server/people.ts'
import { shownName } from '../../split-receivers/rules.ts'
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
import { giveMonth, monthOf, payeeHash, takeMonth } from './months.ts'
import { tell, transfersName } from './pay.ts'
import * as q from './queries.ts'
import { covered, deciderOf, facts, get, limitOf, shown, step } from './steps.ts'

type Contract = typeof withdrawals

/** Requests of a party take turns: each sees what the one before it set aside. */
const turnOf = (party: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`withdrawals ${party}`}, 0))`

async function affordable(ctx: Ctx, party: q.Party, amount: number): Promise<void> {
  if (amount > availableOf(await q.fundsOf(ctx, party)))
    throw fieldRefusal(withdrawalErrors.tooMuch, 'amount')
}

/** A referrer of the own organisation, whom whoever asks may read; null: her own money. */
async function referrerOf(ctx: Ctx, id: number | null): Promise<Person | null> {
  if (id === null) return null
  const person = may(ctx, 'referrer:read') ? await personOf(ctx, ctx.actor.orgId, id) : undefined
  if (!person) throw fieldRefusal(common.notFound, 'referrerId')
  return person
}
type Month = { payee: Buffer; month: string }
/** What a person gets by WeChat counts in this month. */
async function counted(
  ctx: Ctx,
  { orgId, referrerId }: q.Party,
  { method, account, amount }: { method: Method; account: Buffer; amount: number },
): Promise<Month | null> {
  if (referrerId === null || method !== 'WECHAT') return null
  const open = openPayee(ctx.app, { orgId, referrerId, method, account, holder: '' })
  const one = { payee: payeeHash(ctx.app, open.account), month: monthOf(ctx.now) }
  await takeMonth(ctx, { ...one, orgId, amount })
  return one
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { amount, accountId, referrerId, remark } = input
  const { orgId, userId } = ctx.actor
  const party = { orgId, referrerId }
  ctx.later(turnOf(partyOf(party)))
  const org = found(await lockOrg(ctx, orgId))
  if (org.status !== 'ENABLED') throw new Refusal(withdrawalErrors.closedOrg)
  const person = await referrerOf(ctx, referrerId)
  const payee = await payeeOf(ctx, party, accountId)
  if (!payee) throw fieldRefusal(withdrawalErrors.accountNeeded, 'accountId')
  // a person's account is over when his name changes
  const state = accountState({ ...payee, orgName: person ? payee.holder : org.name }, ctx.now)
  if (state !== 'USABLE')
    throw fieldRefusal(
      state === 'RESTING' ? withdrawalErrors.accountRests : withdrawalErrors.holderChanged,
      'accountId',
    )
  const funds = await q.fundsOf(ctx, party)
  if (amount < funds.minimum)
    throw fieldRefusal(withdrawalErrors.tooLittle, 'amount', { n: plainYuan(funds.minimum) })
  if (amount > availableOf(funds)) throw fieldRefusal(withdrawalErrors.tooMuch, 'amount')
  if (funds.used >= funds.perDay) throw new Refusal(withdrawalErrors.tooOften, { n: funds.perDay })
  const month = await counted(ctx, party, { ...payee, amount })
  const { id, no } = await covered(
    onlyRow<{ id: number; no: string }>(ctx.db)`
      insert into withdrawals (org_id, referrer_id, withdrawal_no, amount, account_id, method,
        holder, bank_name, account, account_no, remark, payee_hash, payee_month, requested_by,
        requested_at, created_at)
      values (${orgId}, ${referrerId}, 'TX' || ${shanghaiDay(ctx.now).replaceAll('-', '')}
          || lpad((nextval('withdrawal_numbers') % 100000000)::text, 8, '0'),
        ${amount}, ${payee.id}, ${payee.method}, ${payee.holder}, ${payee.bankName},
        ${payee.account}, ${payee.accountNo}, ${remark}, ${month?.payee ?? null},
        ${month?.month ?? null}::date, ${userId}, ${ctx.now}, ${ctx.now})
      returning id, withdrawal_no as no`,
  )
  post(ctx, [setAside({ no, round: 1, ...party, amount })])
  const after = await covered(get(ctx, id))
  ctx.audit({ id, name: no, after: facts(after) })
  ctx.touch('withdrawals')
  const whose = person ? `${org.name} ${shownName(person.name)}` : org.name
  ctx.afterCommit(() => ask(ctx, no, amount, whose))
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
  const { orgId, referrerId } = held
  const same = referrerId
    ? sameName(
        found(await personOf(ctx, orgId, referrerId)).idName,
        openPayee(ctx.app, held).holder,
      )
    : sameName(found(await lockOrg(ctx, orgId)).name, held.holder)
  if (!same) throw new Refusal(withdrawalErrors.holderChanged)
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
async function back(ctx: Ctx, held: q.Held, reason: string): Promise<Record<string, unknown>> {
  await giveMonth(ctx, held.id)
  post(ctx, [givenBack(held)])
  return { reason, returned_at: ctx.now }
}

const rejected: Handlers<Contract>['reject'] = (ctx, { reason, ...asked }) =>
  step(ctx, asked, async (held) => {
    reject(rejectable(held, ctx.actor.userId ?? 0))
    const set = {
      ...(await back(ctx, held, reason)),
      ...(held.approvedBy === null ? { approved_by: ctx.actor.userId, approved_at: ctx.now } : {}),
    }
    await tell(ctx, held, bi('提现申请被驳回', 'A withdrawal was rejected'))
    return { to: 'REJECTED', set }
  })

const cancel: Handlers<Contract>['cancel'] = (ctx, asked) =>
  step(ctx, asked, async (held) => {
    reject(cancellable(held, ctx.actor.userId ?? 0))
    return { to: 'CANCELLED', set: await back(ctx, held, '') }
  })

/** Money that went back is set aside again, if it is still there. */
async function again(ctx: Ctx, held: q.Held, byHand = false): Promise<Record<string, unknown>> {
  ctx.later(turnOf(partyOf(held)))
  await affordable(ctx, held, held.amount)
  const round = held.round + 1
  // what a bank pays counts nowhere
  const month = byHand ? null : await counted(ctx, held, held)
  post(ctx, [setAside({ ...held, round })])
  return {
    ...{ round, returned_at: null, reason: '' },
    ...(month ? { payee_hash: month.payee, payee_month: month.month } : {}),
  }
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
    const set = held.state === 'FAILED' ? await again(ctx, held, true) : {}
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
    bankName: held.bankName,
    ...openPayee(ctx.app, held),
    amount: held.amount,
  }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.list(ctx, input)
    const limit = await limitOf(ctx)
    return { list: rows.map((row) => shown(ctx, limit, row)), total }
  },
  async funds(ctx, { referrerId = null }) {
    await referrerOf(ctx, referrerId)
    const funds = await q.fundsOf(ctx, { orgId: ctx.actor.orgId, referrerId })
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
