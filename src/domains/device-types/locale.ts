import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    title: '设备类型', create: '新增类型', edit: '编辑', editTitle: '编辑类型', remove: '删除', removeAsk: '确定删除该设备类型?', empty: '还没有设备类型', withScreen: '有 {size}', without: '无', levels: '{levels} 层 × {roads}',
    fields: { keyword: '类型名称', img: '图片', name: '类型名称', screen: '屏幕', screenSize: '屏幕尺寸', refrigeration: '制冷', pattern: '出货方式', kind: '机型用途', dropSensor: '掉货检测', maxLevels: '最大层数', maxRoads: '每层最大货道', deviceCount: '设备数', createTime: '创建时间', size: '最大层数 / 每层货道' },
    enums: { pattern: { spring: '弹簧', lift: '升降', belt: '履带', pusher: '推杆', locker: '格子柜' }, kind: { GENERAL: '普通', DRUG: '售药机', FLOWER: '鲜花机', LIFT: '升降机', CABINET: '带屏货柜' } },
    audit: { create: '新增设备类型', update: '编辑设备类型', remove: '删除设备类型' },
    success: { create: '保存成功', update: '编辑成功', remove: '删除成功' },
  },
  {
    title: 'Device types', create: 'New type', edit: 'Edit', editTitle: 'Edit type', remove: 'Delete', removeAsk: 'Delete this device type?', empty: 'No device types yet', withScreen: 'Yes, {size}', without: 'No', levels: '{levels} levels × {roads}',
    fields: { keyword: 'Name', img: 'Picture', name: 'Name', screen: 'Screen', screenSize: 'Screen size', refrigeration: 'Cooling', pattern: 'Dispensing', kind: 'Purpose', dropSensor: 'Drop detection', maxLevels: 'Most levels', maxRoads: 'Most lanes per level', deviceCount: 'Devices', createTime: 'Created', size: 'Levels / lanes' },
    enums: { pattern: { spring: 'Spring', lift: 'Lift', belt: 'Belt', pusher: 'Pusher', locker: 'Locker' }, kind: { GENERAL: 'General', DRUG: 'Drug machine', FLOWER: 'Flower machine', LIFT: 'Lift machine', CABINET: 'Screen cabinet' } },
    audit: { create: 'Added device type', update: 'Edited device type', remove: 'Deleted device type' },
    success: { create: 'Saved', update: 'Changed', remove: 'Deleted' },
  },
)
