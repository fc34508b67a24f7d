import type { Ctx } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'

/**
 * What of the money that a party is owed (2002) may not be had yet: its shares of orders that were
 * shared out and are not done. Read in the scope of whoever asks: an act of the system, or of the
 * platform, reads all of it.
 */
export const notYetOf = async (ctx: Ctx, partyId: number): Promise<number> =>
  (
    await onlyRow<{ fen: number }>(ctx.db)`
    select coalesce(sum(u.gives[h.party_no] - case when h.is_collector and v.fee_mode = 'AFTER'
      then u.fee else 0 end), 0)::bigint as fen
    from split_orders s join split_shares h on h.split_id = s.id and h.party_org_id = ${partyId}
    join split_units u on u.split_id = s.id and u.back_at is null
    join split_strategy_versions v on v.id = s.version_id
    where s.state in ('READY','SPLITTING','PARTIAL')`
  ).fen
