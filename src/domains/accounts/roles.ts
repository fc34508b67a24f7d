import type { DataScope } from '../../shared/access.ts'
import { tenantKinds } from '../../shared/access.ts'
import { type MenuPage, menus } from './menus.ts'
import { codesOf, permissions } from './permissions.ts'

/**
 * The built-in roles of a fresh installation: who they are, which rows and pages they see, what
 * they may do.
 */
export type BuiltinRole = {
  readonly code: string
  readonly zh: string
  readonly en: string
  readonly rank: number
  readonly dataScope: DataScope
  /** Paths of pages, hidden ones included; a group comes with its pages. */
  readonly menus: readonly string[]
  readonly permissions: readonly string[]
}

/** Pages of some groups: whole groups (`product`), or single pages (`device/device-list`). */
function pages(...wanted: string[]): MenuPage[] {
  return wanted.flatMap((entry) => {
    const [group, name] = entry.split('/')
    const found = menus
      .filter((m) => m.name === group)
      .flatMap((m) => m.pages.filter((page) => name === undefined || page.name === name))
    if (!found.length) throw new Error(`no menu ${entry}`)
    return found
  })
}

const everything = menus.flatMap((group) => group.pages)
const withoutOrgan = menus.filter((group) => group.name !== 'organ').flatMap((group) => group.pages)
const forAgents = withoutOrgan.filter(
  (page) => !page.path.startsWith('/finance/') || page.name === 'billing-details',
)

/** A role holds what the catalogue gives it and what its own pages need (settled difference 10). */
function role(
  letters: string,
  code: string,
  zh: string,
  en: string,
  rank: number,
  dataScope: DataScope,
  tree: readonly MenuPage[],
): BuiltinRole {
  const codes =
    letters === 'SA'
      ? permissions.map((p) => p.code)
      : [...new Set([...codesOf(letters), ...tree.map((page) => page.permission)])]
  return { code, zh, en, rank, dataScope, menus: tree.map((page) => page.path), permissions: codes }
}

/** The specification's six roles with its sample menus, then the seven it knows by label. */
export const roles: readonly BuiltinRole[] = [
  role('SA', 'ROLE_SUPER_ADMIN', '超级管理员', 'Super administrator', 100, 'ALL', everything),
  role('AD', 'ROLE_ADMIN', '总管理员', 'General administrator', 90, 'ALL', withoutOrgan),
  role('AG', 'ROLE_RTU_AGENT', '代理商', 'Agent', 70, 'ORG_TREE', forAgents),
  role(
    'OP',
    'ROLE_RTU_SP',
    '运营商',
    'Operator',
    60,
    'ORG_TREE',
    pages('device/device-list', 'product', 'stock', 'order', 'data', 'log', 'complaint'),
  ),
  role(
    'RP',
    'ROLE_RTU_REPLENISHER',
    '补货员',
    'Replenisher',
    40,
    'ASSIGNED_DEVICES',
    pages('stock/replenish', 'stock/waste', 'log/operate-log', 'complaint'),
  ),
  role(
    'RM',
    'ROLE_RTU_REPAIRER',
    '维修员',
    'Repairman',
    40,
    'ASSIGNED_DEVICES',
    pages('device/device-list', 'device/device-create', 'device/device-category'),
  ),
  role(
    'SP',
    'ROLE_SPONSOR',
    '赞助商',
    'Sponsor',
    40,
    'OWN_BUDGET',
    pages(
      'redpack/order_list',
      'redpack/slogan_list',
      'redpack/sponsor_charge_records',
      'redpack/sponsor_list',
      'redpack/redPackStrategyTemplate',
      'redpack/redPackStrategyDayly',
      'redpack/redpackRtuList',
    ),
  ),
  role(
    'FI',
    'ROLE_FINANCE',
    '财务',
    'Finance',
    50,
    'ORG_TREE',
    pages(
      'order/order-list',
      'order/order-details',
      'data/sales-report',
      'data/financial-data',
      'finance',
      'log/operate-log',
    ),
  ),
  role(
    'CC',
    'ROLE_CAMPUS_CARD',
    '校园IC卡管理员',
    'Campus IC card manager',
    40,
    'ORG_TREE',
    pages('ic_school_manage'),
  ),
  role(
    'HC',
    'ROLE_HOSPITAL_CARD',
    '医院IC卡管理员',
    'Hospital IC card manager',
    40,
    'ORG_TREE',
    pages('card_manage'),
  ),
  role(
    'SU',
    'ROLE_SUPPLIER',
    '供应商',
    'Supplier',
    40,
    'OWN_GOODS',
    pages(
      'product/product-manage',
      'stock/waste',
      'stock/prompt-expired-goods',
      'data/inventory-report',
      'data/products-report',
    ),
  ),
  role(
    'LT',
    'ROLE_LANE_TENANT',
    '货道租户',
    'Cargo-lane tenant',
    40,
    'OWN_LANES',
    pages('stock/replenish', 'stock/waste', 'order/order-list', 'complaint', 'cargoRentTenent'),
  ),
  role(
    'DR',
    'ROLE_DRUG_REGULATOR',
    '药监人员',
    'Drug regulator',
    40,
    'REGION_DRUGS',
    pages(
      'device/device-list',
      'product/product-manage',
      'stock/waste',
      'stock/prompt-expired-goods',
      'consultation/prescription-list',
    ),
  ),
  // a template that nobody has at first: an agent or operator manages his own subtree with it
  role(
    'OM',
    'ROLE_ORG_MANAGER',
    '机构管理员',
    'Organisation manager',
    55,
    'ORG_TREE',
    pages('organ'),
  ),
]

/** Which roles a role gives, and which kinds of organisations it adds, by default. */
type Given = {
  readonly targets: readonly string[]
  readonly kinds: readonly (typeof tenantKinds)[number][]
}

const everyRole = roles.map((found) => found.code)
const fieldStaff = ['ROLE_RTU_REPLENISHER', 'ROLE_RTU_REPAIRER', 'ROLE_FINANCE', 'ROLE_LANE_TENANT']
const nobody: Given = { targets: [], kinds: [] }
const distributions: Readonly<Record<string, Given>> = {
  ROLE_SUPER_ADMIN: { targets: everyRole, kinds: tenantKinds },
  ROLE_ADMIN: {
    targets: everyRole.filter((code) => code !== 'ROLE_SUPER_ADMIN' && code !== 'ROLE_ADMIN'),
    kinds: tenantKinds,
  },
  ROLE_RTU_AGENT: {
    targets: ['ROLE_RTU_AGENT', 'ROLE_RTU_SP', ...fieldStaff, 'ROLE_SPONSOR', 'ROLE_SUPPLIER'],
    kinds: ['AGENT', 'OPERATOR', 'SPONSOR', 'SUPPLIER', 'SCHOOL', 'HOSPITAL', 'LANE_TENANT'],
  },
  ROLE_RTU_SP: { targets: fieldStaff, kinds: ['SUPPLIER', 'LANE_TENANT'] },
  // holds user:create, so it needs a row; together with a role above, that one's row counts as well
  ROLE_ORG_MANAGER: { targets: fieldStaff, kinds: ['SUPPLIER', 'LANE_TENANT'] },
}
/** What people with a built-in role may give when they add others, in a fresh installation. */
export const distributionOf = (code: string): Given => distributions[code] ?? nobody
