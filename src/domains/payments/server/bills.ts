import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, Lost } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { feeOf } from '../../ledger/rules.ts'
import type {
  BadLine,
  BillLine,
  BillRows,
  BillType,
} from '../../payment-channels/server/channels.ts'
import { damaged } from './faults.ts'
import { simulator } from './receive.ts'

/**
 * Bills of all providers, kept line by line by the configuration that was paid; the simulator has
 * none. What they mean for our books is said by the daily comparison alone.
 */

/** Whose bill it is. */
export type Account = {
  provider: 'SIMULATOR' | 'WECHAT' | 'ALIPAY'
  /** Null: the simulator. */
  configId: number | null
  orgId: number
}
/** Rows of this account; the condition an index can use. */
export const ofAccount = (alias: string, { provider, configId }: Account): RawBuilder<boolean> =>
  sql`${sql.ref(`${alias}.provider`)} = ${provider} and ${sql.ref(`${alias}.config_id`)} ${
    configId === null ? sql`is null` : sql`= ${configId}`
  }`
export const simulated: Account = { provider: 'SIMULATOR', configId: null, orgId: platformOrg }

/** Merchants `c` that were paid on a day. */
export const paidOn = (day: RawBuilder<unknown>): RawBuilder<boolean> => sql`exists (
  select from payments p where p.config_id = c.id
    and p.paid_at >= ${day}::date::timestamp at time zone 'Asia/Shanghai'
    and p.paid_at < (${day}::date + 1)::timestamp at time zone 'Asia/Shanghai')`
/** Merchants `c` that may have a bill of that day: whoever can be paid, or was. */
export const mayHaveBill = (day: string): RawBuilder<boolean> =>
  sql`c.mch_id <> '' and (c.state in ('ACTIVE','ERROR') or ${paidOn(sql`${day}`)})`

/** Who may have a bill of that day; `by`: the merchants of these organisations alone. */
export const accountsOf = (app: App, day: string, by?: readonly number[]): Promise<Account[]> =>
  app.database.aside(async (db) => [
    simulated,
    ...(await rowsOf<Account>(db)`select c.provider, c.id as "configId", c.org_id as "orgId"
      from payment_configs c where ${mayHaveBill(day)}
        and ${by ? sql`c.org_id = any(${[...by]}::bigint[])` : sql`true`} order by c.id`),
  ])

/** What fetches and compares them. */
export const billsName = 'channel-bills'
/** Lines that are written in one act. */
const batch = 1000
/** Bad lines that are named; of more there is their number. */
const mostBad = 100
/** So long a fetch may take before somebody else begins. */
export const billLease = 1800

/** `held`: the worker has the row, and compares when it is kept. */
export type Fetch = { id: number; fetchNo: number; held: boolean }
export type Kept = { state: 'KEPT'; lines: number }

/** Who dies at it leaves the bill of neither fetch: the worker asks for it after his lease. */
export async function begin(
  ctx: Ctx,
  account: Account,
  day: string,
  held: boolean,
  type: BillType = 'TRADE',
): Promise<Fetch> {
  const { provider, configId, orgId } = account
  const lease = sql`${clock(ctx.app)} + make_interval(secs => ${billLease})`
  const row = await onlyRow<Omit<Fetch, 'held'>>(ctx.db)`
    insert into payment_bill_days as d (org_id, provider, config_id, day, bill_type, next_at,
      attempts)
    values (${orgId}, ${provider}, ${configId}, ${day}::date, ${type}, ${lease}, 1)
    on conflict (provider, config_id, day, bill_type) do update set fetch_no = d.fetch_no + 1
      ${held ? sql`` : sql`, state = 'WAITING', next_at = ${lease}`}
    returning id, fetch_no as "fetchNo"`
  return { ...row, held }
}
export const beginFetch = (
  app: App,
  account: Account,
  day: string,
  held = false,
  type: BillType = 'TRADE',
): Promise<Fetch> => bySystem(app, (ctx) => begin(ctx, account, day, held, type))

/** Of the day's row, as long as no later fetch has begun. */
async function hold(ctx: Ctx, { id, fetchNo }: Fetch): Promise<void> {
  const held = await rowOf(ctx.db)`select from payment_bill_days
    where id = ${id} and fetch_no = ${fetchNo} for no key update`
  if (!held) throw new Lost()
}

/** Writes a bill line by line; memory holds one batch of it. */
export async function keepBill(
  app: App,
  account: Account,
  day: string,
  rows: BillRows | Iterable<BillLine>,
  begun?: Fetch,
): Promise<Kept> {
  const fetch = begun ?? (await beginFetch(app, account, day))
  return written(trades, account, day, rows, fetch, (act) => bySystem(app, act))
}
/** What somebody uploaded: all of it in the act, or the bill that was there. */
export async function replaceBill(
  ctx: Ctx,
  account: Account,
  day: string,
  rows: Iterable<BillLine | BadLine>,
): Promise<Kept> {
  const fetch = await begin(ctx, account, day, false)
  return written(trades, account, day, rows, fetch, (act) => act(ctx))
}

/** What is kept of a bill of one type, and what its day says of it as a whole. */
export type Sheet<L> = {
  readonly table: 'payment_bills' | 'fund_flows' | 'split_bills'
  store(
    ctx: Ctx,
    account: Account,
    day: string,
    fetch: Fetch,
    lines: readonly L[],
  ): RawBuilder<unknown>
  whole?(badLines: number): RawBuilder<unknown>
}

