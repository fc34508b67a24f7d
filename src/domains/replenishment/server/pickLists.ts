import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { replenishmentErrors } from '../errors.ts'
import { PickItem, PickList, type pickListEndpoints } from '../pickListContract.ts'

type Contract = typeof pickListEndpoints

const list = shape(PickList, ['pick_lists', 'k'], {
  userName: sql`coalesce(u.real_name, '')`,
  createTime: sql`k.created_at`,
})
const rows = sql`pick_lists k left join users u on u.id = k.user_id`
const item = shape(PickItem, ['pick_list_items', 'i'], {
  productName: sql`coalesce(p.name, '')`,
  model: sql`coalesce(p.model, '')`,
  barcode: sql`coalesce(p.barcode, '')`,
  devices: sql`i.devices`,
})

const seen = (ctx: Ctx) => visible(ctx, 'k.org_id')

/** What fills each lane of these machines that can sell. */
const pick: Handlers<Contract>['pick'] = async (ctx, { deviceIds }) => {
  const devices = await rowsOf<{ id: number; orgId: number; name: string }>(ctx.db)`
    select d.id, d.org_id as "orgId", d.rtu_number as name from devices d
    where d.id = any(${deviceIds}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`
  if (devices.length < deviceIds.length) throw new Refusal(common.notFound)
  const { rows: made } = await sql<{ id: number }>`
    with wanted as (select l.org_id, l.device_id, l.id, l.product_id,
        l.capacity - l.quantity as planned
      from lanes l where l.device_id = any(${deviceIds}::bigint[]) and l.archived_at is null
        and l.status in ('ENABLED','FAULT') and l.product_id is not null
        and l.capacity > l.quantity and ${visible(ctx, 'l.org_id', 'l.device_id')}),
    list as (insert into pick_lists (org_id, user_id, devices, pieces, created_at)
      select ${ctx.actor.orgId}, ${ctx.actor.userId}, count(distinct device_id), sum(planned),
        ${ctx.now}::timestamptz from wanted having count(*) > 0 returning id),
    items as (insert into pick_list_items (org_id, pick_list_id, device_id, lane_id, product_id,
        planned)
      select w.org_id, list.id, w.device_id, w.id, w.product_id, w.planned from wanted w, list)
    select id from list`.execute(ctx.db)
  const id = made[0]?.id
  if (id === undefined) throw new Refusal(replenishmentErrors.noNeed)
  const after = found(await list.one(ctx.db, sql`from ${rows} where k.id = ${id} and ${seen(ctx)}`))
  ctx.audit(
    ...devices.map(({ id: deviceId, orgId, name }) => ({
      id: deviceId,
      name,
      after: { pickListId: id },
      orgId,
    })),
  )
  ctx.touch('replenishment')
  return after
}

export const pickListHandlers: Handlers<Contract> = {
  async pickLists(ctx, input) {
    const { rows: page, total } = await list.page(ctx.db, {
      from: rows,
      countFrom: sql`pick_lists k`,
      where: [seen(ctx)],
      sort: { createTime: sql`k.created_at` },
      filled: ['createTime'],
      last: sql`k.id`,
      input,
    })
    return { list: page, total }
  },
  async pickItems(ctx, input) {
    found(await list.one(ctx.db, sql`from ${rows} where k.id = ${input.id} and ${seen(ctx)}`))
    const { rows: page, total } = await item.page(ctx.db, {
      from: sql`(select i.product_id, count(distinct i.device_id) as devices,
          sum(i.planned) as planned from pick_list_items i
        where i.pick_list_id = ${input.id} and ${visible(ctx, 'i.org_id', 'i.device_id')}
        group by i.product_id) i left join products p on p.id = i.product_id`,
      where: [],
      sort: { planned: sql`i.planned` },
      last: sql`i.product_id`,
      input,
    })
    return { list: page, total }
  },
  pick,
}
