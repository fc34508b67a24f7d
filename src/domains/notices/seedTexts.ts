import { bi } from '../../shared/text.ts'
import type { MessageRow } from './messageContract.ts'
import type { NoticeState } from './rules.ts'

/** Announcements and messages of the demo business. */
export type DemoNotice = {
  /** Whose organisation issues it. */
  author: string
  title: string
  html: string
  state: NoticeState
  /** Written (and published) this long ago; `lasts` hours until it ends, 0 for no end. */
  hoursAgo: number
  lasts: number
  /** Of ten people so many have read it. */
  readers: number
  roles?: readonly string[]
  orgs?: readonly string[]
  pinned?: boolean
  mustConfirm?: boolean
  popup?: boolean
  cover?: boolean
}

const was = (state: NoticeState, hoursAgo: number, lasts: number, readers: number) =>
  ({ state, hoursAgo, lasts, readers }) as const

export const demoNotices: readonly DemoNotice[] = [
  {
    author: 'admin',
    title: '国庆假期客服与退款安排',
    html: '<p>假期客服热线 400-830-1866 每日 8:00 至 22:00 在线，退款原路返回时间可能延长 1 至 3 个工作日。</p>',
    ...was('EXPIRED', 1300, 240, 9),
  },
  {
    author: 'super',
    title: '特殊药品销售合规要求(须确认)',
    html: '<h2>请各机构严格执行</h2><ol><li><p>甲类非处方药仅限药师值守时段销售。</p></li><li><p>处方药须凭通过审核的处方，<strong>不得</strong>在无人值守设备上架。</p></li><li><p>发现近效期不足 30 天的药品，当日下架并登记。</p></li></ol><p>阅读后请点击“我已阅读”。</p>',
    ...was('PUBLISHED', 700, 0, 8),
    mustConfirm: true,
    popup: true,
    pinned: true,
  },
  {
    author: 'admin',
    title: '10月账单已出具',
    html: '<p>10 月账单已生成，请财务在 <strong>7 个工作日内</strong>核对，逾期视为确认。</p><p>路径：财务管理 → 账单明细。</p>',
    ...was('PUBLISHED', 480, 0, 7),
    roles: ['ROLE_FINANCE', 'ROLE_RTU_AGENT', 'ROLE_ADMIN'],
  },
  {
    author: 'admin',
    title: '关于调整满减活动规则的通知',
    html: '<p>原定 11 月 11 日起的满减规则有误，本公告已撤回，请以后续通知为准。</p>',
    ...was('WITHDRAWN', 290, 5, 3),
  },
  {
    author: 'admin',
    title: '冬季热饮上架指引',
    html: '<p>气温下降，建议在以下点位增加热饮与即食类商品：</p><ul><li><p>写字楼大堂：早 7:30 前补满；</p></li><li><p>地铁站厅：主推 5 元以下单品；</p></li><li><p>校园：遵守学校关于含糖饮料的规定。</p></li></ul><blockquote><p>单货道库存低于预警值时，系统会自动通知补货员。</p></blockquote>',
    ...was('PUBLISHED', 170, 720, 6),
    roles: ['ROLE_RTU_SP', 'ROLE_RTU_REPLENISHER', 'ROLE_RTU_AGENT'],
    cover: true,
  },
  {
    author: 'admin',
    title: '系统升级通知:今晚 23:30 至次日 1:00',
    html: '<h2>升级窗口</h2><p>今晚 <strong>23:30</strong> 至次日 <strong>1:00</strong> 平台将进行例行升级。</p><ul><li><p>售货不受影响，订单照常支付与出货；</p></li><li><p>管理后台可能出现短暂刷新；</p></li><li><p>导出任务会在升级后自动继续。</p></li></ul><p>如有问题请联系 <a href="mailto:service@example.com" rel="noopener noreferrer" target="_blank">service@example.com</a>。</p>',
    ...was('PUBLISHED', 5, 48, 2),
    pinned: true,
  },
  {
    author: 'admin',
    title: '元旦值班安排',
    html: '<p>元旦期间值班表见附件，请各机构负责人确认联系电话保持畅通。</p>',
    ...was('SCHEDULED', 20, 120, 0),
  },
  {
    author: 'super',
    title: '年度供应商评估说明',
    html: '<p>评估维度：到货准时率、批次合格率、退换响应时间。（草稿，待采购部补充）</p>',
    ...was('DRAFT', 44, 0, 0),
    orgs: ['supplier'],
  },
  {
    author: 'agent',
    title: '华南区 11 月点位巡检计划',
    html: '<p>本月巡检重点：<strong>门磁、掉货检测、温控</strong>。请维修员在巡检后当日提交记录。</p>',
    ...was('PUBLISHED', 96, 360, 5),
    orgs: ['op-xianda', 'op-huikang', 'op-huaqiang'],
  },
  {
    author: 'operator',
    title: '中秋临时补货安排',
    html: '<p>中秋前两日增加一次夜间补货，路线另行通知。</p>',
    ...was('EXPIRED', 1500, 96, 10),
    roles: ['ROLE_RTU_REPLENISHER'],
  },
  {
    author: 'operator',
    title: '早高峰点位补货时间调整',
    html: '<p>自本周起，地铁站与教学楼点位改为 <strong>6:30</strong> 前完成补货，避开早高峰。</p><p>临期商品请单独装箱带回。</p>',
    ...was('PUBLISHED', 26, 0, 4),
  },
  {
    author: 'operator',
    title: '新员工培训通知',
    html: '<p>培训内容：开门补货、货道清零、异常上报。时间待定。</p>',
    ...was('DRAFT', 3, 0, 0),
    roles: ['ROLE_RTU_REPLENISHER', 'ROLE_RTU_REPAIRER'],
  },
]

