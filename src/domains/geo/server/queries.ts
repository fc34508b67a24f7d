import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Place } from '../contract.ts'

const limit = 10
/** How near the map goes to what has an address. */
export const street = 16

/**
 * Words of an address are not indexed; within one scope and with a limit that is a matter of
 * milliseconds.
 */
const pattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export const deviceRows = (ctx: Ctx, text: string) =>
  rowsOf<Place>(ctx.db)`
    select d.rtu_number as title, d.nickname as hint, d.county as region, d.address, d.lng, d.lat,
      ${street}::int as zoom from devices d
    where ${visible(ctx, 'd.org_id', 'd.id')} and d.lng is not null
      and (d.rtu_number || ' ' || d.nickname || ' ' || d.address) ilike ${pattern(text)}
    order by d.rtu_number limit ${limit}`

export const storeRows = (ctx: Ctx, text: string) =>
  rowsOf<Place>(ctx.db)`
    select s.store_name as title, '' as hint, s.county as region, s.address, s.lng, s.lat,
      ${street}::int as zoom from stores s
    where ${visible(ctx, 's.org_id')} and s.lng is not null
      and (s.store_name || ' ' || s.address) ilike ${pattern(text)}
    order by s.store_name limit ${limit}`
