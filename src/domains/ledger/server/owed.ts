import type { Ctx } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'

/**
 * What of the money that a party is owed (2002) it may not have from the platform: its shares of
 * orders that are not done, and what a merchant of somebody else collected. Of the own organisations
 * alone.
 */
export const notYetOf = async (ctx: Ctx, partyId: number): Promise<number> =>
  (await onlyRow<{ fen: number }>(ctx.db)`select ledger_not_payable(${partyId}::bigint) as fen`).fen