type DemoMessage = {
  kind: Exclude<MessageRow['kind'], 'ANNOUNCEMENT'>
  title: string
  body: string
  link: string
  hoursAgo: number
  read?: true
}

const message = (
  kind: DemoMessage['kind'],
  hoursAgo: number,
  link: string,
  title: string,
  body: string,
): DemoMessage => ({ kind, hoursAgo, link, title, body })
const alarm = message(
  'DEVICE_ALARM',
  2,
  'device',
  bi('{name} 出现故障', '{name} has a fault'),
  bi(
    '机器 {number}：电机未转动，相关货道已停售。',
    'Machine {number}: a motor does not turn; its lane has stopped selling.',
  ),
)
const stock = message(
  'STOCK',
  7,
  'device',
  bi('{name} 库存预警', '{name} is running low'),
  bi(
    '机器 {number} 有 3 个货道低于预警值，请安排补货。',
    'Machine {number}: three lanes are below their warning level.',
  ),
)
const order = message(
  'ORDER',
  11,
  '/order/order-list?orderStatus=ABNORMAL',
  bi('退款失败，请人工处理', 'A refund failed'),
  bi(
    '支付渠道多次返回繁忙，系统将在 6 小时后重试。',
    'The payment channel was busy several times; the next try is in 6 hours.',
  ),
)
const welcome = message(
  'SYSTEM',
  2000,
  '',
  bi('欢迎使用货道', 'Welcome to Huodao'),
  bi(
    '公告、告警和任务结果都会出现在这里。',
    'Announcements, alarms and results of your jobs appear here.',
  ),
)
const sign = message(
  'SYSTEM',
  30,
  '/info',
  bi('请核对联系电话', 'Please check your phone number'),
  bi(
    '您的联系电话用于接收告警，请在个人中心核对。',
    'Alarms go to your phone number; check it in your personal centre.',
  ),
)
const lease = message(
  'LEASE',
  9,
  '',
  bi('货道租约将于 15 天后到期', 'A lane lease ends in 15 days'),
  bi(
    '到期未续租的货道将停售并由出租方收回。',
    'Lanes that are not renewed stop selling and go back to their owner.',
  ),
)
const old = (message: DemoMessage): DemoMessage => ({
  ...message,
  hoursAgo: message.hoursAgo + 150,
  read: true,
})

/** By role; the newest last. */
export function demoMessages(role: string): DemoMessage[] {
  const own: Readonly<Record<string, readonly DemoMessage[]>> = {
    ROLE_RTU_AGENT: [old(alarm), stock, alarm],
    ROLE_RTU_SP: [old(alarm), old(stock), order, stock, alarm],
    ROLE_RTU_REPLENISHER: [old(stock), stock],
    ROLE_RTU_REPAIRER: [old(alarm), alarm],
    ROLE_FINANCE: [old(order), order],
    ROLE_LANE_TENANT: [lease],
    ROLE_SUPER_ADMIN: [old(alarm), order, alarm],
    ROLE_ADMIN: [old(order), alarm],
  }
  return [{ ...welcome, read: true }, ...(own[role] ?? [sign])]
}
