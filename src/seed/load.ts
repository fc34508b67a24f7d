import { sql } from 'kysely'
import { batchesOfLanes } from '../domains/batches/seed.ts'
import {
  displayStatus,
  isFinal,
  type RefundState,
  type VendState,
} from '../domains/orders/rules.ts'
import type { Db } from '../server/database.ts'
import { foldSales } from '../server/folds.ts'
import { fillRollups } from '../server/rollups.ts'
import type { DB } from '../server/schema.ts'
import { dayMs, shanghaiDay } from '../shared/instants.ts'
import {
  type FlowRow,
  type History,
  left,
  moneyOf,
  type OrderRow,
  type UnitRow,
} from './history.ts'

/**
 * Writes the history in bulk, under the same constraints as live sales; figures and vouchers are
 * summed from what was written.
 */
async function chunked<T>(
  db: Db,
  rows: readonly T[],
  statement: (json: string) => ReturnType<typeof sql>,
): Promise<void> {
  for (let i = 0; i < rows.length; i += 4000)
    await statement(JSON.stringify(rows.slice(i, i + 4000))).execute(db)
}

/** Rows by the names of their columns; what they do not say is the table's default. */
function bulk<T extends keyof DB>(
  db: Db,
  table: T,
  rows: readonly { readonly [C in keyof DB[T]]?: unknown }[],
): Promise<void> {
  const names = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)))
  return chunked(
    db,
    rows,
    (json) => sql`insert into ${sql.table(table)} (${names}) select ${names}
      from jsonb_populate_recordset(null::${sql.table(table)}, ${json}::jsonb)`,
  )
}

const states: Record<
  UnitRow['outcome'],
  { vend: VendState; hold: string; refund: RefundState | null; reason: string | null }
> = {
  SUCCESS: { vend: 'SUCCESS', hold: 'CONSUMED', refund: null, reason: null },
  SHIPPED: { vend: 'SUCCESS', hold: 'CONSUMED', refund: null, reason: null },
  RETURNED: { vend: 'SUCCESS', hold: 'CONSUMED', refund: 'SUCCESS', reason: null },
  NO_DROP: { vend: 'FAILED', hold: 'COUNTED', refund: 'SUCCESS', reason: 'NO_DROP' },
  MOTOR: { vend: 'FAILED', hold: 'RELEASED', refund: 'SUCCESS', reason: 'MOTOR_NOT_MOVE' },
  VOID: { vend: 'VOID', hold: 'COUNTED', refund: 'SUCCESS', reason: 'TIMEOUT' },
  REFUND_FAILED: {
    vend: 'FAILED',
    hold: 'RELEASED',
    refund: 'FAILED',
    reason: 'MOTOR_NOT_IN_PLACE',
  },
  CLOSED: { vend: 'WAIT', hold: 'RELEASED', refund: null, reason: null },
}

export async function loadHistory(db: Db, { orders, flows }: History, now: Date): Promise<void> {
  await bulk(
    db,
    'order_keys',
    orders.map((o) => ({
      order_num: o.num,
      order_id: o.id,
      org_id: o.device.orgId,
      device_id: o.device.id,
      created_at: o.created,
    })),
  )
  await bulk(db, 'orders', orders.map(orderRow))
  await bulk(
    db,
    'stock_flow_keys',
    flows.flatMap(({ id, lane, unit }) =>
      unit ? [{ unit_id: unit.id, flow_id: id, org_id: lane.orgId }] : [],
    ),
  )
  const batches = await batchesOfLanes(db)
  await bulk(
    db,
    'stock_flows',
    flows.map((flow) => ({
      ...flowRow(flow),
      batch_id: batches.get(flow.lane.id)?.id ?? null,
      batch_no: batches.get(flow.lane.id)?.batchNo ?? null,
    })),
  )
  await sql`update lanes l set last_flow_seq = n.seq
    from (select lane_id, max(lane_seq) as seq from stock_flows group by 1) n
    where l.id = n.lane_id`.execute(db)
  await bulk(
    db,
    'order_units',
    orders.flatMap((o) => o.units.map((u) => unitRow(o, u))),
  )
  await loadMoney(db, orders)
  await loadEvents(
    db,
    orders.filter((o) => now.getTime() - o.created.getTime() < 3 * 86_400_000),
  )
  await sumUp(db, now)
  await passIds(db)
}

