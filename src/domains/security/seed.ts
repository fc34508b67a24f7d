import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'

/** Three events of the sample operator's machines: one of each kind a shop meets first. */
export async function seedSecurity(db: Db, now: Date): Promise<void> {
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const { rows } = await sql<{
    org_id: number
    device_id: number
    order_num: string
    amount: number
    rtu_number: string
  }>`
    select p.org_id, p.device_id, p.order_num, p.amount, d.rtu_number from payments p
    join devices d on d.id = p.device_id
    where p.applied and p.org_id = (select org_id from users where username = 'operator')
    order by p.id desc limit 2`.execute(db)
  const [mismatch, late] = rows
  if (!mismatch || !late) return
  const trade = {
    outTradeNo: `HD${mismatch.order_num}`,
    tradeNo: `4200${mismatch.order_num}X`,
    orderNum: mismatch.order_num,
  }
  const lateTrade = {
    outTradeNo: `HD${late.order_num}`,
    tradeNo: `4200${late.order_num}X`,
    orderNum: late.order_num,
  }
  const events = [
    {
      ...{
        org: mismatch.org_id,
        kind: 'PAYMENT_DOUBLE',
        subject: mismatch.order_num,
        device: mismatch.device_id,
        times: 1,
        first: ago(5),
        last: ago(5),
      },
      detail: { why: 'TWICE', ...trade, amount: mismatch.amount, expected: mismatch.amount },
    },
    {
      ...{
        org: late.org_id,
        kind: 'PAYMENT_LATE',
        subject: late.rtu_number,
        device: late.device_id,
        times: 3,
        first: ago(50),
        last: ago(2),
      },
      detail: { why: 'CLOSED', ...lateTrade, amount: late.amount, expected: late.amount },
    },
    {
      ...{
        org: 1,
        kind: 'PAYMENT_FORGED',
        subject: 'SIMULATOR',
        device: null,
        times: 214,
        first: ago(30),
        last: ago(29),
      },
      detail: {
        provider: 'SIMULATOR',
        outTradeNo: 'HD20260101000000000001',
        amount: 1,
        address: '203.0.113.7',
      },
    },
  ]
  for (const e of events)
    await sql`insert into security_events (org_id, kind, subject, device_id, detail, times,
      first_at, last_at)
      values (${e.org}, ${e.kind}, ${e.subject}, ${e.device}, ${JSON.stringify(e.detail)}::jsonb,
        ${e.times}, ${e.first}, ${e.last})`.execute(db)
}
