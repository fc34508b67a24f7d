import { type Place, place, rowId, type World } from './world.ts'

/**
 * Sales of an organisation's machines are split from now on: 85 % are its own, 5 % the platform's,
 * 10 % the agent's; due an hour after they are over, or half of one. Of what is its own each of
 * these referrers gets 2.5 %.
 */
export async function splitSales(
  { sql }: World,
  where: Place,
  timing: 'HOUR' | 'HALF_HOUR' = 'HOUR',
  referrers: readonly number[] = [],
): Promise<void> {
  const [id, org] = [rowId(where, 1), place[where]]
  await sql(`delete from split_parties where version_id = ${id}`)
  await sql(`insert into split_parties (org_id, version_id, party_no, party_org_id, kind, name,
      ratio_bp, is_collector) values (${org}, ${id}, 1, ${org}, 'OPERATOR', '收',
      ${8500 - 250 * referrers.length}, true),
      (${org}, ${id}, 2, 1, 'PLATFORM', '平', 500, false),
      (${org}, ${id}, 3, 2, 'AGENT', '代', 1000, false)`)
  for (const [i, referrer] of referrers.entries())
    await sql(`insert into split_parties (org_id, version_id, party_no, referrer_id, kind, name,
      ratio_bp, is_collector) values (${org}, ${id}, ${i + 4}, ${referrer}, 'REFERRER', '荐', 250, false)`)
  await sql(`update split_strategy_versions set state = 'PUBLISHED', timing = '${timing}',
    published_at = '2026-11-01', valid_from = '2026-11-01' where id = ${id}`)
  await sql(`update split_strategies set state = 'PUBLISHED' where id = ${id}`)
  await sql(`insert into split_bindings (org_id, device_id, strategy_id)
    select org_id, id, ${id} from devices d where org_id = ${org}
      and not exists (select from split_bindings b where b.device_id = d.id)`)
}
