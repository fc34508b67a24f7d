import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import type { FileStore } from '../../server/files.ts'
import { rowOf, rowsOf } from '../../server/rows.ts'
import { dayMs } from '../../shared/instants.ts'
import {
  counts,
  type InvoiceKind,
  type InvoiceState,
  type Source,
  taxOf,
  usualRate,
} from './rules.ts'

/** Owner, who asks, title, tax number, mail. */
const titles = [
  [
    'op-xianda',
    'finance',
    '深圳市海岸科技有限公司',
    '91440300MA5FKX2P7Q',
    'fapiao@haian.example.com',
  ],
  [
    'op-xianda',
    'finance',
    '深圳软件园管理有限公司',
    '91440300708461136T',
    'caiwu@ruanjianyuan.example.com',
  ],
  ['op-huikang', 'liaomeifang', '深圳市罗湖区社区健康中心', '12440303455755238X', ''],
] as const
const special = {
  address: '深圳市南山区科苑路15号',
  phone: '0755-26501234',
  bank: '招商银行科技园支行',
}
const states: readonly (readonly [InvoiceState, InvoiceKind])[] = [
  ['PENDING', 'NORMAL'],
  ['PENDING', 'SPECIAL'],
  ['ISSUING', 'NORMAL'],
  ['ISSUED', 'SPECIAL'],
  ['ISSUED', 'NORMAL'],
  ['SENT', 'NORMAL'],
  ['REJECTED', 'SPECIAL'],
  ['CANCELLED', 'NORMAL'],
  ['RED', 'NORMAL'],
]

type Sold = { no: string; at: Date; device: number | null; amount: number; refund?: string }
type Ids = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }
type Asked = {
  orgId: number
  issuer: number
  userId: number
  title: Readonly<Record<'title' | 'taxNo' | 'email', string>>
  kind: InvoiceKind
  state: InvoiceState
  source: Source
  sold: readonly Sold[]
}

/** Requests in each state, of orders of the last days; of fees there are none before a month is over. */
export async function seedInvoices(db: Db, files: FileStore, ids: Ids, now: Date): Promise<void> {
  const usual = new Set<string>()
  for (const [of, who, title, taxNo, email] of titles) {
    const orgId = ids.org.get(of) as number
    const userId = ids.user.get(who) as number
    const asker = { orgId, issuer: orgId, userId, title: { title, taxNo, email } }
    await db
      .insertInto('invoice_titles')
      .values({
        ...{ org_id: orgId, title, tax_no: taxNo, email, ...special },
        ...{ bank_account: '755912345678901', is_default: !usual.has(of) },
      })
      .execute()
    const first = !usual.has(of)
    usual.add(of)
    for (const [kind, sold] of (await someOrders(db, orgId)).entries()) {
      const [state, made] = states[kind] as (typeof states)[number]
      await request(db, files, { ...asker, state, kind: made, source: 'ORDERS', sold }, now)
    }
    if (first) await wantsRed(db, files, asker, now)
  }
}

/** Two orders for each state, that stand on no invoice. */
async function someOrders(db: Db, orgId: number): Promise<Sold[][]> {
  const rows = await rowsOf<Sold>(db)`select o.order_num as no, o.created_at as at,
      o.device_id as device, o.paid_amount as amount from orders o
    where o.org_id = ${orgId} and o.final_at is not null and not o.excluded
      and o.paid_amount > 0 and o.refunded_amount = 0
      and not exists (select from invoice_items x where x.source_no = o.order_num)
    order by o.created_at desc, o.id desc limit ${2 * states.length}`
  return states.map((_, i) => rows.slice(2 * i, 2 * i + 2)).filter((sold) => sold.length > 0)
}

/** Some of it was given back after it was issued. */
async function wantsRed(
  db: Db,
  files: FileStore,
  asker: Omit<Asked, 'state' | 'kind' | 'source' | 'sold'>,
  now: Date,
): Promise<void> {
  const refunded = await rowOf<Sold>(db)`select o.order_num as no, o.created_at as at,
      o.device_id as device, o.paid_amount as amount, r.refund_no as refund
    from orders o join refunds r on r.order_id = o.id and r.state = 'SUCCESS' and r.unit_id is not null
    where o.org_id = ${asker.orgId} and not o.excluded
    order by o.created_at desc, o.id desc limit 1`
  if (refunded)
    await request(
      db,
      files,
      { ...asker, state: 'RED_PENDING', kind: 'NORMAL', source: 'ORDERS', sold: [refunded] },
      now,
    )
}

