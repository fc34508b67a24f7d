import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { addDays, dayMs, shanghaiDay, startOfDay } from '../../shared/instants.ts'
import { type Plan, spanOf, statementPeriod } from './rules.ts'

type Ids = { user: ReadonlyMap<string, number> }
const orders = [
  'orderNum',
  'detail',
  'deviceNum',
  'orderStatus',
  'actuallyAmount',
  'payType',
  'createTime',
]

/** Orders of the day before, warnings of each week, and statements for whoever sees money. */
export async function seedSubscriptions(db: Db, { user }: Ids, now: Date): Promise<void> {
  const people = await db
    .selectFrom('users')
    .select(['id', 'org_id', 'username'])
    .where(
      'id',
      'in',
      ['super', 'admin', 'agent', 'operator', 'finance'].map((name) => user.get(name) ?? 0),
    )
    .orderBy('id')
    .execute()
  for (const { id, org_id, username } of people) {
    const add = async (
      name: string,
      { every, onDay, atHour }: Plan,
      more: { subject_id: number } | { endpoint: string; columns: string[]; paused?: true },
    ): Promise<number> => {
      const { paused, ...fields } = { paused: undefined, ...more }
      const kind = 'subject_id' in fields ? ('STATEMENT' as const) : ('LIST' as const)
      const period = statementPeriod[every]
      const made = new Date(now.getTime() - 40 * dayMs)
      const { id: subscription_id } = await db
        .insertInto('subscriptions')
        .values({
          ...{ org_id, user_id: id, name, every, on_day: onDay, at_hour: atHour, kind, period },
          ...{ in_app: true, by_mail: false, lang: 'zh-CN', ...fields },
          // what was due until now was made
          ...{ state: paused ? 'PAUSED' : 'ACTIVE', since: now, created_at: made },
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('subscription_people')
        .values({ subscription_id, org_id, user_id: id })
        .execute()
      return subscription_id
    }
    const ran = async (subscription_id: number, plan: Plan, day: string, rows: number | null) => {
      const at = new Date(startOfDay(day).getTime() + plan.atHour * 3_600_000)
      const span = spanOf(plan.every === 'DAY' ? 'YESTERDAY' : 'LAST_MONTH', day)
      if (at > now || !span) return
      await db
        .insertInto('subscription_runs')
        .values({
          ...{ org_id, subscription_id, user_id: id, due_day: day, rows, state: 'DONE' },
          ...{ data_from: span.from, data_to: span.to, whole_at: startOfDay(addDays(span.to, 1)) },
          ...{ created_at: at, finished_at: new Date(at.getTime() + 6_000) },
        })
        .execute()
    }
    const today = shanghaiDay(now)
    if (username !== 'finance') {
      const daily: Plan = { every: 'DAY', onDay: 1, atHour: 8 }
      const first = await add('昨日订单', daily, { endpoint: '/api/orders', columns: orders })
      for (let back = 5; back >= 0; back -= 1) {
        const day = addDays(today, -back)
        await ran(first, daily, day, await sold(db, org_id, addDays(day, -1)))
      }
      const weekly: Plan = { every: 'WEEK', onDay: 1, atHour: 9 }
      await add('每周库存流水', weekly, {
        ...{ endpoint: '/api/stock-flows', paused: true },
        columns: ['wasteNum', 'rtuNumber', 'type', 'productName', 'changeTotal', 'createTime'],
      })
    }
    if (username === 'operator') continue
    const monthly: Plan = { every: 'MONTH', onDay: 1, atHour: 7 }
    const statements = await add('月对账单', monthly, { subject_id: org_id })
    await ran(statements, monthly, `${today.slice(0, 7)}-01`, null)
  }
}

/** So many orders stood in the file of that day. */
async function sold(db: Db, orgId: number, day: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from orders o
    join organisations x on x.id = o.org_id join organisations own on own.id = ${orgId}
    where x.path <@ own.path and o.created_at >= ${startOfDay(day)}
      and o.created_at < ${startOfDay(addDays(day, 1))}`.execute(db)
  return rows[0]?.n ?? 0
}
