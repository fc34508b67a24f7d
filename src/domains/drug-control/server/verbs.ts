import type { Handlers } from '../../../server/bind.ts'
import { found } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import type { drugControl } from '../contract.ts'
import { decideExcursion, decideLock } from './decide.ts'
import { dutyHandlers } from './duties.ts'
import { askMode, decideMode, mode } from './modes.ts'
import * as q from './queries.ts'

type Contract = typeof drugControl

export const handlers: Handlers<Contract> = {
  async locks(ctx, input) {
    const { rows, total } = await q.locks(ctx, input)
    return { list: rows, total }
  },
  decideLock,
  async excursions(ctx, input) {
    const { rows, ...found } = await q.excursionPage(ctx, input)
    return answerOf(found, rows)
  },
  excursion: async (ctx, { id }) => found(await q.excursion(ctx, id)),
  decideExcursion,
  async refusals(ctx, input) {
    const { rows, ...found } = await q.refusalPage(ctx, input)
    return answerOf(found, rows)
  },
  mode,
  askMode,
  decideMode,
  ...dutyHandlers,
}
