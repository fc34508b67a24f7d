import type pg from 'pg'
import { withClient } from './catalogue.ts'
import { differs, rollups } from './rollups.ts'

export type Broken = { name: string; rows: unknown[] }

const key = (alias: string) => `${alias}.org_id, ${alias}.created_at, ${alias}.order_id`
const live = `('WAIT','SENT','ACKED','UNKNOWN')`

/** The debit side of a voucher by its key. */
const booked = `(select k.key, sum(e.amount) filter (where e.amount > 0) as amount from ledger_voucher_keys k left join ledger_entries e on e.voucher_id = k.voucher_id group by k.key)`

/** What bills corrected of fees by its vouchers, and what refunds would have brought back of it. */
const fixed = `(select f.payment_id, sum(f.returned) as returned,
  sum(f.returned - coalesce(b.amount, 0)) as amount from payment_fee_fixes f
  left join (select k.key, sum(e.amount) as amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id
    join ledger_accounts a on a.id = e.account_id and a.code = '1001' group by 1) b
    on b.key = 'fee:' || f.payment_id || ':' || f.id group by 1)`

/** Each query yields the rows that break the sentence. */
const queries: Readonly<Record<string, string>> = {
  'lanes.reserved and failed_hold count the pieces they hold': `
    select l.id, l.reserved, n.held, l.failed_hold, n.failed from lanes l
    left join (select lane_id, count(*) filter (where hold = 'HELD') as held,
      count(*) filter (where hold = 'FAILED_HOLD') as failed from (
        select lane_id, hold from order_units where hold in ('HELD','FAILED_HOLD')
        union all select lane_id, hold from vend_commands where hold = 'FAILED_HOLD') h
      group by 1) n on n.lane_id = l.id
    where (l.reserved, l.failed_hold) is distinct
    from (coalesce(n.held, 0)::int, coalesce(n.failed, 0)::int)`,
  'lanes.quantity is the sum of its flows': `
    select l.id, l.quantity, n.total from lanes l left
    join (select lane_id, sum(change_total) as total from stock_flows group by 1) n
      on n.lane_id = l.id where l.quantity <> coalesce(n.total, 0)`,
  'flows of a lane are numbered without gaps': `
    select l.id, l.last_flow_seq, n.* from lanes l left
    join (select lane_id, count(*) as flows, count(distinct lane_seq) as numbers,
      min(lane_seq) as first, max(lane_seq) as last from stock_flows group by 1) n
        on n.lane_id = l.id
    where l.last_flow_seq <> coalesce(n.last, 0) or n.flows <> n.numbers or n.flows <> n.last
      or n.first <> 1`,
  'each flow begins where the one before ended': `
    select * from (select id, lane_id, lane_seq, before_total,
      lag(after_total, 1, 0) over (partition by lane_id order by lane_seq) as expected
      from stock_flows) f where before_total <> expected`,
  'layers of a lane are what it holds, or there are none': `
    select l.id, l.quantity, l.layered, l.goods_expire_on, n.* from lanes l
    left join (select y.lane_id, sum(y.qty) as qty, min(b.expires_on) as expires_on
      from lane_layers y left join batches b on b.id = y.batch_id group by 1) n on n.lane_id = l.id
    where l.layered <> (n.qty is not null) or l.quantity <> coalesce(n.qty, l.quantity)
      or l.goods_expire_on is distinct from n.expires_on`,
  'layers of a batch are the sum of its flows': `
    select * from (select lane_id, batch_id, sum(change_total) as flows from stock_flows
      where batch_id is not null group by 1, 2) f
    full join (select lane_id, batch_id, sum(qty) as layers from lane_layers
      where batch_id is not null group by 1, 2) y using (lane_id, batch_id)
    where coalesce(flows, 0) <> coalesce(layers, 0)`,
  'what is loaded and returned of a batch is the sum of its flows': `
    select b.id, b.loaded_qty, b.returned_qty, n.* from batches b left join (select batch_id,
      coalesce(sum(change_total) filter (where change_total > 0
        and reason in ('REFILL','CORRECTION')), 0) as loaded,
      coalesce(-sum(change_total) filter (where change_total < 0
        and reason in ('TAKE_BACK','EXPIRED','RECALL','LANE_RESET','CORRECTION')), 0) as returned
      from stock_flows group by 1) n on n.batch_id = b.id
    where (b.loaded_qty, b.returned_qty) is distinct
    from (coalesce(n.loaded, 0)::int, coalesce(n.returned, 0)::int)`,
  'trace codes are where their last flow left them': `
    with last as (select distinct on (c.code) c.code, f.id, f.lane_id, f.batch_id, f.unit_id,
        f.device_id, f.org_id as sold_org, case
        when f.change_total > 0 then 'LOADED' when f.type = 'CUSTOMER_TAKE' then 'SOLD'
        else 'WITHDRAWN' end as state
      from stock_flows f cross join unnest(f.codes) as c(code) where f.codes is not null
      order by c.code, f.id desc)
    select t.*, last.* from trace_codes t full join last on last.code = t.code
    where (t.state, t.batch_id, t.lane_id, t.unit_id, t.machine_id, t.sold_org_id) is distinct
    from (coalesce(last.state, 'IN_STOCK'), coalesce(last.batch_id, t.batch_id), case last.state
      when 'LOADED' then last.lane_id end, case last.state when 'SOLD' then last.unit_id end,
      case when last.state in ('LOADED', 'SOLD') then last.device_id end,
      case last.state when 'SOLD' then last.sold_org end)`,
  'pieces with trace codes have one each': `
    select * from (select lane_id, batch_id, count(*) as codes from trace_codes
      where lane_id is not null group by 1, 2) t
    full join (select lane_id, batch_id, sum(qty) as pieces from lane_layers
      where coded group by 1, 2) y using (lane_id, batch_id)
    where coalesce(codes, 0) <> coalesce(pieces, 0)`,
  'flows of a visit are what its lanes say': `
    select f.*, i.before_qty, i.after_qty, i.state from (select visit_item_id,
      min(lane_id) as lane_id, sum(change_total) as total from stock_flows
      where visit_item_id is not null group by 1) f
    left join replenishment_items i on i.id = f.visit_item_id and i.lane_id = f.lane_id
    where i.state is distinct from 'POSTED' or i.after_qty - i.before_qty <> f.total`,
  'a visit comes to what its lanes do': `
    select v.id, v.added, v.withdrawn, v.gained, v.lost, n.* from replenishment_visits v
    left join (select visit_id, sum(added_qty) as added, sum(withdrawn_qty) as withdrawn,
      sum(greatest(difference, 0)) as gained, sum(greatest(-difference, 0)) as lost
      from replenishment_items where state = 'POSTED' group by 1) n on n.visit_id = v.id
    where (v.added, v.withdrawn, v.gained, v.lost) is distinct
    from (coalesce(n.added, 0)::int, coalesce(n.withdrawn, 0)::int, coalesce(n.gained, 0)::int,
      coalesce(n.lost, 0)::int)`,
  'a piece left exactly once, with its flow': `
    select u.id, u.vend_state, u.flow_id, k.flow_id as key_flow, f.id as flow from order_units u
    left join stock_flow_keys k on k.unit_id = u.id left
    join stock_flows f on f.id = k.flow_id and f.unit_id = u.id
    where u.kind = 'LANE' and ((u.vend_state = 'SUCCESS') <> (k.unit_id is not null)
      or u.flow_id is distinct from k.flow_id or (k.flow_id is not null and f.id is null))`,
  'every flow of a piece has its key': `
    select f.id, f.unit_id from stock_flows f left
    join stock_flow_keys k on k.flow_id = f.id and k.unit_id = f.unit_id
    where f.unit_id is not null and k.unit_id is null`,
  'order amounts are the sums of their pieces': `
    select o.id, o.order_num, o.total_amount, o.discount_amount, o.paid_amount, o.cost_amount,
      o.pieces, n.* from orders o
    left join (select ${key('u')}, count(*) as units, sum(list_price) as list,
      sum(discount) as discount, sum(paid) as paid,
      coalesce(sum(cost) filter (where vend_state = 'SUCCESS'), 0) as cost from order_units u
      group by 1, 2, 3) n
      on n.org_id = o.org_id and n.created_at = o.created_at and n.order_id = o.id
    where (o.pieces, o.total_amount, o.discount_amount, o.payable_amount, o.cost_amount) is distinct
    from (n.units::int, n.list::bigint, n.discount::bigint, n.paid::bigint, n.cost::bigint)
      or o.paid_amount <> case when o.pay_state in ('UNPAID','CLOSED') then 0 else n.paid end`,
  'order.refunded is the sum of its refunds': `
    select o.id, o.order_num, o.refunded_amount, n.amount from orders o
    left join (select org_id, order_at, order_id, sum(amount) as amount from refunds
      where state = 'SUCCESS' and kind = 'UNIT' group by 1, 2, 3) n on n.org_id = o.org_id
        and n.order_at = o.created_at and n.order_id = o.id
    where o.refunded_amount <> coalesce(n.amount, 0)`,
  'payment.refunded is the sum of its refunds': `
    select p.id, p.refunded_amount, n.amount from payments p left
    join (select payment_id, sum(amount) as amount from refunds where state = 'SUCCESS'
      group by 1) n on n.payment_id = p.id
    where p.refunded_amount <> coalesce(n.amount, 0)`,
  'every payment is booked with its fee': `
    select p.id, p.amount, p.fee_amount, i.amount as booked, f.amount as booked_fee from payments p
    left join ${booked} i on i.key = case when p.applied then 'in:' else 'sus:' end || p.id left
    join ${booked} f on f.key = 'fee:' || p.id
    left join ${fixed} x on x.payment_id = p.id
    where case when p.state = 'SUCCESS' then p.amount else 0 end <> coalesce(i.amount, 0)
      or p.fee_amount <> coalesce(f.amount, 0) + coalesce(x.amount, 0)`,
  'every refund is booked, less the fee that came back': `
    with r as (select r.payment_id, count(*) as refunds, count(b.key) as vouchers,
      sum(b.amount) as booked from refunds r join payments p on p.id = r.payment_id
      left join ${booked} b on b.key = case when p.applied then 'rf:'
        else 'susr:' end || r.refund_no where r.state = 'SUCCESS' and r.amount > 0 group by 1)
    select r.*, p.refunded_amount, p.fee_amount from r join payments p on p.id = r.payment_id
    left join ${fixed} x on x.payment_id = p.id
    where r.refunds <> r.vouchers or r.booked <> p.refunded_amount - case
      when p.applied then p.fee_amount * p.refunded_amount / p.amount - coalesce(x.returned, 0)
      else 0 end`,
  'every voucher balances': `
    select k.key, sum(e.amount) as sum from ledger_voucher_keys k left
    join ledger_entries e on e.voucher_id = k.voucher_id group by k.key
    having sum(e.amount) is distinct from 0`,
  'the ledger sums to zero': `select sum(amount) as sum from ledger_entries
    having sum(amount) <> 0`,
  'what a party is owed and owes is the sum of its entries': `
    select * from (select a.party, a.code,
        sum(case when a.code in ('1101','1102') then e.amount else -e.amount end) as entries,
        coalesce(-sum(e.amount) filter (where a.referrer_id is not null
          and e.voucher_type in ('V3','V7')), 0) as gained
      from ledger_accounts a join ledger_entries e on e.account_id = a.id
      where a.code in ('1101','1102','2002','2003','2004','2005') group by 1, 2) e
    full join ledger_balances b using (party, code)
    where (coalesce(entries, 0), coalesce(gained, 0)) is distinct
      from (coalesce(balance, 0)::numeric, coalesce(earned, 0)::numeric)`,
  'nothing of an order is pending when its shares were given': `
    select s.id, s.order_num, s.state, p.pending from split_orders s join (
      select e.order_id, sum(e.amount) as pending from ledger_entries e
      join ledger_accounts a on a.id = e.account_id and a.code = '2001' group by 1) p
      on p.order_id = s.order_id
    where s.state <> 'WAIT' and s.touched_at is null and s.fail_reason is null
      and p.pending <> 0`,
  'what a channel paid is booked once': `
    select * from (select s.split_no, h.party_org_id, h.sent from split_shares h
      join split_orders s on s.id = h.split_id where h.state = 'PAID') h
    full join (select k.key, -e.amount as booked from ledger_voucher_keys k
      join ledger_entries e on e.voucher_id = k.voucher_id
      join ledger_accounts a on a.id = e.account_id and a.code = '1001'
      where k.key like 'so:%') v on v.key = 'so:' || split_no || ':' || party_org_id
    where sent is distinct from booked`,
  'what came back from parties is booked once': `
    select * from (select return_no, came from split_returns where came > 0) r
    full join (select k.key, e.amount as booked from ledger_voucher_keys k
      join ledger_entries e on e.voucher_id = k.voucher_id
      join ledger_accounts a on a.id = e.account_id and a.code = '1001'
      where k.key like 'srr:%') v on v.key = 'srr:' || return_no
    where came is distinct from booked`,
  'what is wanted back is the sum of the returns': `
    select h.split_id, h.party_no, h.wanted_back, r.amount from split_shares h left join (
      select split_id, party_no, sum(amount) as amount from split_returns group by 1, 2) r
      using (split_id, party_no)
    where h.wanted_back <> coalesce(r.amount, 0)`,
  'what channels paid parties is the sum of their shares': `
    select * from (select h.party_org_id as org_id, s.config_id,
        sum(h.sent - h.wanted_back) as paid from split_shares h
      join split_orders s on s.id = h.split_id and s.config_id is not null
      where h.state = 'PAID' group by 1, 2) h
    full join split_outs o using (org_id, config_id)
    where coalesce(paid, 0) <> coalesce(amount, 0)`,
  'a share is the sum of its pieces': `
    select * from (select u.split_id, g.no::int as party_no, sum(g.fen) as given,
        coalesce(sum(g.fen) filter (where u.back_at is not null), 0) as returned
      from split_units u cross join unnest(u.gives) with ordinality as g(fen, no) group by 1, 2) u
    full join split_shares h using (split_id, party_no)
    where (u.given, u.returned) is distinct from (h.given::numeric, h.returned::numeric)`,
  'a piece is shared out to the fen': `
    select * from (select unit_id, base, (select sum(fen) from unnest(gives) fen) as given
      from split_units) u where base <> given`,
  'a referrer earned what his shares gave him': `
    select * from (select referrer_id, sum(given - returned) as given from split_shares
      where referrer_id is not null group by 1) s
    full join (select referrer_id, sum(earned) as earned from ledger_balances
      where referrer_id is not null group by 1) b using (referrer_id)
    where coalesce(given, 0) <> coalesce(earned, 0)`,
  'carries of a strategy add up to nothing': `
    select strategy_id, collector_org_id, sum(carry) as carry from split_carries
    group by 1, 2 having sum(carry) <> 0`,
  'debts are what parties owe, or what is on its way back from them': `
    select * from (select party, sum(rest) as rest from (
        select coalesce(party_org_id, -referrer_id) as party, rest from split_debts
        union all select party_org_id, amount from split_returns where state = 'SENDING') x
      group by 1) d
    full join (select party, balance from ledger_balances
      where code in ('1101','1102')) b using (party)
    where coalesce(d.rest, 0) <> coalesce(b.balance, 0)`,
  ...Object.fromEntries(rollups.map((one) => [one.name, differs(one)])),
  'what stands on invoices is what their items say': `
    select s.*, x.amount from invoice_sources s left join (select org_id, source, source_no,
        sum(amount) as amount from invoice_items where live group by 1, 2, 3) x
      using (org_id, source, source_no) where s.invoiced <> coalesce(x.amount, 0)`,
  'an invoice is the sum of its items, which count while it does': `
    select i.id, i.state, i.amount, x.* from invoices i join (select invoice_id,
        sum(amount) as said, bool_and(live) as every, bool_or(live) as any
        from invoice_items group by 1) x on x.invoice_id = i.id
    where i.amount <> x.said or (x.every, x.any) is distinct
      from (i.state not in ('REJECTED','CANCELLED','RED'), i.state
        not in ('REJECTED','CANCELLED','RED'))`,
  'device counters equal lanes and faults': `
    select * from (
      select s.device_id, array[s.lanes_total, s.lanes_sold_out, s.lanes_low, s.lanes_free, s.stock,
        s.capacity, s.fault_count] as kept, array[
        count(l.id), count(*) filter (where l.status = 'ENABLED' and l.product_id is not null
          and l.quantity - l.reserved - l.failed_hold <= 0),
        count(*) filter (where l.status = 'ENABLED' and l.product_id is not null
          and l.quantity - l.reserved - l.failed_hold between 1 and l.warn_qty),
        count(*) filter (where l.status = 'ENABLED' and l.product_id is null),
        coalesce(sum(l.quantity), 0),
        coalesce(sum(l.capacity) filter (where l.product_id is not null), 0),
        (select count(*) from device_faults f
          where f.device_id = s.device_id and f.closed_at is null)]::int[] as truth
      from device_states s left join lanes l on l.device_id = s.device_id and l.archived_at is null
        and l.status <> 'MERGED' group by s.device_id
    ) x where kept <> truth`,
  'a piece has at most one live command': `select unit_id, count(*) from vend_commands
    where state in ${live} group by 1 having count(*) > 1`,
  'a live command is where its piece is': `
    select c.cmd_id, c.state, c.attempt, u.vend_state, u.attempt as unit_attempt
    from vend_commands c
    left join order_units u on u.org_id = c.org_id and u.created_at = c.order_at
      and u.id = c.unit_id where c.state in ${live} and (c.state, c.attempt) is distinct
      from (u.vend_state, u.attempt)`,
  'an order is final if and only if no piece is open': `
    select o.id, o.order_num, o.pay_state, o.final_at, n.open from orders o join (
      select ${key('u')}, count(*) filter (where vend_state <> 'SUCCESS'
        and refund_state is distinct from 'SUCCESS') as open,
        count(*) filter (where vend_state not in ('SUCCESS','FAILED','VOID')) as moving
        from order_units u group by 1, 2, 3) n
      on n.org_id = o.org_id and n.created_at = o.created_at and n.order_id = o.id
    where (o.final_at is not null) <> (o.pay_state not in ('UNPAID','CLOSED') and case
      when o.order_type = 'TEST' then n.moving else n.open end = 0)`,
}

