import { type RawBuilder, sql } from 'kysely'

/** What keeps a referrer `r`: a condition for each table that names referrers. */
const uses: readonly RawBuilder<unknown>[] = []
export const inUse: RawBuilder<boolean> = sql<boolean>`(${sql.join([sql`false`, ...uses], sql` or `)})`
