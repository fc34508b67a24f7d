import { type RawBuilder, sql } from 'kysely'

/**
 * What else keeps a merchant `c` where it is, besides machines, money under way and differences
 * (`payment_config_used`): a condition for each table that names merchants.
 */
const otherUses: readonly RawBuilder<unknown>[] = []

export const inUse: RawBuilder<boolean> = sql<boolean>`(${sql.join(
  [sql`payment_config_used(c.id)`, ...otherUses],
  sql` or `,
)})`
