import { defineErrors, type ErrorDef } from '../../shared/errors.ts'

export const deviceSplitErrors = defineErrors('deviceSplits', {
  notPublished: [422440, '请选择已发布的策略', 'Choose a published strategy'],
  otherOrganisation: [422441, '策略不属于该设备的机构', 'The strategy is of another organisation'],
  bound: [422442, '已绑定该策略', 'It has this strategy already'],
  unbound: [422443, '未绑定策略', 'It has no strategy'],
  changedSince: [422445, '之后又有变更，无法撤销', 'It was changed since and cannot be taken back'],
  undoTooLate: [422446, '已超过撤销时限', 'It is too late to take it back'],
  tradePaused: [422444, '设备暂停交易', 'This machine takes no money at present'],
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

/** How long a deed may be taken back by whoever did it. */
export const undoMs = 10 * 60_000

/** What a deed upon a machine replaced by what, and what is there now. */
export type Deed = {
  readonly orgId: number
  readonly now: number | null
  readonly made: number | null
  readonly was: { readonly orgId: number; readonly state: string } | null
}
/** Why a deed stays: somebody changed it since, or what it replaced is not there to go back to. */
export function undoRefusal({ orgId, now, made, was }: Deed): ErrorDef | null {
  if (now !== made || (was !== null && was.orgId !== orgId)) return deviceSplitErrors.changedSince
  return was !== null && was.state !== 'PUBLISHED' ? deviceSplitErrors.notPublished : null
}