/**
 * What must hold across tables and no constraint can say. Answers only what is broken, at most 20
 * rows each. Owner's connection.
 */
export async function checkInvariants(ownerUrl: string): Promise<Broken[]> {
  return withClient(ownerUrl, async (client) => {
    // one snapshot, and row policies must not hide what is wrong
    await client.query(`select set_config('app.all', 'on', false)`)
    await client.query('begin isolation level repeatable read read only')
    // everything is read once: hash joins, whatever old statistics promise
    await client.query('set local enable_nestloop = off')
    const broken = await findBroken(client)
    await client.query('commit')
    return broken
  })
}

/** The same inside a transaction of the caller's, who sees all rows. */
export async function findBroken(client: Pick<pg.Client, 'query'>): Promise<Broken[]> {
  const defaults = await client.query<{
    name: string
  }>(`select c.oid::regclass::text as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relispartition
      and pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' order by 1`)
  const partitions = Object.fromEntries(
    defaults.rows.map(({ name }) => [
      `${name} is empty: every month has its partition`,
      `select created_at from ${name}`,
    ]),
  )
  const broken: Broken[] = []
  for (const [name, text] of Object.entries({ ...queries, ...partitions })) {
    const { rows } = await client.query(`select * from (${text}) broken limit 20`)
    if (rows.length) broken.push({ name, rows })
  }
  return broken
}

/** Names of all checks, for the test that breaks each one. */
export const invariantNames: readonly string[] = Object.keys(queries)
