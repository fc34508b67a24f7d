import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    fields: {
      wasteNum: '流水号', rtuNumber: '机器编号', deviceId: '设备', cargoRoad: '货道', type: '类型', reason: '原因', productName: '商品名称', productId: '商品', beforeChangeTotal: '变动前', changeTotal: '变动数量', afterChangeTotal: '变动后',
      orderNum: '关联订单', actorName: '操作人', actorKind: '操作来源', occurTime: '发生时间', createTime: '时间', keyword: '商品', from: '开始日期', to: '结束日期', plus: '增加', minus: '减少',
    },
    enums: {
      type: { CUSTOMER_TAKE: '用户取走', MERCHANT_REPLENISH: '商户补货', MERCHANT_WITHDRAW: '商户取回' },
      reason: {
        SALE: '销售', GIFT: '赠送', PICKUP: '取货', REFILL: '补货', COUNT_GAIN: '盘盈', TAKE_BACK: '取回', COUNT_LOSS: '盘亏', WASTE: '报损', EXPIRED: '过期', RECALL: '召回', LANE_RESET: '重建货道', TEST_VEND: '测试出货', CORRECTION: '更正',
      },
      actorKind: { USER: '人员', DEVICE: '设备', SYSTEM: '系统' },
    },
    list: { title: '库存流水', empty: '该时间段没有库存流水', device: '机器编号 / 名称', week: '默认近 7 天' },
  },
  {
    fields: {
      wasteNum: 'Flow no.', rtuNumber: 'Machine no.', deviceId: 'Machine', cargoRoad: 'Lane', type: 'Type', reason: 'Reason', productName: 'Product', productId: 'Product', beforeChangeTotal: 'Before', changeTotal: 'Change', afterChangeTotal: 'After',
      orderNum: 'Order', actorName: 'By', actorKind: 'Source', occurTime: 'Happened', createTime: 'Time', keyword: 'Product', from: 'From', to: 'To', plus: 'In', minus: 'Out',
    },
    enums: {
      type: { CUSTOMER_TAKE: 'Taken by customer', MERCHANT_REPLENISH: 'Replenished', MERCHANT_WITHDRAW: 'Withdrawn' },
      reason: {
        SALE: 'Sale', GIFT: 'Gift', PICKUP: 'Pickup', REFILL: 'Refill', COUNT_GAIN: 'Count gain', TAKE_BACK: 'Taken back', COUNT_LOSS: 'Count loss', WASTE: 'Damaged', EXPIRED: 'Expired', RECALL: 'Recall', LANE_RESET: 'Lanes rebuilt', TEST_VEND: 'Test vend', CORRECTION: 'Correction',
      },
      actorKind: { USER: 'Staff', DEVICE: 'Machine', SYSTEM: 'System' },
    },
    list: { title: 'Stock flow', empty: 'No stock flows in this period', device: 'Machine no. / name', week: 'Last 7 days by default' },
  },
)
