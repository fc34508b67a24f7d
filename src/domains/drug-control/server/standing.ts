import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { stoppingLocks } from '../../drug-guard/rules.ts'
import { drugControl } from '../contract.ts'
import { excursions, state, watchedDrugs } from './queries.ts'

const same = { act: ['lane:lock'], per: 'ONCE' } as const

/** What lies in stopped lanes, at its price there. */
const locks = (ctx: Ctx) =>
  standing(
    ctx.db,
    sql`select l.quantity * coalesce(l.price, l.retail_price), l.locked_at from lanes l
      join devices d on d.id = l.device_id left join products p on p.id = l.product_id
      where ${visible(ctx, 'l.org_id', 'l.device_id')} and l.status = 'LOCKED'
        and l.archived_at is null and l.lock_reason = any(${[...stoppingLocks]}::text[])
        ${ctx.actor.scope.watched ? sql`and p.drug_class <> 'NONE'` : sql``}`,
  )
const excursion = (ctx: Ctx, of: 'OPEN' | 'UNDECIDED') =>
  standing(
    ctx.db,
    sql`select null::bigint, e.from_at from ${excursions}
      where ${visible(ctx, 'e.org_id', 'e.device_id')} and ${watchedDrugs(ctx) || sql`true`}
        and ${
          of === 'OPEN'
            ? sql`e.to_at is null`
            : sql`e.locked_at is not null and e.decision is distinct from 'RELEASED'`
        } and ${state} = ${of}`,
  )

export const standings: readonly Standing[] = [
  {
    ...same,
    key: 'stoppedLanes',
    title: bi('质量锁定货道', 'Lanes stopped for their goods'),
    tone: 'fault',
    list: drugControl.locks,
    filter: () => ({}),
    page: '/stock/drug-control',
    money: 'dashboard:money',
    measure: locks,
  },
  ...(['OPEN', 'UNDECIDED'] as const).map((of) => ({
    ...same,
    key: `excursions${of}`,
    title:
      of === 'OPEN'
        ? bi('温度偏离进行中', 'Temperature excursions going on')
        : bi('温度偏离待处置', 'Temperature excursions to decide'),
    tone: of === 'OPEN' ? ('fault' as const) : ('warn' as const),
    list: drugControl.excursions,
    filter: () => ({ state: of }),
    page: '/stock/drug-control/temperature',
    money: null,
    measure: (ctx: Ctx) => excursion(ctx, of),
  })),
]
