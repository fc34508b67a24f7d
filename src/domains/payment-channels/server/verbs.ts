import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Output } from '../../../shared/contract.ts'
import type { paymentChannels } from '../contract.ts'

type Option = Output<(typeof paymentChannels)['options']>['list'][number]

export const handlers: Handlers<typeof paymentChannels> = {
  options: async (ctx, { orgId, state, id = null }) => ({
    list: await rowsOf<Option>(ctx.db)`select c.id, c.merchant_name as "merchantName", c.provider,
        o.name as "operatorName", c.state, c.fee_bp as "feeBp", c.split_cap_bp as "splitCapBp"
      from payment_configs c join organisations o on o.id = c.org_id
      where ${visible(ctx, 'c.org_id')} and c.removed_at is null
        and (c.id = ${id}::bigint or (${orgId ? sql`c.org_id = ${orgId}` : sql`true`}
          and ${state ? sql`c.state = ${state}` : sql`true`}))
      order by (c.id = ${id}::bigint) is true desc, c.merchant_name, c.id limit 200`,
  }),
}
