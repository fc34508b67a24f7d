import { defineErrors } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'

export const laneErrors = defineErrors('lanes', {
  oneProduct: [400001, '只能添加一个商品', 'A lane holds one product only'],
  notEmpty: [
    422001,
    '请先清空该货道库存再更换商品',
    'Empty the lane before you change its product',
  ],
  capacityBelowStock: [
    400001,
    '货道容量不能小于当前库存',
    'The capacity must not be below the present stock',
  ],
  warnOverCapacity: [
    400001,
    '库存预警值不能大于货道容量',
    'The warning level must not exceed the capacity',
  ],
  retailBelowCost: [422001, '零售价不能低于成本价', 'The list price must not be below the cost'],
  priceMissing: [400001, '价格不能为空或为零', 'A price above zero is required'],
  priceBelowCost: [422001, '售价不能低于成本价', 'The price must not be below the cost'],
  priceOverRetail: [422001, '售价不能高于零售价', 'The price must not exceed the list price'],
  productOff: [422001, '该商品已下架', 'This product is off the shelf'],
  secondary: [422001, '副货道不能单独设置', 'A merged lane cannot be set on its own'],
  fixedStatus: [
    422001,
    '故障或锁定的货道不能启用或停用',
    'A faulty or locked lane cannot be switched',
  ],
  locked: [422001, '货道已锁定，不能更换商品', 'The lane is locked; its product cannot change'],
  motorTaken: [422001, '电机号重复', 'Two lanes share a motor'],
  noneToMerge: [400001, '请选择货道', 'Choose the lanes to merge'],
  notNeighbours: [422001, '只能合并同层相邻的货道', 'Only neighbours on one level can be merged'],
  alreadyMerged: [422001, '该货道已合并', 'This lane is merged already'],
  secondaryStock: [422001, '副货道库存必须为0', 'The other lanes must be empty'],
  secondaryHolds: [422001, '副货道存在未完成出货', 'The other lanes have unfinished vends'],
  notWorking: [422001, '故障或锁定的货道不能合并', 'A faulty or locked lane cannot be merged'],
  notMerged: [422001, '该货道未合并', 'This lane is not merged'],
  hasLanes: [409004, '该设备已有货道', 'The device has lanes already'],
  noLanes: [422001, '该设备还没有货道', 'The device has no lanes yet'],
  tooManyLevels: [400001, '最多{n}层货道', 'At most {n} levels'],
  tooManyRoads: [400001, '每层最多{n}个货道', 'At most {n} lanes per level'],
  wrongNumber: [400001, '请输入机器编号确认', 'Type the machine number to confirm'],
  busyLanes: [
    422001,
    '货道 {lanes} 有未完成出货或待盘点库存，不能重建',
    'Lanes {lanes} have unfinished vends or stock to count',
  ],
  noFault: [409001, '该货道没有故障', 'This lane has no fault'],
  copyRunning: [
    422001,
    '正在向该机器复制货道，请稍后再试',
    'Lanes are being copied to this machine; try again later',
  ],
  notLocked: [409001, '该货道未锁定，或不是人工锁定', 'The lane is not locked, or not by hand'],
  notLockable: [422001, '货道 {lanes} 不能锁定', 'Lanes {lanes} cannot be locked'],
  noTarget: [400001, '请至少选择一台设备', 'Choose at least one device'],
  rightLost: [422001, '操作权限已被收回', 'The right was taken back'],
  nothingToWrite: [422001, '没有可以写入的货道', 'There is no lane to write'],
  undoTooLate: [
    409001,
    '已超过10分钟或已撤销，不能撤销',
    'The ten minutes are over, or it was taken back already',
  ],
  noPriceChange: [422001, '没有可以改价的货道', 'No price would change'],
  wrongTime: [400001, '生效时间须在未来一年内', 'The time must lie within the coming year'],
  tooManySchedules: [
    422001,
    '每台机器最多{n}项待执行的定时改价',
    'A machine has at most {n} scheduled price changes',
  ],
  scheduleEnded: [409001, '该改价已执行或已取消', 'This price change has run or was cancelled'],
  closed: [
    422001,
    '设备已外售或报废，不能修改',
    'The device was sold or scrapped and cannot be changed',
  ],
})

/**
 * Why a lane is left out when settings arrive from elsewhere; rules that a person could break by
 * hand speak with their own text.
 */
export const skips = {
  noLane: bi('货道不存在', 'No such lane'),
  notInVersion: bi('该版本没有此货道', 'This version has no such lane'),
  holds: bi('有冻结库存', 'Stock is held'),
  otherStock: bi('目标货道仍有其他商品库存', 'The lane still holds other goods'),
  otherProduct: bi('商品不同', 'Another product'),
  otherWidth: bi('合并方式不同', 'Merged differently'),
  secondary: bi('副货道', 'Part of a merged lane'),
  notUsable: bi('该机器不能使用此商品', 'This machine may not use the product'),
  noProduct: bi('未放商品', 'No product'),
  closed: bi('设备已外售或报废', 'Sold or scrapped'),
  noLanes: bi('该设备还没有货道', 'The device has no lanes yet'),
  tooSmall: bi('机型放不下这些货道', 'The machine type is too small for these lanes'),
  changed: bi('此后已被修改', 'Changed since'),
  gone: bi('设备已不在管理范围内', 'The machine is no longer within reach'),
  filled: bi('货道已补货', 'Lanes were filled since'),
} as const
