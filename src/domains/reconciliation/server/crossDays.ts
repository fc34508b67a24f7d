import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { type Answer, crossDays as days } from '../rules.ts'
import { askChannel } from './ask.ts'
import { compareAgain, type Treated } from './treat.ts'

/** Channels are asked after so many each morning; the rest waits for a person or the next one. */
const mostAsked = 50

/**
 * What one side has and the other has not is looked for in the bills beside its own for three days;
 * then its channel is asked, and what it does not mend is somebody's task.
 */
export async function crossDays(app: App): Promise<void> {
  const today = shanghaiDay(app.now())
  const oneSided = sql`d.part in ('BILL','SPLIT') and d.state in ('OPEN','HANDLING')
    and d.kind in ('LOCAL_ONLY','CHANNEL_ONLY')`
  const columns = sql`d.id, d.org_id as "orgId", to_char(d.day, 'YYYY-MM-DD') as day, d.part,
    d.provider, d.config_id as "configId", d.kind, d.subject, d.local_amount as "localAmount",
    d.other_amount as "otherAmount"`
  const fresh = await app.database.aside(
    (db) => rowsOf<Treated>(db)`select distinct on (d.day, d.provider, d.config_id) ${columns}
      from reconciliation_differences d where ${oneSided} and d.day >= ${addDays(today, -days)}::date`,
  )
  for (const one of fresh) await bySystem(app, (ctx) => compareAgain(ctx, one))
  const old = await app.database.aside(
    // each merchant in its turn: one whose bill says much that is not so holds up its own
    (db) => rowsOf<Treated>(db)`select ${columns} from (select *, row_number() over (
          partition by d.provider, d.config_id order by d.day, d.id) as turn
        from reconciliation_differences d where ${oneSided}
          and d.day < ${addDays(today, -days)}::date and d.asked_at is null) d
      order by d.turn, d.day, d.id limit ${mostAsked}`,
  )
  for (const one of old) {
    // one that cannot even be asked is in nobody's way
    const answer = await askChannel(app, one).catch((error: unknown): Answer => {
      app.log.error({ err: error, difference: one.id }, 'a channel could not be asked')
      return 'SILENT'
    })
    await bySystem(app, async (ctx) => {
      const { numAffectedRows } =
        await sql`update reconciliation_differences set answer = ${answer},
          asked_at = ${ctx.now}, version = version + 1
        where id = ${one.id} and asked_at is null and state in ('OPEN','HANDLING')`.execute(ctx.db)
      if (!numAffectedRows) return
      await compareAgain(ctx, one)
      ctx.touch('reconciliation', one.orgId)
    })
  }
  for (const [orgId, some] of Map.groupBy(old, ({ orgId }) => orgId))
    await bySystem(app, (ctx) =>
      notify(ctx, {
        permission: 'recon:resolve',
        orgId,
        orAbove: true,
        kind: 'ORDER',
        title: bi(
          `${some.length} 笔对账差异三天未匹配，请处理`,
          `${some.length} differences were found in no bill for three days`,
        ),
        link: '/finance/billing-details/reconciliation/differences?open=true',
      }),
    )
}
