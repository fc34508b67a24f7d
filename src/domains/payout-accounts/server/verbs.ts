import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import type { AccountRow, payoutAccounts } from '../contract.ts'
import {
  accountState,
  bare,
  type Entered,
  findings,
  masked,
  mostAccounts,
  payoutErrors,
  restHours,
} from '../rules.ts'
import { accountsOf, hold, lockOrg, openAccount, sealAccount } from './accounts.ts'
import * as q from './queries.ts'

type Contract = typeof payoutAccounts
type Read = NonNullable<Awaited<ReturnType<typeof q.one>>>

function shown(ctx: Ctx, row: Read): AccountRow {
  const changedAt = new Date(new Date(row.usableTime).getTime() - restHours * 3_600_000)
  const mine = may(ctx, 'payout-account:update') && row.orgId === ctx.actor.orgId
  return {
    ...row,
    state: accountState({ ...row, changedAt }, ctx.now),
    can: { update: mine, delete: mine },
  }
}
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.one(ctx, id)))

function check(entered: Entered, orgName: string): void {
  const [first, ...others] = findings(entered, orgName)
  if (first)
    throw new Refusal(
      first.error,
      {},
      [first, ...others].map(({ field, error }) => ({ field, text: error.text })),
    )
}
/** Only people of an organisation say where its money goes. */
function own(ctx: Ctx, orgId: number): void {
  if (orgId !== ctx.actor.orgId) throw new Refusal(payoutErrors.notOwn)
}

/** Whoever else may say where the money goes hears that somebody did. */
const tell = (ctx: Ctx) =>
  notify(ctx, {
    kind: 'SYSTEM',
    permission: 'payout-account:update',
    orgId: ctx.actor.orgId,
    title: bi('收款账户已变更', 'A payout account was changed'),
    body: bi(
      `操作人：${ctx.actor.username}。如非本机构所为，请立即联系平台。`,
      `By ${ctx.actor.username}. If this was nobody of yours, tell the platform at once.`,
    ),
    link: '/finance/billing-details/payout-accounts',
  })

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { orgId } = ctx.actor
  ctx.later(hold(orgId))
  const org = found(await lockOrg(ctx, orgId))
  const account = bare(input.accountNo)
  check({ ...input, accountNo: account }, org.name)
  if ((await accountsOf(ctx, orgId)) >= mostAccounts)
    throw new Refusal(payoutErrors.tooMany, { n: mostAccounts })
  const { id } = await ctx.db
    .insertInto('payout_accounts')
    .values({
      org_id: orgId,
      method: input.method,
      holder: org.name,
      bank_name: input.method === 'BANK' ? input.bankName : '',
      account: sealAccount(ctx.app, { orgId, method: input.method }, account),
      account_no: masked(account),
      changed_at: ctx.now,
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.accountNo, after })
  await tell(ctx)
  ctx.touch('payout-accounts')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...input }) => {
  const held = found(await q.held(ctx, id))
  own(ctx, held.orgId)
  const before = await get(ctx, id)
  const { orgId, orgName } = held
  // what was shown came back as it was
  const kept = input.accountNo === held.accountNo && input.method === held.method
  const account = kept ? openAccount(ctx.app, held, held.account) : bare(input.accountNo)
  check({ ...input, accountNo: account }, orgName)
  await updateVersion(
    ctx,
    'payout_accounts',
    { id, version },
    {
      method: input.method,
      holder: orgName,
      bank_name: input.method === 'BANK' ? input.bankName : '',
      account: sealAccount(ctx.app, { orgId, method: input.method }, account),
      account_no: masked(account),
      changed_at: ctx.now,
    },
  )
  const after = await get(ctx, id)
  // the end of a number may stay the same
  ctx.audit({ id, name: after.accountNo, before, after: { ...after, renewed: !kept } })
  await tell(ctx)
  ctx.touch('payout-accounts')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const held = found(await q.held(ctx, id))
  own(ctx, held.orgId)
  const before = await get(ctx, id)
  await updateVersion(ctx, 'payout_accounts', { id, version }, { removed_at: ctx.now })
  ctx.audit({ id, name: before.accountNo, before })
  await tell(ctx)
  ctx.touch('payout-accounts')
  return { ok: true }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.list(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  async options(ctx) {
    const rows = await q.usable(ctx)
    return {
      list: rows
        .filter((row) => accountState(row, ctx.now) === 'USABLE')
        .map(({ id, method, bankName, accountNo }) => ({ id, method, bankName, accountNo })),
    }
  },
  create,
  update,
  remove,
}
