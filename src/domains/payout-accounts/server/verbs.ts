import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { personOf } from '../../referrers/server/people.ts'
import type { AccountRow, payoutAccounts } from '../contract.ts'
import {
  accountState,
  bare,
  type Entered,
  findings,
  masked,
  mostAccounts,
  type Owner,
  payoutErrors,
  restHours,
  shownHolder,
} from '../rules.ts'
import { accountsOf, hold, lockOrg, openPayee, sealPayee } from './accounts.ts'
import * as q from './queries.ts'

type Contract = typeof payoutAccounts
type Read = NonNullable<Awaited<ReturnType<typeof q.one>>>

/** A person's account is over when the name of his papers changes; that of an organisation is compared. */
const named = <R extends { referrerId: number | null; holder: string; orgName: string }>(
  row: R,
): R => (row.referrerId === null ? row : { ...row, orgName: row.holder })

function shown(ctx: Ctx, row: Read): AccountRow {
  const changedAt = new Date(new Date(row.usableTime).getTime() - restHours * 3_600_000)
  const mine = may(ctx, 'payout-account:update') && row.orgId === ctx.actor.orgId
  // what was scanned is scanned again
  const typed = row.referrerId === null || row.method !== 'WECHAT'
  return {
    ...row,
    state: accountState({ ...named(row), changedAt }, ctx.now),
    can: { update: mine && typed, delete: mine && typed },
  }
}
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.one(ctx, id)))

function check(entered: Entered, owner: Owner): void {
  const [first, ...others] = findings(entered, owner)
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

/** Whose account it becomes: of the own organisation, or of a referrer of hers. */
async function ownerOf(ctx: Ctx, referrerId: number | null): Promise<Owner> {
  const { orgId } = ctx.actor
  const org = found(await lockOrg(ctx, orgId))
  if (referrerId === null) return { name: org.name, person: false }
  const person = may(ctx, 'referrer:read') ? await personOf(ctx, orgId, referrerId) : undefined
  if (!person) throw fieldRefusal(common.notFound, 'referrerId')
  if (!person.idName) throw fieldRefusal(payoutErrors.papersNeeded, 'referrerId')
  return { name: person.idName, person: true }
}
const columnsOf = (ctx: Ctx, entered: Entered, owner: Owner, referrerId: number | null) => ({
  method: entered.method,
  holder: owner.person ? shownHolder(owner.name) : owner.name,
  bank_name: entered.method === 'BANK' ? entered.bankName : '',
  account: sealPayee(
    ctx.app,
    { orgId: ctx.actor.orgId, method: entered.method, referrerId },
    { account: entered.accountNo, holder: owner.name },
  ),
  account_no: masked(entered.accountNo),
  changed_at: ctx.now,
})

const create: Handlers<Contract>['create'] = async (ctx, { referrerId, ...input }) => {
  const { orgId } = ctx.actor
  ctx.later(hold(orgId))
  const owner = await ownerOf(ctx, referrerId)
  const entered = { ...input, accountNo: bare(input.accountNo) }
  check(entered, owner)
  if ((await accountsOf(ctx, orgId, referrerId)) >= mostAccounts)
    throw new Refusal(payoutErrors.tooMany, { n: mostAccounts })
  const { id } = await ctx.db
    .insertInto('payout_accounts')
    .values({
      ...{ org_id: orgId, referrer_id: referrerId, created_at: ctx.now },
      ...columnsOf(ctx, entered, owner, referrerId),
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
  const { referrerId } = held
  const owner = await ownerOf(ctx, referrerId)
  if (owner.person && held.method === 'WECHAT') throw new Refusal(payoutErrors.scanned)
  const before = await get(ctx, id)
  // what was shown came back as it was
  const kept = input.accountNo === held.accountNo && input.method === held.method
  const accountNo = kept ? openPayee(ctx.app, held).account : bare(input.accountNo)
  const holder = owner.person && input.holder === held.holder ? owner.name : input.holder
  const entered = { ...input, accountNo, holder }
  check(entered, owner)
  await updateVersion(
    ctx,
    'payout_accounts',
    { id, version },
    columnsOf(ctx, entered, owner, referrerId),
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
  if (held.referrerId !== null && held.method === 'WECHAT') throw new Refusal(payoutErrors.scanned)
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
  async options(ctx, { referrerId = null }) {
    const hidden = referrerId !== null && !may(ctx, 'referrer:read')
    const rows = hidden ? [] : await q.usable(ctx, referrerId)
    return {
      list: rows
        .filter((row) => accountState(named({ ...row, referrerId }), ctx.now) === 'USABLE')
        .map(({ id, method, bankName, accountNo }) => ({ id, method, bankName, accountNo })),
    }
  },
  create,
  update,
  remove,
}
