import { createHash } from 'node:crypto'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { partyOf } from '../../ledger/rules.ts'
import type { StrategyVersion } from '../../split-strategies/contract.ts'
import { hashOf } from '../../split-strategies/server/content.ts'
import * as strategies from '../../split-strategies/server/queries.ts'
import { capOf, usual } from '../../splits/rules.ts'
import type {
  SimulationLine,
  SimulationResult,
  SimulationRow,
  splitSimulations,
} from '../contract.ts'
import type { Side } from '../replay.ts'
import { limits, simulationErrors, simulationFrom } from '../rules.ts'
import { simulationsName } from './jobs.ts'
import * as q from './queries.ts'

type Contract = typeof splitSimulations
type Row = Omit<SimulationRow, 'can'>

const shown = (row: Row): SimulationRow => ({
  ...row,
  can: { cancel: simulationFrom('CANCELLED').includes(row.state) },
})
const get = async (ctx: Ctx, id: number) => shown(found(await q.row(ctx, id)))

/** By what a version divides, with what its merchant takes now. */
async function sideOf(ctx: Ctx, orgId: number, version: StrategyVersion): Promise<Side> {
  const [[terms = usual], paid] = await Promise.all([
    strategies.terms(ctx, version.configId),
    strategies.receivers(ctx, orgId, [version.configId]),
  ])
  const keeping = paid.filter(({ gives }) => !gives).map(({ partyId }) => partyId)
  return {
    feeMode: version.feeMode,
    feeBp: terms.feeBp,
    capBp: capOf(version.mode, terms.capBp),
    parties: version.parties.map(({ orgId, referrerId, name, ratioBp, isCollector }) => ({
      ...{ orgId: partyOf({ orgId, referrerId }), name, ratioBp, isCollector },
      // who has no receiver yet is asked when it has one
      keeps: !isCollector && version.mode !== 'LEDGER' && keeping.includes(orgId ?? 0),
    })),
  }
}
/** Without a strategy all of it is the owner's. */
const unsplit = (orgId: number, name: string, feeBp: number): Side => ({
  feeMode: 'AFTER',
  ...{ feeBp, capBp: null },
  parties: [{ orgId, name, ratioBp: 10_000, isCollector: true, keeps: false }],
})

async function rangeOf(ctx: Ctx, input: Input<Contract['create']>, strategy: strategies.Row) {
  const to = input.to ?? shanghaiDay(ctx.now)
  const deviceIds = await q.machinesOf(ctx, strategy, input.deviceIds)
  if (deviceIds.length < input.deviceIds.length)
    throw fieldRefusal(simulationErrors.wrongMachines, 'deviceIds')
  const { feeBp, refundBp, priceBp } = input
  return { from: input.from ?? addDays(to, -29), to, deviceIds, feeBp, refundBp, priceBp }
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  // figures of all machines of the organisation
  if (ctx.actor.scope.devices !== null) throw new Refusal(common.forbidden)
  const strategy = found(await strategies.counting(ctx, input.strategyId))
  const { id, orgId, name, draftNo } = strategy
  const counts = strategy.versionNo === draftNo ? null : strategy.versionNo
  const comparedNo = input.comparedNo === undefined ? counts : input.comparedNo
  const versions = await strategies.versions(ctx, id, [input.versionNo, comparedNo ?? 0])
  const of = (no: number) => versions.find(({ versionNo }) => versionNo === no)
  const [version, compared] = [of(input.versionNo), comparedNo === null ? null : of(comparedNo)]
  if (!version) throw fieldRefusal(simulationErrors.noVersion, 'versionNo')
  if (compared === undefined) throw fieldRefusal(simulationErrors.noVersion, 'comparedNo')
  // who asks at once takes turns
  await strategies.held(ctx, orgId)
  if ((await q.openCount(ctx, orgId)) >= limits.open)
    throw new Refusal(simulationErrors.openLimit, { n: limits.open })
  const asked = await rangeOf(ctx, input, strategy)
  const total = await q.countSold(ctx, orgId, asked)
  if (total > limits.units) throw new Refusal(simulationErrors.tooMany, { most: limits.units })
  if (total === 0 || !(await q.soldAny(ctx, orgId, asked)))
    throw new Refusal(simulationErrors.nothingSold)
  const after = await sideOf(ctx, orgId, version)
  const sides = {
    before: compared
      ? await sideOf(ctx, orgId, compared)
      : unsplit(orgId, strategy.orgName, after.feeBp),
    after,
  }
  const { laneIds, categoryIds, deviceIds } = version
  const kept = { ...asked, sides, scope: { laneIds, categoryIds, deviceIds } }
  const made = await ctx.db
    .insertInto('split_simulations')
    .values({
      ...{ org_id: orgId, strategy_id: id, user_id: ctx.actor.userId },
      ...{ version_no: version.versionNo, compared_no: comparedNo, total },
      input: JSON.stringify(kept),
      input_hash: createHash('sha256').update(JSON.stringify(kept)).digest('hex'),
      content_hash: hashOf(version),
      ...{ created_at: ctx.now, next_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = await get(ctx, made.id)
  ctx.audit({ id: row.id, name, after: row, orgId })
  ctx.touch('split-simulations', orgId)
  ctx.afterCommit(() => ctx.app.jobs.poke(simulationsName))
  return row
}

const cancel: Handlers<Contract>['cancel'] = async (ctx, { id }) => {
  const before = await get(ctx, id)
  const strategy = found(await strategies.row(ctx, before.strategyId))
  const changed = await ctx.db
    .updateTable('split_simulations')
    .set({ state: 'CANCELLED', next_at: null, finished_at: ctx.now })
    .where('id', '=', id)
    .where('state', 'in', simulationFrom('CANCELLED'))
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(simulationErrors.ended)
  const after = await get(ctx, id)
  ctx.audit({ id, name: strategy.name, before, after, orgId: strategy.orgId })
  ctx.touch('split-simulations', strategy.orgId)
  return after
}

/** The result as lines of one kind after the other. */
function linesOf(result: SimulationResult): SimulationLine[] {
  const line = (
    part: SimulationLine['part'],
    ...[name, party, before, after]: [string, string, number, number]
  ): SimulationLine => ({
    ...{ part, name, party, before, after, difference: after - before },
    changeBp: before === 0 ? null : Math.round(((after - before) * 10_000) / Math.abs(before)),
  })
  return [
    ...result.parties.map(({ name, before, after }) => line('PARTY', name, name, before, after)),
    ...result.days.flatMap(({ day, before, after }) =>
      result.parties.map(({ name }, i) => line('DAY', day, name, before[i] ?? 0, after[i] ?? 0)),
    ),
    ...[...result.winners, ...result.losers].map(({ name, before, after }) =>
      line('DEVICE', name, '', before, after),
    ),
    ...result.overCap.list.map(({ orderNum, amount }) => line('OVER_CAP', orderNum, '', 0, amount)),
  ]
}

const result = async (ctx: Ctx, id: number) =>
  (found(await q.resultOf(ctx, id)).result ?? null) as SimulationResult | null

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map(shown), total }
  },
  async get(ctx, { id }) {
    const [row, made] = await Promise.all([get(ctx, id), result(ctx, id)])
    return { ...row, result: made }
  },
  async lines(ctx, { id, part, page, pageSize, sort }) {
    const made = await result(ctx, id)
    const all = (made ? linesOf(made) : []).filter((line) => !part || line.part === part)
    if (sort === '-part') all.reverse()
    return { list: all.slice((page - 1) * pageSize, page * pageSize), total: all.length }
  },
  create,
  cancel,
}
