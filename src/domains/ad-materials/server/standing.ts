import { sql } from 'kysely'
import { visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { adMaterials } from '../contract.ts'

export const standings: readonly Standing[] = [
  {
    key: 'adMaterialsPending',
    title: bi('待审核广告素材', 'Ad materials to review'),
    tone: 'paid',
    list: adMaterials.list,
    filter: () => ({ state: 'PENDING' }),
    page: '/market/market-manage',
    act: ['ad-material:review'],
    money: null,
    per: 'ONCE',
    measure: (ctx) =>
      standing(
        ctx.db,
        sql`select null::bigint, m.created_at from ad_materials m
          where ${visible(ctx, 'm.org_id')} and m.state = 'PENDING'`,
      ),
  },
]
