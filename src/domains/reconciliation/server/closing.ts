import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { paidOn } from '../../payments/server/bills.ts'
import { inner } from '../rules.ts'

/** So far back a day may still be closed. */
const backDays = 90

/**
 * Closes each day of which all parts are compared, no bill is missing of whoever sells or was paid
 * that day (one that nobody can ask keeps no day open), and nothing is open. What is
 * booked about it later stands on the day on which it is booked: vouchers have no other.
 */
export const closeDays = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    await sql`insert into closed_days (day, org_id, closed_at)
      select r.day, ${platformOrg}, ${ctx.now}::timestamptz from reconciliation_runs r
      where r.org_id = ${platformOrg} and r.part = any(${[...inner]}::text[])
        and r.day >= (${ctx.now}::timestamptz at time zone 'Asia/Shanghai')::date - ${backDays}::int
        and not exists (select from payment_bill_days b
          left join payment_configs c on c.id = b.config_id
          where b.day = r.day and b.state <> 'DONE'
            and (c.id is null or c.state = 'ACTIVE' or ${paidOn(sql`b.day`)}))
        and not exists (select from reconciliation_differences d
          where d.day = r.day and d.state in ('OPEN','HANDLING','REVIEW'))
      group by r.day having count(distinct r.part) = ${inner.length}
      order by r.day on conflict (day) do nothing`.execute(ctx.db)
    ctx.touch('reconciliation', platformOrg)
  })
