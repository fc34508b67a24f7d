import { describe, expect, test } from 'vitest'
import type { MenuNode } from '../../shared/person.ts'
import { menus } from './menus.ts'
import { permissions } from './permissions.ts'
import { roles } from './roles.ts'
import { menuTree } from './server/menuTree.ts'

const codes = new Set(permissions.map((p) => p.code))
const pages = menus.flatMap((group) => group.pages)
const roleOf = (code: string) => {
  const found = roles.find((role) => role.code === code)
  if (!found) throw new Error(code)
  return found
}

/** The rows a role has in the database, in the order of the query. */
function rowsOf(code: string) {
  const role = roleOf(code)
  return menus
    .flatMap((group, index) => {
      const own = group.pages.filter(
        (page) => role.menus.includes(page.path) && role.permissions.includes(page.permission),
      )
      if (!own.length) return []
      const id = (index + 1) * 100
      return [
        {
          id,
          parentId: null,
          name: group.name,
          path: group.path,
          title: group.zh,
          titleEn: group.en,
          icon: group.icon,
          sort: group.sort,
          hidden: false,
        },
        ...own.map((page, at) => ({
          id: id + at + 1,
          parentId: id,
          name: page.name,
          path: page.path,
          title: page.zh,
          titleEn: page.en,
          icon: '',
          sort: page.sort,
          hidden: page.hidden,
        })),
      ]
    })
    .toSorted((a, b) => a.sort - b.sort || a.id - b.id)
}
const treeOf = (code: string): MenuNode[] => menuTree(rowsOf(code), () => true)
/** `{group: 'child child'}` of what shows; hidden pages in brackets. */
const shape = (code: string) =>
  Object.fromEntries(
    treeOf(code).map((group) => [
      group.name,
      group.children.map((child) => (child.hidden ? `(${child.name})` : child.name)).join(' '),
    ]),
  )

const common = {
  device: 'device-list device-create device-category device-distribution main-board',
  product: 'product-category product-manage medical-insurance',
  stock: 'replenish waste cordon_stock prompt-expired-goods',
  order: 'order-list order-clean order-details',
  data: 'sales-report financial-data inventory-report products-report offline-equipment user-data best-selling-products',
}
const further = {
  log: 'operate-log issue-notice',
  complaint: 'feedback',
  system: 'organ-menu forgetpwd createroledistribute organ-system',
  market: 'market-manage market-strategy market-advertisePanel market-program-group',
  apk: 'apk-manage apk-history',
  firmware: 'firmware-manage firmware-history',
  ic_school_manage:
    'school_manage grade_manage class_manage student_manage student_card_manage student_card_finance student_card_charge_records student_card_orders',
  card_manage:
    'card_list card_factory charge_records order_list cardMp_list card_factory_list employee_list ec_consumption employee_records',
  workbench: 'situation big-data',
  flowers: 'activity-list article-list flowers-order-list small-program-list',
  vip: 'vip_list',
  redpack:
    'order_list slogan_list sponsor_charge_records sponsor_list redPackStrategyTemplate redPackStrategyDayly distanceSettings bindSettings redpackRtuList',
  cargoRentRtuOwner: 'cargoDistribute (cargoRentBuild)',
  cargoRentTenent: 'cargoTenantRentedList',
  cargoTenantPlat: 'cargoTenantList',
  consultation:
    'userinfo-list doctorinfo-list inquiryrecord-list hospital-list prescription-list consultingRoom-list inspection-records-list physical-fee-list charge-bill-distributed-list sfd-consumables-list sfd-total-consumables-list',
}
const finance =
  'billing-details sub-ledger-list sub-account payment-list (busManager) (invoice-enterprise)'

/** Order matters, so the shapes are compared as text. */
const samples: Record<string, Record<string, string>> = {
  ROLE_SUPER_ADMIN: {
    ...common,
    finance,
    organ: 'organ-manage organ-role (organ-user)',
    ...further,
  },
  ROLE_ADMIN: { ...common, finance, ...further },
  ROLE_RTU_AGENT: { ...common, finance: 'billing-details', ...further },
  ROLE_RTU_SP: {
    ...common,
    device: 'device-list',
    log: 'operate-log issue-notice',
    complaint: 'feedback',
  },
  ROLE_RTU_REPLENISHER: { stock: 'replenish waste', log: 'operate-log', complaint: 'feedback' },
  ROLE_RTU_REPAIRER: { device: 'device-list device-create device-category' },
  ROLE_SPONSOR: {
    redpack:
      'order_list slogan_list sponsor_charge_records sponsor_list redPackStrategyTemplate redPackStrategyDayly redpackRtuList',
  },
  ROLE_FINANCE: {
    order: 'order-list order-details',
    data: 'sales-report financial-data',
    finance,
    log: 'operate-log',
  },
  ROLE_CAMPUS_CARD: { ic_school_manage: further.ic_school_manage },
  ROLE_HOSPITAL_CARD: { card_manage: further.card_manage },
  ROLE_SUPPLIER: {
    product: 'product-manage',
    stock: 'waste prompt-expired-goods',
    data: 'inventory-report products-report',
  },
  ROLE_LANE_TENANT: {
    stock: 'replenish waste',
    order: 'order-list',
    complaint: 'feedback',
    cargoRentTenent: 'cargoTenantRentedList',
  },
  ROLE_DRUG_REGULATOR: {
    device: 'device-list',
    product: 'product-manage',
    stock: 'waste prompt-expired-goods',
    consultation: 'prescription-list',
  },
}

