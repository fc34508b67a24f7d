import type { Handlers } from '../../../server/bind.ts'
import { answerOf } from '../../../server/lists.ts'
import type { replenishment } from '../contract.ts'
import { ops } from './ops.ts'
import { phoneHandlers } from './phone.ts'
import { pickListHandlers } from './pickLists.ts'
import * as q from './queries.ts'
import { routeHandlers } from './route.ts'
import { settleHandlers } from './settle.ts'
import * as visits from './visits.ts'

type Contract = typeof replenishment

export const handlers: Handlers<Contract> = {
  async tasks(ctx, input) {
    const { rows, total } = await q.tasks(ctx, input)
    return { list: rows, total }
  },
  async lanes(ctx, input) {
    const { rows, total } = await q.lanes(ctx, input)
    return { list: rows, total }
  },
  batches: async (ctx, { deviceId }) => ({ list: await q.batches(ctx, deviceId) }),
  async visits(ctx, input) {
    const { rows, ...found } = await q.visits(ctx, input)
    return answerOf(found, rows)
  },
  visit: (ctx, { id }) => visits.whole(ctx, id),
  unsent: async (ctx) => ({ list: await q.unsent(ctx) }),
  start: visits.start,
  saveItems: visits.saveItems,
  saveItem: visits.saveItem,
  ops,
  submit: visits.submit,
  cancel: visits.cancel,
  approve: visits.approve,
  reject: visits.reject,
  postLane: visits.postLane,
  correct: visits.correct,
  ...pickListHandlers,
  ...routeHandlers,
  ...settleHandlers,
  ...phoneHandlers,
}
