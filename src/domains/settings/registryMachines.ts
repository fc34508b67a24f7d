import { bi } from '../../shared/text.ts'
import { usualAge } from '../devices/rules.ts'
import { tileAddress } from '../geo/rules.ts'
import { facts, later } from './facts.ts'
import * as k from './kinds.ts'

export const device = {
  'device.offlineSeconds': k.int(
    facts('device', 'org', bi('离线判定', 'Offline after'), bi('超过该时间没有消息的设备视为离线', 'Machines not heard for so long count as offline')),
    'second',
    60,
    3600,
    180,
  ),
  'device.offlineAlertMinutes': k.int(
    facts(
      'device',
      'org',
      bi('离线告警延迟', 'Offline alarm after'),
      bi('离线多久后发出告警，至少 2 分钟', 'How long offline before an alarm, 2 minutes at least'),
    ),
    'minute',
    0,
    120,
    10,
  ),
  'device.tempExcursionMinutes': k.int(
    facts('device', 'org', bi('超温告警', 'Temperature alarm'), bi('超出温度范围多久后告警', 'Outside the range for so long')),
    'minute',
    5,
    60,
    10,
  ),
  'device.tempLockMinutes': k.int(
    facts('device', 'org', bi('超温停售', 'Temperature lock'), bi('超出温度范围多久后停止销售', 'Outside the range for so long selling stops')),
    'minute',
    10,
    240,
    30,
  ),
  'device.businessHours': k.window(
    facts(
      'device',
      'org',
      bi('营业时间', 'Business hours'),
      bi('此时间之外不发出离线告警，设备可单独设置', 'No offline alarm is raised outside of them; a machine may have its own'),
    ),
    '06:00',
    '23:00',
  ),
  'device.freshHours': k.int(
    facts('device', 'org', bi('数据新鲜', 'Fresh data'), bi('设备最后一条消息在该时间内视为新鲜', 'The last word of a machine counts as fresh for so long')),
    'hour',
    1,
    72,
    usualAge.fresh,
  ),
  'device.staleHours': k.int(
    facts(
      'device',
      'org',
      bi('数据过期', 'Stale data'),
      bi('超过该时间没有消息视为过期，两者之间为较旧', 'Nothing heard for longer counts as stale; between the two as aging'),
    ),
    'hour',
    1,
    168,
    usualAge.stale,
  ),
}

/** What lies below our own outlines on a map; without an address maps draw outlines alone. */
export const map = {
  'map.tileUrl': k.optional(
    facts(
      'device',
      'platform',
      bi('地图瓦片地址', 'Map tiles'),
      bi('含 {z}、{x}、{y} 的 http(s) 地址，留空则只显示行政区划', 'An http(s) address with {z}, {x} and {y}; empty shows the outlines of regions only'),
    ),
    300,
    tileAddress,
    bi('须为含 {z}、{x}、{y} 的 http(s) 地址', 'Must be an http(s) address with {z}, {x} and {y}'),
  ),
  'map.tileAttribution': k.optional(
    facts(
      'device',
      'platform',
      bi('地图来源说明', 'Map attribution'),
      bi('显示在地图右下角，如审图号', 'Shown in the corner of the map, such as its approval number'),
    ),
    100,
    /^[^<>]*$/,
    bi('不能包含尖括号', 'No angle brackets'),
  ),
  'map.tileSystem': k.choice(
    facts(
      'device',
      'platform',
      bi('瓦片坐标系', 'Coordinates of the tiles'),
      bi('系统坐标均为 GCJ-02，国外瓦片多为 WGS-84', 'Ours are GCJ-02; tiles made abroad are mostly WGS-84'),
    ),
    { GCJ02: bi('GCJ-02（火星坐标）', 'GCJ-02'), WGS84: bi('WGS-84', 'WGS-84') },
    'GCJ02',
  ),
}