export async function written<L extends { kind: string }>(
  sheet: Sheet<L>,
  account: Account,
  day: string,
  rows: AsyncIterable<L | BadLine> | Iterable<L | BadLine>,
  fetch: Fetch,
  inAct: (act: (ctx: Ctx) => Promise<void>) => Promise<void>,
): Promise<Kept> {
  const bad: { line: number; why: string }[] = []
  let [lines, badLines] = [0, 0]
  let some: L[] = []
  const flush = async () => {
    const written = some
    some = []
    if (written.length)
      await inAct(async (ctx) => {
        await hold(ctx, fetch)
        await sheet.store(ctx, account, day, fetch, written).execute(ctx.db)
      })
  }
  for await (const row of rows) {
    if (isBad(row)) {
      if (badLines < mostBad) bad.push({ line: row.line, why: row.why })
      badLines += 1
      continue
    }
    lines += 1
    if (some.push(row) >= batch) await flush()
  }
  await flush()
  await inAct(async (ctx) => {
    await hold(ctx, fetch)
    await sql`delete from ${sql.table(sheet.table)} l where ${ofAccount('l', account)}
      and l.day = ${day} and l.fetch_no <> ${fetch.fetchNo}`.execute(ctx.db)
    const due = fetch.held ? sql`` : sql`, attempts = 0, next_at = ${clock(ctx.app)}`
    const whole = sheet.whole ? sql`, ${sheet.whole(badLines)}` : sql``
    await sql`update payment_bill_days set state = 'KEPT'${due}${whole}, lines = ${lines},
      bad = ${JSON.stringify(bad)}::jsonb, bad_lines = ${badLines}, fetched_at = ${ctx.now},
      last_error = null where id = ${fetch.id}`.execute(ctx.db)
  })
  return { state: 'KEPT', lines }
}
const isBad = (row: { kind: string }): row is BadLine => row.kind === 'BAD'

/** A line that stands there twice is kept once, with its count. */
const stored = (
  ctx: Ctx,
  account: Account,
  day: string,
  { fetchNo }: Fetch,
  lines: readonly BillLine[],
): RawBuilder<unknown> => sql`
    insert into payment_bills as l (org_id, provider, config_id, day, kind, trade_no, out_trade_no,
      refund_no, amount, fee, at, state, times, fetch_no, created_at)
    select coalesce(t.org_id, p.org_id, ${account.orgId}), ${account.provider}, ${account.configId},
      ${day}::date, n.kind, n."tradeNo", n."outTradeNo", n."refundNo", n.amount, n.fee, n.at,
      n.state, n.times, ${fetchNo}, ${ctx.now}::timestamptz
    from (select distinct on (kind, "tradeNo") *, count(*) over (partition by kind, "tradeNo") as times
      from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as r(kind text, "tradeNo" text,
        "outTradeNo" text, "refundNo" text, amount bigint, fee bigint, at timestamptz, state text)
      order by kind, "tradeNo") n
    left join payments p on p.out_trade_no = n."outTradeNo" and ${ofAccount('p', account)}
    left join payments t on ${ofAccount('t', account)} and t.provider_trade_no = n."tradeNo"
      and n.kind = 'PAY'
    order by n.kind, n."tradeNo"
    on conflict (provider, config_id, kind, trade_no, day) do update set org_id = excluded.org_id,
      out_trade_no = excluded.out_trade_no, refund_no = excluded.refund_no,
      amount = excluded.amount, fee = excluded.fee, at = excluded.at, state = excluded.state,
      fetch_no = excluded.fetch_no,
      times = excluded.times + case when l.fetch_no = excluded.fetch_no then l.times else 0 end`
const trades: Sheet<BillLine> = { table: 'payment_bills', store: stored }

/**
 * The simulated channel makes its bill of what it told (its notices, each trade once) and of what it
 * was asked to give back, a quarter of the day at a time.
 */
export async function* simulatedBill(app: App, day: string): AsyncGenerator<BillLine> {
  const begins = startOfDay(day)
  for (let hour = 0; hour < 24; hour += 6) {
    const [from, until] = [hour, hour + 6].map((at) => new Date(begins.getTime() + at * 3_600_000))
    const rows = await app.database.snapshot(
      systemScope,
      (db) => rowsOf<Omit<BillLine, 'fee' | 'state'>>(db)`
        select 'PAY' as kind, raw->>'tradeNo' as "tradeNo", min(raw->>'outTradeNo') as "outTradeNo",
          null as "refundNo", min((raw->>'amount')::bigint) as amount, min(created_at) as at
        from payment_events e where provider = 'SIMULATOR' and created_at < ${until}
          and created_at >= ${from} and coalesce(raw->>'currency', 'CNY') = 'CNY'
          and coalesce(raw->>'merchant', 'SIMULATOR') = 'SIMULATOR'
          and (raw->>'amount')::bigint > 0 and not exists (select from payment_events b
            where b.provider = 'SIMULATOR' and b.raw->>'tradeNo' = e.raw->>'tradeNo'
              and b.created_at < ${from} and b.created_at >= ${startOfDay(addDays(day, -1))})
        group by 2
        union all select 'REFUND', r.provider_refund_no, p.out_trade_no, r.refund_no, r.amount,
          r.succeeded_at
        from refunds r join payments p on p.id = r.payment_id
        where r.succeeded_at >= ${from} and r.succeeded_at < ${until} and r.amount > 0
          and p.provider = 'SIMULATOR' and r.provider_refund_no is not null`,
    )
    for (const row of rows)
      yield* damaged({
        ...row,
        fee: row.kind === 'PAY' ? feeOf(row.amount, simulator.feeBp) : 0,
        state: 'SUCCESS',
      })
  }
  yield* damaged(null, day)
}
