import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'

/**
 * Machines that do not know yet what is recalled are sent it again, lists that could not be renewed
 * are tried again, and who recalled it hears once when pieces are still in machines after the time
 * of its level.
 */
export async function chaseRecalls(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    await sql`update recall_renewals set next_at = ${ctx.now}, attempts = 0
      where next_at is null`.execute(ctx.db)
    await sql`with missing as (
        select s.device_id from recalls r join recall_devices v on v.recall_id = r.id
        join device_shadows s on s.device_id = v.device_id and s.kind = 'RECALLS'
        where r.ended_at is null and s.applied < v.version and s.refused <> s.wanted and s.sends > 0
        group by 1)
      update device_shadows s set sends = 0, delivered = 0
      from (select s.device_id from device_shadows s join missing m on m.device_id = s.device_id
        where s.kind = 'RECALLS' order by 1 for update of s skip locked) m
      where s.device_id = m.device_id and s.kind = 'RECALLS'`.execute(ctx.db)
    type Late = { orgId: number; batchNo: string; pieces: number }
    const late = await rowsOf<Late>(ctx.db)`
      update recalls r set late_at = ${ctx.now} from batches b
      where b.id = r.batch_id and r.ended_at is null and r.late_at is null
        and r.due_at <= ${ctx.now}
        and exists (select from lane_layers y where y.batch_id = r.batch_id)
      returning r.org_id as "orgId", b.batch_no as "batchNo", (select sum(y.qty)
        from lane_layers y where y.batch_id = r.batch_id)::int as pieces`
    for (const { orgId, batchNo, pieces } of late)
      await notify(ctx, {
        kind: 'STOCK',
        title: bi(`召回 ${batchNo} 已超期`, `The recall of ${batchNo} is overdue`),
        body: bi(`还有 ${pieces} 件在机器中`, `${pieces} pieces are still in machines`),
        link: '/stock/drug-control/recalls',
        permission: 'batch:recall',
        orgId,
        orAbove: true,
      })
  })
}