export const stock = {
  'stock.defaultWarnPercent': k.int(
    facts(
      'stock',
      'org',
      bi('默认预警值', 'Default warning level'),
      bi('商品未设置预警值时按货道容量的百分比预警', 'Share of a lane, for products without a level of their own'),
    ),
    'percent',
    0,
    100,
    20,
  ),
  'stock.nearExpiryDaysDrug': k.int(
    later('stock', 'org', bi('药品临期提醒', 'Near expiry: drugs'), bi('距到期多少天开始提醒', 'Days before expiry')),
    'day',
    1,
    730,
    180,
  ),
  'stock.nearExpiryDaysOther': k.int(
    later('stock', 'org', bi('食品临期提醒', 'Near expiry: food'), bi('距到期多少天开始提醒', 'Days before expiry')),
    'day',
    1,
    730,
    30,
  ),
  'stock.stopSaleDaysBeforeExpiry': k.int(
    later('stock', 'org', bi('到期前停售', 'Stop selling before expiry'), bi('距到期多少天停止销售', 'Days before expiry')),
    'day',
    0,
    90,
    1,
  ),
  'stock.diffAlertPieces': k.int(
    later(
      'stock',
      'org',
      bi('盘点差异告警件数', 'Count difference: pieces'),
      bi('盘点差异达到该件数时告警', 'A count that differs by so many raises an alarm'),
    ),
    'piece',
    1,
    999,
    10,
  ),
  'stock.diffAlertPercent': k.int(
    later('stock', 'org', bi('盘点差异告警比例', 'Count difference: share'), bi('盘点差异达到该比例时告警', 'A count that differs by so much raises an alarm')),
    'percent',
    1,
    100,
    5,
  ),
  'stock.warnMessageHours': k.int(
    later('stock', 'org', bi('预警消息间隔', 'Between stock messages'), bi('同一货道两次预警消息的最短间隔', 'Least time between two messages on a lane')),
    'hour',
    1,
    48,
    4,
  ),
}

export const rest = {
  'alarm.repeat': k.timing(
    facts(
      'alarm',
      'org',
      bi('告警频率', 'Alarm repeat'),
      bi('无人确认的告警按此间隔再次提醒，静默时段内不提醒', 'How often an alarm that nobody has taken on reminds; never in quiet hours'),
    ),
    'm30',
  ),
  'alarm.channels': k.channels(later('alarm', 'org', bi('告警渠道', 'Alarm channels'), bi('告警通知的发送方式', 'How alarms are sent'))),
  'alarm.privateAddresses': k.bool(
    facts(
      'alarm',
      'platform',
      bi('允许内网地址', 'Allow inner addresses'),
      bi('Webhook 和邮件服务器可使用内部网络地址', 'Webhooks and mail servers may stand in the inner network'),
    ),
    false,
  ),
  'complaint.firstResponseHours': k.int(
    facts('complaint', 'org', bi('首次响应时限', 'First response'), bi('投诉提交后首次回复的时限', 'From a complaint to its first answer')),
    'hour',
    1,
    72,
    4,
  ),
  'complaint.resolveHours': k.int(
    facts('complaint', 'org', bi('解决时限', 'Resolution'), bi('投诉提交后解决的时限', 'From a complaint to its end')),
    'hour',
    1,
    720,
    48,
  ),
  'upgrade.quietWindow': k.window(
    later('upgrade', 'org', bi('静默时段', 'Quiet hours'), bi('设备只在该时段安装升级', 'Machines install updates then')),
    '02:00',
    '05:00',
  ),
  'upgrade.jitterMinutes': k.int(
    later('upgrade', 'org', bi('随机延迟', 'Random delay'), bi('避免设备同时下载', 'So that machines do not load at once')),
    'minute',
    0,
    240,
    60,
  ),
  'upgrade.successPercent': k.int(
    later('upgrade', 'org', bi('成功率阈值', 'Success needed'), bi('达到后进入下一批', 'Then the next stage begins')),
    'percent',
    50,
    100,
    95,
  ),
  'upgrade.failPercent': k.int(
    later('upgrade', 'org', bi('失败熔断比例', 'Stop at failures: share'), bi('达到后停止升级', 'Then the roll-out stops')),
    'percent',
    1,
    100,
    10,
  ),
  'upgrade.failCount': k.int(
    later('upgrade', 'org', bi('失败熔断台数', 'Stop at failures: machines'), bi('达到后停止升级', 'Then the roll-out stops')),
    'piece',
    1,
    1000,
    3,
  ),
  'log.retentionDays': k.int(
    facts('log', 'platform', bi('操作日志保留', 'Keep the operation log'), bi('超过后归档', 'Then it is archived')),
    'day',
    184,
    3650,
    1095,
  ),
  'log.debugDays': k.int(facts('log', 'platform', bi('DEBUG 记录保留', 'Keep debug entries'), bi('超过后删除', 'Then they are deleted')), 'day', 1, 90, 30),
}
