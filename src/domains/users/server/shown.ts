import { type Ctx, iso, isoOrNull, may } from '../../../server/context.ts'
import { placeName } from '../../../shared/regions.ts'
import type { OrganUserRow } from '../contract.ts'
import { maskedPhone, servesAs } from '../rules.ts'
import { above } from './people.ts'
import type { Row } from './queries.ts'

/** The row as people see it, with what this actor may do to it. */
export function listed(ctx: Ctx, row: Row): OrganUserRow {
  const oneself = row.id === ctx.actor.userId
  const below = above(ctx, Math.max(0, ...row.roles.map((role) => role.rank)))
  const other = below && !oneself
  const [, tenant] = row.org_path.split('.')
  return {
    id: row.id,
    username: row.username,
    realName: row.real_name,
    avatar: row.avatar,
    role: row.roles[0]?.code ?? '',
    roleName: row.roles.map((role) => (ctx.lang === 'en' ? role.nameEn : role.name)).join(ctx.lang === 'en' ? ', ' : '、'),
    roles: row.roles.map(({ id, code, name, nameEn }) => ({ id, code, name, nameEn })),
    operatorId: row.org_id,
    operatorName: row.org_name,
    tenantId: Number(tenant ?? row.org_path),
    departmentId: row.department_id,
    departmentName: row.department ?? '',
    phone: maskedPhone(row.phone),
    consumerPhone: row.consumer_phone,
    area: placeName(row.region_code, ' '),
    regionCode: row.region_code,
    address: row.address,
    deviceCount: row.devices,
    status: row.status,
    locked: row.locked_until !== null && row.locked_until > ctx.now,
    wechatBound: row.wechat,
    isPrincipal: row.is_principal,
    lastLoginTime: isoOrNull(row.last_login_at),
    lastLoginIp: row.last_login_ip,
    createTime: iso(row.created_at),
    version: row.version,
    can: {
      update: below && may(ctx, 'user:update'),
      status: other && may(ctx, 'user:update'),
      roles: other && may(ctx, 'user:assign-role'),
      devices: other && may(ctx, 'device:assign') && servesAs(row.roles.map((role) => ({ code: role.code, dataScope: role.scope }))).length > 0,
      reset: other && may(ctx, 'user:reset-password'),
      logout: other && may(ctx, 'user:update'),
      unbind: below && row.wechat && may(ctx, 'user:update'),
      factor: other && row.factor && may(ctx, 'user:reset-password'),
      delete: other && !row.is_principal && may(ctx, 'user:delete'),
    },
  }
}