function flowRow({ id, lane, seq, at, change, before, unit, order, by }: FlowRow) {
  return {
    org_id: lane.orgId,
    created_at: at,
    id,
    waste_num: `${shanghaiDay(at).replaceAll('-', '')}${String(id).padStart(12, '0')}`,
    device_id: lane.deviceId,
    rtu_number: lane.rtuNumber,
    lane_id: lane.id,
    lane_seq: seq,
    cargo_road: lane.road,
    product_id: lane.productId,
    product_name: lane.productName,
    type: unit ? 'CUSTOMER_TAKE' : 'MERCHANT_REPLENISH',
    reason: unit ? 'SALE' : 'REFILL',
    before_total: before,
    change_total: change,
    after_total: before + change,
    unit_id: unit?.id ?? null,
    order_num: order?.num ?? null,
    actor_kind: unit ? 'DEVICE' : by === null ? 'SYSTEM' : 'USER',
    actor_id: by,
    occurred_at: at,
  }
}

function orderRow(o: OrderRow) {
  const { total, refundedSum } = moneyOf(o)
  const paid = o.closed ? 0 : total
  const facts = o.units.map((u) => ({
    vendState: states[u.outcome].vend,
    refundState: states[u.outcome].refund,
    dropConfirmed: u.outcome === 'SUCCESS' || u.outcome === 'RETURNED',
  }))
  const payState = o.closed
    ? 'CLOSED'
    : refundedSum === 0
      ? 'PAID'
      : refundedSum === total
        ? 'REFUNDED'
        : 'PART_REFUNDED'
  const last = o.units.at(-1)?.finished ?? o.created
  const [first, ...rest] = o.units
  return {
    org_id: o.device.orgId,
    created_at: o.created,
    id: o.id,
    order_num: o.num,
    device_id: o.device.id,
    rtu_number: o.device.demo.rtuNumber,
    device_name: o.device.demo.name,
    consumer: o.consumer,
    channel: 'MACHINE',
    order_type: 'SCAN',
    pay_type: o.payType,
    pay_state: payState,
    order_status: displayStatus({ payState, paid, refunded: refundedSum }, facts),
    fail_reason: o.closed
      ? null
      : (o.units.map((u) => states[u.outcome].reason).find(Boolean) ?? null),
    detail: `${first?.lane.productName} ${first?.lane.model} ×1${rest.length ? ` +${rest.length}` : ''}`,
    img: first?.lane.img,
    pieces: o.units.length,
    total_amount: total,
    payable_amount: total,
    paid_amount: paid,
    refunded_amount: o.closed ? 0 : refundedSum,
    cost_amount: o.units.reduce((sum, u) => sum + (left(u.outcome) ? u.lane.cost : 0), 0),
    expire_at: new Date(o.created.getTime() + 180_000),
    paid_at: o.closed ? null : paidAt(o),
    closed_at: o.closed ? new Date(o.created.getTime() + 181_000) : null,
    final_at: !o.closed && isFinal(facts) ? last : null,
  }
}

const paidAt = (o: OrderRow) => new Date(o.created.getTime() + 7_000)

function unitRow(o: OrderRow, u: UnitRow) {
  const state = states[u.outcome]
  const sent = o.closed ? null : new Date(u.finished.getTime() - 4_500)
  return {
    org_id: o.device.orgId,
    created_at: o.created,
    id: u.id,
    order_id: o.id,
    order_num: o.num,
    unit_no: u.unit_no,
    device_id: o.device.id,
    lane_id: u.lane.id,
    road: u.lane.road,
    product_id: u.lane.productId,
    product_name: u.lane.productName,
    model: u.lane.model,
    drug_class: u.lane.drugClass,
    img: u.lane.img,
    list_price: u.lane.price,
    discount: 0,
    paid: u.lane.price,
    cost: u.lane.cost,
    attempt: 1,
    vend_state: state.vend,
    hold: state.hold,
    fail_reason: state.reason,
    drop_confirmed: u.outcome === 'SUCCESS' || u.outcome === 'RETURNED',
    sent_at: sent,
    acked_at: sent && u.outcome !== 'VOID' ? new Date(sent.getTime() + 400) : null,
    finished_at: o.closed ? null : u.finished,
    flow_id: u.flow_id,
    refund_state: state.refund,
  }
}

