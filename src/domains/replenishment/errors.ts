import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { type GuardKey, guardErrors } from '../drug-guard/rules.ts'
import { stockErrors } from '../stock/errors.ts'

export const replenishmentErrors = defineErrors('replenishment', {
  overCapacity: [422400, '超过货道容量', 'Over the capacity of the lane'],
  productChanged: [
    422401,
    '货道商品已变更，请重新核对',
    'The lane holds another product now: check again',
  ],
  vending: [422402, '货道出货中，请稍后盘点', 'The lane is vending: count it a little later'],
  countedSince: [
    422133,
    '该货道已被他人盘点，请重新盘点',
    'Somebody else has counted this lane since: count it again',
  ],
  laneGone: [422403, '货道已重建', 'The lane was re-created'],
  belowHeld: [
    422404,
    '盘点数少于未完成订单的件数',
    'Fewer were counted than open orders hold: finish those first',
  ],
  withdrawnTooMany: [422405, '取回数量超过可取数量', 'More than can be taken back'],
  reasonMissing: [422406, '请选择取回原因', 'Choose why they are taken back'],
  nothing: [422407, '请至少填写一个货道', 'Fill in at least one lane'],
  closed: [422128, '补货单已提交，不能修改', 'The visit was submitted and cannot be changed'],
  notSubmitted: [422129, '只能处理已提交的补货单', 'Only a submitted visit can be decided'],
  noNeed: [422130, '所选设备无需补货', 'The chosen machines need nothing'],
  emptyLane: [422131, '货道没有商品', 'The lane has no product'],
  otherDay: [
    422136,
    '只能调整今天或明天的路线',
    'Only the route of today or tomorrow can be changed',
  ],
  noLonger: [422137, '您已不再负责该设备', 'You do not serve this machine any more'],
  settled: [422138, '该冲突已处理', 'It is settled already'],
  noChoice: [422139, '不能这样处理该冲突', 'It cannot be settled like this'],
  cannotBook: [
    422140,
    '按此方式入账后库存无效，请重新盘点该货道',
    'The lane would hold what it cannot: count it again',
  ],
  tooManyPhotos: [422141, '每次补货最多 5 张照片', 'At most 5 photos of a visit'],
  vendNear: [
    422142,
    '盘点前后有出货，请确认',
    'A piece was sold around the count: say which holds',
  ],
  outOfOrder: [422132, '还有操作未上传', 'Some operations have not arrived yet'],
})
/** Why a lane of a visit was not posted. */
const problems = {
  ...replenishmentErrors,
  ...guardErrors,
  ...stockErrors,
} as const
const laneErrors = [
  'overCapacity',
  'productChanged',
  'vending',
  'countedSince',
  'laneGone',
  'belowHeld',
  'withdrawnTooMany',
  'emptyLane',
  'overReceived',
  'codeUnusable',
  ...(Object.keys(guardErrors) as GuardKey[]),
] as const
export type LaneError = (typeof laneErrors)[number]
/** It is kept by its name. */
export const laneError = (name: string): ErrorDef => problems[name as LaneError]
export const laneRefusals: readonly ErrorDef[] = laneErrors.map(laneError)