describe('menus', () => {
  test.each(Object.entries(samples))('%s sees its tree', (code, expected) => {
    expect(JSON.stringify(shape(code), null, 1)).toBe(JSON.stringify(expected, null, 1))
  })

  test('groups per role', () => {
    const counts = [
      'ROLE_SUPER_ADMIN',
      'ROLE_ADMIN',
      'ROLE_RTU_AGENT',
      'ROLE_RTU_SP',
      'ROLE_RTU_REPLENISHER',
      'ROLE_RTU_REPAIRER',
    ].map((code) => treeOf(code).length)
    expect(counts).toEqual([23, 22, 22, 7, 3, 1])
  })

  test('the replenisher gets what the product book prints', () => {
    const leaf = { icon: '', hidden: false, children: [] }
    expect(treeOf('ROLE_RTU_REPLENISHER')).toEqual([
      {
        name: 'stock',
        path: '/stock',
        title: '库存管理',
        titleEn: 'Stock',
        icon: 'box',
        sort: 30,
        hidden: false,
        children: [
          {
            ...leaf,
            name: 'replenish',
            path: '/stock/replenish',
            title: '补货管理',
            titleEn: 'Replenishment',
            sort: 1,
          },
          {
            ...leaf,
            name: 'waste',
            path: '/stock/waste',
            title: '库存流水',
            titleEn: 'Stock flow',
            sort: 2,
          },
        ],
      },
      {
        name: 'log',
        path: '/log',
        title: '日志管理',
        titleEn: 'Log',
        icon: 'note',
        sort: 80,
        hidden: false,
        children: [
          {
            ...leaf,
            name: 'operate-log',
            path: '/log/operate-log',
            title: '操作日志',
            titleEn: 'Operation log',
            sort: 1,
          },
        ],
      },
      {
        name: 'complaint',
        path: '/complaint',
        title: '投诉反馈',
        titleEn: 'Complaints',
        icon: 'chat',
        sort: 90,
        hidden: false,
        children: [
          {
            ...leaf,
            name: 'feedback',
            path: '/complaint/feedback',
            title: '用户反馈',
            titleEn: 'Feedback',
            sort: 1,
          },
        ],
      },
    ])
  })

  test('paths are unique, the role page keeps its route, codes exist', () => {
    const paths = [...menus, ...pages].map((entry) => entry.path)
    expect(new Set(paths).size).toBe(paths.length)
    expect(paths).toContain('/system/organ-role')
    for (const page of pages) expect(codes, page.path).toContain(page.permission)
  })
})

describe('roles and permissions', () => {
  test('codes are well formed, unique and named in both languages', () => {
    expect(codes.size).toBe(permissions.length)
    for (const p of permissions) {
      expect(p.code).toMatch(/^[a-z-]+:[a-z-]+$/)
      expect(p.zh, p.code).toMatch(/^[^{}]*\p{Script=Han}[^{}]*$/u)
      expect(p.en, p.code).toMatch(/^[A-Z][^{}\p{Script=Han}]+$/u)
    }
    for (const lang of ['zh', 'en'] as const) {
      const twice = permissions.filter(
        (p, at) => permissions.findIndex((other) => other[lang] === p[lang]) !== at,
      )
      expect(twice.map((p) => p.code)).toEqual([])
    }
  })

  test('every group of codes is a menu group or one of the two general ones', () => {
    const groups = new Set(['home', 'common', ...menus.map((group) => group.name)])
    for (const p of permissions) expect(groups, p.code).toContain(p.group)
  })

  test('every code a role holds exists, every code is held, the super administrator holds all', () => {
    for (const role of roles)
      for (const code of role.permissions) expect(codes, role.code).toContain(code)
    expect(new Set(roles.flatMap((role) => role.permissions))).toEqual(codes)
    expect(new Set(roleOf('ROLE_SUPER_ADMIN').permissions)).toEqual(codes)
  })

  test('every role may see its pages and what is everybody’s', () => {
    for (const role of roles) {
      for (const code of [
        'dashboard:read',
        'message:read',
        'job:read',
        'job:cancel',
        'upload:create',
      ])
        expect(role.permissions, role.code).toContain(code)
      for (const page of pages)
        if (role.menus.includes(page.path))
          expect(role.permissions, `${role.code} ${page.path}`).toContain(page.permission)
      expect(new Set(role.permissions).size).toBe(role.permissions.length)
    }
  })

  test('an action never comes without the reading of its resource', () => {
    const alone = ['user:lookup', 'user:reset-password', 'role:distribute-read']
    for (const role of roles) {
      for (const code of role.permissions.filter((c) => !alone.includes(c))) {
        const reading = code.replace(/:.*/, ':read')
        if (codes.has(reading)) expect(role.permissions, `${role.code} ${code}`).toContain(reading)
      }
    }
  })

  test('the drug regulator changes nothing', () => {
    const own = ['job:cancel', 'upload:create']
    expect(
      roleOf('ROLE_DRUG_REGULATOR').permissions.filter((code) => !/:(read|export)$/.test(code)),
    ).toEqual(own)
  })
})
