import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'

export type Row = { title: string; hint: string; county: string; address: string; lng: number; lat: number }
const limit = 10

/** Words of an address are not indexed; within one scope and with a limit that is a matter of milliseconds. */
const pattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export async function deviceRows(ctx: Ctx, text: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select d.rtu_number as title, d.nickname as hint, d.county, d.address, d.lng, d.lat from devices d
    where ${visible(ctx, 'd.org_id', 'd.id')} and d.lng is not null and (d.rtu_number || ' ' || d.nickname || ' ' || d.address) ilike ${pattern(text)}
    order by d.rtu_number limit ${limit}`.execute(ctx.db)
  return rows
}

export async function storeRows(ctx: Ctx, text: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select s.store_name as title, '' as hint, s.county, s.address, s.lng, s.lat from stores s
    where ${visible(ctx, 's.org_id')} and s.lng is not null and (s.store_name || ' ' || s.address) ilike ${pattern(text)}
    order by s.store_name limit ${limit}`.execute(ctx.db)
  return rows
}
