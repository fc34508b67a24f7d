import type { Handlers } from '../../../server/bind.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { outcomeOf, resultOf } from '../../../shared/outcome.ts'
import { setWarnLevel } from '../../lanes/server/warnLevels.ts'
import type { stockWarnings } from '../contract.ts'
import * as q from './queries.ts'
import { tell } from './tell.ts'

type Contract = typeof stockWarnings

const thresholds: Handlers<Contract>['thresholds'] = async (ctx, { laneIds, warnQty }) => {
  const entries = await setWarnLevel(ctx, laneIds, warnQty)
  ctx.audit(...entries)
  return { lanes: laneIds.length }
}

const notify: Handlers<Contract>['notify'] = async (ctx, { deviceIds }) => {
  const machines = await q.machines(ctx, deviceIds)
  if (machines.length < deviceIds.length) throw new Refusal(common.notFound)
  const told = await tell(ctx, machines, false)
  ctx.audit(
    ...told
      .filter(({ refusal }) => !refusal)
      .map(({ machine: { id, rtuNumber, orgId } }) => ({ id, name: rtuNumber, orgId })),
  )
  return outcomeOf(told.map(({ machine, refusal }) => resultOf(machine, ctx.lang, refusal)))
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows: list, total } = await q.list(ctx, input)
    return { list, total }
  },
  stats: (ctx) => q.stats(ctx),
  thresholds,
  notify,
}
