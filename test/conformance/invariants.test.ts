import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../../src/server/catalogue.ts'
import {
  type Broken,
  checkInvariants,
  findBroken,
  invariantNames,
} from '../../src/server/invariants.ts'
import { openWorld, rowId, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.sell('OWN', ['OK', 'NO_DROP'])
  await world.sell('OWN', ['OK', 'wait'])
})
afterAll(() => world?.close())

const lane = rowId('OWN', 1)
const own = 'org_id = 3'
const unit = `(select id from order_units where ${own} and vend_state = 'SUCCESS' order by id limit 1)`
const order = `(select id from orders where ${own} and refunded_amount > 0 order by id limit 1)`
const payment = `(select id from payments where ${own} and applied and refunded_amount > 0 order by id limit 1)`

const returned = `insert into split_returns (org_id, device_id, split_id, party_no, party_org_id,
  refund_no, return_no, amount, came, state, done_at) values (3, ${lane}, ${lane}, 1, 3, 'R', 'R', 1,`

/** One way to break each sentence, behind the back of constraints and triggers. */
const breaks: Record<string, string> = {
  'lanes.reserved and failed_hold count the pieces they hold': `update lanes
    set reserved = reserved + 1 where id = ${lane}`,
  'lanes.quantity is the sum of its flows': `update lanes set quantity = quantity - 1
    where id = ${lane}`,
  'flows of a lane are numbered without gaps': `update stock_flows set lane_seq = lane_seq + 1
    where lane_id = ${lane} and lane_seq = (select max(lane_seq) from stock_flows
      where lane_id = ${lane})`,
  'each flow begins where the one before ended': `update stock_flows
    set before_total = before_total + 1, after_total = after_total + 1
    where lane_id = ${lane} and lane_seq = 2`,
  'layers of a lane are what it holds, or there are none': `update lanes
    set goods_expire_on = '2027-01-01' where id = ${lane}`,
  'layers of a batch are the sum of its flows': `update stock_flows set batch_id = ${lane}
    where lane_id = ${lane} and lane_seq = 1`,
  'what is loaded and returned of a batch is the sum of its flows': `update batches
    set returned_qty = returned_qty + 1 where ${own}`,
  'trace codes are where their last flow left them': `update trace_codes
    set state = 'WITHDRAWN' where ${own} and state = 'IN_STOCK'`,
  'pieces with trace codes have one each': `insert into lane_layers (org_id, device_id, lane_id,
    pos, batch_id, qty, coded) values (3, ${lane}, ${lane}, 9, ${lane}, 1, true)`,
  'flows of a visit are what its lanes say': `update stock_flows set visit_item_id = 987
    where lane_id = ${lane} and lane_seq = 1`,
  'a visit comes to what its lanes do': `update replenishment_visits set added = added + 1
    where ${own}`,
  'a piece left exactly once, with its flow': `delete from stock_flow_keys where unit_id = ${unit}`,
  'every flow of a piece has its key': `delete from stock_flow_keys where unit_id = ${unit}`,
  'order amounts are the sums of their pieces': `update orders set cost_amount = cost_amount + 1
    where id = ${order}`,
  'order.refunded is the sum of its refunds': `update refunds set amount = amount - 1
    where order_id = ${order} and state = 'SUCCESS'`,
  'payment.refunded is the sum of its refunds': `update payments
    set refunded_amount = refunded_amount - 1 where id = ${payment}`,
  'every payment is booked with its fee': `delete from ledger_entries
    where voucher_id = (select voucher_id from ledger_voucher_keys
      where key = 'fee:' || ${payment})`,
  'every refund is booked, less the fee that came back': `update ledger_entries
    set amount = amount * 2 where voucher_id = (select voucher_id from ledger_voucher_keys
      where key like 'rf:%' and ${own} limit 1)`,
  'every voucher balances': `update ledger_entries set amount = amount + 1
    where id = (select min(id) from ledger_entries where ${own})`,
  'the ledger sums to zero': `update ledger_entries set amount = amount + 1
    where id = (select min(id) from ledger_entries where ${own})`,
  'what a party is owed and owes is the sum of its entries': `insert into ledger_balances
    (org_id, code, balance)
    values (3, '2002', 1) on conflict (party, code) do update set balance = 9999`,
  'nothing of an order is pending when its shares were given': `update split_orders
    set order_id = (select order_id from ledger_entries where order_id is not null
      and account_id in (select id from ledger_accounts where code = '2001' and ${own}) limit 1)
    where ${own} and state = 'READY'`,
  'what a channel paid is booked once': `update split_shares set state = 'PAID', sent = 1,
    sent_no = 'x', receiver_id = 1 where ${own}`,
  'what came back from parties is booked once': `${returned} 1, 'DONE', now())`,
  'what is wanted back is the sum of the returns': `${returned} 0, 'DEBT', now())`,
  'what channels paid parties is the sum of their shares': `insert into split_outs
    values (3, 1, 5)`,
  'a share is the sum of its pieces': `update split_shares set given = given + 1 where ${own}`,
  'a piece is shared out to the fen': `update split_units set base = base + 1 where ${own}`,
  'a referrer earned what his shares gave him': `update split_shares set party_org_id = null,
    referrer_id = (select min(id) from referrers where ${own}) where ${own}`,
  'carries of a strategy add up to nothing': `update split_carries set carry = 1 where ${own}`,
  'debts are what parties owe, or what is on its way back from them': `update split_debts set written_off = written_off - 1
    where ${own}`,
  'what is due of shares equals the pieces': `insert into split_dues (org_id, mode, done, day, amount)
    values (3, 'LEDGER', false, '2026-11-22', 1)`,
  'what referrers may be paid equals their shares': `insert into referrer_dues (org_id, referrer_id,
    done, day, amount) select org_id, id, true, '2026-11-21', 1 from referrers where ${own} limit 1`,
  'what strategies gave equals the ledger': `insert into split_days (org_id, strategy_id, version_id, day,
    given) values (3, 3001, 3001, '2026-11-21', 1)`,
  'sales by hour equal the facts': `update sales_rollups set paid = paid + 1
    where ${own} and grain = 'HOUR'`,
  'sales by day equal the facts': `delete from sales_rollups where ${own} and grain = 'DAY'`,
  'sales in total equal the facts': `update sales_rollups set refund_orders = refund_orders + 1
    where ${own} and grain = 'TOTAL'`,
  'sales by product equal the facts': `update product_rollups set refunded_pieces = 0 where ${own}`,
  'sales by way to pay equal the facts': `delete from pay_rollups where ${own}`,
  'days and months that are over equal the facts': `insert into sales_folds (org_id, grain, day,
    device_id, hour, pay_type, orders) values (3, 'DAY', '2026-01-01', 0, -1, '', 1)`,
  'products of days and months that are over equal the facts': `insert into product_folds (org_id,
    grain, day, product_id, orders) values (0, 'DAY', '2026-01-01', 1, 1)`,
  'rows of lists are counted as they are written': `update row_count_changes set rows = rows + 1
    where ${own} and list = 'split_orders'`,
  'stock by day equals the flows': `insert into stock_days (org_id, device_id, product_id, day,
    taken) values (3, ${lane}, 1, '2026-01-01', 1)`,
  'buyers equal their orders and refunds': `insert into buyers (org_id, digest, tail, pay_type,
    machine_id, first_at, last_at, orders, paid, refunded, refund_orders)
    values (3, sha256('x'), 'x', 'WECHAT', ${lane}, '2026-01-01', '2026-01-01', 1, 1, 0, 0)`,
  'buyers by day equal their orders': `insert into buyer_days (org_id, day, gap, buyers)
    values (3, '2026-01-01', 0, 1)`,
  'bills equal the facts': `update bill_days set ordered_fee = ordered_fee + 1
    where ${own} and grain = 'MONTH'`,
  'shares of bills equal the ledger': `insert into bill_shares (org_id, owner_id, device_id, grain,
    day, config_id, provider, pay_type, share)
    values (3, 3, ${lane}, 'DAY', '2026-01-01', 0, 'SIMULATOR', 'WECHAT', 1)`,
  'marks of accounts equal their entries': `insert into ledger_marks (org_id, account_id,
      created_at, entry_id, balance)
    select a.org_id, e.account_id, e.created_at, e.id, 987654321 from ledger_entries e
    join ledger_accounts a on a.id = e.account_id where a.org_id = 3 order by e.id limit 1`,
  'what stands on invoices is what their items say': `update invoice_sources
    set invoiced = invoiced + 1 where ${own}`,
  'an invoice is the sum of its items, which count while it does': `update invoices
    set state = 'CANCELLED' where ${own}`,
  'device counters equal lanes and faults': `update device_states set fault_count = fault_count + 1
    where device_id = ${lane}`,
  'a piece has at most one live command': `alter table vend_commands drop constraint
    vend_commands_unit_id_attempt_key; drop index vend_commands_live;
    insert into vend_commands
    select (jsonb_populate_record(c, jsonb_build_object('cmd_id', gen_random_uuid()))).*
    from vend_commands c where state = 'WAIT' or state = 'SENT' limit 1`,
  'a live command is where its piece is': `update vend_commands set attempt = attempt + 1
    where state in ('WAIT','SENT')`,
  'an order is final if and only if no piece is open': `update orders set final_at = now()
    where ${own} and final_at is null`,
}