function refundRow(o: OrderRow, u: UnitRow) {
  const refund_no = refundNo(o, u)
  const failed = u.outcome === 'REFUND_FAILED'
  return {
    org_id: o.device.orgId,
    device_id: o.device.id,
    refund_no,
    payment_id: o.id,
    order_id: o.id,
    order_at: o.created,
    order_num: o.num,
    unit_id: u.id,
    unit_no: u.unit_no,
    kind: 'UNIT',
    amount: u.lane.price,
    reason: u.outcome === 'RETURNED' ? 'QUALITY' : 'NOT_DISPENSED',
    automatic: u.outcome !== 'RETURNED',
    state: failed ? 'FAILED' : 'SUCCESS',
    attempts: failed ? 6 : 1,
    last_error: failed ? '商户余额不足' : null,
    provider_refund_no: failed ? null : `SIM${refund_no}`,
    created_at: u.finished,
    succeeded_at: failed ? null : new Date(u.finished.getTime() + 2000),
  }
}
const refundNo = (o: OrderRow, u: UnitRow) => `${o.num}-${String(u.unit_no).padStart(2, '0')}`

async function loadMoney(db: Db, orders: readonly OrderRow[]): Promise<void> {
  const paid = orders.map((o) => ({ o, money: moneyOf(o) }))
  await bulk(
    db,
    'payments',
    paid.map(({ o, money }) => ({
      id: o.id,
      org_id: o.device.orgId,
      device_id: o.device.id,
      order_id: o.id,
      order_at: o.created,
      order_num: o.num,
      out_trade_no: `HD${o.num}`,
      provider: 'SIMULATOR',
      provider_trade_no: o.closed ? null : `4200${o.num}`,
      amount: money.total,
      fee_amount: o.closed ? 0 : money.fee,
      refunded_amount: o.closed ? 0 : money.refundedSum,
      state: o.closed ? 'CLOSED' : 'SUCCESS',
      applied: !o.closed,
      paid_at: o.closed ? null : paidAt(o),
      created_at: o.created,
    })),
  )
  // what the channel told of the last days: its bills say the same
  const last = Math.max(...paid.map(({ o }) => o.created.getTime())) - 5 * dayMs
  await bulk(
    db,
    'payment_events',
    paid
      .filter(({ o }) => !o.closed && o.created.getTime() >= last)
      .map(({ o, money }) => {
        const notice = { eventId: `demo-${o.num}`, outTradeNo: `HD${o.num}` }
        const raw = { ...notice, tradeNo: `4200${o.num}`, amount: money.total, paidAt: paidAt(o) }
        return {
          ...{ org_id: o.device.orgId, payment_id: o.id, provider: 'SIMULATOR' },
          ...{ event_id: notice.eventId, kind: 'PAID', raw, outcome: 'APPLIED' },
          created_at: paidAt(o),
        }
      }),
  )
  await bulk(
    db,
    'refunds',
    orders.flatMap((o) =>
      o.units.filter((u) => states[u.outcome].refund).map((u) => refundRow(o, u)),
    ),
  )
  await sql`insert into order_cases (org_id, device_id, order_id, order_num, unit_id, payment_id,
    kind, amount, created_at)
    select org_id, device_id, order_id, order_num, unit_id, payment_id, 'REFUND_FAILED', amount,
      created_at from refunds where state = 'FAILED'`.execute(db)
  await chunked(
    db,
    paid
      .filter(({ o }) => !o.closed)
      .flatMap(({ o, money }) => {
        const of = { org_id: o.device.orgId, order_id: o.id, order_num: o.num }
        const two = (
          key: string,
          type: string,
          at: Date,
          debit: string,
          credit: string,
          amount: number,
        ) => (amount === 0 ? [] : [{ ...of, key, type, at, debit, credit, amount }])
        return [
          ...two(`in:${o.id}`, 'V1', paidAt(o), '1001', '2001', money.total),
          ...two(`fee:${o.id}`, 'V2', paidAt(o), '2001', '1001', money.fee),
          ...money.refunds.flatMap((r) =>
            two(
              `rf:${refundNo(o, r.unit)}`,
              'V6',
              new Date(r.unit.finished.getTime() + 2000),
              '2001',
              '1001',
              r.amount - r.share,
            ),
          ),
        ]
      }),
    (json) => sql`
    with v as (select nextval('ledger_vouchers_id_seq') as id, x.*
      from jsonb_to_recordset(${json}::jsonb) as x(org_id bigint, order_id bigint, order_num text,
        key text, type text, at timestamptz, debit text, credit text, amount bigint)),
    keys as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
      select key, id, org_id, at from v),
    accounts as (
      insert into ledger_accounts (org_id, code) select distinct v.org_id, c.code from v cross
      join (values ('1001'), ('2001')) c(code)
      on conflict (party, code, config_id) do update set code = excluded.code returning id, org_id, code)
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
      order_id, order_num)
    select v.org_id, v.at, v.id, v.type, a.id, case when a.code = v.debit then v.amount
      else -v.amount end, v.order_id, v.order_num
    from v join accounts a on a.org_id = v.org_id and a.code in (v.debit, v.credit)`,
  )
}

