import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { guarding, shape } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { type AccountCode, ofMerchant, type VoucherType } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { notify } from '../../notices/server/notify.ts'
import type { billing } from '../contract.ts'
import { Adjustment, ledgerErrors } from '../ledgerContract.ts'
import { mayReverse, referrersCodes, voucherNo, whatOf } from '../rules.ts'

type Contract = typeof billing

/** Number of an adjustment: its day and its id. */
const numberOf = sql`'ADJ' || to_char(j.created_at at time zone 'Asia/Shanghai', 'YYYYMMDD')
  || lpad(j.id::text, 6, '0')`
const adjustment = (ctx: Ctx) =>
  shape(Adjustment, ['ledger_adjustments', 'j'], {
    no: numberOf,
    debitOrg: sql`d.name`,
    debitCode: sql`j.debit_code`,
    creditOrg: sql`c.name`,
    creditCode: sql`j.credit_code`,
    reverses: sql`'PZ' || lpad(j.reverses::text, 10, '0')`,
    askedBy: sql`coalesce(a.username, '')`,
    decidedBy: sql`b.username`,
    createTime: sql`j.created_at`,
    can: sql`jsonb_build_object(
        'approve', ${may(ctx, 'ledger:approve')}::boolean and j.state = 'PENDING'
          and j.asked_by <> ${ctx.actor.userId ?? 0}::bigint,
        'reject', ${may(ctx, 'ledger:approve')}::boolean and j.state = 'PENDING')`,
  })
const from = sql`ledger_adjustments j left join organisations d on d.id = j.debit_org_id
  left join organisations c on c.id = j.credit_org_id left join users a on a.id = j.asked_by
  left join users b on b.id = j.decided_by`

const one = async (ctx: Ctx, id: number) =>
  found(
    await adjustment(ctx).one(
      ctx.db,
      sql`from ${from} where j.id = ${id} and ${visible(ctx, 'j.org_id')}`,
    ),
  )

