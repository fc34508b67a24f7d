import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { addDays, shanghaiDay } from '../../shared/instants.ts'
import { partyOf } from '../ledger/rules.ts'
import type { ShownParty } from '../split-strategies/contract.ts'
import { usual } from '../splits/rules.ts'
import type { Side } from './replay.ts'
import { simulated } from './server/simulated.ts'

type Version = { no: number; parties: ShownParty[] }
type Strategy = {
  id: number
  orgId: number
  orgName: string
  deviceIds: number[]
  versions: Version[]
}
const sideOf = (parties: readonly ShownParty[]): Side => ({
  ...{ feeMode: 'AFTER', feeBp: usual.feeBp, capBp: null },
  parties: parties.map((party) => ({ ...party, orgId: partyOf(party), keeps: false })),
})

/** What the newest version of each operator's first strategy made of the last month. */
export async function seedSplitSimulations(db: Db, userId: number, now: Date): Promise<void> {
  const strategies = await rowsOf<Strategy>(db)`select distinct on (s.org_id) s.id,
      s.org_id as "orgId", o.name as "orgName",
      array(select b.device_id from split_bindings b where b.strategy_id = s.id
        and b.released_at is null order by 1) as "deviceIds",
      (select json_agg(json_build_object('no', v.version_no, 'parties',
        (select json_agg(json_build_object('orgId', p.party_org_id,
          'referrerId', p.referrer_id, 'name', p.name,
          'kind', p.kind, 'ratioBp', p.ratio_bp, 'isCollector', p.is_collector)
          order by p.party_no) from split_parties p where p.version_id = v.id))
        order by v.version_no desc) from split_strategy_versions v where v.strategy_id = s.id)
        as versions
    from split_strategies s join organisations o on o.id = s.org_id
    where s.state = 'PUBLISHED' and not s.scoped order by s.org_id, s.id`
  const to = shanghaiDay(now)
  for (const { id, orgId, orgName, deviceIds, versions } of strategies) {
    const [newest, before] = versions
    if (!newest || deviceIds.length === 0) continue
    const alone: ShownParty = {
      ...{
        orgId,
        referrerId: null,
        name: orgName,
        kind: 'OPERATOR',
        ratioBp: 10_000,
        isCollector: true,
      },
    }
    const input = {
      ...{ from: addDays(to, -29), to, deviceIds, feeBp: null, refundBp: null, priceBp: 0 },
      sides: { before: sideOf(before?.parties ?? [alone]), after: sideOf(newest.parties) },
      scope: { laneIds: [], categoryIds: [], deviceIds: [] },
    }
    const { result, done } = await simulated(db, { orgId, strategyId: id, input })
    await sql`insert into split_simulations (org_id, strategy_id, user_id, version_no, compared_no,
        input, input_hash, content_hash, state, done, total, result, created_at, finished_at)
      values (${orgId}, ${id}, ${userId}, ${newest.no}, ${before?.no ?? null},
        ${JSON.stringify(input)}::jsonb, '', '', 'DONE', ${done}, ${done},
        ${JSON.stringify(result)}::jsonb, ${now}, ${now})`.execute(db)
  }
}
