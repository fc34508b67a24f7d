import type { Db } from '../../server/database.ts'
import { writeLists } from './server/queries.ts'

type Made = {
  org: string
  code: string
  name: string
  nameEn: string
  description: string
  rank: number
  scope: 'ORG_TREE' | 'ASSIGNED_DEVICES'
  codes: string
  menus: string
  status?: 'DISABLED'
}

/** Roles of people's own making, as an installation has them after some months. */
const made: readonly Made[] = [
  {
    org: 'platform',
    code: 'ROLE_C_5E41C0DE',
    name: '客服专员',
    nameEn: 'Customer service',
    description: '接待投诉，查看订单，不能退款',
    rank: 40,
    scope: 'ORG_TREE',
    codes:
      'dashboard:read message:read device:read order:read complaint:read complaint:create complaint:update complaint:reply',
    menus: '/device/device-list /order/order-list /complaint/feedback',
  },
  {
    org: 'platform',
    code: 'ROLE_C_0DD17E57',
    name: '数据观察员',
    nameEn: 'Data observer',
    description: '旧角色，已停用',
    rank: 30,
    scope: 'ORG_TREE',
    codes: 'dashboard:read message:read sales-report:read product-report:read',
    menus: '/data/sales-report /data/products-report',
    status: 'DISABLED',
  },
  {
    org: 'op-xianda',
    code: 'ROLE_C_57A71032',
    name: '门店督导',
    nameEn: 'Store supervisor',
    description: '查看所辖设备与库存，安排补货',
    rank: 40,
    scope: 'ORG_TREE',
    codes:
      'dashboard:read message:read device:read lane:read product:read replenish:read replenish:create stock-flow:read stock-warning:read',
    menus:
      '/device/device-list /product/product-manage /stock/replenish /stock/waste /stock/cordon_stock',
  },
]

export async function seedRoles(
  db: Db,
  ids: { organisations: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  for (const role of made) {
    const orgId = ids.organisations.get(role.org)
    if (orgId === undefined) throw new Error(`the demo data has no organisation ${role.org}`)
    const at = new Date(now.getTime() - 40 * 86_400_000)
    const { id } = await db
      .insertInto('roles')
      .values({
        org_id: orgId,
        code: role.code,
        name: role.name,
        name_en: role.nameEn,
        description: role.description,
        rank: role.rank,
        data_scope: role.scope,
        status: role.status ?? 'ENABLED',
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await writeLists(db, id, role.codes.split(' '), role.menus.split(' '))
  }
}
