import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    title: '订单列表', detailTitle: '订单详情', empty: '该时间段没有订单', search: '订单号 / 机器编号', statistics: '统计', units: '商品明细', unitsHint: '支付、出货、退款逐件记录', timeline: '时间线', timelineHint: '最新在前',
    payment: '支付', refundBlock: '退款', newestFirst: '最新在前', piece: '件 {{n}}', road: '{{road}} 货道', paidShare: '实付 {{amount}}', noRefund: '无退款', dropSeen: '已确认掉货', held: '待盘点 1 件',
    seconds: '+{{s}} 秒', attempt: '第 {{n}} 次，最多 5 次', automatic: '自动', copy: '复制', copied: '已复制', machine: '机器', line: '{{n}} 件', sale: '销售', system: '系统', device: '设备', customer: '顾客',
    refundTitle: '退款', refundHint: '将原路退回 {{amount}}，退款后不可撤销。', refundDrug: '药品属于特殊商品，非质量问题不予退换。', refundAll: '全部可退商品', choosePieces: '选择退款商品', reasonLabel: '退款原因', remarkLabel: '备注',
    step: { paid: '已支付', sent: '已下发', acked: '设备接收', vended: '出货成功', failed: '出货失败', waiting: '待出货', unknown: '结果确认中', void: '已撤销', refund: '退款', refunding: '退款中', refunded: '已退款', refundFailed: '退款失败' },
    fields: {
      orderNum: '订单号', img: '图片', detail: '商品', pieces: '件数', deviceNum: '机器编号', name: '机器名称', totalAmount: '消费金额', actuallyAmount: '实付金额', refundedAmount: '已退金额', costPrice: '成本',
      payType: '支付方式', orderType: '订单类型', orderStatus: '状态', failReason: '原因', userName: '用户', ownedUserName: '所属用户', createTime: '下单时间', orderAmount: '订单金额', orderCount: '订单数', orderIncome: '收入',
      orderCost: '成本', orderRefund: '退款', orderProfit: '利润', discountAmount: '优惠', paidAt: '支付时间', outTradeNo: '商户单号', tradeNo: '支付流水号', fee: '手续费', channel: '渠道', refundNo: '退款单号', amount: '金额', reason: '原因',
      attempts: '次数', date: '下单时间', finalAt: '完成时间', refunding: '退款中',
    },
    enums: {
      orderStatus: { UNPAID: '待支付', CLOSED: '已关闭', PAID: '已支付', SHIPPED: '已出货', ABNORMAL: '出货异常', REFUNDED: '已退款', SUCCESS: '出货成功', ALL: '全部' },
      orderType: { SCAN: '扫码支付', CARD: '刷卡', PICKUP: '取货码', RED_PACKET: '红包立减', FREE: '免单', GIFT: '赠送', REMOTE: '远程出货', SUPPLEMENT: '补单', TEST: '测试' },
      payType: { WECHAT: '微信支付', ALIPAY: '支付宝', CARD: 'IC卡', CASH: '现金', BALANCE: '余额', NONE: '无需支付' },
      channel: { MACHINE: '线下', ONLINE: '线上' },
      provider: { SIMULATOR: '模拟支付', WECHAT: '微信支付', ALIPAY: '支付宝' },
      refundState: { PENDING: '待退款', PROCESSING: '退款中', SUCCESS: '已退款', FAILED: '退款失败', CANCELLED: '已取消' },
      refundReason: { NOT_DISPENSED: '未出货', WRONG_ITEM: '出错商品', QUALITY: '商品质量问题', DUPLICATE: '重复支付', USER_REQUEST: '用户申请', OTHER: '其他', LATE_PAYMENT: '关闭后到账' },
      vendState: { WAIT: '待出货', SENT: '已下发', ACKED: '设备已接收', SUCCESS: '出货成功', FAILED: '出货失败', UNKNOWN: '结果确认中', VOID: '已撤销' },
      failReason: {
        NO_DROP: '未检测到掉货', MOTOR_NOT_IN_PLACE: '电机未到位', MOTOR_NOT_MOVE: '电机未转动', MOTOR_NOT_RETURN: '电机未回位', SENSOR_FAULT: '掉货检测故障', BUSY: '设备忙', DOOR_OPEN: '门未关闭', TIMEOUT: '超时未答复',
        LANE_FAULT: '货道故障', UNKNOWN_LANE: '货道不存在', EXPIRED: '命令已过期', VOIDED: '设备已撤销', OFFLINE: '设备离线',
      },
      event: {
        CREATED: '下单，冻结库存 {{pieces}} 件', PAID: '支付通知 {{amount}}，签名校验通过', CLOSED: '超时未支付，订单关闭', LATE_PAYMENT: '关闭后到账，全额退款', SENT: '出货命令已下发', ACKED: '设备已接收', SUCCESS: '出货成功', FAILED: '出货失败',
        UNKNOWN: '未收到出货结果，查询中', VOID: '命令已撤销', LATE_RESULT: '迟到的出货结果，待盘点', REFUND_PENDING: '发起退款 {{amount}}', REFUNDED: '已退款 {{amount}}', REFUND_RETRY: '退款未成功，稍后重试', REFUND_FAILED: '退款失败，需人工处理',
      },
    },
    audit: { refund: '退款' },
    success: { refund: '退款已提交' },
  },
  {
    title: 'Orders', detailTitle: 'Order', empty: 'No orders in this period', search: 'Order or machine no.', statistics: 'Figures', units: 'Pieces', unitsHint: 'Payment, vend and refund of each piece', timeline: 'Timeline', timelineHint: 'Newest first',
    payment: 'Payment', refundBlock: 'Refunds', newestFirst: 'Newest first', piece: 'Piece {{n}}', road: 'Lane {{road}}', paidShare: 'Paid {{amount}}', noRefund: 'No refund', dropSeen: 'Drop confirmed', held: '1 piece to count',
    seconds: '+{{s}} s', attempt: 'Try {{n}} of 5', automatic: 'automatic', copy: 'Copy', copied: 'Copied', machine: 'Machine', line: '{{n}} pcs', sale: 'Sale', system: 'System', device: 'Machine', customer: 'Customer',
    refundTitle: 'Refund', refundHint: '{{amount}} goes back the way it came. This cannot be undone.', refundDrug: 'Drugs are special goods and not returnable except for quality.', refundAll: 'All refundable pieces', choosePieces: 'Pieces to refund', reasonLabel: 'Reason', remarkLabel: 'Remark',
    step: { paid: 'Paid', sent: 'Sent', acked: 'Received', vended: 'Vended', failed: 'Failed', waiting: 'Waiting', unknown: 'Checking', void: 'Voided', refund: 'Refund', refunding: 'Refunding', refunded: 'Refunded', refundFailed: 'Refund failed' },
    fields: {
      orderNum: 'Order no.', img: 'Picture', detail: 'Products', pieces: 'Pieces', deviceNum: 'Machine no.', name: 'Machine', totalAmount: 'Amount', actuallyAmount: 'Paid', refundedAmount: 'Refunded', costPrice: 'Cost',
      payType: 'Pay type', orderType: 'Order type', orderStatus: 'Status', failReason: 'Reason', userName: 'Customer', ownedUserName: 'Owner', createTime: 'Ordered', orderAmount: 'Amount', orderCount: 'Orders', orderIncome: 'Income',
      orderCost: 'Cost', orderRefund: 'Refunds', orderProfit: 'Profit', discountAmount: 'Discount', paidAt: 'Paid at', outTradeNo: 'Merchant no.', tradeNo: 'Trade no.', fee: 'Fee', channel: 'Channel', refundNo: 'Refund no.', amount: 'Amount', reason: 'Reason',
      attempts: 'Tries', date: 'Ordered', finalAt: 'Finished', refunding: 'Refunding',
    },
    enums: {
      orderStatus: { UNPAID: 'Unpaid', CLOSED: 'Closed', PAID: 'Paid', SHIPPED: 'Dispensed', ABNORMAL: 'Vend problem', REFUNDED: 'Refunded', SUCCESS: 'Vended', ALL: 'All' },
      orderType: { SCAN: 'Scan', CARD: 'Card', PICKUP: 'Pick-up code', RED_PACKET: 'Red packet', FREE: 'Free', GIFT: 'Gift', REMOTE: 'Remote vend', SUPPLEMENT: 'Supplement', TEST: 'Test' },
      payType: { WECHAT: 'WeChat Pay', ALIPAY: 'Alipay', CARD: 'IC card', CASH: 'Cash', BALANCE: 'Balance', NONE: 'None' },
      channel: { MACHINE: 'In person', ONLINE: 'Online' },
      provider: { SIMULATOR: 'Simulated', WECHAT: 'WeChat Pay', ALIPAY: 'Alipay' },
      refundState: { PENDING: 'Pending', PROCESSING: 'Refunding', SUCCESS: 'Refunded', FAILED: 'Refund failed', CANCELLED: 'Cancelled' },
      refundReason: { NOT_DISPENSED: 'Not dispensed', WRONG_ITEM: 'Wrong item', QUALITY: 'Quality problem', DUPLICATE: 'Paid twice', USER_REQUEST: 'Customer asked', OTHER: 'Other', LATE_PAYMENT: 'Paid after closing' },
      vendState: { WAIT: 'Waiting', SENT: 'Sent', ACKED: 'Received', SUCCESS: 'Vended', FAILED: 'Failed', UNKNOWN: 'Checking', VOID: 'Voided' },
      failReason: {
        NO_DROP: 'No drop seen', MOTOR_NOT_IN_PLACE: 'Motor not in place', MOTOR_NOT_MOVE: 'Motor did not move', MOTOR_NOT_RETURN: 'Motor did not return', SENSOR_FAULT: 'Drop sensor fault', BUSY: 'Machine busy', DOOR_OPEN: 'Door open', TIMEOUT: 'No answer',
        LANE_FAULT: 'Lane fault', UNKNOWN_LANE: 'Unknown lane', EXPIRED: 'Command expired', VOIDED: 'Voided by machine', OFFLINE: 'Machine offline',
      },
      event: {
        CREATED: 'Ordered, {{pieces}} pieces reserved', PAID: 'Payment notice {{amount}}, signature verified', CLOSED: 'Not paid in time, closed', LATE_PAYMENT: 'Paid after closing, refunded in full', SENT: 'Vend command sent', ACKED: 'Machine received it', SUCCESS: 'Vended', FAILED: 'Vend failed',
        UNKNOWN: 'No result yet, asking', VOID: 'Command voided', LATE_RESULT: 'Late result, count needed', REFUND_PENDING: 'Refund of {{amount}} started', REFUNDED: '{{amount}} refunded', REFUND_RETRY: 'Refund not taken, trying again', REFUND_FAILED: 'Refund failed, a person must look',
      },
    },
    audit: { refund: 'Refunded' },
    success: { refund: 'Refund started' },
  },
)
