import { byRow, type DomainSamples, fresh, own } from './kit.ts'

export const splitSimulations: DomainSamples = {
  pathIds: { 'split-simulations id': byRow },
  samples: {
    // its machine has sold that day
    'splitSimulations.create': async () => ({
      ...{ strategyId: own, versionNo: 1, comparedNo: null },
      ...{ from: '2026-11-21', to: '2026-11-21' },
    }),
    'splitSimulations.cancel': async (world) => ({
      id: await fresh(
        world,
        `insert into split_simulations (org_id, strategy_id, version_no, input, input_hash,
          content_hash, total, created_at, next_at)
          values (3, ${own}, 1, '{"from":"2026-11-01","to":"2026-11-20","deviceIds":[],"priceBp":0}',
            '', '', 1, now(), now() + interval '1 hour')`,
      ),
    }),
  },
}
