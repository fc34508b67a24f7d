import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { calledSql } from '../../referrers/server/people.ts'
import { AccountRow, type payoutAccounts } from '../contract.ts'
import { type Method, restHours } from '../rules.ts'

const account = (ctx: Ctx) =>
  shape(
    AccountRow,
    ['payout_accounts', 'a'],
    {
      method: sql`a.method`,
      orgName: sql`o.name`,
      referrerName: calledSql(ctx),
      usableTime: sql`a.changed_at + make_interval(hours => ${restHours})`,
      createTime: sql`a.created_at`,
    },
    ['state', 'can'],
  )
const from = sql`payout_accounts a join organisations o on o.id = a.org_id
  left join referrers r on r.id = a.referrer_id`
const readable = (ctx: Ctx) => sql`${visible(ctx, 'a.org_id')} and a.removed_at is null`

export const list = (ctx: Ctx, input: Input<typeof payoutAccounts.list>) =>
  account(ctx).page(ctx.db, {
    from,
    countFrom: sql`payout_accounts a`,
    input,
    last: sql`a.id`,
    sort: { createTime: sql`a.created_at` },
    where: [
      readable(ctx),
      input.orgId && sql`a.org_id = ${input.orgId}`,
      input.referrerId && sql`a.referrer_id = ${input.referrerId}`,
      input.method && sql`a.method = ${input.method}`,
    ],
  })

export const one = (ctx: Ctx, id: number) =>
  account(ctx).one(ctx.db, sql`from ${from} where a.id = ${id} and ${readable(ctx)}`)

export type Held = {
  id: number
  orgId: number
  orgName: string
  referrerId: number | null
  method: Method
  holder: string
  bankName: string
  accountNo: string
  account: Buffer
}
/** Locked until the commit. */
export const held = (ctx: Ctx, id: number) =>
  rowOf<Held>(ctx.db)`select a.id, a.org_id as "orgId", o.name as "orgName",
      a.referrer_id as "referrerId", a.method, a.holder, a.bank_name as "bankName", a.account_no as "accountNo", a.account
    from ${from} where a.id = ${id} and ${readable(ctx)} for no key update of a`

type Option = Output<typeof payoutAccounts.options>['list'][number]
/** Of the own organisation or a referrer of hers. */
export const usable = (ctx: Ctx, referrerId: number | null) =>
  rowsOf<Option & { holder: string; orgName: string; changedAt: Date }>(ctx.db)`
    select a.id, a.method, a.bank_name as "bankName", a.account_no as "accountNo", a.holder,
      o.name as "orgName", a.changed_at as "changedAt"
    from ${from} where a.org_id = ${ctx.actor.orgId} and ${readable(ctx)}
      and a.referrer_id is not distinct from ${referrerId}::bigint
    order by a.created_at desc, a.id desc limit 50`