const list: Handlers<Contract>['adjustments'] = async (ctx, input) => {
  const { rows, total } = await adjustment(ctx).page(ctx.db, {
    from,
    countFrom: sql`ledger_adjustments j`,
    input,
    last: sql`j.id`,
    sort: { createTime: sql`j.created_at`, amount: sql`j.amount` },
    filled: ['createTime', 'amount'],
    where: [
      visible(ctx, 'j.org_id'),
      input.state && sql`j.state = ${input.state}`,
      input.kind && sql`j.kind = ${input.kind}`,
      input.from && sql`j.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`j.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
  return { list: rows, total }
}

/** A request that waits for somebody else; whoever may decide is told. */
async function ask(
  ctx: Ctx,
  insert: RawBuilder<{ id: number }>,
  images: readonly string[],
): Promise<Adjustment> {
  if ((await missingPictures(ctx, images, uploadedBy(ctx))).length)
    throw fieldRefusal(common.notFound, 'images')
  const once = guarding({ ledger_adjustments_once: [ledgerErrors.reversesAlready] })
  const { rows } = await once(insert.execute(ctx.db))
  const after = await one(ctx, (rows[0] as { id: number }).id)
  ctx.audit({ id: after.id, name: after.no, after })
  ctx.touch('ledger')
  await notify(ctx, {
    kind: 'SYSTEM',
    permission: 'ledger:approve',
    orgId: ctx.actor.orgId,
    title: bi(`调账 ${after.no} 待复核`, `Adjustment ${after.no} waits for review`),
    body: bi(after.reason, after.reason),
    link: '/finance/billing-details/adjustments',
  })
  return after
}

const adjust: Handlers<Contract>['adjust'] = async (ctx, input) => {
  const { debitOrgId, debitCode, creditOrgId, creditCode, configId } = input
  if (debitOrgId === creditOrgId && debitCode === creditCode)
    throw fieldRefusal(ledgerErrors.sameAccount, 'creditCode')
  for (const [field, code] of [
    ['debitCode', debitCode],
    ['creditCode', creditCode],
  ] as const)
    if (['1101', '2003', ...referrersCodes].includes(code))
      throw fieldRefusal(ledgerErrors.notByHand, field)
  if (configId !== null && ![debitCode, creditCode].some((code) => ofMerchant.includes(code)))
    throw fieldRefusal(ledgerErrors.noMerchant, 'configId')
  const orgs = [debitOrgId, creditOrgId]
  const seen = await rowsOf<{ id: number }>(ctx.db)`select o.id from organisations o
    where o.id = any(${orgs}::bigint[]) and ${visible(ctx, 'o.id')}`
  for (const [field, id] of [
    ['debitOrgId', debitOrgId],
    ['creditOrgId', creditOrgId],
  ] as const)
    if (!seen.some((org) => org.id === id)) throw fieldRefusal(common.notFound, field)
  const merchant = await rowOf(ctx.db)`select 1 from payment_configs c
    where c.id = ${configId}::bigint and ${visible(ctx, 'c.org_id')}`
  if (configId !== null && !merchant) throw fieldRefusal(common.notFound, 'configId')
  return ask(
    ctx,
    sql`insert into ledger_adjustments (org_id, kind, debit_org_id, debit_code, credit_org_id,
        credit_code, config_id, amount, reason, images, asked_by, created_at)
      values (${ctx.actor.orgId}, 'ADJUST', ${debitOrgId}, ${debitCode}, ${creditOrgId},
        ${creditCode}, ${configId}, ${input.amount}, ${input.reason}, ${input.images},
        ${ctx.actor.userId}, ${ctx.now}) returning id`,
    input.images,
  )
}

type Line = { orgId: number; account: AccountCode; amount: number; configId: number | null }
type Booked = { type: VoucherType; key: string; orgId: number; lines: Line[] } & {
  orderId: number | null
  orderNum: string | null
}
/** The payment whose money a voucher holds in suspense: `sus:` and its id. */
const stray = (key: string): number | null => Number(/^sus:(\d+)$/.exec(key)?.[1] ?? 0) || null
/**
 * Money that found its order, or goes back, is no longer in suspense: who takes its voucher back as
 * well has it out twice. Locked, so that nobody decides about it meanwhile.
 */
async function checkWaiting(ctx: Ctx, key: string): Promise<number | null> {
  const id = stray(key)
  if (id === null) return null
  await sql`select from payments where id = ${id} for no key update`.execute(ctx.db)
  if (
    await exists(ctx.db)`select from payments p where p.id = ${id} and (p.applied
      or exists (select from refunds r where r.payment_id = p.id)
      or exists (select from order_supplements s where s.payment_id = p.id))`
  )
    throw new Refusal(ledgerErrors.notWaiting)
  return id
}

/** A voucher as it was booked. */
async function bookedAs(ctx: Ctx, voucherId: number): Promise<Booked | undefined> {
  const rows = await rowsOf<Line & Omit<Booked, 'lines' | 'orgId'> & { owner: number }>(ctx.db)`
    select e.org_id as "orgId", a.code as account, e.amount, a.config_id as "configId",
      e.voucher_type as type, k.key, k.org_id as owner,
      e.order_id as "orderId", e.order_num as "orderNum"
    from ledger_voucher_keys k join ledger_entries e on e.voucher_id = k.voucher_id
    join ledger_accounts a on a.id = e.account_id
    where k.voucher_id = ${voucherId} and ${visible(ctx, 'k.org_id')} order by e.id`
  const [first] = rows
  if (!first) return undefined
  const { type, key, owner, orderId, orderNum } = first
  return { type, key, orgId: owner, orderId, orderNum, lines: rows }
}

const reverse: Handlers<Contract>['reverse'] = async (ctx, { voucherId, reason, images }) => {
  const booked = found(await bookedAs(ctx, voucherId))
  if (!mayReverse(whatOf(booked.key))) throw new Refusal(ledgerErrors.notReversible)
  await checkWaiting(ctx, booked.key)
  const amount = booked.lines.reduce((sum, line) => sum + Math.max(line.amount, 0), 0)
  return ask(
    ctx,
    sql`insert into ledger_adjustments (org_id, kind, reverses, amount, reason, images, asked_by,
        created_at)
      values (${ctx.actor.orgId}, 'REVERSE', ${voucherId}, ${amount}, ${reason}, ${images},
        ${ctx.actor.userId}, ${ctx.now}) returning id`,
    images,
  )
}

type Held = {
  kind: 'ADJUST' | 'REVERSE'
  debitOrgId: number
  debitCode: AccountCode
  creditOrgId: number
  creditCode: AccountCode
  configId: number | null
  amount: number
  reverses: number | null
  askedBy: number
  state: string
  version: number
  no: string
}
/** Locked until the commit; a stale version is refused. */
async function held(ctx: Ctx, id: number, version: number): Promise<Held> {
  const row = found(
    await rowOf<Held>(ctx.db)`select j.kind, j.debit_org_id as "debitOrgId",
        j.debit_code as "debitCode", j.credit_org_id as "creditOrgId",
        j.credit_code as "creditCode", j.config_id as "configId", j.amount, j.reverses,
        j.asked_by as "askedBy", j.state, j.version, ${numberOf} as no
      from ledger_adjustments j where j.id = ${id} and ${visible(ctx, 'j.org_id')}
      for no key update`,
  )
  if (row.state !== 'PENDING') throw new Refusal(ledgerErrors.wrongState)
  if (row.version !== version) throw new Refusal(common.stale)
  return row
}

/** Writes the voucher of a request; nothing that an account does not hold. */
async function book(ctx: Ctx, request: Held): Promise<number> {
  const { no, amount, configId, reverses } = request
  const key = reverses === null ? `adj:${no}` : `rev:${reverses}`
  if (reverses === null) {
    const entries = [
      { account: request.debitCode, amount, orgId: request.debitOrgId },
      { account: request.creditCode, amount: -amount, orgId: request.creditOrgId },
    ]
    const of = { orgId: request.debitOrgId, orderId: null, orderNum: null, configId }
    post(ctx, [{ ...of, key, type: 'V12', entries }])
  } else {
    const { lines, key: was, ...of } = found(await bookedAs(ctx, reverses))
    const paymentId = await checkWaiting(ctx, was)
    // what was taken back waits for nobody any more
    if (paymentId !== null)
      await sql`update order_cases set state = 'DONE', remark = ${no}, handled_at = ${ctx.now},
        handled_by = ${ctx.actor.userId} where payment_id = ${paymentId} and state <> 'DONE'`.execute(
        ctx.db,
      )
    const merchant = lines.find((line) => ofMerchant.includes(line.account))?.configId ?? null
    const entries = lines.map(({ orgId, account, amount: fen }) => ({
      ...{ orgId, account, amount: -fen },
    }))
    post(ctx, [{ ...of, key, configId: merchant, entries }])
  }
  try {
    const { id } = await onlyRow<{ id: number }>(ctx.db)`select k.voucher_id as id
      from ledger_voucher_keys k where k.key = ${key}`
    return id
  } catch (error) {
    // the statement before it: a party's money would fall below nothing
    const { constraint } = error as { constraint?: string }
    throw constraint === 'ledger_balances_balance_check'
      ? new Refusal(ledgerErrors.tooLittle)
      : error
  }
}

const decide = (agree: boolean): Handlers<Contract>['approve'] =>
  async function decided(ctx, { adjustmentId, version }) {
    const request = await held(ctx, adjustmentId, version)
    if (agree && request.askedBy === ctx.actor.userId) throw new Refusal(ledgerErrors.samePerson)
    const voucherId = agree ? await book(ctx, request) : null
    await sql`update ledger_adjustments set state = ${agree ? 'APPROVED' : 'REJECTED'},
        decided_by = ${ctx.actor.userId}, decided_at = ${ctx.now}, voucher_id = ${voucherId},
        version = version + 1
      where id = ${adjustmentId} and state = 'PENDING' and version = ${version}`.execute(ctx.db)
    const after = await one(ctx, adjustmentId)
    const before = { state: request.state }
    const made = voucherId === null ? {} : { voucherNo: voucherNo(voucherId) }
    ctx.audit({
      ...{ id: adjustmentId, name: after.no, before },
      after: { state: after.state, amount: after.amount, reason: after.reason, ...made },
    })
    ctx.touch('ledger')
    if (request.askedBy !== ctx.actor.userId)
      await notify(ctx, {
        kind: 'SYSTEM',
        userIds: [request.askedBy],
        title: agree
          ? bi(`调账 ${after.no} 已通过`, `Adjustment ${after.no} is booked`)
          : bi(`调账 ${after.no} 未通过`, `Adjustment ${after.no} was refused`),
        link: '/finance/billing-details/adjustments',
      })
    return after
  }

export const adjustHandlers = {
  adjustments: list,
  adjust,
  reverse,
  approve: decide(true),
  reject: decide(false),
} satisfies Partial<Handlers<Contract>>