describe('invariants', () => {
  it('hold after real sales, refunds, failures and an unfinished order', async () => {
    expect(await checkInvariants(world.ownerUrl)).toEqual([])
  })
  it('are each broken once below', () => expect(Object.keys(breaks)).toEqual([...invariantNames]))

  it.each(Object.entries(breaks))('%s', async (name, text) => {
    const broken = await afterBreaking(text)
    expect(broken.map((found) => found.name)).toContain(name)
    expect(broken.find((found) => found.name === name)?.rows.length).toBeGreaterThan(0)
  })

  it('a row without its month partition is found', async () => {
    const broken = await afterBreaking(
      `insert into operation_logs (org_id, created_at, username, level, action, content,
        resource_id, ip_address, request_id)
        values (1, '2001-01-01', 'x', 'INFO', 'x', 'x', '1', '', '')`,
    )
    expect(broken.map((found) => found.name)).toEqual([
      'rows of lists are counted as they are written',
      expect.stringContaining('operation_logs_default is empty'),
    ])
  })
  it('are whole again after that', async () =>
    expect(await checkInvariants(world.ownerUrl)).toEqual([]))
})

/** Triggers and foreign keys are off for the damage, and nothing of it stays. */
const afterBreaking = (text: string): Promise<Broken[]> =>
  withClient(world.ownerUrl, async (client) => {
    await client.query(
      `begin; select set_config('app.all', 'on', true); set local session_replication_role = replica; ${text}`,
    )
    const broken = await findBroken(client)
    await client.query('rollback')
    return broken
  })