let n = 0
async function request(db: Db, files: FileStore, asked: Asked, now: Date): Promise<void> {
  const { orgId, issuer, title, kind, state, source, sold } = asked
  n += 1
  const issued = ['ISSUED', 'SENT', 'RED_PENDING', 'RED'].includes(state)
  const amount = sold.reduce((sum, one) => sum + one.amount, 0)
  const rate = usualRate[source]
  const made = new Date(now.getTime() - 60_000 - (n % 6) * dayMs)
  const number = `26442000${String(100_000_000_000 + n * 7919)}`
  const { id } = await db
    .insertInto('invoices')
    .values({
      ...{ org_id: orgId, issuer_org_id: issuer, kind, source, state, amount },
      request_no: `FP20260101${String(n).padStart(12, '0')}`,
      ...{ title: title.title, tax_no: title.taxNo, email: title.email },
      ...special,
      ...{ bank_account: '755912345678901', tax_rate_bp: rate, tax_amount: taxOf(amount, rate) },
      reason:
        { REJECTED: '抬头与税号不一致', RED_PENDING: '开票后发生退款' }[state as string] ?? '',
      ...{ issued_no: issued ? number : null, issued_at: issued ? made : null },
      file: issued ? await paper(db, files, { number, amount, orgId: issuer, ...title }, now) : '',
      sent_at: state === 'SENT' ? made : null,
      red_no: state === 'RED' ? `26442099${number.slice(8)}` : null,
      red_at: state === 'RED' ? now : null,
      ...{ requested_by: asked.userId, created_at: made },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const { no, at, device, amount, refund } of sold) {
    const of = { org_id: orgId, source, source_no: no }
    const live = counts(state)
    await db
      .insertInto('invoice_sources')
      .values({ ...of, invoiced: live ? amount : 0 })
      .execute()
    await db
      .insertInto('invoice_items')
      .values({ ...of, invoice_id: id, device_id: device, source_at: at, amount, live })
      .execute()
    if (refund)
      await db
        .insertInto('invoice_reds')
        .values({
          ...{ invoice_id: id, org_id: orgId, refund_no: refund },
          ...{ created_at: now, done_at: now },
        })
        .execute()
  }
}

/** One page with what an invoice says; a real one comes from the tax platform. */
async function paper(
  db: Db,
  files: FileStore,
  said: { number: string; amount: number; orgId: number; title: string; taxNo: string },
  now: Date,
): Promise<string> {
  const { number, amount, title, taxNo, orgId } = said
  const yuan = (amount / 100).toFixed(2)
  const bytes = onePage(['电子发票(演示)', number, title, taxNo, `¥${yuan}`])
  const id = randomUUID()
  await files.put(`${id}.pdf`, bytes)
  await sql`insert into uploads (id, org_id, kind, mime, bytes, sha256, url, created_at)
    values (${id}::uuid, ${orgId}, 'FILE', 'application/pdf', ${bytes.length},
      ${createHash('sha256').update(bytes).digest('hex')}, ${`files/${id}.pdf`}, ${now})`.execute(
    db,
  )
  return `files/${id}.pdf`
}

/** A PDF of one page in a font that readers bring along. */
function onePage(lines: readonly string[]): Buffer {
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex')
  const text = lines.map((line) => `<${hex(line)}> Tj 0 -28 Td`).join(' ')
  const page = `BT /F 16 Tf 60 300 Td ${text} ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 380]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${page.length}>>stream\n${page}\nendstream`,
    '<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[6 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>>>',
  ]
  let body = '%PDF-1.4\n'
  const at = objects.map((object, i) => {
    const from = body.length
    body += `${i + 1} 0 obj${object}endobj\n`
    return `${String(from).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${at.length + 1}\n0000000000 65535 f \n${at.join('')}`
  const size = objects.length + 1
  return Buffer.from(
    `${body}${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`,
  )
}
