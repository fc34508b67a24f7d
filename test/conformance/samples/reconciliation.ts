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
/** A merchant of OWN, whose keys nobody opens here. */
async function merchant(world: World): Promise<number> {
  const [known] = await world.sql<{ id: number }>(
    `select id from payment_configs where mch_id = 'SAMPLE' and org_id = ${place.OWN}`,
  )
  return (
    known?.id ??
    fresh(
      world,
      `insert into payment_configs (org_id, provider, merchant_name, mch_id, app_id, cert_serial,
        secrets, state) values (${place.OWN}, 'WECHAT', '样', 'SAMPLE', 'SAMPLE', 'AB', '\\x00',
        'DISABLED')`,
    )
  )
}
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
  samples: {
    'reconciliation.claim': (world) => asked(world, 'OPEN'),
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
    'reconciliation.fetch': async (world) => ({
      configId: await merchant(world),
      billDate: '2026-11-19',
    }),
    'reconciliation.ignore': async (world) => ({ ...(await asked(world, 'OPEN')), reason: '已查' }),
    'reconciliation.approve': (world) => asked(world, 'REVIEW', 'RESOLVED', '已查'),
    'reconciliation.reopen': (world) => asked(world, 'RESOLVED', 'RESOLVED', '已查'),
  },
}
