import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import type { StoreFields, stores } from '../contract.ts'

export type Row = {
  id: number
  org_id: number
  org_name: string
  store_name: string
  system_id: string | null
  user_id: number | null
  user_name: string | null
  county: string
  address: string
  lng: number | null
  lat: number | null
  devices: number
  version: number
  created_at: Date
}
const columns = sql`s.id, s.org_id, o.name as org_name, s.store_name, s.system_id, s.user_id, u.real_name as user_name, s.county, s.address, s.lng, s.lat, s.version, s.created_at,
  (select count(*) from devices d where d.store_id = s.id) as devices`
const from = sql`stores s join organisations o on o.id = s.org_id left join users u on u.id = s.user_id`

export const listRows = (ctx: Ctx, input: Input<typeof stores.list>) =>
  selectPage<Row>(ctx.db, {
    columns,
    from,
    countFrom: sql`stores s`,
    input,
    last: sql`s.id`,
    sort: { storeName: sql`s.store_name`, deviceCount: sql`devices`, createTime: sql`s.created_at` },
    where: [
      visible(ctx, 's.org_id'),
      input.keyword && sql`strpos(lower(s.store_name || ' ' || s.address), lower(${input.keyword})) > 0`,
      input.orgId && sql`s.org_id = ${input.orgId}`,
      input.systemId && sql`s.system_id = ${input.systemId}`,
    ],
  })

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns} from ${from} where s.id = ${id} and ${visible(ctx, 's.org_id')}`.execute(ctx.db)
  return rows[0]
}

export async function options(ctx: Ctx, orgId: number | undefined) {
  const { rows } = await sql<{ id: number; storeName: string; orgId: number; orgName: string }>`
    select s.id, s.store_name as "storeName", s.org_id as "orgId", o.name as "orgName" from stores s join organisations o on o.id = s.org_id
    where ${visible(ctx, 's.org_id')} and ${orgId === undefined ? sql`true` : sql`s.org_id = ${orgId}`} order by s.store_name, s.id limit 200`.execute(ctx.db)
  return rows
}

export async function people(ctx: Ctx, orgId: number) {
  const { rows } = await sql<{ id: number; name: string; userName: string }>`
    select u.id, u.real_name as name, u.username as "userName" from users u
    where u.org_id = ${orgId} and u.status = 'ENABLED' and u.deleted_at is null and ${visible(ctx, 'u.org_id')} order by u.is_principal desc, u.real_name, u.id limit 200`.execute(
    ctx.db,
  )
  return rows
}

export async function owner(ctx: Ctx, orgId: number) {
  const { rows } = await sql<{ id: number; kind: string }>`
    select o.id, o.kind from organisations o where o.id = ${orgId} and o.status = 'ENABLED' and ${visible(ctx, 'o.id')}`.execute(ctx.db)
  return rows[0]
}

export async function belongs(ctx: Ctx, userId: number, orgId: number): Promise<boolean> {
  const { rows } =
    await sql`select 1 from users u where u.id = ${userId} and u.org_id = ${orgId} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`.execute(ctx.db)
  return rows.length > 0
}

/** Holds the store, so that no machine comes into it meanwhile. */
export const lock = (ctx: Ctx, id: number) => sql`select 1 from stores where id = ${id} for update`.execute(ctx.db)

export const columnsOf = (store: StoreFields) => ({
  store_name: store.storeName,
  system_id: store.systemId || null,
  user_id: store.userId,
  county: store.county,
  address: store.address,
  lng: store.lng,
  lat: store.lat,
})
