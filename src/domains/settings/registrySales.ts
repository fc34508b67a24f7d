import { bi } from '../../shared/text.ts'
import * as k from './kinds.ts'

export const trade = k.settings('trade', 'org', {
  'order.payTimeoutMachine': {
    ...k.int('minute', 1, 10, 3),
    name: bi('机器订单支付时限', 'Time to pay at a machine'),
    help: bi(
      '超时未支付的机器订单自动关闭并释放库存',
      'Unpaid machine orders close after this and give their stock back',
    ),
  },
  'order.payTimeoutOnline': {
    ...k.int('minute', 5, 60, 15),
    name: bi('线上订单支付时限', 'Time to pay online'),
    help: bi('超时未支付的线上订单自动关闭', 'Unpaid online orders close after this'),
    pending: true,
  },
  'order.maxPieces': {
    ...k.int('piece', 1, 32, 32),
    name: bi('单笔最多件数', 'Most pieces per order'),
    help: bi('一笔订单最多购买的件数', 'How many pieces one order may hold'),
  },
  'order.openPerMachine': {
    ...k.int('time', 1, 1000, 20),
    name: bi('单台设备待支付订单', 'Unpaid orders of a machine'),
    help: bi(
      '一台设备同时等待支付的订单上限',
      'How many orders of one machine may wait for their payment at once',
    ),
  },
  'order.openPerAddress': {
    ...k.int('time', 1, 1000, 5),
    name: bi('单个网络地址待支付订单', 'Unpaid orders of an address'),
    help: bi(
      '同一网络地址在一台设备上同时等待支付的订单上限',
      'How many orders from one network address may wait at one machine at once',
    ),
  },
  'order.openPerNetwork': {
    ...k.int('time', 1, 10_000, 20),
    name: bi('单个网络地址全部待支付订单', 'Unpaid orders of an address, all machines'),
    help: bi(
      '同一网络地址在全部设备上同时等待支付的订单上限，该地址已支付的订单会相应增加上限',
      'How many orders from one network address may wait at all machines; what the address has paid for comes on top',
    ),
    level: 'platform',
  },
  'order.openPerConsumer': {
    ...k.int('time', 1, 100, 2),
    name: bi('单个顾客待支付订单', 'Unpaid orders of a customer'),
    help: bi(
      '同一顾客同时等待支付的订单上限',
      'How many orders of one customer may wait for their payment at once',
    ),
  },
  'order.holdSeconds': {
    ...k.int('second', 30, 600, 75),
    name: bi('库存紧张时保留', 'Hold while goods are short'),
    help: bi(
      '有人要买而货道已被占满时，超过该时间未支付的订单提前关闭',
      'When goods are wanted and none is free, orders unpaid for so long close early',
    ),
  },
  'order.refundDays': {
    ...k.int('day', 1, 360, 360),
    name: bi('可退款天数', 'Days to refund'),
    help: bi('下单超过该天数后不能退款', 'Older orders cannot be refunded'),
  },
  'order.autoRefund': {
    ...k.bool(true),
    name: bi('出货失败自动退款', 'Refund failed vends'),
    help: bi('未出货的商品自动原路退款', 'Pieces that did not leave are refunded by themselves'),
    pending: true,
  },
  'order.requireSplit': {
    ...k.bool(true),
    name: bi('无分账策略禁止收款', 'No payment without a split'),
    help: bi(
      '收款商户没有分账策略时，未绑定策略的设备扫码也不能收款',
      'Where the merchant has no split strategy, machines without one take no money at all',
    ),
  },
  'order.pickupHours': {
    ...k.int('hour', 1, 168, 24),
    name: bi('取货时限', 'Time to pick up'),
    help: bi('线上订单的取货有效期', 'How long an online order waits'),
    pending: true,
  },
  'order.unknownSeconds': {
    ...k.int('second', 60, 600, 180),
    name: bi('结果未知判定', 'Unknown result'),
    help: bi(
      '在线设备超过该时间无结果即转异常',
      'A machine online without an answer for so long is abnormal',
    ),
    pending: true,
  },
  'order.offlineWaitMinutes': {
    ...k.int('minute', 5, 120, 30),
    name: bi('离线等待', 'Wait while offline'),
    help: bi(
      '设备离线时等待出货结果的时间',
      'How long a result of an offline machine is waited for',
    ),
    pending: true,
  },
  'drug.specialPacks': {
    ...k.int('piece', 1, 2, 2),
    name: bi('特殊药品限购', 'Packs of special drugs'),
    help: bi(
      '同一身份证每天最多购买的含特殊药品复方制剂件数，在全部设备上合计',
      'Compounds with special drugs that one identity card may buy in a day, at all machines together',
    ),
  },
  'order.drugNotice': {
    ...k.text(100, '药品属于特殊商品，非质量问题不予退换'),
    name: bi('药品提示语', 'Notice on drugs'),
    help: bi('退款和补单药品时显示', 'Shown when drugs are refunded or supplemented'),
    level: 'platform',
    pending: true,
  },
})

