import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { freezeAlertDays, splitFrom } from '../rules.ts'
import { accrue, foldDues, mostDue, settleDue } from './accrue.ts'
import { returnKind } from './returns.ts'
import { beginDue, releaseDue, splitKind, tellOf } from './send.ts'

export const accrualName = 'split-accrual'

export async function registerSplitJobs(app: App): Promise<void> {
  app.jobs.work(splitKind(app))
  app.jobs.work(returnKind(app))
  app.jobs.every(accrualName, 5000, async () => {
    await accrue(app)
    while ((await settleDue(app)) === mostDue);
    while ((await beginDue(app)) > 0);
    while ((await releaseDue(app)) > 0);
  })
  app.jobs.every('split-dues', 60_000, () => foldDues(app))
  await app.jobs.schedule('split-freeze-guard', '0 3 * * *', () => guardFreeze(app))
}

const most = 500
/**
 * A channel keeps the money of a payment for so many days. Shortly before people are told, and at
 * the end the ledger settles what was not split. What is on its way stays so until the channel has
 * said what became of it.
 */
export async function guardFreeze(app: App): Promise<void> {
  const ends = sql`s.created_at + make_interval(days => coalesce(c.freeze_days, 180))`
  const open = sql`from split_orders s left join payment_configs c on c.id = s.config_id
    where s.mode = 'CHANNEL' and s.state in ('READY','SPLITTING','PARTIAL')`
  for (let done = most; done === most; )
    done = await bySystem(app, async (ctx) => {
      const over = await rowsOf<{ orgId: number }>(ctx.db)`
        update split_orders s set state = 'DONE', done_at = ${ctx.now}, fail_reason = null,
          ledger_by = null, version = s.version + 1
        from (select s.id ${open} and s.state <> 'SPLITTING' and s.touched_at is null
            and ${ends} <= ${ctx.now} order by s.id limit ${most}
            for no key update of s skip locked) over
        where s.id = over.id and s.state = any(${splitFrom('DONE')}::text[])
        returning s.org_id as "orgId"`
      if (over.length) ctx.touch('splits', [...new Set(over.map(({ orgId }) => orgId))])
      return over.length
    })
  await bySystem(app, async (ctx) => {
    const near = await rowsOf<{ orgId: number; orders: number }>(ctx.db)`
      select s.org_id as "orgId", count(*)::int as orders ${open}
        and ${ends} <= ${ctx.now}::timestamptz + make_interval(days => ${freezeAlertDays})
      group by 1 order by 1`
    for (const { orgId, orders } of near) {
      await tellOf(ctx, `${orgId}`, 'FREEZE', `${orders}`)
      await notify(ctx, {
        kind: 'ORDER',
        permission: 'split:retry',
        ...{ orgId, orAbove: true },
        title: bi(
          `${orders} 笔分账即将超过冻结期`,
          `${orders} splits reach the end of their freeze soon`,
        ),
        body: bi(
          `支付通道将在${freezeAlertDays}天内解冻资金，未分账的部分将改由账本结算。`,
          `Within ${freezeAlertDays} days the channel lets go of the money; what is not split then is settled by the ledger.`,
        ),
        link: '/finance/sub-ledger-list/orders?odd=true',
      })
    }
  })
}
