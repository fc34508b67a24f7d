import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'
import { shownMobile } from './rules.ts'
import { hashOf, seal } from './server/queries.ts'

/** Owner, name, mobile, whom he introduced, share, how he is paid, whether bound, status. */
// biome-ignore format: a table
const rows = [
  ['op-xianda', '周建国', '13800010001', 'op-xianda', 300, 'PERSONAL', true, 'ENABLED'],
  ['op-xianda', '陈晓梅', '13900020002', null, 250, 'PERSONAL', false, 'ENABLED'],
  ['op-huikang', '黄志明', '13700030003', 'op-huikang', 500, 'MERCHANT', false, 'ENABLED'],
  ['op-xiaoyuan', '刘洋', '13600040004', 'op-xiaoyuan', 200, 'LEDGER', false, 'ENABLED'],
  ['platform', '何敏', '13500050005', 'op-huaqiang', 100, 'PERSONAL', true, 'DISABLED'],
  ['platform', '吴磊', '13400060006', 'op-kouan', 150, 'LEDGER', false, 'ENABLED'],
] as const

export async function seedReferrers(
  db: Db,
  config: Config,
  org: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  const app = { config }
  await db
    .insertInto('referrers')
    .values(
      rows.map(([of, name, mobile, linked, share, kind, bound, status], i) => {
        const orgId = org.get(of) as number
        return {
          ...{ org_id: orgId, referrer_name: name, default_bp: share, receive_kind: kind, status },
          mobile: seal(app, 'mobile', orgId, mobile),
          mobile_hash: hashOf(app, mobile),
          mobile_shown: shownMobile(mobile),
          linked_org_id: linked === null ? null : (org.get(linked) as number),
          id_name: seal(app, 'id_name', orgId, name),
          openid: bound ? seal(app, 'openid', orgId, `sim-${i}`) : null,
          bound_at: bound ? new Date(now.getTime() - i * dayMs) : null,
          created_at: new Date(now.getTime() - (40 - i * 5) * dayMs),
        }
      }),
    )
    .execute()
}
