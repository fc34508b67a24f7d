import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'
import { feeOf, isReferrer, partyOf } from '../ledger/rules.ts'
import { ownsMachines } from '../machines/rules.ts'
import { divide, type FeeMode, type Party, withoutDivision } from '../splits/rules.ts'

export const strategyErrors = defineErrors('splitStrategies', {
  nameTaken: [409004, '策略名称已存在', 'This organisation has a strategy of this name'],
  ownerKind: [422001, '该机构不能拥有分账策略', 'This organisation cannot own split strategies'],
  overWechat: [
    422180,
    '超过微信分账上限{n}%',
    'Others get more than WeChat Pay lets them have: {n} %',
  ],
  overAlipay: [
    422450,
    '超过支付宝分账上限{n}%',
    'Others get more than Alipay lets them have: {n} %',
  ],
  noReceiver: [422181, '接收方未登记', 'A party has no registered receiver'],
  belowLeast: [
    422182,
    '低于上级规定的最低分成{n}%',
    'Below the least share of an organisation above: {n} %',
  ],
  wrongParty: [422183, '该机构不能作为分账方', 'This organisation cannot be a party'],
  referrerEnded: [
    422458,
    '推荐人“{name}”已停用或已过有效期',
    'Referrer “{name}” is disabled, or his time is over',
  ],
  ledgerOnly: [
    422459,
    '推荐人未登记分账接收方，仅支持账本分账',
    'A referrer has no registered receiver: only the ledger can settle his share',
  ],
  wrongCollector: [
    422184,
    '收款方须为收款商户所属机构',
    'The collector is the organisation of the merchant',
  ],
  noMerchant: [422185, '请选择收款商户', 'Choose the merchant'],
  noteNeeded: [422186, '请填写变更说明', 'Say what changes'],
  validPast: [422187, '生效时间不能早于当前时间', 'It cannot begin in the past'],
  noDraft: [422188, '没有可发布的草稿', 'There is no draft to publish'],
  notSimulated: [422306, '请先完成模拟再发布', 'Simulate exactly this first, then publish'],
  inUse: [
    422189,
    '策略正在被 {n} 台设备使用，请先更换或释放',
    '{n} machines use this strategy: change or release them first',
  ],
  used: [409003, '策略已被使用，不能删除', 'A strategy that was used cannot be deleted'],
  wrongScope: [422452, '适用范围不属于该机构', 'What it is for is not of this organisation'],
  overlaps: [
    422453,
    '与策略“{name}”的适用范围重叠',
    'Strategy “{name}” is for some of the same already',
  ],
  lastOne: [422451, '至少保留一个策略', 'At least one strategy stays'],
})

/** Whoever may own machines. */
export const ownerRule = (kind: string): ErrorDef | null =>
  ownsMachines(kind) ? null : strategyErrors.ownerKind

/** Who may have a share: above the owner anybody, elsewhere who pays or rents. */
export const mayShare = (kind: string, above: boolean): boolean =>
  above || kind === 'SPONSOR' || kind === 'LANE_TENANT'

type Line = {
  readonly orgId?: number | null | undefined
  readonly referrerId?: number | null | undefined
  readonly ratioBp?: number | null
  readonly isCollector: boolean
}
/** What is wrong with the parties as a whole; all of it at once. */
export function partyFindings(
  parties: readonly Line[],
): { path: (string | number)[]; text: string }[] {
  const found: { path: (string | number)[]; text: string }[] = []
  const seen = new Set<number>()
  for (const [i, line] of parties.entries()) {
    const party = partyOf(line)
    if (party && seen.has(party))
      found.push({
        path: ['parties', i, 'orgId'],
        text: bi('分账方不能重复', 'Each party only once'),
      })
    seen.add(party)
  }
  const whole = parties.reduce((sum, { ratioBp }) => sum + (ratioBp ?? 0), 0)
  if (parties.filter(({ isCollector }) => isCollector).length !== 1)
    found.push({ path: ['parties'], text: bi('请指定收款方', 'Say who collects') })
  else if (parties.some((line) => line.isCollector && isReferrer(partyOf(line))))
    found.push({
      path: ['parties'],
      text: bi('推荐人不能是收款方', 'A referrer does not collect'),
    })
  else if (whole !== 10_000)
    found.push({ path: ['parties'], text: bi('比例合计必须为100%', 'The shares add up to 100 %') })
  return found
}

/** How many seconds or minutes a delay may be. */
export const delays = { SECONDS: [60, 3599], MINUTES: [1, 1440] } as const
type Timed = { readonly timing: string; readonly timingNumber: number | null }
export function timingFinding({ timing, timingNumber }: Timed): string | null {
  const bounds = timing === 'SECONDS' || timing === 'MINUTES' ? delays[timing] : null
  if (!bounds) return null
  const [least, most] = bounds
  if (timingNumber !== null && timingNumber >= least && timingNumber <= most) return null
  return timing === 'SECONDS' && (timingNumber ?? 0) < least
    ? bi('分账延迟不得少于60秒', 'A delay is at least 60 seconds')
    : bi(`请输入${least}到${most}之间的整数`, `A whole number from ${least} to ${most}`)
}

export type Scope = {
  readonly laneIds: readonly number[]
  readonly categoryIds: readonly number[]
  /** Of the categories; empty: all machines. */
  readonly deviceIds: readonly number[]
}
const meet = (a: readonly number[], b: readonly number[]) => a.some((id) => b.includes(id))
/** Whether two strategies of an organisation are both for the same lane, or the same goods. */
export const overlap = (a: Scope, b: Scope): boolean =>
  meet(a.laneIds, b.laneIds) ||
  (meet(a.categoryIds, b.categoryIds) &&
    (a.deviceIds.length === 0 || b.deviceIds.length === 0 || meet(a.deviceIds, b.deviceIds)))
export const isScoped = ({ laneIds, categoryIds }: Scope): boolean =>
  laneIds.length > 0 || categoryIds.length > 0

export const othersOf = (parties: readonly Party[]): number =>
  parties.reduce((sum, { ratioBp, isCollector }) => (isCollector ? sum : sum + ratioBp), 0)

type Sample = {
  readonly amount: number
  readonly feeBp: number
  /** Null: no channel is asked. */
  readonly capBp: number | null
  readonly feeMode: FeeMode
  readonly parties: readonly Party[]
}
/** What the parties get of three sales in a row, and after the second went back. */
export function previewOf({ amount, feeBp, ...terms }: Sample) {
  const fee = feeOf(amount, feeBp)
  const none = terms.parties.map(() => 0)
  const sell = (carries: readonly number[]) => divide({ paid: amount, fee }, terms, carries)
  const first = sell(none)
  const second = sell(first.carries)
  const third = sell(second.carries)
  const line = ({ gives, carries }: { gives: readonly number[]; carries: readonly number[] }) => ({
    gives: [...gives],
    carries: [...carries],
  })
  const refund = {
    gives: second.gives.map((give) => 0 - give),
    carries: withoutDivision(second, third.carries),
  }
  return {
    fee,
    base: first.base,
    sales: [first, second, third].map(line),
    refund: line(refund),
    next: line(sell(refund.carries)),
  }
}
/** The parties and fee mode of a form that is whole enough to be computed. */
export const canPreview = (parties: readonly Line[]): boolean =>
  parties.length > 0 &&
  !partyFindings(parties.map(({ orgId: _, referrerId: __, ...line }) => line)).length
