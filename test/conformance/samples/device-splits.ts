import { randomUUID } from 'node:crypto'
import { rowId, type World, worldNow } from '../../support/world.ts'
import { type DomainSamples, missingId, own } from './kit.ts'

/** A published strategy that only keeps what it gets. */
async function published({ sql }: World): Promise<number> {
  const [made] = await sql<{ id: number; version: number }>(
    `with s as (insert into split_strategies (org_id, name, state) values (3, $1, 'PUBLISHED')
        returning id)
      insert into split_strategy_versions (org_id, strategy_id, version_no)
      select 3, id, 1 from s returning strategy_id as id, id as version`,
    [`名${randomUUID().slice(0, 8)}`],
  )
  await sql(
    `insert into split_parties (org_id, version_id, party_no, party_org_id, kind, name, ratio_bp,
      is_collector) values (3, $1, 1, 3, 'OPERATOR', '收款', 10000, true)`,
    [made?.version],
  )
  await sql(
    `update split_strategy_versions set state = 'PUBLISHED', published_at = now(),
      valid_from = '2026-01-01' where id = $1`,
    [made?.version],
  )
  return Number(made?.id)
}

export const deviceSplits: DomainSamples = {
  fieldIds: { strategyId: { own: (where) => rowId(where, 1), none: missingId } },
  samples: {
    'deviceSplits.sample': async (world) => ({ strategyId: await published(world) }),
    'deviceSplits.previewBind': async (world) => ({
      ids: [own],
      strategyId: await published(world),
    }),
    'deviceSplits.bind': async (world) => ({ ids: [own], strategyId: await published(world) }),
    'deviceSplits.previewRelease': async () => ({ ids: [own] }),
    'deviceSplits.release': async () => ({ ids: [own], confirmed: true }),
    'deviceSplits.undo': async (world) => {
      const actId = randomUUID()
      await world.sql(
        `with gone as (update split_bindings set released_at = $3
          where device_id = $2 and released_at is null)
        insert into split_bindings (org_id, device_id, strategy_id, bound_at, bound_by, released_at,
          released_by, released_act)
        select 3, $2, $2, $3, u.id, $3, u.id, $1 from users u where u.username = 'ROLE_FULL'`,
        [actId, own, worldNow],
      )
      return { actId }
    },
  },
}
