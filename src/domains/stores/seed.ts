import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'

type SeedIds = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }

/** Owner, name, number of the merchant, who is in charge, county and street. */
const rows = [
  [
    'op-xiaoyuan',
    '创意城直营店',
    'HF-2026-0401',
    'operator',
    '420111',
    '珞喻路727号创意城商务楼1层',
  ],
  ['op-xiaoyuan', '光谷校园店', 'HF-2026-0402', 'operator', '420111', '鲁磨路388号教学楼B座1层'],
  ['op-xianda', '软件园旗舰店', 'HF-2026-0101', 'zhoumin', '440305', '高新中一道9号软件大厦1层'],
  ['op-xianda', '海岸城便利点', 'HF-2026-0102', 'zhoumin', '440305', '文心五路33号海岸城B1层'],
  [
    'op-huikang',
    '惠康药房梨园店',
    'HF-2026-0201',
    'huangshuzhen',
    '440303',
    '梨园路333号招商开元中心1层',
  ],
  ['op-huaqiang', '华强北一店', 'HF-2026-0301', 'hejunjie', '440304', '华强北路1019号华强广场1层'],
  ['op-nanshan', '湖滨游客服务点', '', 'xuwenbo', '350203', '湖滨南路57号金源大厦1层'],
  ['op-kouan', '虹桥枢纽店', 'HF-2026-0601', 'guhaifeng', '310112', '申长路988号虹桥万科中心1层'],
] as const

/** Stores, and two machines of three of their owners in one of them. */
export async function seedStores(db: Db, ids: SeedIds, now: Date): Promise<void> {
  const stores = await db
    .insertInto('stores')
    .values(
      rows.map(([org, name, systemId, user, county, address], i) => ({
        org_id: ids.org.get(org) as number,
        store_name: name,
        system_id: systemId || null,
        user_id: ids.user.get(user) ?? null,
        county,
        address,
        created_at: new Date(now.getTime() - (60 - i * 3) * dayMs),
      })),
    )
    .returning(['id', 'org_id'])
    .execute()
  await sql`update devices d set store_id = s.id from (
      select d.id, (array_agg(st.id order by st.id))[1 + row_number() over (partition by d.org_id
        order by d.id) % count(distinct st.id)::int] as store,
        row_number() over (partition by d.org_id order by d.id) as n
      from devices d join stores st on st.org_id = d.org_id
      where d.lifecycle in ('OPERATING', 'PAUSED') group by d.id, d.org_id) x
    join stores s on s.id = x.store
    where d.id = x.id and x.n % 3 <> 0
      and s.id = any(${stores.map((store) => store.id)}::bigint[])`.execute(db)
}
