import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { StoreRow, type stores } from '../contract.ts'

const store = (ctx: Ctx) =>
  shape(
    StoreRow,
    ['stores', 's'],
    {
      systemId: sql`coalesce(s.system_id, '')`,
      orgName: sql`o.name`,
      userName: sql`coalesce(u.real_name, '')`,
      merchantName: sql`coalesce((select c.merchant_name from payment_configs c
        where c.id = s.payment_config_id and ${visible(ctx, 'c.org_id')}), '')`,
      deviceCount: sql`(select count(*) from devices d
        where d.store_id = s.id and ${visible(ctx, 'd.org_id', 'd.id')})`,
      createTime: sql`s.created_at`,
    },
    ['regionName', 'can'],
  )
const from = sql`stores s join organisations o on o.id = s.org_id left
  join users u on u.id = s.user_id`

export const listRows = (ctx: Ctx, input: Input<typeof stores.list>) =>
  store(ctx).page(ctx.db, {
    from,
    countFrom: sql`stores s`,
    input,
    last: sql`s.id`,
    sort: {
      storeName: sql`s.store_name`,
      deviceCount: sql.ref('deviceCount'),
      createTime: sql`s.created_at`,
    },
    where: [
      visible(ctx, 's.org_id'),
      input.keyword &&
        sql`strpos(lower(s.store_name || ' ' || s.address), lower(${input.keyword})) > 0`,
      input.orgId && sql`s.org_id = ${input.orgId}`,
      input.systemId && sql`s.system_id = ${input.systemId}`,
      input.paymentConfigId && sql`s.payment_config_id = ${input.paymentConfigId}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  store(ctx).one(ctx.db, sql`from ${from} where s.id = ${id} and ${visible(ctx, 's.org_id')}`)

export async function options(ctx: Ctx, orgId: number | undefined) {
  const { rows } = await sql<{ id: number; storeName: string; orgId: number; orgName: string }>`
    select s.id, s.store_name as "storeName", s.org_id as "orgId", o.name as "orgName" from stores s
    join organisations o on o.id = s.org_id
    where ${visible(ctx, 's.org_id')}
      and ${orgId === undefined ? sql`true` : sql`s.org_id = ${orgId}`} order by s.store_name, s.id
      limit 200`.execute(ctx.db)
  return rows
}

export async function people(ctx: Ctx, orgId: number) {
  const { rows } = await sql<{ id: number; name: string; userName: string }>`
    select u.id, u.real_name as name, u.username as "userName" from users u
    where u.org_id = ${orgId} and u.status = 'ENABLED' and u.deleted_at is null
      and ${visible(ctx, 'u.org_id')} order by u.is_principal desc, u.real_name, u.id
      limit 200`.execute(ctx.db)
  return rows
}

export async function belongs(ctx: Ctx, userId: number, orgId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from users u
      where u.id = ${userId} and u.org_id = ${orgId} and u.deleted_at is null
        and ${visible(ctx, 'u.org_id')}`.execute(ctx.db)
  return rows.length > 0
}

/** State of a merchant he sees, of the organisation or of one above it. */
export async function collects(ctx: Ctx, configId: number, orgId: number): Promise<string | null> {
  const row = await rowOf<{ state: string }>(ctx.db)`select c.state from payment_configs c
    join organisations above on above.id = c.org_id
    join organisations o on o.id = ${orgId} and above.path @> o.path
    where c.id = ${configId} and c.removed_at is null and ${visible(ctx, 'c.org_id')} for share of c`
  return row?.state ?? null
}

/** Holds the store, so that no machine comes into it meanwhile. */
export const lock = (ctx: Ctx, id: number) =>
  sql`select 1 from stores where id = ${id} for update`.execute(ctx.db)
