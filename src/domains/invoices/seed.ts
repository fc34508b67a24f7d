import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'
import type { InvoiceState } from './rules.ts'
import { taxOf } from './rules.ts'

/** Owner, title, tax number, mail. */
const titles = [
  ['op-xianda', '深圳市海岸科技有限公司', '91440300MA5FKX2P7Q', 'fapiao@haian.example.com'],
  ['op-xianda', '深圳软件园管理有限公司', '91440300708461136T', 'caiwu@ruanjianyuan.example.com'],
  ['op-huikang', '深圳市罗湖区社区健康中心', '12440303455755238X', ''],
  ['op-xiaoyuan', '武汉光谷职业学院', '12420100441356789A', 'cw@guanggu.example.com'],
] as const
const states = ['PENDING', 'ISSUING', 'ISSUED', 'REJECTED', 'RED_PENDING', 'RED'] as const

type Order = { id: number; at: Date; device: number; no: string; amount: number }

/** Requests of each state, of orders of the last days. */
export async function seedInvoices(
  db: Db,
  { org, user }: { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const person = user.get('super') ?? [...user.values()][0]
  const usual = new Set<string>()
  let n = 0
  for (const [of, title, tax_no, email] of titles) {
    const org_id = org.get(of) as number
    await db
      .insertInto('invoice_titles')
      .values({ ...{ org_id, title, tax_no, email }, is_default: !usual.has(of) })
      .execute()
    usual.add(of)
    const { rows } = await sql<Order>`select o.id, o.created_at as at, o.device_id as device,
        o.order_num as no, o.paid_amount - o.refunded_amount as amount from orders o
      where o.org_id = ${org_id} and o.order_status = 'SUCCESS' and not o.excluded
        and o.paid_amount > o.refunded_amount
        and not exists (select from invoice_items x where x.source_id = o.id)
      order by o.created_at desc, o.id desc limit 6`.execute(db)
    for (const [i, state] of states.entries()) {
      const order = rows[i]
      if (order) await one(db, { org_id, title, tax_no, email, person, n, state, order, now })
      n += 1
    }
  }
}

async function one(
  db: Db,
  {
    org_id,
    title,
    tax_no,
    email,
    person,
    n,
    state,
    order,
    now,
  }: {
    org_id: number
    title: string
    tax_no: string
    email: string
    person: number | undefined
    n: number
    state: InvoiceState
    order: Order
    now: Date
  },
): Promise<void> {
  const issued = ['ISSUED', 'RED_PENDING', 'RED'].includes(state)
  const made = new Date(Math.min(now.getTime() - 60_000, now.getTime() - (n % 6) * dayMs))
  const { id } = await db
    .insertInto('invoices')
    .values({
      ...{ org_id, issuer_org_id: org_id, kind: 'NORMAL', source: 'ORDERS', state, email },
      request_no: `FP20260101${String(n).padStart(12, '0')}`,
      title: JSON.stringify({ title, taxNo: tax_no }),
      ...{ amount: order.amount, tax_rate_bp: 1300, tax_amount: taxOf(order.amount, 1300) },
      reason: state === 'REJECTED' ? '抬头与税号不一致' : '',
      issued_no: issued ? `2644200000${String(10_000_000 + n)}` : null,
      issued_at: issued ? made : null,
      red_no: state === 'RED' ? `2644200001${String(10_000_000 + n)}` : null,
      ...{ requested_by: person as number, created_at: made },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const of = { source_id: order.id, org_id }
  await db
    .insertInto('invoice_items')
    .values({
      ...{ ...of, invoice_id: id, device_id: order.device, source_at: order.at },
      ...{ source_no: order.no, amount: order.amount },
    })
    .execute()
  await db
    .insertInto('invoice_sources')
    .values({
      ...{ ...of, source: 'ORDERS' },
      invoiced: state === 'REJECTED' || state === 'RED' ? 0 : order.amount,
    })
    .execute()
}
