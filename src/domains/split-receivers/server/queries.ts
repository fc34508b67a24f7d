import { sql } from 'kysely'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import type { ReceiverKind, Relation } from '../../payment-channels/rules.ts'
import { ReceiverRow, type splitReceivers } from '../contract.ts'
import type { Provider } from '../rules.ts'

const receiver = (ctx: Ctx) => {
  const mine = sql`${may(ctx, 'receiver:update')}::boolean and r.state <> 'REMOVED'`
  return shape(ReceiverRow, ['split_receivers', 'r'], {
    partyId: sql`r.party_org_id`,
    provider: sql`r.provider`,
    kind: sql`r.kind`,
    relation: sql`r.relation`,
    state: sql`r.state`,
    account: sql`r.account_no`,
    holderName: sql`r.holder_shown`,
    merchantName: sql`coalesce(c.merchant_name, '')`,
    orgName: sql`o.name`,
    createTime: sql`r.created_at`,
    can: sql<ReceiverRow['can']>`jsonb_build_object('update', ${mine}, 'delete', ${mine})`,
  })
}
const from = sql`split_receivers r join organisations o on o.id = r.org_id
  left join payment_configs c on c.id = r.config_id`
const readable = (ctx: Ctx) => visible(ctx, 'r.org_id')

export const list = (ctx: Ctx, input: Input<typeof splitReceivers.list>) =>
  receiver(ctx).page(ctx.db, {
    from,
    countFrom: sql`split_receivers r`,
    input,
    last: sql`r.id`,
    sort: { createTime: sql`r.created_at` },
    where: [
      readable(ctx),
      input.partyId && sql`r.party_org_id = ${input.partyId}`,
      input.provider && sql`r.provider = ${input.provider}`,
      input.kind && sql`r.kind = ${input.kind}`,
      input.state ? sql`r.state = ${input.state}` : sql`r.state <> 'REMOVED'`,
    ],
  })
export const one = (ctx: Ctx, id: number) =>
  receiver(ctx).one(ctx.db, sql`from ${from} where r.id = ${id} and ${readable(ctx)}`)

export type Held = {
  orgId: number
  partyId: number
  configId: number | null
  provider: Provider
  kind: ReceiverKind
  relation: Relation
  holder: Buffer
}
/** Locked until the commit; one that is deleted is not there. */
export const held = (ctx: Ctx, id: number) =>
  rowOf<Held>(ctx.db)`select r.org_id as "orgId", r.party_org_id as "partyId",
      r.config_id as "configId", r.provider, r.kind, r.relation, r.holder
    from split_receivers r
    where r.id = ${id} and r.state <> 'REMOVED' and ${readable(ctx)} for no key update`

export const merchants = (ctx: Ctx, id?: number) =>
  rowsOf<{ id: number; name: string; provider: 'WECHAT' | 'ALIPAY'; orgId: number }>(ctx.db)`
    select c.id, c.merchant_name as name, c.provider, c.org_id as "orgId" from payment_configs c
    where ${visible(ctx, 'c.org_id')} and c.removed_at is null and c.provider in ('WECHAT','ALIPAY')
      and c.id = coalesce(${id ?? null}::bigint, c.id)
    order by c.merchant_name, c.id limit 200`
/** Whoever stands above the merchant's organisation, and whom the actor sees; those of `id`. */
export const parties = (ctx: Ctx, orgId: number, id?: number) =>
  rowsOf<{ id: number; name: string }>(ctx.db)`
    select id, name from (select a.id, a.name, 0 as far from split_above(${orgId}) a
      union select o.id, o.name, 1 from organisations o
      where ${visible(ctx, 'o.id')} and o.status = 'ENABLED'
        and o.kind in ('PLATFORM','AGENT','OPERATOR','SPONSOR','LANE_TENANT')) p
    where p.id <> ${orgId} and p.id = coalesce(${id ?? null}::bigint, p.id)
    group by id, name order by min(far), name, id limit 500`

export const isUsed = async (ctx: Ctx, id: number): Promise<boolean> =>
  (await rowOf<{ used: boolean }>(ctx.db)`select split_receiver_used(${id}) as used`)?.used ?? false
