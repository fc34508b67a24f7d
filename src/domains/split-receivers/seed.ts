import { sql } from 'kysely'
import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'
import { hashOf, sealReceiver } from '../payment-channels/server/sealedReceivers.ts'
import { masked } from '../payout-accounts/rules.ts'
import { shownName } from './rules.ts'

type Line = {
  party: string
  account: string
  state: 'REGISTERED' | 'FAILED'
  kind?: 'PERSONAL_OPENID'
  error?: string
}
// biome-ignore format: a table
const lines: Readonly<Record<string, readonly Line[]>> = {
  'op-xianda': [
    { party: 'platform', account: '1900000101', state: 'REGISTERED' },
    { party: 'agent-south', account: '1900000102', state: 'REGISTERED' },
  ],
  'op-huikang': [
    { party: 'platform', account: '1900000103', state: 'REGISTERED' },
    { party: 'agent-south', account: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o', state: 'FAILED', kind: 'PERSONAL_OPENID', error: 'USER_NOT_EXIST' },
  ],
}

/** Receivers at the simulated channel; one of them it did not pay a few times. */
export async function seedReceivers(
  db: Db,
  config: Config,
  org: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  const app = { config }
  for (const [owner, own] of Object.entries(lines))
    for (const { party, account, state, kind = 'MERCHANT_ID', error = null } of own) {
      const place = {
        ...{ orgId: org.get(owner) as number, configId: null },
        partyId: org.get(party) as number,
      }
      const { name } = await db
        .selectFrom('organisations')
        .select('name')
        .where('id', '=', place.partyId)
        .executeTakeFirstOrThrow()
      await db
        .insertInto('split_receivers')
        .values({
          ...{ org_id: place.orgId, party_org_id: place.partyId, party_name: name },
          ...{ provider: 'SIMULATOR', kind, state, last_error: error },
          account: sealReceiver(app, place, account),
          account_hash: hashOf(app, account),
          account_no: masked(account),
          holder: sealReceiver(app, place, name),
          holder_shown: shownName(name),
          relation: party === 'platform' ? 'PLATFORM' : 'DISTRIBUTOR',
          return_consent: kind === 'MERCHANT_ID',
          checked_at: new Date(now.getTime() - dayMs / 4),
          created_at: new Date(now.getTime() - 40 * dayMs),
        })
        .execute()
      if (state === 'REGISTERED')
        await sql`insert into simulated_splits (no, org_id, kind, body, created_at)
          values (${`RCV ${account}`}, 1, 'RECEIVER', '{}', ${now})`.execute(db)
    }
  // what the channel will say of some splits: it remembers that it did not pay the agent
  await sql`insert into simulated_splits (no, org_id, kind, body, created_at)
    select s.split_no, 1, 'SPLIT', jsonb_build_object('parts', jsonb_build_array(
      jsonb_build_object('account', '1900000101', 'state', 'PAID'),
      jsonb_build_object('account', '1900000102', 'state', 'FAILED',
        'reason', 'RECEIVER_RECEIPT_LIMIT'))), ${now}
    from split_orders s where s.mode = 'CHANNEL' order by s.created_at desc limit 4`.execute(db)
}
