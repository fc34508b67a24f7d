import type { Handlers } from '../../../server/bind.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { knowsCost } from '../../products/server/cost.ts'
import { cachedSettings } from '../../settings/server/values.ts'
import type { expiry } from '../contract.ts'
import * as q from './queries.ts'
import { askToFetch } from './tell.ts'

type Contract = typeof expiry

const list: Handlers<Contract>['list'] = async (ctx, input) => {
  const { rows, total } = await q.list(ctx, input)
  return {
    list: rows.map(({ productOrg, costAmount, ...row }) => ({
      ...row,
      costAmount: knowsCost(ctx, productOrg) ? costAmount : null,
    })),
    total,
  }
}

const notify: Handlers<Contract>['notify'] = async (ctx, { laneIds }) => {
  const machines = await q.machinesOf(ctx, laneIds)
  if (machines.flatMap((machine) => machine.laneIds).length < laneIds.length)
    throw new Refusal(common.notFound)
  const { lanes, ...rest } = await askToFetch(ctx, laneIds)
  ctx.audit(
    ...machines.map(({ id, orgId, rtuNumber, laneIds: own }) => ({
      id,
      name: rtuNumber,
      orgId,
      after: { told: own.filter((lane) => lanes.includes(lane)) },
    })),
  )
  return { told: lanes.length, ...rest }
}

const rules: Handlers<Contract>['rules'] = async (ctx) => {
  const { orgId } = ctx.actor
  const set = await cachedSettings(ctx.app, orgId, [
    'stock.nearExpiryDaysDrug',
    'stock.nearExpiryDaysOther',
  ])
  return {
    list: await q.rules(ctx, orgId),
    drugDays: set['stock.nearExpiryDaysDrug'],
    otherDays: set['stock.nearExpiryDaysOther'],
  }
}

const saveRule: Handlers<Contract>['saveRule'] = async (ctx, { days, ...chosen }) => {
  const { orgId } = ctx.actor
  const [[of, id] = []] = Object.entries(chosen) as ['productId' | 'categoryId', number][]
  if (!of || !id || !(await q.usable(ctx, of, id))) throw new Refusal(common.notFound)
  const { before } = await q.saveDays(ctx, orgId, of, id, days)
  ctx.audit({ id: `${of}:${id}`, before: { days: before }, after: { ...chosen, days } })
  ctx.touch('expiry')
  return { ok: true }
}

export const handlers: Handlers<Contract> = {
  list,
  stats: (ctx) => q.stats(ctx),
  notify,
  rules,
  saveRule,
}
