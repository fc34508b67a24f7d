import type { Handlers } from '../../../server/bind.ts'
import { iso } from '../../../server/context.ts'
import type { FlowRow, stock } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof stock

const flows: Handlers<Contract>['flows'] = async (ctx, input) => {
  const { rows, total } = await q.flowPage(ctx, input)
  const sums = await q.flowSums(ctx, input)
  const list = rows.map(
    (row): FlowRow => ({
      id: row.id,
      wasteNum: row.waste_num,
      deviceId: row.device_id,
      rtuNumber: row.rtu_number,
      cargoRoad: row.cargo_road,
      type: row.type as FlowRow['type'],
      reason: row.reason as FlowRow['reason'],
      productId: row.product_id,
      productName: row.product_name,
      beforeChangeTotal: row.before_total,
      changeTotal: row.change_total,
      afterChangeTotal: row.after_total,
      orderNum: row.order_num,
      actorKind: row.actor_kind as FlowRow['actorKind'],
      actorName: row.actor_name,
      occurTime: iso(row.occurred_at),
      createTime: iso(row.created_at),
    }),
  )
  return { list, total, sums }
}

export const handlers: Handlers<Contract> = { flows }
