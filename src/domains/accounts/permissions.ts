/**
 * Every permission code of the product. A code is `resource:action`; the endpoint that needs it
 * names it, the start-up check compares both. Who holds a code in a fresh installation stands
 * beside it (two letters per role, see roles.ts).
 */
export type Permission = {
  readonly code: string
  readonly group: string
  readonly zh: string
  readonly en: string
  /** Names of the resource. */
  readonly of: readonly [zh: string, en: string]
}

/**
 * Group (a menu group, or `home` and `common`), resource, its two names, and per list of actions
 * the roles besides the super administrator.
 */
type Row = readonly [
  group: string,
  resource: string,
  zh: string,
  en: string,
  actions: Readonly<Record<string, string>>,
]

const everyone = '*'

// biome-ignore format: a table
const table: readonly Row[] = [
  ['home', 'dashboard', '首页看板', 'the dashboard', { read: everyone, money: 'AD AG OP FI LT' }],
  ['home', 'message', '消息', 'messages', { read: everyone }],
  ['workbench', 'workbench', '运营态势', 'the situation page', { read: 'AD AG' }],
  ['workbench', 'screen', '大数据看板', 'the big-data screen', { read: 'AD AG', share: 'AD' }],
  ['device', 'device', '设备', 'devices', {
    read: 'AD AG OP RP RM FI LT DR', create: 'AD AG RM', import: 'AD AG',
    'update config test reboot lock': 'AD AG OP RM', 'open-door': 'AD AG OP RP RM', delete: 'AD',
    export: 'AD AG OP DR', 'assign vend limit': 'AD AG OP', transfer: 'AD AG',
  }],
  ['device', 'lane', '货道', 'lanes', {
    read: 'AD AG OP RP RM LT DR', 'update price': 'AD AG OP LT',
    'rebuild merge copy release lock': 'AD AG OP',
  }],
  ['device', 'device-type', '设备类型', 'device types', {
    read: 'AD AG OP RM DR', 'create update delete': 'AD',
  }],
  ['device', 'device-tag', '设备标签', 'device tags', {
    read: 'AD AG OP RP RM FI LT', 'create update delete': 'AD AG OP',
  }],
  ['device', 'main-board', '主板', 'main boards', {
    read: 'AD AG OP RM', 'create update': 'AD RM', 'delete export': 'AD', bind: 'AD AG RM',
  }],
  ['device', 'sim', '物联卡', 'IoT cards', { read: 'AD AG RM', 'update export': 'AD' }],
  ['device', 'alarm', '告警', 'alarms', {
    read: 'AD AG OP RP RM', handle: 'AD AG OP RM', export: 'AD AG OP',
  }],
  ['device', 'alarm-rule', '告警规则', 'alarm rules', { 'read update': 'AD AG OP' }],
  ['device', 'fault', '故障', 'faults', { 'read create': 'AD AG OP RP RM', update: 'AD AG OP RM' }],
  ['device', 'store', '门店', 'stores', {
    read: 'AD AG OP RM FI', 'create update delete': 'AD FI',
  }],
  ['product', 'product', '商品', 'products', {
    read: 'AD AG OP RP FI SU LT DR', 'create update': 'AD AG OP SU',
    'delete import export publish': 'AD AG OP', cost: 'AD AG OP FI LT',
  }],
  ['product', 'product-category', '商品分类', 'product categories', {
    read: 'AD AG OP SU LT DR', 'create update delete': 'AD AG OP',
  }],
  ['product', 'batch', '批次', 'batches', {
    read: 'AD AG OP RP SU DR', 'create update': 'AD AG OP SU', delete: 'AD',
    'recall export': 'AD AG OP',
  }],
  ['product', 'supplier', '供应商', 'suppliers', {
    read: 'AD AG OP SU', 'create update delete export': 'AD AG OP',
  }],
  ['product', 'medical-insurance', '医保信息', 'medical insurance entries', {
    read: 'AD AG OP DR', 'create update delete import export': 'AD AG OP',
  }],
  ['product', 'trace-code', '药品追溯码', 'trace codes', {
    'read export': 'AD AG OP DR', 'create upload': 'AD AG OP',
  }],
  ['product', 'drug-evidence', '监管证据包', 'drug evidence packages', { 'read export': 'AD DR' }],
  ['stock', 'replenish', '补货', 'replenishment', {
    'read update': 'AD AG OP RP LT', 'create delete export': 'AD AG OP',
  }],
  ['stock', 'stock-flow', '库存流水', 'the stock flow', {
    read: 'AD AG OP RP LT DR SU', adjust: 'AD AG OP RP', export: 'AD AG OP DR',
    correct: 'AD AG OP',
  }],
  ['stock', 'stock-warning', '库存预警', 'stock warnings', { 'read update export': 'AD AG OP' }],
  ['stock', 'near-expiry', '临期商品', 'near-expiry goods', {
    read: 'AD AG OP DR SU', export: 'AD AG OP DR', update: 'AD AG OP',
  }],
  ['order', 'order', '订单', 'orders', {
    'read money': 'AD AG OP FI LT', 'update revend clean vend resolve': 'AD AG OP',
    'refund supplement export': 'AD AG OP FI',
  }],
  ['order', 'payment', '支付流水', 'payments', { read: 'AD AG OP FI', export: 'AD FI' }],
  ['data', 'sales-report', '销售报表', 'the sales report', { 'read export': 'AD AG OP FI' }],
  ['data', 'financial-data', '财务数据', 'financial data', { 'read export': 'AD AG OP FI' }],
  ['data', 'inventory-report', '库存报表', 'the inventory report', {
    'read export': 'AD AG OP SU',
  }],
  ['data', 'product-report', '商品报表', 'the products report', { 'read export': 'AD AG OP SU' }],
  ['data', 'device-report', '线下设备报表', 'the offline equipment report', {
    'read export': 'AD AG OP',
  }],
  ['data', 'user-data', '用户数据', 'user data', { 'read export': 'AD AG OP' }],
  ['data', 'best-selling', '畅销商品', 'best-selling products', { 'read export': 'AD AG OP' }],
  ['data', 'report', '报表', 'reports', { subscribe: 'AD AG OP FI' }],
  ['finance', 'billing', '账单', 'billing details', { 'read export subscribe': 'AD AG FI' }],
  ['finance', 'ledger', '资金流水', 'the ledger', {
    'read export': 'AD FI', 'adjust approve': 'FI',
  }],
  ['finance', 'account', '资金账户余额', 'account balances', { read: 'AD AG FI' }],
  ['finance', 'settlement', '结算时间线', 'the settlement timeline', { read: 'AD AG FI' }],
  ['finance', 'recon', '对账', 'reconciliation', {
    'read export': 'AD FI', 'run resolve approve': 'FI',
  }],
  ['finance', 'withdrawal', '提现', 'withdrawals', {
    'read create export': 'AD AG FI', 'approve pay': 'AD FI',
  }],
  ['finance', 'payout-account', '收款账户', 'payout accounts', { 'read update': 'AD AG FI' }],
  ['finance', 'split', '分账', 'split orders', { 'read export bind release run retry': 'AD FI' }],
  ['finance', 'receiver', '分账接收方', 'split receivers', { 'read update': 'AD FI' }],
  ['finance', 'split-strategy', '分账策略', 'split strategies', {
    'read export simulate create update delete publish': 'AD FI',
  }],
  ['finance', 'payment-config', '收款配置', 'payment settings', {
    'read create update delete test export': 'AD FI', secret: 'AD',
  }],
  ['finance', 'referrer', '推荐人', 'referrers', { 'read create update delete export': 'AD FI' }],
  ['finance', 'invoice', '发票', 'invoices', {
    'read create export': 'AD FI', 'approve issue': 'FI',
  }],
  ['organ', 'org', '机构', 'organisations', {
    'read create update export': 'OM', 'delete move': '',
  }],
  ['organ', 'user', '组织用户', 'organisation users', {
    'read create update delete export assign-role': 'OM', lookup: 'AD AG OP FI OM',
    'reset-password': 'AD AG OM',
  }],
  ['organ', 'department', '部门', 'departments', { 'read update': 'OM' }],
  ['organ', 'role', '角色', 'roles', {
    'read create update delete preview': 'OM', 'export distribute': '', 'distribute-read': 'AD AG',
  }],
  ['system', 'menu', '菜单', 'menus', { 'read create update delete export': '' }],
  ['system', 'job-console', '任务控制台', 'the job console', { 'read update': '' }],
  ['system', 'setting', '系统设置', 'system settings', { 'read update': 'AD AG', lock: 'AD' }],
  ['system', 'server', '服务器状态', 'the server page', { read: '' }],
  ['log', 'log', '操作日志', 'the operation log', {
    read: 'AD AG OP RP FI', export: 'AD AG OP', 'verify debug': '',
  }],
  ['log', 'security', '安全事件', 'security events', { 'read update': 'AD AG OP FI' }],
  ['log', 'notice', '公告', 'notices', { 'read create update delete publish export': 'AD AG OP' }],
  ['complaint', 'complaint', '投诉反馈', 'complaints', {
    read: 'AD AG OP RP LT', 'create update reply': 'AD AG OP RP', 'delete export': 'AD AG OP',
  }],
  ['market', 'ad-material', '广告素材', 'ad materials', {
    'read create update delete export': 'AD AG', review: 'AD',
  }],
  ['market', 'ad-panel', '广告面板', 'advertise panels', {
    read: 'AD AG', 'create update delete': 'AD',
  }],
  ['market', 'program-group', '节目组', 'program groups', {
    'read create update delete export': 'AD AG',
  }],
  ['market', 'ad-binding', '广告投放', 'device-ad bindings', {
    'read create update delete export interrupt': 'AD AG', review: 'AD',
  }],
  ['apk', 'apk', '应用版本', 'app versions', {
    'read export rollout': 'AD AG', 'create update delete publish approve': 'AD',
  }],
  ['firmware', 'firmware', '固件版本', 'firmware versions', {
    'read export': 'AD AG', 'create update delete publish rollout approve': 'AD',
  }],
  ['ic_school_manage', 'school', '学校', 'schools', {
    'read create update delete export': 'AD AG CC',
  }],
  ['ic_school_manage', 'grade', '年级', 'grades', { 'read create update delete': 'AD AG CC' }],
  ['ic_school_manage', 'class', '班级', 'classes', { 'read create update delete': 'AD AG CC' }],
  ['ic_school_manage', 'student', '学生', 'students', {
    'read create update delete import export': 'AD AG CC',
  }],
  ['ic_school_manage', 'student-card', '学生卡', 'student cards', {
    'read create export bind activate lose recover cancel rebind limit': 'AD AG CC',
    recharge: 'AD CC',
  }],
  ['ic_school_manage', 'student-card-finance', '学生卡财务', 'student card finance', {
    'read export': 'AD AG FI CC',
  }],
  ['ic_school_manage', 'student-card-charge', '学生卡充值记录', 'student card charge records', {
    'read export': 'AD AG FI CC',
  }],
  ['ic_school_manage', 'student-card-order', '学生卡消费订单', 'student card orders', {
    'read export': 'AD AG FI CC', refund: 'AD CC',
  }],
  ['card_manage', 'card', 'IC卡', 'IC cards', {
    'read update export bind activate lose recover cancel rebind limit': 'AD AG HC',
    recharge: 'AD HC',
  }],
  ['card_manage', 'card-factory', '制卡与卡厂', 'card making and factories', {
    read: 'AD AG HC', 'create update delete import export': 'AD HC',
  }],
  ['card_manage', 'card-charge', '卡充值记录', 'card charge records', {
    'read export': 'AD AG FI HC',
  }],
  ['card_manage', 'card-order', '卡订单', 'card orders', {
    'read export': 'AD AG FI HC', refund: 'AD HC',
  }],
  ['card_manage', 'card-mp', '卡小程序', 'card mini-programs', {
    read: 'AD AG HC', 'create update delete': 'AD HC',
  }],
  ['card_manage', 'employee', '职工', 'employees', {
    'read create update delete import export': 'AD AG HC',
  }],
  ['card_manage', 'employee-consumption', '职工消费', 'employee consumption', {
    'read export': 'AD AG FI HC',
  }],
  ['card_manage', 'employee-record', '职工记录', 'employee records', { 'read export': 'AD AG HC' }],
  ['flowers', 'flower-activity', '鲜花活动', 'flower activities', {
    'read create update delete export': 'AD AG',
  }],
  ['flowers', 'flower-article', '鲜花文章', 'flower articles', {
    'read create update delete': 'AD AG',
  }],
  ['flowers', 'flower-order', '鲜花订单', 'flower orders', {
    'read update refund export': 'AD AG',
  }],
  ['flowers', 'mini-program', '小程序', 'mini-programs', {
    read: 'AD AG', 'create update delete': 'AD',
  }],
  ['vip', 'vip', '会员', 'VIP members', { 'read update export': 'AD AG' }],
  ['redpack', 'redpack-order', '红包订单', 'red-packet orders', {
    read: 'AD AG SP FI', export: 'AD AG SP', handle: 'AD FI',
  }],
  ['redpack', 'slogan', '广告语', 'slogans', { 'read create update delete': 'AD AG SP' }],
  ['redpack', 'sponsor', '赞助商', 'sponsors', {
    'read update': 'AD AG SP', 'create delete export': 'AD AG',
  }],
  ['redpack', 'sponsor-charge', '赞助商充值记录', 'sponsor charge records', {
    'read export': 'AD AG SP FI', create: 'SP FI', approve: 'FI',
  }],
  ['redpack', 'redpack-template', '红包策略模板', 'red-packet strategy templates', {
    read: 'AD AG SP', 'create update delete': 'SP',
  }],
  ['redpack', 'redpack-daily', '每日红包策略', 'daily red-packet strategies', {
    read: 'AD AG SP', update: 'SP',
  }],
  ['redpack', 'redpack-distance', '距离设置', 'distance settings', { 'read update': 'AD AG' }],
  ['redpack', 'redpack-binding', '红包绑定设置', 'red-packet bind settings', {
    'read update': 'AD AG',
  }],
  ['redpack', 'redpack-device', '红包设备', 'red-packet devices', {
    'read export': 'AD AG SP', update: 'AD AG',
  }],
  ['cargoRentRtuOwner', 'lease', '货道出租', 'lane offers', {
    'read create update recover export': 'AD AG',
  }],
  ['cargoRentTenent', 'lease-rented', '租用货道', 'rented lanes', {
    read: 'AD AG LT', 'rent renew cancel export': 'LT',
  }],
  ['cargoTenantPlat', 'lease-market', '租赁平台', 'the leasing platform', {
    read: 'AD AG', 'update export': 'AD',
  }],
  ['consultation', 'case', '病例', 'cases', { 'read create update export': 'AD AG', reveal: 'AD' }],
  ['consultation', 'doctor', '医生', 'doctors', { 'read create update delete export': 'AD AG' }],
  ['consultation', 'inquiry', '问诊记录', 'inquiry records', { 'read export update': 'AD AG' }],
  ['consultation', 'hospital', '医院', 'hospitals', {
    read: 'AD AG HC', 'create update delete export': 'AD AG',
  }],
  ['consultation', 'prescription', '处方', 'prescriptions', {
    'read export': 'AD AG DR', 'review void': 'AD',
  }],
  ['consultation', 'consulting-room', '诊室', 'consulting rooms', {
    'read create update delete': 'AD AG',
  }],
  ['consultation', 'inspection', '检查记录', 'inspection records', {
    'read create update export': 'AD AG',
  }],
  ['consultation', 'physical-fee', '体检费用', 'physical fees', {
    'read create update delete export': 'AD AG',
  }],
  ['consultation', 'charge-bill', '费用清单', 'charge bills', {
    'read create distribute return export': 'AD AG',
  }],
  ['consultation', 'consumable', '耗材', 'consumables', {
    'read create update adjust export': 'AD AG',
  }],
  ['common', 'job', '后台任务', 'background jobs', { 'read cancel': everyone }],
  ['common', 'upload', '文件', 'files', { create: everyone }],
  ['common', 'consumer', '消费者', 'consumers', { unmask: 'AD AG OP' }],
]

