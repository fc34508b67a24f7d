import { randomUUID } from 'node:crypto'
import { place, rowId, type World } from '../../support/world.ts'
import { type DomainSamples, fresh, missingId, type Source, uploaded } from './kit.ts'

const voucher: Source = {
  // the demo finds its own
  own: (where, world) => world.voucherId?.(where) ?? missingId,
  none: missingId,
}
const adjustment: Source = { own: (where) => rowId(where, 1), none: missingId }

const asker = `(select u.id from users u where u.org_id = 1 order by u.id limit 1)`
const waiting = (world: World) =>
  fresh(
    world,
    `insert into ledger_adjustments (org_id, kind, debit_org_id, debit_code, credit_org_id,
      credit_code, amount, reason, asked_by, created_at)
    values (1, 'ADJUST', 3, '1003', 4, '2301', 500, '押金补登 ${randomUUID()}', ${asker}, '2026-11-21')`,
  )
/** Money that waits for somebody, which may be taken back. */
async function suspense(world: World): Promise<number> {
  const [made] = await world.sql<{ id: number }>(`
    with v as (select nextval('ledger_vouchers_id_seq') as id),
      k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        select 'sus:' || '${randomUUID()}', id, 3, '2026-11-21' from v),
      a as (insert into ledger_accounts (org_id, code) values (3, '1001'), (3, '2901')
        on conflict (party, code, config_id) do update set code = excluded.code returning id, code),
      e as (insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount)
        select 3, '2026-11-21', v.id, 'V11', a.id, case a.code when '1001' then 700 else -700 end
        from v cross join a)
    select id::int from v`)
  return (made as { id: number }).id
}

export const billing: DomainSamples = {
  rows: (where) => ({
    ledger_adjustments: {
      id: rowId(where, 1),
      org_id: place[where],
      kind: 'ADJUST',
      debit_org_id: place[where],
      debit_code: '1003',
      credit_org_id: place[where],
      credit_code: '2301',
      amount: 100 + place[where],
      reason: `调账说明${where}`,
      asked_by: rowId(where, 1),
      created_at: '2026-11-21',
    },
    statements: {
      ...{ id: rowId(where, 1), org_id: place[where], month: '2026-09-01', version_no: 1 },
      ...{ state: 'FAILED', error: `对账${where}`, created_at: '2026-10-01' },
    },
  }),
  pathIds: { 'finance voucherId': voucher, 'finance adjustmentId': adjustment },
  samples: {
    'billing.issueStatement': async () => ({ orgId: place.OWN, month: '2026-10' }),
    'billing.adjust': async (world) => ({
      debitOrgId: place.OWN,
      debitCode: '1003',
      creditOrgId: place.SIBLING,
      creditCode: '2301',
      amount: 500,
      reason: '押金补登记',
      images: [await uploaded(world)],
    }),
    'billing.approve': async (world) => ({ adjustmentId: await waiting(world), version: 1 }),
    'billing.reject': async (world) => ({ adjustmentId: await waiting(world), version: 1 }),
    'billing.reverse': async (world) => ({
      voucherId: await suspense(world),
      reason: '重复登记，冲正',
      images: [await uploaded(world)],
    }),
  },
}
