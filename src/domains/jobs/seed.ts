import type { Db } from '../../server/database.ts'
import { bi } from '../../shared/text.ts'
import { jobErrors } from './contract.ts'

type SeedIds = { user: ReadonlyMap<string, number> }
const hour = 3_600_000

/**
 * My downloads of the first demo accounts: one export that the worker runs at the first start,
 * older ones, an import that was refused.
 */
export async function seedJobs(db: Db, ids: SeedIds, now: Date): Promise<void> {
  const before = (hours: number) => new Date(now.getTime() - hours * hour)
  const ended = (hours: number) => ({
    created_at: before(hours),
    started_at: before(hours),
    finished_at: new Date(before(hours).getTime() + 9_000),
  })
  for (const username of ['super', 'admin', 'agent', 'operator']) {
    const user = await db
      .selectFrom('users')
      .select(['id', 'org_id'])
      .where('id', '=', ids.user.get(username) ?? 0)
      .executeTakeFirst()
    if (!user) continue
    const owner = { user_id: user.id, org_id: user.org_id }
    const orders = {
      endpoint: '/api/orders',
      query: {},
      columns: [
        'orderNum',
        'detail',
        'deviceNum',
        'orderStatus',
        'actuallyAmount',
        'payType',
        'createTime',
      ],
    }
    const products = {
      endpoint: '/api/products',
      query: {},
      columns: ['name', 'model', 'categoryName', 'retailPrice', 'stock', 'status'],
    }
    const flows = {
      endpoint: '/api/stock-flows',
      query: {},
      columns: ['wasteNum', 'rtuNumber', 'type', 'productName', 'changeTotal', 'createTime'],
    }
    await db
      .insertInto('jobs')
      .values([
        {
          ...owner,
          kind: 'EXPORT',
          name: flows.endpoint,
          params: JSON.stringify(flows),
          state: 'DONE',
          total: 2386,
          done: 2386,
          attempts: 1,
          ...ended(9 * 24),
        },
        {
          ...owner,
          kind: 'EXPORT',
          name: orders.endpoint,
          params: JSON.stringify(orders),
          state: 'CANCELLED',
          total: 15_204,
          done: 5_000,
          attempts: 1,
          ...ended(26),
        },
      ])
      .execute()
    if (username === 'super' || username === 'admin') {
      const faults = [
        { line: 3, column: 'phone', text: bi('手机号码不合法', 'Not a valid mobile number') },
        { line: 8, column: 'username', text: bi('与第14行重复', 'The same as in row 14') },
        { line: 14, column: 'username', text: bi('与第8行重复', 'The same as in row 8') },
      ]
      await db
        .insertInto('jobs')
        .values({
          ...owner,
          kind: 'IMPORT',
          name: 'users',
          state: 'FAILED',
          total: 26,
          failed: 3,
          error: jobErrors.rowsRefused.text.replaceAll('{failed}', '3'),
          row_errors: JSON.stringify(faults),
          ...ended(5),
        })
        .execute()
    }
    await db
      .insertInto('jobs')
      .values({
        ...owner,
        kind: 'EXPORT',
        name: products.endpoint,
        params: JSON.stringify(products),
        created_at: before(0),
        next_at: before(0),
      })
      .execute()
  }
}
