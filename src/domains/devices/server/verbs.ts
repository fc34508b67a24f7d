import type { Handlers } from '../../../server/bind.ts'
import { may } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import type { devices } from '../contract.ts'
import { create, createBatch, previewBatch } from './create.ts'
import { faults, handleFault } from './faults.ts'
import { map } from './fleet.ts'
import { telemetry, timeline } from './history.ts'
import { pauseMany, previewPauses, restore, retire, setLifecycle } from './lifecycle.ts'
import * as q from './queries.ts'
import { ageLimits, detailOf, rowOf } from './shown.ts'
import { previewTags, tagMany, tagsOf } from './tags.ts'
import { update } from './update.ts'

export { pauseDevicesOf } from './lifecycle.ts'

type Contract = typeof devices

const list: Handlers<Contract>['list'] = async (ctx, input) => {
  // sorting by a hidden figure would tell its order
  if (input.sort.endsWith('todayTurnover') && !may(ctx, 'dashboard:money'))
    throw new Refusal(common.forbidden)
  const { rows, total, sums } = await q.listRows(ctx, input)
  const limits = await ageLimits(ctx.app, rows)
  const [sold, tags] = await Promise.all([
    q.soldToday(ctx, input),
    tagsOf(
      ctx,
      rows.map(({ id }) => id),
    ),
  ])
  return {
    list: rows.map((device) => ({ ...rowOf(ctx, device, limits), tags: tags(device.id) })),
    total,
    sums: {
      ...sums,
      todayOrders: sold.orders,
      todayTurnover: may(ctx, 'dashboard:money') ? sold.turnover : null,
    },
  }
}

export const handlers: Handlers<Contract> = {
  list,
  counts: (ctx) => q.counts(ctx),
  map,
  detail: (ctx, input) => detailOf(ctx, input.id),
  create,
  previewBatch,
  createBatch,
  update,
  setLifecycle,
  retire,
  restore,
  previewPauses,
  pauseMany,
  timeline,
  telemetry,
  previewTags,
  tagMany,
  faults,
  handleFault,
}
