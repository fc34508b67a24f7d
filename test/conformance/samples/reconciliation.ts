import { randomUUID } from 'node:crypto'
import { place, rowId, type World } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh } from './kit.ts'

/** A difference in this state, of OWN's first machine. */
const difference = (world: World, state: string, wanted: string | null = null, reason = '') =>
  fresh(
    world,
    `insert into reconciliation_differences (org_id, device_id, day, part, kind, subject,
      local_amount, other_amount, state, wanted, reason, created_at)
    values (${place.OWN}, ${rowId('OWN', 1)}, '2026-11-20', 'PAYMENTS', 'PAYMENT_LEDGER',
      '${randomUUID()}', 300, 0, '${state}', ${wanted ? `'${wanted}'` : 'null'}, '${reason}',
      '2026-11-21')`,
  )
const asked = async (world: World, ...as: [string, (string | null)?, string?]) => ({
  id: await difference(world, ...as),
  version: 1,
})

export const reconciliation: DomainSamples = {
  rows: (where) => ({
    reconciliation_differences: {
      id: rowId(where, 1),
      org_id: place[where],
      device_id: rowId(where, 1),
      day: '2026-11-20',
      part: 'PAYMENTS',
      kind: 'PAYMENT_LEDGER',
      subject: `差${where}`,
      local_amount: 300,
      other_amount: 0,
      created_at: '2026-11-21',
    },
    reconciliation_runs: {
      id: rowId(where, 1),
      org_id: place[where],
      day: '2026-11-20',
      part: 'PAYMENTS',
      finished_at: '2026-11-21',
    },
    ledger_days: {
      org_id: place[where],
      day: '2026-11-20',
      code: '1001',
      debit: place[where],
      credit: 0,
    },
  }),
  pathIds: { 'finance id': byRow },
  fieldIds: {
    'recon-runs configId': byRow,
    'recon-diffs userId': byRow,
    'recon-diffs ids': byRow,
    'recon-diffs handlerId': byRow,
  },
  samples: {
    'reconciliation.claim': (world) => asked(world, 'OPEN'),
    'reconciliation.claimMany': async (world) => ({ ids: [await difference(world, 'OPEN')] }),
    'reconciliation.ask': async (world) => ({
      id: await fresh(
        world,
        `insert into reconciliation_differences (org_id, day, part, provider, kind, subject,
          local_amount, other_amount, created_at)
        values (${place.OWN}, '2026-11-20', 'BILL', 'SIMULATOR', 'LOCAL_ONLY', '${randomUUID()}',
          300, 0, '2026-11-21')`,
      ),
      version: 1,
    }),
    'reconciliation.resolve': async (world) => ({
      ...(await asked(world, 'OPEN')),
      treatment: 'CHECKED',
      reason: '已查',
    }),
    'reconciliation.assign': async (world) => ({
      ...(await asked(world, 'OPEN')),
      userId: Number(
        (await world.sql<{ id: number }>(`select id from users where username = 'ROLE_FINANCE'`))[0]
          ?.id,
      ),
    }),
    'reconciliation.fetch': async (world) => {
      // nobody asks a merchant that was neither verified nor paid that day
      await fresh(
        world,
        `insert into payments (org_id, out_trade_no, provider, config_id, amount, state, paid_at)
        values (${place.OWN}, '${randomUUID()}', 'ALIPAY', ${rowId('OWN', 1)}, 100, 'CLOSED',
          '2026-11-19T06:00:00Z')`,
      )
      return { configId: rowId('OWN', 1), billDate: '2026-11-19' }
    },
    'reconciliation.ignore': async (world) => ({ ...(await asked(world, 'OPEN')), reason: '已查' }),
    'reconciliation.approve': (world) => asked(world, 'REVIEW', 'RESOLVED', '已查'),
    'reconciliation.reopen': (world) => asked(world, 'RESOLVED', 'RESOLVED', '已查'),
  },
}
