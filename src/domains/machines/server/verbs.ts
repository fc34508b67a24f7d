import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { visible } from '../../../server/context.ts'
import { all, matches } from '../../../server/lists.ts'
import { shape } from '../../../server/shapes.ts'
import { MachineOption, type machines } from '../contract.ts'

const option = shape(MachineOption, ['devices', 'd'], {
  status: sql`case when s.online then 'online' else 'offline' end`,
})

export const handlers: Handlers<typeof machines> = {
  async options(ctx, { ids, keyword, typeOf }) {
    const where = all([
      visible(ctx, 'd.org_id', 'd.id'),
      ids?.length ? sql`d.id = any(${ids}::bigint[])` : matches('devices', 'd.id', keyword),
      typeOf &&
        sql`d.type_id = (select other.type_id from devices other
          where other.id = ${typeOf} and ${visible(ctx, 'other.org_id', 'other.id')})`,
    ])
    const list = await option.all(
      ctx.db,
      sql`from devices d join device_states s on s.device_id = d.id where ${where}
        order by d.rtu_number limit ${ids?.length ? 200 : 50}`,
    )
    return { list }
  },
}
