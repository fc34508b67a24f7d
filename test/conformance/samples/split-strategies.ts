import { randomUUID } from 'node:crypto'
import { place, rowId, type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, missingId, own, versionOf } from './kit.ts'

const name = () => `名${randomUUID().slice(0, 8)}`
const parties = [{ orgId: place.OWN, ratioBp: 10_000, isCollector: true }]
const party = (org: number, version_id: number) => ({
  ...{ org_id: org, version_id, party_no: 1, party_org_id: org, kind: 'OPERATOR' as const },
  ...{ name: '收款', ratio_bp: 10_000, is_collector: true },
})
/** One more strategy with a draft. */
async function draft({ sql }: World, state = 'DRAFT'): Promise<number> {
  const [made] = await sql<{ id: number; version: number }>(
    `with s as (insert into split_strategies (org_id, name, state) values (3, $1, $2) returning id)
      insert into split_strategy_versions (org_id, strategy_id, version_no)
      select 3, id, 1 from s returning strategy_id as id, id as version`,
    [name(), state],
  )
  await sql(
    `insert into split_parties (org_id, version_id, party_no, party_org_id, kind, name, ratio_bp,
      is_collector) values (3, $1, 1, 3, 'OPERATOR', '收款', 10000, true)`,
    [made?.version],
  )
  return Number(made?.id)
}

const sums = { orders: 1, units: 1, paid: 300, refunded: 0, fee: 2 }

export const splitStrategies: DomainSamples = {
  rows: (where) => ({
    // what counts is its draft, for a row is written alone and parties come before the publishing
    split_strategies: {
      ...{ id: rowId(where, 1), org_id: place[where], name: `名${where}` },
      state: 'PUBLISHED',
    },
    split_strategy_versions: {
      ...{ id: rowId(where, 1), org_id: place[where], strategy_id: rowId(where, 1) },
      version_no: 1,
    },
    split_parties: { ...party(place[where], rowId(where, 1)), name: `名${where}` },
    split_simulations: {
      ...{ id: rowId(where, 1), org_id: place[where], strategy_id: rowId(where, 1) },
      ...{ version_no: 1, input_hash: '', content_hash: '', total: 1, done: 1, state: 'DONE' },
      input: JSON.stringify({
        ...{ from: '2026-11-01', to: '2026-11-20', deviceIds: [], priceBp: 0 },
      }),
      result: JSON.stringify({
        ...{ before: sums, after: sums, days: [], winners: [], losers: [] },
        ...{ overCap: { count: 0, list: [] }, kept: 0, roundings: [] },
        parties: [
          {
            orgId: place[where],
            name: `名${where}`,
            before: 298,
            after: 298,
            carry: 0,
            negative: null,
          },
        ],
      }),
      created_at: worldNow,
    },
    split_bindings: {
      ...{ org_id: place[where], device_id: rowId(where, 1), strategy_id: rowId(where, 1) },
      bound_at: '2026-11-01',
    },
  }),
  pathIds: { 'split-strategies id': byRow },
  fieldIds: {
    configId: { own: () => missingId, none: missingId },
    referrerId: byRow,
    laneIds: { own: (where) => rowId(where, 4), none: missingId },
    'split-strategies categoryIds': { own: (where) => rowId(where, 1), none: missingId },
  },
  samples: {
    'splitStrategies.create': async () => ({ name: name(), parties }),
    'splitStrategies.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'split_strategies', own),
      name: name(),
      parties,
    }),
    'splitStrategies.preview': async () => ({ orgId: place.OWN, parties }),
    'splitStrategies.publish': async (world) => ({ id: await draft(world), version: 1 }),
    'splitStrategies.retire': async (world) => {
      await draft(world, 'PUBLISHED')
      return { id: await draft(world, 'PUBLISHED'), version: 1 }
    },
    'splitStrategies.copy': async () => ({ id: own }),
    'splitStrategies.remove': async (world) => ({ id: await draft(world), version: 1 }),
  },
}
