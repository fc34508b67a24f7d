import { say } from '../../shared/text.ts'
import { screens } from '../product.ts'

/**
 * The menu catalogue of a fresh installation: which pages stand where. A page is a row when the
 * menu must authorise it by itself; sub-pages (create, edit) travel with the `parent` of their
 * screen. `hidden` pages open by a button on their neighbour (settled difference 10).
 */
export type MenuPage = {
  readonly name: string
  readonly path: string
  readonly zh: string
  readonly en: string
  readonly permission: string
  readonly hidden: boolean
  readonly sort: number
}
export type MenuGroup = {
  readonly name: string
  readonly path: string
  readonly zh: string
  readonly en: string
  readonly icon: string
  readonly sort: number
  readonly pages: readonly MenuPage[]
}

type Options = { hidden?: true; path?: string }
/**
 * A page that is there by its name (its screen says the rest), one that is still to come by all
 * that is known of it.
 */
type Page =
  | readonly [name: string, options?: Options]
  | readonly [name: string, zh: string, en: string, permission: string, options?: Options]
type Group = readonly [name: string, icon: string, zh: string, en: string, pages: readonly Page[]]

const hidden: Options = { hidden: true }

// biome-ignore format: a table
const table: readonly Group[] = [
  // device-create stands before device-category: the specification's sample of the repairman names
  // them in this order
  ['device', 'device', '设备管理', 'Devices', [
    ['device-list'], ['device-create'], ['device-category'], ['device-distribution'],
    ['main-board'],
  ]],
  ['product', 'goods', '商品管理', 'Products', [
    ['product-category'], ['product-manage'], ['medical-insurance'],
  ]],
  ['stock', 'box', '库存管理', 'Stock', [
    ['replenish'],
    ['waste'],
    ['cordon_stock'],
    ['prompt-expired-goods'],
  ]],
  ['order', 'list', '订单管理', 'Orders', [
    ['order-list'],
    ['order-clean'],
    ['order-details'],
  ]],
  ['data', 'chart', '数据统计', 'Data', [
    ['sales-report'],
    ['financial-data'],
    ['inventory-report'],
    ['products-report'],
    ['offline-equipment'],
    ['user-data'],
    ['best-selling-products'],
  ]],
  ['finance', 'money', '财务管理', 'Finance', [
    ['billing-details'], ['sub-ledger-list'], ['sub-account'], ['payment-list'],
    ['busManager', hidden],
    ['invoice-enterprise', hidden],
  ]],
  ['organ', 'tree', '组织管理', 'Organisation', [
    ['organ-manage'], ['organ-role', { path: '/system/organ-role' }], ['organ-user', hidden],
  ]],
  ['log', 'note', '日志管理', 'Log', [['operate-log'], ['issue-notice']]],
  ['complaint', 'chat', '投诉反馈', 'Complaints', [['feedback']]],
  ['system', 'gear', '系统管理', 'System', [
    ['organ-menu'], ['forgetpwd'], ['createroledistribute'], ['organ-system'],
  ]],
  ['market', 'ad', '广告管理', 'Ads', [
    ['market-manage'],
    ['market-strategy', '广告投放', 'Device-ad binding', 'ad-binding:read'],
    ['market-advertisePanel', '广告面板', 'Advertise panel', 'ad-panel:read'],
    ['market-program-group'],
  ]],
  ['apk', 'app', '应用管理', 'Apps', [
    ['apk-manage'],
    ['apk-history'],
  ]],
  ['firmware', 'chip', '固件管理', 'Firmware', [
    ['firmware-manage'],
    ['firmware-history'],
  ]],
  ['ic_school_manage', 'school', '校园卡管理', 'Campus cards', [
    ['school_manage', '学校管理', 'Schools', 'school:read'],
    ['grade_manage', '年级管理', 'Grades', 'grade:read'],
    ['class_manage', '班级管理', 'Classes', 'class:read'],
    ['student_manage', '学生管理', 'Students', 'student:read'],
    ['student_card_manage', '学生卡管理', 'Student cards', 'student-card:read'],
    ['student_card_finance', '学生卡财务', 'Student card finance', 'student-card-finance:read'],
    ['student_card_charge_records', '充值记录', 'Charge records', 'student-card-charge:read'],
    ['student_card_orders', '消费订单', 'Consumption orders', 'student-card-order:read'],
  ]],
  ['card_manage', 'card', '卡管理', 'Cards', [
    ['card_list', '卡列表', 'Card list', 'card:read'],
    ['card_factory', '制卡', 'Card making', 'card-factory:read'],
    ['charge_records', '充值记录', 'Charge records', 'card-charge:read'],
    ['order_list', '订单列表', 'Card orders', 'card-order:read'],
    ['cardMp_list', '卡小程序', 'Card mini-programs', 'card-mp:read'],
    ['card_factory_list', '卡厂列表', 'Card factories', 'card-factory:read'],
    ['employee_list', '职工列表', 'Employees', 'employee:read'],
    ['ec_consumption', '职工消费', 'Employee consumption', 'employee-consumption:read'],
    ['employee_records', '职工记录', 'Employee records', 'employee-record:read'],
  ]],
  ['workbench', 'screen', '工作台', 'Workbench', [
    ['situation'], ['big-data'],
  ]],
  ['flowers', 'flower', '鲜花管理', 'Flowers', [
    ['activity-list', '活动列表', 'Activities', 'flower-activity:read'],
    ['article-list', '文章列表', 'Articles', 'flower-article:read'],
    ['flowers-order-list', '鲜花订单', 'Flower orders', 'flower-order:read'],
    ['small-program-list', '小程序列表', 'Mini-programs', 'mini-program:read'],
  ]],
  ['vip', 'crown', '会员管理', 'VIP', [['vip_list', '会员列表', 'VIP list', 'vip:read']]],
  ['redpack', 'gift', '红包管理', 'Red packets', [
    ['order_list', '红包订单', 'Red-packet orders', 'redpack-order:read'],
    ['slogan_list', '广告语', 'Slogans', 'slogan:read'],
    ['sponsor_charge_records', '赞助商充值记录', 'Sponsor charge records', 'sponsor-charge:read'],
    ['sponsor_list', '赞助商管理', 'Sponsors', 'sponsor:read'],
    ['redPackStrategyTemplate', '红包策略模板', 'Strategy templates', 'redpack-template:read'],
    ['redPackStrategyDayly', '每日红包策略', 'Daily strategies', 'redpack-daily:read'],
    ['distanceSettings', '距离设置', 'Distance settings', 'redpack-distance:read'],
    ['bindSettings', '绑定设置', 'Bind settings', 'redpack-binding:read'],
    ['redpackRtuList', '红包设备列表', 'Red-packet devices', 'redpack-device:read'],
  ]],
  ['cargoRentRtuOwner', 'key', '货道出租', 'Lane leasing', [
    ['cargoDistribute', '货道分配', 'Lanes I let', 'lease:read'],
    ['cargoRentBuild', '新建出租', 'Build an offer', 'lease:create', hidden],
  ]],
  ['cargoRentTenent', 'key', '我的租用', 'My rentals', [
    ['cargoTenantRentedList', '我租用的货道', 'Lanes I rent', 'lease-rented:read'],
  ]],
  ['cargoTenantPlat', 'key', '租赁平台', 'Leasing platform', [
    ['cargoTenantList', '平台货道列表', 'Platform lane list', 'lease-market:read'],
  ]],
  ['consultation', 'doctor', '问诊管理', 'Consultation', [
    ['userinfo-list', '病例列表', 'Cases', 'case:read'],
    ['doctorinfo-list', '医生管理', 'Doctors', 'doctor:read'],
    ['inquiryrecord-list', '问诊记录', 'Inquiry records', 'inquiry:read'],
    ['hospital-list', '医院列表', 'Hospitals', 'hospital:read'],
    ['prescription-list', '处方列表', 'Prescriptions', 'prescription:read'],
    ['consultingRoom-list', '诊室列表', 'Consulting rooms', 'consulting-room:read'],
    ['inspection-records-list', '检查记录', 'Inspection records', 'inspection:read'],
    ['physical-fee-list', '体检费用', 'Physical fees', 'physical-fee:read'],
    ['charge-bill-distributed-list', '费用清单发放', 'Distributed bills', 'charge-bill:read'],
    ['sfd-consumables-list', '耗材列表', 'Consumables', 'consumable:read'],
    ['sfd-total-consumables-list', '耗材汇总', 'Consumable totals', 'consumable:read'],
  ]],
]

/** Groups in menu order; their sort grows by ten, that of pages by one. */
export const menus: readonly MenuGroup[] = table.map(([group, icon, zh, en, pages], index) => ({
  name: group,
  path: `/${group}`,
  zh,
  en,
  icon,
  sort: (index + 1) * 10,
  pages: pages.map((page, at) => pageOf(group, page, at + 1)),
}))

function pageOf(group: string, page: Page, sort: number): MenuPage {
  const [name, ...said]: readonly [string, ...(string | Options | undefined)[]] = page
  const { hidden: isHidden = false, path = `/${group}/${name}` } =
    said.find((one): one is Options => typeof one === 'object') ?? {}
  const [zh, en, permission] = said.filter((one): one is string => typeof one === 'string')
  const screen = screens.find((one) => one.path === path)
  const place = { name, path, hidden: isHidden, sort }
  if (screen && permission === undefined)
    return {
      ...place,
      zh: say(screen.title, 'zh-CN'),
      en: say(screen.title, 'en'),
      permission: screen.permission,
    }
  if (screen || zh === undefined || en === undefined || permission === undefined)
    throw new Error(`${path} needs a screen or texts of its own, one of them`)
  return { ...place, zh, en, permission }
}
