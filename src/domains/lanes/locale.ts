import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    title: '货道设置', planTab: '排面图', stockTab: '库存货道', create: '创建货道', rebuild: '重建货道', merge: '合并', split: '拆分', clearFault: '清除故障', more: '更多', version: '货道版本 v{n}', empty: '该设备还没有货道', place: '放入商品', off: '已停用', selectedTitle: '已选 {n} 个货道', nothing: '点选货道后在这里修改',
    nothingHint: 'Shift 连选，Ctrl 加选，方向键移动，Enter 打开', save: '保存 {n} 个货道', differing: '不同值，留空则不修改', cost: '成本价 {price}', versionHint: '保存后生成 v{n}', stockHint: '库存不能在此修改', reserved: '冻结 {n}', hold: '待盘点 {n}', pieces: '件', removeProduct: '移出商品',
    totals: { lanes: '货道', enabled: '启用', soldOut: '售罄', low: '偏低', fault: '故障', stock: '库存' },
    levels: { title: '创建货道', rebuildTitle: '重建货道', name: '层名称', columns: '货道数', capacity: '默认容量', add: '添加一层', remove: '删除本层', level: '第{n}层', limit: '最多 {levels} 层，每层最多 {roads} 个货道' },
    rebuildAsk: '重新创建将删除该机器的全部货道及其商品、价格设置，现有库存 {n} 件将登记为商户取回，且不可恢复。请输入机器编号确认', mergeAsk: '合并货道 {roads}？', mergeHint: '左侧为主货道，其余成为副货道并清空商品', splitAsk: '拆分货道 {road}？', splitHint: '副货道恢复后为停用状态', needNeighbours: '请选择要合并的货道',
    needMain: '请选择一个已合并的货道', needFault: '请选择一个故障货道', roadLabel: '货道 {n}', choose: '请选择',
    filters: { all: '全部', soldOut: '缺货', low: '预警', fault: '故障', empty: '空闲' },
    fields: {
      roadIndex: '货道', productId: '商品', productName: '商品', roadCapacity: '货道容量', productStock: '当前库存', reserved: '冻结', failedHold: '待盘点', sellable: '可售', warnQty: '库存预警值', retailPrice: '零售价', price: '售价', restriction: '限购数量', motorNo: '电机号', status: '状态', view: '状态', enabled: '启用',
      confirmNumber: '机器编号', levels: '层',
    },
    enums: {
      view: { normal: '正常', low: '偏低', soldOut: '售罄', empty: '空闲', disabled: '停用', fault: '故障', locked: '锁定', merged: '副货道' },
      status: { ENABLED: '启用', DISABLED: '停用', FAULT: '故障', LOCKED: '锁定', MERGED: '副货道' },
      faultCode: { NO_DROP: '未检测到掉货', MOTOR_NOT_IN_PLACE: '电机未到位', MOTOR_NOT_MOVE: '电机未转动', MOTOR_NOT_RETURN: '电机未回位', SENSOR_FAULT: '传感器故障', LANE_FAULT: '货道故障', TIMEOUT: '超时', FAULT: '货道故障' },
    },
    short: { level: '第{n}层', low: '偏低', soldOut: '售罄', fault: '故障', locked: '锁定' },
    device: { online: '在线', offline: '离线' },
    audit: { create: '创建货道', update: '设置货道', merge: '合并货道', split: '拆分货道', rebuild: '重建货道', clearFault: '清除货道故障' },
    success: { create: '保存成功', update: '保存成功', merge: '合并成功', split: '拆分成功', rebuild: '保存成功', clearFault: '操作成功' },
  },
  {
    title: 'Lanes', planTab: 'Planogram', stockTab: 'Stock', create: 'Create lanes', rebuild: 'Rebuild lanes', merge: 'Merge', split: 'Split', clearFault: 'Clear fault', more: 'More', version: 'Lane version v{n}', empty: 'This device has no lanes yet', place: 'Add', off: 'Disabled', selectedTitle: 'Selected: {n}', nothing: 'Select lanes to edit them here',
    nothingHint: 'Shift selects a range, Ctrl adds, arrows move, Enter opens', save: 'Save ({n})', differing: 'Differs; leave blank to keep', cost: 'Cost {price}', versionHint: 'saving makes v{n}', stockHint: 'stock is not edited here', reserved: 'held {n}', hold: 'to count {n}', pieces: 'pcs', removeProduct: 'Take product out',
    totals: { lanes: 'Lanes', enabled: 'Enabled', soldOut: 'Sold out', low: 'Low', fault: 'Fault', stock: 'Stock' },
    levels: { title: 'Create lanes', rebuildTitle: 'Rebuild lanes', name: 'Level name', columns: 'Lanes', capacity: 'Default capacity', add: 'Add level', remove: 'Remove this level', level: 'Level {n}', limit: 'At most {levels} levels with {roads} lanes each' },
    rebuildAsk: 'All lanes of this machine with their products and prices will be deleted; {n} pieces in stock are booked as withdrawn. This cannot be undone. Type the machine number to confirm', mergeAsk: 'Merge lanes {roads}?', mergeHint: 'The leftmost stays; the others lose their product', splitAsk: 'Split lane {road}?', splitHint: 'The other lanes come back disabled', needNeighbours: 'Choose the lanes to merge',
    needMain: 'Choose one merged lane', needFault: 'Choose one faulty lane', roadLabel: 'Lane {n}', choose: 'Choose',
    filters: { all: 'All', soldOut: 'Sold out', low: 'Low', fault: 'Fault', empty: 'Free' },
    fields: {
      roadIndex: 'Lane', productId: 'Product', productName: 'Product', roadCapacity: 'Capacity', productStock: 'Stock', reserved: 'Held', failedHold: 'To count', sellable: 'Sellable', warnQty: 'Warning level', retailPrice: 'List price', price: 'Price', restriction: 'Purchase limit', motorNo: 'Motor', status: 'Status', view: 'Status', enabled: 'Enabled',
      confirmNumber: 'Machine number', levels: 'Levels',
    },
    enums: {
      view: { normal: 'Normal', low: 'Low', soldOut: 'Sold out', empty: 'Free', disabled: 'Disabled', fault: 'Fault', locked: 'Locked', merged: 'Merged' },
      status: { ENABLED: 'Enabled', DISABLED: 'Disabled', FAULT: 'Fault', LOCKED: 'Locked', MERGED: 'Merged' },
      faultCode: { NO_DROP: 'No drop seen', MOTOR_NOT_IN_PLACE: 'Motor not in place', MOTOR_NOT_MOVE: 'Motor did not move', MOTOR_NOT_RETURN: 'Motor did not return', SENSOR_FAULT: 'Sensor fault', LANE_FAULT: 'Lane fault', TIMEOUT: 'Time-out', FAULT: 'Lane fault' },
    },
    short: { level: 'L{n}', low: 'Low', soldOut: 'Out', fault: 'Fault', locked: 'Held' },
    device: { online: 'Online', offline: 'Offline' },
    audit: { create: 'Created lanes', update: 'Set lanes', merge: 'Merged lanes', split: 'Split lanes', rebuild: 'Rebuilt lanes', clearFault: 'Cleared lane fault' },
    success: { create: 'Saved', update: 'Saved', merge: 'Merged', split: 'Split', rebuild: 'Saved', clearFault: 'Done' },
  },
)
