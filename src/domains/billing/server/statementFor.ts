import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowOf } from '../../../server/rows.ts'
import { addDays } from '../../../shared/instants.ts'
import type { Content } from '../statementContract.ts'
import { contentOf } from './statementContent.ts'

type Issued = { period: string; versionNo: number | null; issuedAt: string; content: Content }

/**
 * A statement for somebody who may have it: a month as it was issued last, undefined when it was
 * not; days and weeks are put together for him and kept nowhere.
 */
export const statementFor = (
  app: App,
  orgId: number,
  every: 'DAY' | 'WEEK' | 'MONTH',
  { from, to }: { from: string; to: string },
): Promise<Issued | undefined> =>
  app.database.snapshot(systemScope, async (db) => {
    if (every !== 'MONTH') {
      const content = await contentOf(db, orgId, {
        ...{ first: from, next: addDays(to, 1), grain: 'DAY' },
      })
      const period = from === to ? from : `${from} – ${to}`
      return { period, versionNo: null, issuedAt: app.now().toISOString(), content }
    }
    const row = await rowOf<Omit<Issued, 'issuedAt'> & { at: Date }>(db)`
      select to_char(month, 'YYYY-MM') as period, version_no as "versionNo", issued_at as at, content
      from statements where org_id = ${orgId} and month = ${from}::date and state = 'DONE'
      order by version_no desc limit 1`
    return row && { ...row, issuedAt: row.at.toISOString() }
  })