async function loadEvents(db: Db, orders: readonly OrderRow[]): Promise<void> {
  const rows = orders.flatMap((o) => {
    const row = (kind: string, at: Date, unitNo: number | null, data: Record<string, unknown>) => ({
      org_id: o.device.orgId,
      created_at: at,
      order_id: o.id,
      order_at: o.created,
      device_id: o.device.id,
      unit_no: unitNo,
      kind,
      data,
    })
    const total = moneyOf(o).total
    const head = [row('CREATED', o.created, null, { pieces: o.units.length, total })]
    if (o.closed) return [...head, row('CLOSED', new Date(o.created.getTime() + 181_000), null, {})]
    return [
      ...head,
      row('PAID', paidAt(o), null, { amount: total }),
      ...o.units.flatMap((u) => {
        const sent = u.finished.getTime() - 4_500
        const state = states[u.outcome]
        const tail =
          state.refund === 'SUCCESS'
            ? [
                row('REFUND_PENDING', u.finished, u.unit_no, { amount: u.lane.price }),
                row('REFUNDED', new Date(u.finished.getTime() + 2000), u.unit_no, {
                  amount: u.lane.price,
                }),
              ]
            : state.refund === 'FAILED'
              ? [
                  row('REFUND_PENDING', u.finished, u.unit_no, { amount: u.lane.price }),
                  row('REFUND_FAILED', new Date(u.finished.getTime() + 60_000), u.unit_no, {
                    reason: '商户余额不足',
                  }),
                ]
              : []
        return [
          row('SENT', new Date(sent), u.unit_no, { road: u.lane.road }),
          ...(u.outcome === 'VOID' ? [] : [row('ACKED', new Date(sent + 400), u.unit_no, {})]),
          row(state.vend, u.finished, u.unit_no, { result: state.reason ?? 'OK' }),
          ...tail,
        ]
      }),
    ]
  })
  await bulk(db, 'order_events', rows)
}

/** Figures from the facts; there are none yet. What others count is counted by triggers. */
async function sumUp(db: Db, now: Date): Promise<void> {
  const tables = new Set(['sales_rollups', 'pay_rollups', 'product_rollups', 'bill_days'])
  await fillRollups({ query: (text) => rowsIn(db, text) }, tables)
  while (await foldSales(db, now));
}
const rowsIn = (db: Db, text: string) => sql.raw<Record<string, unknown>>(text).execute(db)

/** Draws past the explicit ids: the application role may not set a sequence. */
async function passIds(db: Db): Promise<void> {
  for (const [sequence, table] of [
    ['orders_id_seq', 'orders'],
    ['order_units_id_seq', 'order_units'],
    ['stock_flows_id_seq', 'stock_flows'],
    ['order_num_seq', 'orders'],
    ['payments_id_seq', 'payments'],
  ] as const) {
    await sql`select count(nextval(${sequence}))
      from generate_series(1, (select max(id) from ${sql.table(table)}))`.execute(db)
  }
}
