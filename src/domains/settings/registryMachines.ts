import { bi } from '../../shared/text.ts'
import * as k from './kinds.ts'
import { shortestWait, tileAddress, usualAge } from './usual.ts'

export const device = k.settings('device', 'org', {
  'device.offlineSeconds': {
    ...k.int('second', shortestWait, 3600, 180),
    name: bi('离线判定', 'Offline after'),
    help: bi('超过该时间没有消息的设备视为离线', 'Machines not heard for so long count as offline'),
  },
  'device.offlineAlertMinutes': {
    ...k.int('minute', 0, 120, 10),
    name: bi('离线告警延迟', 'Offline alarm after'),
    help: bi(
      '离线多久后发出告警，至少 2 分钟',
      'How long offline before an alarm, 2 minutes at least',
    ),
  },
  'device.tempExcursionMinutes': {
    ...k.int('minute', 5, 60, 10),
    name: bi('超温告警', 'Temperature alarm'),
    help: bi('超出温度范围多久后告警', 'Outside the range for so long'),
  },
  'device.tempLockMinutes': {
    ...k.int('minute', 10, 240, 30),
    name: bi('超温停售', 'Temperature lock'),
    help: bi('超出温度范围多久后停止销售', 'Outside the range for so long selling stops'),
  },
  'device.businessHours': {
    ...k.window('06:00', '23:00'),
    name: bi('营业时间', 'Business hours'),
    help: bi(
      '此时间之外不发出离线告警，设备可单独设置',
      'No offline alarm is raised outside of them; a machine may have its own',
    ),
  },
  'device.freshHours': {
    ...k.int('hour', 1, 72, usualAge.fresh),
    name: bi('数据新鲜', 'Fresh data'),
    help: bi(
      '设备最后一条消息在该时间内视为新鲜',
      'The last word of a machine counts as fresh for so long',
    ),
  },
  'device.staleHours': {
    ...k.int('hour', 1, 168, usualAge.stale),
    name: bi('数据过期', 'Stale data'),
    help: bi(
      '超过该时间没有消息视为过期，两者之间为较旧',
      'Nothing heard for longer counts as stale; between the two as aging',
    ),
  },
})

/** What lies below our own outlines on a map; without an address maps draw outlines alone. */
export const map = k.settings('device', 'platform', {
  'map.tileUrl': {
    ...k.optional(
      300,
      tileAddress,
      bi(
        '须为含 {z}、{x}、{y} 的 http(s) 地址',
        'Must be an http(s) address with {z}, {x} and {y}',
      ),
    ),
    name: bi('地图瓦片地址', 'Map tiles'),
    help: bi(
      '含 {z}、{x}、{y} 的 http(s) 地址，留空则只显示行政区划',
      'An http(s) address with {z}, {x} and {y}; empty shows the outlines of regions only',
    ),
  },
  'map.tileAttribution': {
    ...k.optional(100, /^[^<>]*$/, bi('不能包含尖括号', 'No angle brackets')),
    name: bi('地图来源说明', 'Map attribution'),
    help: bi(
      '显示在地图右下角，如审图号',
      'Shown in the corner of the map, such as its approval number',
    ),
  },
  'map.tileSystem': {
    ...k.choice(
      { GCJ02: bi('GCJ-02（火星坐标）', 'GCJ-02'), WGS84: bi('WGS-84', 'WGS-84') },
      'GCJ02',
    ),
    name: bi('瓦片坐标系', 'Coordinates of the tiles'),
    help: bi(
      '系统坐标均为 GCJ-02，国外瓦片多为 WGS-84',
      'Ours are GCJ-02; tiles made abroad are mostly WGS-84',
    ),
  },
})

