import { randomInt } from 'node:crypto'
import { missing, place, rowId, type World } from '../../support/world.ts'
import type { DomainSamples } from './kit.ts'

const at = '2026-11-20T04:00:00Z'
/** One more split order of OWN. */
async function made({ sql }: World, change: Record<string, unknown> = {}) {
  const id = rowId('OWN', 1)
  const number = String(randomInt(1e9))
  const row = {
    ...{ org_id: 3, device_id: id, order_id: 1e9 + Number(number), order_at: at },
    ...{ order_num: number, split_no: `${number}-S1`, strategy_id: id, version_id: id },
    ...{ mode: 'LEDGER', paid: 300, fee: 2, state: 'READY', accrued_at: at, created_at: at },
    ...change,
  }
  const [split] = await sql<{ id: number }>(
    `insert into split_orders (${Object.keys(row).join(', ')})
      values (${Object.keys(row).map((_, i) => `$${i + 1}`)}) returning id::int`,
    Object.values(row),
  )
  return { id: split?.id as number, version: 1 }
}
/** And a debt of its party, in the ledger too. */
async function owing(world: World) {
  const split = await made(world)
  const [debt] = await world.sql<{ id: number }>(
    `with k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        values ('sr:sample:' || $1::bigint, nextval('ledger_vouchers_id_seq'), 3, $2) returning *),
      a as (insert into ledger_accounts (org_id, code) values (3, '1101'), (3, '2001')
        on conflict (party, code, config_id) do update set code = excluded.code returning id, code),
      e as (insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id,
          amount)
        select 3, k.created_at, k.voucher_id, 'V7', a.id, case a.code when '1101' then 30 else -30 end
        from k, a)
    insert into split_debts (org_id, device_id, split_id, order_num, refund_no, collector_org_id,
      party_org_id, amount, created_at) values (3, $3, $1, '1', 'R', 3, 3, 30, $2)
    returning id::int`,
    [split.id, at, rowId('OWN', 1)],
  )
  return { id: debt?.id as number, version: 1, reason: '无法收回' }
}

export const splits: DomainSamples = {
  rows: (where) => {
    const org_id = place[where]
    const [id, split_id] = [rowId(where, 1), rowId(where, 1)]
    const of = { org_id, device_id: id, order_num: `2026112012000000${org_id}000` }
    return {
      split_orders: {
        ...{ ...of, id, order_id: 900_000 + org_id, order_at: at, split_no: `${of.order_num}-S1` },
        ...{ strategy_id: id, version_id: id, mode: 'LEDGER', paid: 300, fee: 2 },
        ...{ state: 'READY', accrued_at: at, created_at: at },
      },
      split_units: {
        ...{ org_id, split_id, unit_id: 900_000 + org_id, unit_no: 1, paid: 300, fee: 2 },
        ...{ base: 300, gives: '{300}' as never, carries: '{0}' as never },
      },
      split_shares: {
        ...{ org_id, split_id, party_no: 1, party_org_id: org_id, is_collector: true, given: 300 },
      },
      split_carries: {
        ...{ org_id, strategy_id: id, collector_org_id: org_id, party_org_id: org_id, carry: 0 },
      },
      split_requests: {
        ...{ org_id, device_id: id, order_id: 900_000 + org_id, kind: 'SPLIT', split_id },
        ...{ request_no: `${of.order_num}-S1`, state: 'DONE', done_at: at, created_at: at },
      },
      // of no amount: a share of which nothing was sent is wanted back
      split_outs: { org_id, config_id: id, amount: 0 },
      // written off: nobody owes anything
      split_debts: {
        ...{ ...of, id, split_id, refund_no: `R${where}`, collector_org_id: org_id },
        ...{ party_org_id: org_id, amount: 30, written_off: 30, created_at: at },
      },
    }
  },
  fieldIds: { partyId: { own: (where) => place[where], none: missing.id } },
  samples: {
    'splits.run': (world) => made(world),
    'splits.retry': (world) => made(world, { fail_reason: 'PENDING_MISMATCH' }),
    'splits.toLedger': (world) => made(world, { mode: 'CHANNEL' }),
    'splits.writeOff': owing,
  },
}
