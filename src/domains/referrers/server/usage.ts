import { type RawBuilder, sql } from 'kysely'

/** What keeps a referrer `r`: versions of strategies, and accounts of his that were booked on. */
export const inUse: RawBuilder<boolean> = sql<boolean>`referrer_used(r.id)`
