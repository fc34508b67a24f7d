import { bi } from '../../shared/text.ts'
import { facts, later } from './facts.ts'
import * as k from './kinds.ts'

export const trade = {
  'order.payTimeoutMachine': k.int(
    facts(
      'trade',
      'org',
      bi('机器订单支付时限', 'Time to pay at a machine'),
      bi('超时未支付的机器订单自动关闭并释放库存', 'Unpaid machine orders close after this and give their stock back'),
    ),
    'minute',
    1,
    10,
    3,
  ),
  'order.payTimeoutOnline': k.int(
    later('trade', 'org', bi('线上订单支付时限', 'Time to pay online'), bi('超时未支付的线上订单自动关闭', 'Unpaid online orders close after this')),
    'minute',
    5,
    60,
    15,
  ),
  'order.maxPieces': k.int(
    facts('trade', 'org', bi('单笔最多件数', 'Most pieces per order'), bi('一笔订单最多购买的件数', 'How many pieces one order may hold')),
    'piece',
    1,
    32,
    32,
  ),
  'order.openPerMachine': k.int(
    facts(
      'trade',
      'org',
      bi('单台设备待支付订单', 'Unpaid orders of a machine'),
      bi('一台设备同时等待支付的订单上限', 'How many orders of one machine may wait for their payment at once'),
    ),
    'time',
    1,
    1000,
    20,
  ),
  'order.openPerAddress': k.int(
    facts(
      'trade',
      'org',
      bi('单个网络地址待支付订单', 'Unpaid orders of an address'),
      bi('同一网络地址在一台设备上同时等待支付的订单上限', 'How many orders from one network address may wait at one machine at once'),
    ),
    'time',
    1,
    1000,
    5,
  ),
  'order.openPerNetwork': k.int(
    facts(
      'trade',
      'platform',
      bi('单个网络地址全部待支付订单', 'Unpaid orders of an address, all machines'),
      bi(
        '同一网络地址在全部设备上同时等待支付的订单上限，该地址已支付的订单会相应增加上限',
        'How many orders from one network address may wait at all machines; what the address has paid for comes on top',
      ),
    ),
    'time',
    1,
    10_000,
    20,
  ),
  'order.openPerConsumer': k.int(
    facts(
      'trade',
      'org',
      bi('单个顾客待支付订单', 'Unpaid orders of a customer'),
      bi('同一顾客同时等待支付的订单上限', 'How many orders of one customer may wait for their payment at once'),
    ),
    'time',
    1,
    100,
    2,
  ),
  'order.holdSeconds': k.int(
    facts(
      'trade',
      'org',
      bi('库存紧张时保留', 'Hold while goods are short'),
      bi('有人要买而货道已被占满时，超过该时间未支付的订单提前关闭', 'When goods are wanted and none is free, orders unpaid for so long close early'),
    ),
    'second',
    30,
    600,
    75,
  ),
  'order.refundDays': k.int(
    facts('trade', 'org', bi('可退款天数', 'Days to refund'), bi('下单超过该天数后不能退款', 'Older orders cannot be refunded')),
    'day',
    1,
    360,
    360,
  ),
  'order.autoRefund': k.bool(
    later(
      'trade',
      'org',
      bi('出货失败自动退款', 'Refund failed vends'),
      bi('未出货的商品自动原路退款', 'Pieces that did not leave are refunded by themselves'),
    ),
    true,
  ),
  'order.requireSplit': k.bool(
    later(
      'trade',
      'org',
      bi('无分账策略禁止收款', 'No payment without a split'),
      bi('未配置分账策略的设备不能收款', 'Machines without a split strategy take no money'),
    ),
    true,
  ),
  'order.pickupHours': k.int(
    later('trade', 'org', bi('取货时限', 'Time to pick up'), bi('线上订单的取货有效期', 'How long an online order waits')),
    'hour',
    1,
    168,
    24,
  ),
  'order.unknownSeconds': k.int(
    later(
      'trade',
      'org',
      bi('结果未知判定', 'Unknown result'),
      bi('在线设备超过该时间无结果即转异常', 'A machine online without an answer for so long is abnormal'),
    ),
    'second',
    60,
    600,
    180,
  ),
  'order.offlineWaitMinutes': k.int(
    later('trade', 'org', bi('离线等待', 'Wait while offline'), bi('设备离线时等待出货结果的时间', 'How long a result of an offline machine is waited for')),
    'minute',
    5,
    120,
    30,
  ),
  'order.drugNotice': k.text(
    later('trade', 'platform', bi('药品提示语', 'Notice on drugs'), bi('退款和补单药品时显示', 'Shown when drugs are refunded or supplemented')),
    100,
    '药品属于特殊商品,非质量问题不予退换',
  ),
}

export const funds = {
  'funds.splitTiming': k.choice(
    later('funds', 'org', bi('默认分账时机', 'When shares are paid'), bi('支付成功到分账之间的时间', 'From payment to its split')),
    { off: k.timings.off, s30: k.timings.s30, m1: k.timings.m1, m30: k.timings.m30, h1: k.timings.h1, next02: bi('次日02:00', 'Next day 02:00') },
    'next02',
  ),
  'funds.minWithdrawal': k.fen(
    later('funds', 'org', bi('最低提现金额', 'Smallest withdrawal'), bi('单次提现的最低金额', 'Of one withdrawal')),
    10,
    100_000,
    1000,
  ),
  'funds.withdrawalsPerDay': k.int(later('funds', 'org', bi('每日提现次数', 'Withdrawals per day'), bi('每个账户每天', 'Of one account')), 'time', 1, 10, 3),
  'funds.refundReserveDays': k.int(
    later('funds', 'org', bi('退款预留天数', 'Refund reserve'), bi('近几天的收入暂不可提现', 'Income of the last days is held back')),
    'day',
    0,
    30,
    0,
  ),
  'funds.minSharePlatform': k.int(
    later('funds', 'org', bi('平台最低分成', 'Least share of the platform'), bi('下级分账策略的下限', 'Floor of split strategies below')),
    'bp',
    0,
    3000,
    0,
  ),
  'funds.minShareAgent': k.int(
    later('funds', 'org', bi('代理商最低分成', 'Least share of the agent'), bi('下级分账策略的下限', 'Floor of split strategies below')),
    'bp',
    0,
    3000,
    0,
  ),
  'funds.reviewWithdrawal': k.fen(
    later('funds', 'platform', bi('提现双人复核金额', 'Two people from: withdrawal'), bi('达到该金额须两人复核', 'From this amount two people approve')),
    0,
    1_000_000_000,
    5_000_000,
  ),
  'funds.reviewAdjustment': k.fen(
    later('funds', 'platform', bi('调账双人复核金额', 'Two people from: adjustment'), bi('达到该金额须两人复核', 'From this amount two people approve')),
    0,
    1_000_000_000,
    0,
  ),
  'funds.reviewDifference': k.fen(
    later('funds', 'platform', bi('差异忽略复核金额', 'Two people from: difference'), bi('达到该金额须两人复核', 'From this amount two people approve')),
    0,
    1_000_000_000,
    10_000,
  ),
  'funds.debtShare': k.int(
    later('funds', 'platform', bi('欠款抵扣上限', 'Most taken for debts'), bi('每笔收入最多抵扣欠款的比例', 'Share of each income that may pay debts')),
    'bp',
    0,
    10_000,
    5000,
  ),
}
