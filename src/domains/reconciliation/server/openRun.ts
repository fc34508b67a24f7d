import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Account } from '../../payments/server/bills.ts'
import type { Outer } from '../rules.ts'

/** A run that is seen before its bill is there. */
export const openRun = (
  ctx: Ctx,
  { orgId, provider, configId }: Account,
  day: string,
  part: Outer,
) =>
  sql`insert into reconciliation_runs (org_id, day, part, provider, config_id)
    values (${orgId}, ${day}::date, ${part}, ${provider}, ${configId}::bigint)
    on conflict (org_id, day, part, provider, config_id) do nothing`.execute(ctx.db)