export const stock = k.settings('stock', 'org', {
  'stock.defaultWarnPercent': {
    ...k.int('percent', 0, 100, 20),
    name: bi('默认预警值', 'Default warning level'),
    help: bi(
      '商品未设置预警值时按货道容量的百分比预警',
      'Share of a lane, for products without a level of their own',
    ),
  },
  'stock.nearExpiryDaysDrug': {
    ...k.int('day', 1, 730, 180),
    name: bi('药品临期提醒', 'Near expiry: drugs'),
    help: bi('距到期多少天开始提醒', 'Days before expiry'),
  },
  'stock.nearExpiryDaysOther': {
    ...k.int('day', 1, 730, 30),
    name: bi('食品临期提醒', 'Near expiry: food'),
    help: bi('距到期多少天开始提醒', 'Days before expiry'),
  },
  'stock.expiryTellReplenishers': {
    ...k.bool(true),
    name: bi('临期提醒补货员', 'Near expiry: tell replenishers'),
    help: bi('每天 8:00 向补货员发送临期和过期提醒', 'At eight each day, of their machines'),
  },
  'stock.expiryTellOperators': {
    ...k.bool(true),
    name: bi('临期提醒运营商', 'Near expiry: tell operators'),
    help: bi(
      '每天 8:00 向管理临期商品的人员发送提醒',
      'At eight each day, whoever sees to such goods',
    ),
  },
  'stock.stopSaleDaysBeforeExpiry': {
    ...k.int('day', 0, 90, 1),
    name: bi('到期前停售', 'Stop selling before expiry'),
    help: bi('距到期多少天停止销售，药品为1至30天', 'Days before expiry; for drugs 1 to 30'),
  },
  'stock.diffAlertPieces': {
    ...k.int('piece', 1, 999, 10),
    name: bi('盘点差异告警件数', 'Count difference: pieces'),
    help: bi('盘点差异达到该件数时告警', 'A count that differs by so many raises an alarm'),
  },
  'stock.diffAlertPercent': {
    ...k.int('percent', 1, 100, 5),
    name: bi('盘点差异告警比例', 'Count difference: share'),
    help: bi('盘点差异达到该比例时告警', 'A count that differs by so much raises an alarm'),
  },
  'stock.warnMessageHours': {
    ...k.int('hour', 1, 48, 4),
    name: bi('预警消息间隔', 'Between stock messages'),
    help: bi('同一设备两次预警消息的最短间隔', 'Least time between two messages about a machine'),
  },
})

export const rest = {
  ...k.settings('alarm', 'org', {
    'alarm.repeat': {
      ...k.timing('m30'),
      name: bi('告警频率', 'Alarm repeat'),
      help: bi(
        '无人确认的告警按此间隔再次提醒，静默时段内不提醒；物联卡到期每天最多一次',
        'How often an alarm nobody took on reminds; never in quiet hours, SIM expiry once a day',
      ),
    },
    'alarm.channels': {
      ...k.channels(),
      name: bi('告警渠道', 'Alarm channels'),
      help: bi('告警通知的发送方式', 'How alarms are sent'),
      pending: true,
    },
    'alarm.privateAddresses': {
      ...k.bool(false),
      name: bi('允许内网地址', 'Allow inner addresses'),
      help: bi(
        'Webhook 和邮件服务器可使用内部网络地址',
        'Webhooks and mail servers may stand in the inner network',
      ),
      level: 'platform',
    },
  }),
  ...k.settings('complaint', 'org', {
    'complaint.firstResponseHours': {
      ...k.int('hour', 1, 72, 4),
      name: bi('首次响应时限', 'First response'),
      help: bi('投诉提交后首次回复的时限', 'From a complaint to its first answer'),
    },
    'complaint.resolveHours': {
      ...k.int('hour', 1, 720, 48),
      name: bi('解决时限', 'Resolution'),
      help: bi('投诉提交后解决的时限', 'From a complaint to its end'),
    },
  }),
  ...k.settings('upgrade', 'org', {
    'upgrade.quietWindow': {
      ...k.window('02:00', '05:00'),
      name: bi('静默时段', 'Quiet hours'),
      help: bi('设备只在该时段安装升级', 'Machines install updates then'),
      pending: true,
    },
    'upgrade.jitterMinutes': {
      ...k.int('minute', 0, 240, 60),
      name: bi('随机延迟', 'Random delay'),
      help: bi('避免设备同时下载', 'So that machines do not load at once'),
      pending: true,
    },
    'upgrade.successPercent': {
      ...k.int('percent', 50, 100, 95),
      name: bi('成功率阈值', 'Success needed'),
      help: bi('达到后进入下一批', 'Then the next stage begins'),
      pending: true,
    },
    'upgrade.failPercent': {
      ...k.int('percent', 1, 100, 10),
      name: bi('失败熔断比例', 'Stop at failures: share'),
      help: bi('达到后停止升级', 'Then the roll-out stops'),
      pending: true,
    },
    'upgrade.failCount': {
      ...k.int('piece', 1, 1000, 3),
      name: bi('失败熔断台数', 'Stop at failures: machines'),
      help: bi('达到后停止升级', 'Then the roll-out stops'),
      pending: true,
    },
  }),
  ...k.settings('log', 'platform', {
    'log.retentionDays': {
      ...k.int('day', 184, 3650, 1095),
      name: bi('操作日志保留', 'Keep the operation log'),
      help: bi('超过后归档', 'Then it is archived'),
    },
    'log.debugDays': {
      ...k.int('day', 1, 90, 30),
      name: bi('DEBUG 记录保留', 'Keep debug entries'),
      help: bi('超过后删除', 'Then they are deleted'),
    },
  }),
}
