import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'

/** Owner, name, colour, and which of its machines carry it: every n-th. */
const rows = [
  ['op-xianda', '重点点位', 'RED', 3],
  ['op-xianda', '写字楼', 'BLUE', 2],
  ['op-xianda', '待换机', 'AMBER', 7],
  ['op-xiaoyuan', '教学楼', 'GREEN', 2],
  ['op-xiaoyuan', '宿舍区', 'VIOLET', 3],
  ['op-huikang', '夜间高峰', 'PINK', 2],
] as const

/** A few words of three operators for their machines. */
export async function seedDeviceTags(
  db: Db,
  { org }: { org: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  for (const [i, [owner, name, tone, nth]] of rows.entries()) {
    const made = await db
      .insertInto('device_tags')
      .values({
        org_id: org.get(owner) as number,
        name,
        tone,
        created_at: new Date(now.getTime() - (50 - i * 4) * dayMs),
      })
      .returning(['id', 'org_id'])
      .executeTakeFirstOrThrow()
    await sql`insert into device_tag_links (org_id, device_id, tag_id)
      select org_id, id, ${made.id} from devices
      where org_id = ${made.org_id} and id % ${nth} = 0 and lifecycle in ('OPERATING', 'PAUSED')
    `.execute(db)
  }
}