/**
 * Two names per action; `{}` is the resource. A name that only fits one resource is keyed by its
 * code.
 */
const names: Readonly<Record<string, readonly [zh: string, en: string]>> = {
  read: ['{}查看', 'View {}'],
  create: ['{}新增', 'Add {}'],
  update: ['{}编辑', 'Edit {}'],
  delete: ['{}删除', 'Delete {}'],
  import: ['{}导入', 'Import {}'],
  export: ['{}导出', 'Export {}'],
  approve: ['{}复核', 'Approve {}'],
  publish: ['{}发布/下架', 'Publish or withdraw {}'],
  refund: ['{}退款', 'Refund {}'],
  review: ['{}审核', 'Review {}'],
  rollout: ['{}批量升级', 'Roll out {}'],
  subscribe: ['{}邮件订阅', 'Subscribe to {} by mail'],
  bind: ['{}绑定/解绑', 'Bind and unbind {}'],
  activate: ['{}激活', 'Activate {}'],
  lose: ['{}挂失', 'Report {} lost'],
  recover: ['{}找回', 'Recover {}'],
  cancel: ['{}注销', 'Log out {}'],
  rebind: ['{}换绑外部卡', 'Rebind external {}'],
  limit: ['{}每日限额', 'Set the daily purchase limit of {}'],
  recharge: ['{}充值', 'Recharge {}'],
  'dashboard:money': ['首页金额查看', 'View money on the dashboard'],
  'screen:share': ['大数据看板生成展示链接', 'Share the big-data screen by link'],
  'device:config': ['设备温湿度、限购与营业时间设置', 'Change device settings'],
  'device:test': ['设备测试出货', 'Test vend'],
  'device:reboot': ['设备重启', 'Restart devices'],
  'device:lock': ['设备锁机/解锁', 'Lock and unlock devices'],
  'device:open-door': ['设备远程开门', 'Open doors remotely'],
  'device:assign': ['设备分配/取消分配', 'Distribute devices'],
  'device:transfer': ['设备转移/收回', 'Move devices to another owner'],
  'device:limit': ['设备限购设置', 'Set what people may buy at devices'],
  'device:vend': ['设备远程出货', 'Vend remotely'],
  'lane:price': ['货道改价', 'Change lane prices'],
  'lane:rebuild': ['货道重建', 'Re-create lanes'],
  'lane:merge': ['货道合并/拆分', 'Merge and split lanes'],
  'lane:copy': ['货道复制到其他机器', 'Copy lanes to other machines'],
  'lane:release': ['货道方案分批发布', 'Release planograms in batches'],
  'lane:lock': ['货道质量锁定', 'Lock lanes for quality'],
  'alarm:handle': ['告警处理', 'Handle alarms'],
  'product:publish': ['商品上架/下架', 'Put products on or off shelf'],
  'product:cost': ['商品成本与毛利查看', 'View cost and margin'],
  'batch:recall': ['批次召回锁定', 'Recall batches'],
  'trace-code:upload': ['药品追溯码上报', 'Report trace codes'],
  'replenish:update': ['执行补货', 'Replenish'],
  'replenish:create': ['预补货单新增', 'Add pre-restock lists'],
  'replenish:delete': ['预补货单删除', 'Delete pre-restock lists'],
  'stock-flow:correct': ['库存更正', 'Correct stock'],
  'stock-flow:adjust': ['库存盘点/报损', 'Count and write off stock'],
  'near-expiry:update': ['临期商品下架/报损', 'Take near-expiry goods off or write them off'],
  'order:update': ['订单备注', 'Remark on orders'],
  'order:money': ['订单金额查看', 'View money of orders'],
  'order:vend': ['订单重新出货', 'Vend an order again'],
  'order:revend': ['订单补出货', 'Vend supplemented orders'],
  'order:resolve': ['订单出货结果人工确认', 'Confirm vend results by hand'],
  'order:supplement': ['一键补单', 'Supplement orders'],
  'order:clean': ['订单清理', 'Clean orders'],
  'ledger:adjust': ['资金调账', 'Adjust the ledger'],
  'recon:run': ['对账拉取与执行', 'Run reconciliation'],
  'recon:resolve': ['对账差异处理', 'Resolve differences'],
  'withdrawal:pay': ['提现打款', 'Pay withdrawals'],
  'split:bind': ['分账策略绑定设备', 'Bind split strategies to devices'],
  'split:release': ['分账释放', 'Release split strategies of devices'],
  'split:run': ['分账立即执行', 'Run splits now'],
  'split:retry': ['分账重试', 'Retry splits'],
  'split-strategy:simulate': ['分账策略模拟', 'Simulate split strategies'],
  'payment-config:test': ['收款配置验证', 'Verify payment settings'],
  'payment-config:secret': ['收款配置更新密钥', 'Replace payment keys'],
  'invoice:issue': ['发票开具/红冲', 'Issue and reverse invoices'],
  'org:move': ['机构移动', 'Move organisations'],
  'user:assign-role': ['组织用户分配角色', 'Assign roles'],
  'user:lookup': ['组织用户选择', 'Pick users'],
  'user:reset-password': ['重置密码', 'Reset passwords'],
  'role:preview': ['角色预览与权限解释', 'Preview roles and explain rights'],
  'role:distribute': ['可创建角色设置', 'Set roles selectable on user creation'],
  'role:distribute-read': ['可创建角色查看', 'View roles selectable on user creation'],
  'job-console:update': ['任务控制台操作', 'Operate the job console'],
  'setting:lock': ['系统设置锁定下级', 'Lock system settings for those below'],
  'log:verify': ['操作日志校验', 'Verify the operation log'],
  'log:debug': ['调试记录查看', 'View debug entries'],
  'complaint:reply': ['投诉反馈回复', 'Reply to complaints'],
  'ad-binding:interrupt': ['广告插播', 'Interrupt the programme'],
  'redpack-order:handle': ['红包查询与重新发放', 'Query and resend red packets'],
  'sponsor-charge:create': ['赞助商充值', 'Recharge sponsors'],
  'lease:recover': ['货道强制收回', 'Force lane recovery'],
  'lease-rented:rent': ['货道租用', 'Rent lanes'],
  'lease-rented:renew': ['货道续租', 'Renew rented lanes'],
  'lease-rented:cancel': ['货道退租', 'Give back rented lanes'],
  'case:reveal': ['病例隐私查看', 'View private data of cases'],
  'prescription:review': ['审方', 'Review prescriptions'],
  'prescription:void': ['处方作废', 'Void prescriptions'],
  'charge-bill:distribute': ['费用清单发放', 'Distribute charge bills'],
  'charge-bill:return': ['费用清单退回', 'Return charge bills'],
  'consumable:adjust': ['耗材调整', 'Adjust consumables'],
  'job:cancel': ['后台任务取消', 'Cancel background jobs'],
  'upload:create': ['文件上传', 'Upload files'],
  'consumer:unmask': ['消费者手机号查看', 'View consumer phone numbers'],
}

function permissionOf([group, resource, zh, en]: Row, action: string): Permission {
  const code = `${resource}:${action}`
  const name = names[code] ?? names[action]
  if (!name) throw new Error(`${code} has no name`)
  return { code, group, zh: name[0].replace('{}', zh), en: name[1].replace('{}', en), of: [zh, en] }
}

const granted = table.flatMap((row) =>
  Object.entries(row[4]).flatMap(([actions, holders]) =>
    actions.split(' ').map((action) => ({ permission: permissionOf(row, action), holders })),
  ),
)

/** The catalogue, in the order of the role form. */
export const permissions: readonly Permission[] = granted.map((entry) => entry.permission)

/** Codes a role holds in a fresh installation, by its two letters. */
export const codesOf = (letters: string): string[] =>
  granted
    .filter(({ holders }) => holders === everyone || holders.split(' ').includes(letters))
    .map((entry) => entry.permission.code)