export const funds = k.settings('funds', 'org', {
  'funds.splitTiming': {
    ...k.choice(
      {
        off: k.timings.off,
        s30: k.timings.s30,
        m1: k.timings.m1,
        m30: k.timings.m30,
        h1: k.timings.h1,
        next02: bi('次日02:00', 'Next day 02:00'),
      },
      'next02',
    ),
    name: bi('默认分账时机', 'When shares are paid'),
    help: bi('支付成功到分账之间的时间', 'From payment to its split'),
    pending: true,
  },
  'funds.serverAddresses': {
    ...k.optional(
      200,
      /^[0-9a-fA-F.:/,， ]*$/,
      bi('请输入以逗号分隔的IP', 'Addresses with commas between them'),
    ),
    name: bi('服务器出口IP', 'Addresses of the server'),
    help: bi(
      '支付通道后台须登记的IP，以逗号分隔',
      'From where channels are asked, with commas between them',
    ),
    level: 'platform',
  },
  'funds.minWithdrawal': {
    ...k.fen(10, 100_000, 1000),
    name: bi('最低提现金额', 'Smallest withdrawal'),
    help: bi('单次提现的最低金额', 'Of one withdrawal'),
    // what it keeps small is the work of whoever pays
    level: 'platform',
  },
  'funds.withdrawalsPerDay': {
    ...k.int('time', 1, 10, 3),
    name: bi('每日提现次数', 'Withdrawals per day'),
    help: bi('每个账户每天', 'Of one account'),
    level: 'platform',
  },
  'funds.refundReserveDays': {
    ...k.int('day', 0, 30, 0),
    name: bi('退款预留天数', 'Refund reserve'),
    help: bi('近几天的收入暂不可提现', 'Income of the last days is held back'),
    // it holds back what an organisation asks the platform for
    level: 'platform',
  },
  'funds.minSharePlatform': {
    ...k.int('bp', 0, 3000, 0),
    name: bi('平台最低分成', 'Least share of the platform'),
    help: bi('下级分账策略的下限', 'Floor of split strategies below'),
  },
  'funds.minShareAgent': {
    ...k.int('bp', 0, 3000, 0),
    name: bi('代理商最低分成', 'Least share of the agent'),
    help: bi('下级分账策略的下限', 'Floor of split strategies below'),
  },
  'funds.reviewWithdrawal': {
    ...k.fen(0, 1_000_000_000, 5_000_000),
    name: bi('提现双人复核金额', 'Two people above: withdrawal'),
    help: bi('超过该金额须两人复核', 'Above this amount two people approve'),
    level: 'platform',
  },
  'funds.reviewAdjustment': {
    ...k.fen(0, 1_000_000_000, 0),
    name: bi('调账双人复核金额', 'Two people above: adjustment'),
    help: bi('超过该金额须两人复核', 'Above this amount two people approve'),
    level: 'platform',
    pending: true,
  },
  'funds.reviewDifference': {
    ...k.fen(0, 1_000_000_000, 10_000),
    name: bi('差异忽略复核金额', 'Two people above: difference'),
    help: bi('超过该金额须两人复核', 'Above this amount two people approve'),
    level: 'platform',
  },
  'funds.debtShare': {
    ...k.int('bp', 0, 10_000, 5000),
    name: bi('欠款抵扣上限', 'Most taken for debts'),
    help: bi('每笔收入最多抵扣欠款的比例', 'Share of each income that may pay debts'),
    level: 'platform',
  },
})
