import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../server/database.ts'
import { exists } from '../../../server/rows.ts'

type Sold = { readonly orgId: number; readonly deviceId: number }
/**
 * The version under which a piece `u` (lane `id`, `"productId"`) is sold at a moment: its lane's,
 * its category's, or that of the strategy the machine is bound to; null: none.
 */
export const versionOf = ({ orgId, deviceId }: Sold, at: Date): RawBuilder<number | null> =>
  sql`split_version_of(${orgId}::bigint, ${deviceId}::bigint, u.id, u."productId",
    ${at}::timestamptz)`

/** Whether the machine `d` is bound to a strategy. */
export const isBound = sql<boolean>`exists (select from split_bindings b
  where b.device_id = d.id and b.released_at is null)`

/** Whether what a merchant takes for an organisation is split by any strategy; null: simulator. */
export const hasStrategy = (db: Db, orgId: number, configId: number | null, at: Date) =>
  exists(db)`select from split_strategies s cross join lateral (select v.config_id
      from split_strategy_versions v
      where v.strategy_id = s.id and v.state = 'PUBLISHED'
        and split_counts(v.valid_from, v.published_at, ${at})
      order by v.version_no desc limit 1) v
    where s.org_id = ${orgId} and s.state = 'PUBLISHED'
      and v.config_id is not distinct from ${configId}::bigint`
