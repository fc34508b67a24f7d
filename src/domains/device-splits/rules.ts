import { defineErrors, type ErrorDef } from '../../shared/errors.ts'

export const deviceSplitErrors = defineErrors('deviceSplits', {
  notPublished: [422191, '请选择已发布的策略', 'Choose a published strategy'],
  otherOrganisation: [422192, '策略不属于该设备的机构', 'The strategy is of another organisation'],
  bound: [422193, '已绑定该策略', 'It has this strategy already'],
  unbound: [422194, '未绑定策略', 'It has no strategy'],
})

export type Machine = { readonly orgId: number; readonly strategyId: number | null }
export type Strategy = { readonly id: number; readonly orgId: number }
/** Why a machine does not get the strategy; null: it does. */
export const bindRefusal = (machine: Machine, strategy: Strategy): ErrorDef | null =>
  machine.orgId !== strategy.orgId
    ? deviceSplitErrors.otherOrganisation
    : machine.strategyId === strategy.id
      ? deviceSplitErrors.bound
      : null
/** Why nothing is released. */
export const releaseRefusal = ({ strategyId }: Machine): ErrorDef | null =>
  strategyId === null ? deviceSplitErrors.unbound : null

/** What one sees of a split before it is chosen: of ten yuan. */
export const sampleAmount = 1000
