import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { type Kind, Lost, type Piece } from '../../../server/work.ts'
import { renewalsName, wantRecalls } from '../../stock/server/recalledList.ts'

type Renewal = Piece & { device_id: number }

/** The list of one machine, wanted anew; the piece goes with it. What failed is chased. */
export const renewalKind = (app: App): Kind<Renewal, { state: 'DONE' }> => ({
  name: renewalsName,
  table: 'recall_renewals',
  atOnce: 1,
  leaseSeconds: 30,
  waits: [5, 30, 300],
  async do({ device_id, ours }) {
    await bySystem(app, async (ctx) => {
      const done = await sql`delete from recall_renewals where ${ours}`.execute(ctx.db)
      if (!done.numAffectedRows) throw new Lost()
      await wantRecalls(ctx, [device_id])
    })
    return { state: 'DONE' }
  },
  mark: (ctx, { ours }, to) =>
    sql`update recall_renewals set next_at = ${to.nextAt} where ${ours}`.execute(ctx.db),
})
