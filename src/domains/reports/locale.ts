import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    title: '今日概览', asOf: '截至 {time}', asOfStale: '刷新失败，数据截至 {time}', failed: '今日概览加载失败', orders: '{n} 单',
    refresh: { label: '自动刷新', off: '从不', s30: '30秒', m1: '1分钟', m30: '半小时', h1: '1小时', now: '立即刷新' },
    kpi: {
      todayTurnover: '今日营业额', todayOrders: '今日订单', totalTurnover: '累计营业额', totalOrders: '累计订单', before: '较昨日同时 {value}', last30: '近30天 {value}',
      paid: '实付 {value}', refunded: '退款 {value}', turnoverHint: '营业额为优惠前金额合计', sparkToday: '今日每小时', sparkDays: '近30天每日',
    },
    todo: {
      title: '待办', online: '在线设备', ofTotal: '/ {n}', idle: '另有 {n} 台在库、外售或报废', offline: '离线设备', longest: '最长 {age}', abnormal: '出货异常', refunding: '退款中 {n}', soldOut: '缺货货道', soldOutDevices: '{n} 台',
      faults: '待处理故障', oldest: '最早 {age}',
    },
    period: { label: '时间范围', d7: '近七天', d30: '近一个月' },
    trend: { title: '经营趋势', orders: '订单数', turnover: '营业额', ordersAxis: '订单', turnoverAxis: '营业额 元', today: '今日 {time}', failed: '经营趋势加载失败', chart: '{from} 至 {to} 每日订单数与营业额' },
    channel: { machine: '线下设备', online: '线上平台', average: '客单价', refunded: '退款 {value}', failed: '渠道数据加载失败' },
    hot: { title: '热销商品', more: '查看更多', rank: '#', product: '商品', sales: '销量 件', turnover: '营业额', change: '变化', up: '上升 {n} 位', down: '下降 {n} 位', same: '排名不变', fresh: '新上榜', freshMark: '新', empty: '该时间段没有数据', failed: '热销商品加载失败', unknown: '未知商品' },
    map: {
      title: '设备分布', country: '全国', unlocated: '未定位 {n} 台', hintProvince: '点击省份查看城市', hintCity: '点击城市查看设备', total: '共 {n} 台', shown: '显示前 {n} 台', empty: '还没有设备', emptyHere: '该地区没有已定位的设备', failed: '设备分布加载失败', mapFailed: '地图加载失败', region: '地区', machines: '设备', chart: '设备分布地图',
    },
    enums: { MachineState: { online: '在线', soldOut: '在线 · 缺货', fault: '故障', offline: '离线' } },
    attention: { title: '需要处理的设备', of: '共 {n} 台', soldOut: '缺货货道', faults: '故障', none: '没有需要处理的设备', failed: '设备加载失败' },
    welcome: { hello: '你好，{name}', role: '角色', org: '所属机构', open: '可以打开的页面', account: '账号', own: '个人中心', password: '修改密码', none: '还没有为你分配设备或菜单，请联系上级管理员' },
  },
  {
    title: 'Today', asOf: 'as of {time}', asOfStale: 'Could not refresh; as of {time}', failed: 'Today could not be loaded', orders: '{n} orders',
    refresh: { label: 'Auto refresh', off: 'Never', s30: '30 s', m1: '1 min', m30: '30 min', h1: '1 hour', now: 'Refresh now' },
    kpi: {
      todayTurnover: 'Turnover today', todayOrders: 'Orders today', totalTurnover: 'Total turnover', totalOrders: 'Total orders', before: 'same time yesterday {value}', last30: 'Last 30 days {value}',
      paid: 'Paid {value}', refunded: 'Refunded {value}', turnoverHint: 'Turnover is the list amount before discounts', sparkToday: 'Per hour today', sparkDays: 'Per day, last 30 days',
    },
    todo: {
      title: 'To do', online: 'Online', ofTotal: '/ {n}', idle: '{n} more in stock, sold or scrapped', offline: 'Offline', longest: 'longest {age}', abnormal: 'Vend problems', refunding: '{n} refunding', soldOut: 'Sold-out lanes', soldOutDevices: '{n} machines',
      faults: 'Open faults', oldest: 'oldest {age}',
    },
    period: { label: 'Period', d7: '7 days', d30: '30 days' },
    trend: { title: 'Trend', orders: 'Orders', turnover: 'Turnover', ordersAxis: 'Orders', turnoverAxis: 'Turnover, yuan', today: 'Today {time}', failed: 'The trend could not be loaded', chart: 'Orders and turnover per day from {from} to {to}' },
    channel: { machine: 'Machines', online: 'Online mall', average: 'Per order', refunded: 'Refunded {value}', failed: 'The channels could not be loaded' },
    hot: { title: 'Best sellers', more: 'View more', rank: '#', product: 'Product', sales: 'Pieces', turnover: 'Turnover', change: 'Rank', up: 'up {n}', down: 'down {n}', same: 'Same rank', fresh: 'New in the list', freshMark: 'new', empty: 'No data for this period', failed: 'Best sellers could not be loaded', unknown: 'Unknown product' },
    map: {
      title: 'Machines on the map', country: 'China', unlocated: '{n} not located', hintProvince: 'Click a province for its cities', hintCity: 'Click a city for its machines', total: '{n} machines', shown: 'First {n} shown', empty: 'No machines yet', emptyHere: 'No located machines here', failed: 'The map figures could not be loaded', mapFailed: 'The map could not be loaded', region: 'Region', machines: 'Machines', chart: 'Map of machines',
    },
    enums: { MachineState: { online: 'Online', soldOut: 'Online, sold out', fault: 'Fault', offline: 'Offline' } },
    attention: { title: 'Machines that need you', of: '{n} in all', soldOut: 'Sold-out lanes', faults: 'Faults', none: 'No machine needs you now', failed: 'The machines could not be loaded' },
    welcome: { hello: 'Hello, {name}', role: 'Role', org: 'Organisation', open: 'Pages you can open', account: 'Account', own: 'Personal centre', password: 'Change password', none: 'No machines or menus are assigned to you yet; ask your administrator' },
  },
)
