import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addRole, addUser } from '../../../../test/factories/things.ts'
import { openWorld, rowId, type World } from '../../../../test/support/world.ts'
import { systemScope } from '../../../server/database.ts'
import { permissions } from '../../accounts/permissions.ts'
import { roles as builtin } from '../../accounts/roles.ts'
import { seedAccess } from '../../accounts/seed.ts'
import { notices } from '../../notices/contract.ts'
import { organisations } from '../../organisations/contract.ts'
import { session } from '../../session/contract.ts'
import { users } from '../../users/contract.ts'
import { roles } from '../contract.ts'

let world: World
const tokens = new Map<string, string>()
const as = async (username: string) =>
  tokens.get(username) ?? tokens.set(username, await world.login(username)).get(username)
const call = async (
  username: string,
  endpoint: Parameters<World['call']>[0],
  input: Record<string, unknown> = {},
) => world.call(endpoint, input, { token: await as(username) })
const idOf = async (code: string) =>
  Number((await world.sql<{ id: number }>('select id from roles where code = $1', [code]))[0]?.id)

beforeAll(async () => {
  world = await openWorld()
}, 120_000)
afterAll(() => world?.close())

let next = 0
const form = (change: Record<string, unknown> = {}) => {
  next += 1
  return {
    name: `店长${next}`,
    nameEn: '',
    description: '',
    dataScope: 'ORG_TREE',
    rank: 10,
    permissions: ['device:read'],
    menus: ['/device/device-list'],
    ...change,
  }
}
/** The organisation manager of OWN. */
const manager = 'ROLE_ORG_MANAGER'
/** Codes the manager holds himself. */
const mine = { permissions: ['user:read', 'user:create'], menus: ['/organ/organ-user'] }

describe('the form', () => {
  test.each([
    [{ name: '' }, 'name', '角色名称不能为空'],
    [{ name: 'x'.repeat(21) }, 'name', undefined],
    [{ permissions: [] }, 'permissions', '请至少选择一项权限'],
    [{ dataScope: 'SOME' }, 'dataScope', '请选择数据范围'],
    [{ permissions: ['device:fly'] }, 'permissions', undefined],
  ] as [Record<string, unknown>, string, string | undefined][])(
    '%o is 400',
    async (change, field, message) => {
      const { status, body } = await call('ROLE_SUPER_ADMIN', roles.create, form(change))
      expect([status, body.errors?.[0]?.field]).toEqual([400, field])
      if (message) expect(body.errors[0].message).toBe(message)
    },
  )
  test('an action needs its read, a page its permission, a name is taken once per organisation', async () => {
    const lone = await call(
      'ROLE_SUPER_ADMIN',
      roles.create,
      form({ permissions: ['device:update'], menus: [] }),
    )
    expect([lone.status, lone.body.message]).toEqual([400, '“设备编辑”需要先勾选“设备查看”'])
    const blind = await call(
      'ROLE_SUPER_ADMIN',
      roles.create,
      form({ menus: ['/product/product-manage'] }),
    )
    expect([blind.status, blind.body.message]).toEqual([400, '菜单“商品列表”需要先勾选“商品查看”'])
    expect((await call('ROLE_SUPER_ADMIN', roles.create, form({ name: '同名' }))).status).toBe(200)
    const twice = await call('ROLE_SUPER_ADMIN', roles.create, form({ name: '同名' }))
    expect([twice.status, twice.body.message]).toEqual([409, '角色名称已存在'])
    expect((await call(manager, roles.create, form({ name: '同名', ...mine }))).status).toBe(200)
  })
})

describe('what somebody may put into a role', () => {
  test('no role is called like a built-in one', async () => {
    for (const change of [
      { name: 'ROLE_RTU_REPLENISHER' },
      { name: '补 货员' },
      { name: 'ｒｏｌｅ_rtu_sp' },
      { nameEn: 'Replenisher' },
      // looks the same
      { name: '运\u034f营商' },
      { name: '超级管理員' },
      { name: '超级管理员.' },
      { name: '補貨員' },
      { nameEn: 'Réplenisher' },
    ]) {
      const { status, body } = await call(manager, roles.create, form({ ...mine, ...change }))
      expect([status, body.message, body.errors?.[0]?.field]).toEqual([
        409,
        '角色名称已存在',
        Object.keys(change)[0],
      ])
    }
    expect(
      (await call(manager, roles.copy, { id: await idOf(manager), name: '补货员' })).body.code,
    ).toBe(409004)
    const input = form(mine)
    const made = await call(manager, roles.create, input)
    const renamed = await call(manager, roles.update, {
      ...input,
      id: made.body.id,
      version: made.body.version,
      name: 'role_finance',
    })
    expect([renamed.status, renamed.body.code]).toEqual([409, 409004])
  })
  test('only what he holds, at most his rank, at most his scope', async () => {
    const foreign = await call(manager, roles.create, form())
    expect([foreign.status, foreign.body.message]).toEqual([403, '您没有该权限：设备查看'])
    expect((await call(manager, roles.create, form({ ...mine, rank: 56 }))).body.message).toBe(
      '不能管理级别高于自己的角色',
    )
    expect(
      (await call(manager, roles.create, form({ ...mine, dataScope: 'ALL' }))).body.message,
    ).toBe('不能授予超出自己的数据范围')
    expect((await call('ROLE_CLERK', roles.create, form())).body.message).toBe(
      '不能授予超出自己的数据范围',
    )
    expect(
      (await call('ROLE_CLERK', roles.create, form({ dataScope: 'ASSIGNED_DEVICES' }))).status,
    ).toBe(200)
  })
  test('what he does not hold he can neither add nor remove, but leave', async () => {
    const made = (
      await call(
        'ROLE_FULL',
        roles.create,
        form({ rank: 10, permissions: ['user:read', 'device:read'], menus: [] }),
      )
    ).body
    const put = (codes: string[]) =>
      call(manager, roles.update, {
        ...form({ permissions: codes, menus: [] }),
        id: made.id,
        version: made.version,
      })
    expect((await put(['user:read'])).status).toBe(403)
    expect((await put(['user:read', 'device:read', 'order:read'])).status).toBe(403)
    expect((await put(['user:read', 'user:create', 'device:read'])).status).toBe(200)
    expect((await put(['user:read', 'device:read'])).body).toMatchObject({
      code: 409001,
      message: '内容已被他人修改，请刷新',
    })
  })
  test('nobody takes his own way back to roles', async () => {
    const made = (
      await call(
        'ROLE_SUPER_ADMIN',
        roles.create,
        form({ permissions: ['role:read', 'role:update', 'user:read'], menus: [] }),
      )
    ).body
    await addUser(world.sql, { org_id: 1, username: 'keeper' }, made.identifier)
    const own = {
      ...form({ rank: 10, permissions: ['role:read', 'user:read'], menus: [] }),
      id: made.id,
      version: made.version,
    }
    expect((await call('keeper', roles.update, own)).body.message).toBe(
      '不能移除自己编辑角色的权限',
    )
    expect(
      (
        await call('keeper', roles.setStatus, {
          id: made.id,
          version: made.version,
          status: 'DISABLED',
        })
      ).body.message,
    ).toBe('不能移除自己编辑角色的权限')
  })
})

describe('built-in roles', () => {
  test('the super administrator is complete, also after a later release, and nobody changes him', async () => {
    const id = await idOf('ROLE_SUPER_ADMIN')
    const role = (await call('ROLE_SUPER_ADMIN', roles.get, { id })).body
    expect(role.permissions).toHaveLength(permissions.length)
    expect(role.can).toMatchObject({ update: false, stop: false, restore: false, delete: false })
    const fields = {
      name: role.name,
      nameEn: '',
      description: '',
      dataScope: 'ALL',
      rank: 99,
      permissions: ['device:read'],
      menus: [],
      id,
      version: role.version,
    }
    expect((await call('ROLE_SUPER_ADMIN', roles.update, fields)).body.message).toBe(
      '超级管理员拥有全部权限，不可修改',
    )
    expect(
      (
        await call('ROLE_SUPER_ADMIN', roles.setStatus, {
          id,
          version: role.version,
          status: 'DISABLED',
        })
      ).status,
    ).toBe(422)
    await world.sql(
      `insert into permissions (code, menu_group, name_zh, name_en, sort)
        values ('later:read', 'common', '以后', 'Later', 999)`,
    )
    await world.app.database.transact(systemScope, (db) => seedAccess(db, new Date()))
    expect((await call('ROLE_SUPER_ADMIN', session.user)).body.permissions).toContain('later:read')
    await world.sql(`delete from role_permissions where permission_code = 'later:read'`)
    await world.sql(`delete from permissions where code = 'later:read'`)
  })
  test('others change by super administrators alone, keep name, rank and scope, and can be restored', async () => {
    const id = await idOf('ROLE_RTU_SP')
    const before = (await call('ROLE_SUPER_ADMIN', roles.get, { id })).body
    const less = {
      ...before,
      permissions: before.permissions.filter((code: string) => code !== 'order:clean'),
      menus: before.menus.filter((path: string) => path !== '/order/order-clean'),
    }
    const input = (change: Record<string, unknown> = {}) => ({
      id,
      version: before.version,
      name: less.name,
      nameEn: less.nameEn,
      description: '',
      dataScope: less.dataScope,
      rank: less.rank,
      permissions: less.permissions,
      menus: less.menus,
      ...change,
    })
    expect((await call('PLATFORM_FULL', roles.update, input())).body.message).toBe(
      '内置角色仅超级管理员可修改',
    )
    expect((await call(manager, roles.update, input())).status).toBe(404)
    expect(
      (await call('ROLE_SUPER_ADMIN', roles.update, input({ name: '别名' }))).body.message,
    ).toBe('内置角色的名称、级别和数据范围不可修改')
    const after = await call('ROLE_SUPER_ADMIN', roles.update, input())
    expect([after.status, after.body.permissions.includes('order:clean')]).toEqual([200, false])
    const back = await call('ROLE_SUPER_ADMIN', roles.restore, { id, version: after.body.version })
    expect([...back.body.permissions].sort()).toEqual(
      [...(builtin.find((role) => role.code === 'ROLE_RTU_SP')?.permissions ?? [])].sort(),
    )
    expect(back.body.menus).toContain('/order/order-clean')
    expect((await call('ROLE_SUPER_ADMIN', roles.remove, { id })).body.message).toBe(
      '内置角色不能删除',
    )
  })
})

describe('a change works at the next request', () => {
  test('permission, menu and stop; the browser is told', async () => {
    const id = await idOf('ROLE_RTU_REPLENISHER')
    const user = async () => (await call('ROLE_RTU_REPLENISHER', session.user)).body
    const names = (tree: { name: string; children: { name: string }[] }[]) =>
      tree.flatMap((group) => group.children.map((child) => child.name))
    const mark = async () =>
      (await call('ROLE_RTU_REPLENISHER', roles.assignable)).headers['x-perm-version']
    const before = await mark()
    const role = (await call('ROLE_SUPER_ADMIN', roles.get, { id })).body
    const input = {
      id,
      version: role.version,
      name: role.name,
      nameEn: role.nameEn,
      description: '',
      dataScope: role.dataScope,
      rank: role.rank,
      permissions: role.permissions,
    }
    const changed = await call('ROLE_SUPER_ADMIN', roles.update, {
      ...input,
      menus: role.menus.filter((path: string) => path !== '/stock/waste'),
    })
    expect(changed.status).toBe(200)
    expect(names((await user()).menus)).not.toContain('waste')
    expect(await mark()).not.toBe(before)
    const stopped = await call('ROLE_SUPER_ADMIN', roles.setStatus, {
      id,
      version: changed.body.version,
      status: 'DISABLED',
    })
    expect(stopped.body.userCount).toBe(1)
    const closed = await user()
    expect([closed.menus, closed.permissions]).toEqual([[], []])
    await call('ROLE_SUPER_ADMIN', roles.restore, { id, version: stopped.body.version })
    expect(names((await user()).menus)).toContain('waste')
    expect(await mark()).toBe(before)
  })
})

describe('copy and delete', () => {
  test('a copy holds what the copier holds, is his to give, and goes when nobody has it', async () => {
    const copied = await call(manager, roles.copy, {
      id: await idOf('ROLE_ORG_MANAGER'),
      name: '副管理员',
    })
    expect(copied.body).toMatchObject({
      builtin: false,
      rank: 55,
      dataScope: 'ORG_TREE',
      can: { update: true, delete: true },
    })
    expect(copied.body.permissions).toContain('role:update')
    expect(
      (await call(manager, roles.assignable)).body.list.map((role: { id: number }) => role.id),
    ).toContain(copied.body.id)
    const narrowed = await call(manager, roles.copy, {
      id: await idOf('ROLE_ADMIN'),
      name: '小管理员',
    })
    expect(narrowed.body.permissions).not.toContain('device:read')
    const second = await addUser(
      world.sql,
      { org_id: 3, username: 'second' },
      copied.body.identifier,
    )
    const kept = await call(manager, roles.remove, { id: copied.body.id })
    expect([kept.status, kept.body.message]).toEqual([409, '角色已分配给 1 名用户，无法删除'])
    await world.sql(`update users set status = 'DISABLED', deleted_at = now() where id = $1`, [
      second,
    ])
    expect((await call(manager, roles.remove, { id: copied.body.id })).body).toEqual({ ok: true })
  })
  test('two roles side by side, and the catalogue says what the actor cannot tick', async () => {
    const diff = (
      await call(manager, roles.diff, { a: await idOf('ROLE_RTU_SP'), b: rowId('OWN', 1) })
    ).body
    expect([diff.a.name, diff.b.permissions]).toEqual(['运营商', ['device:read']])
    expect((await call(manager, roles.diff, { a: 1, b: rowId('SIBLING', 1) })).status).toBe(404)
    const { groups, can } = (await call(manager, roles.catalogue)).body
    const codes = groups.flatMap(
      (g: { resources: { permissions: { permission: string; blocked: string | null }[] }[] }) =>
        g.resources.flatMap((r) => r.permissions),
    )
    expect(codes).toHaveLength(permissions.length)
    const blocked = (code: string) =>
      codes.find((c: { permission: string }) => c.permission === code)?.blocked
    expect([blocked('user:create'), blocked('device:read'), blocked('menu:create')]).toEqual([
      null,
      'NOT_HELD',
      'PLATFORM_ONLY',
    ])
    expect(can.scopes).not.toContain('ALL')
  })
})

describe('the matrix', () => {
  let rows: { roleId: number; name: string; targets: number[]; version: number; fixed: boolean }[]
  beforeEach(async () => {
    rows = (await call('ROLE_SUPER_ADMIN', roles.distribution)).body.rows
  })
  const rowNamed = (name: string) => rows.find((row) => row.name === name) as (typeof rows)[number]
  const save = (change: Record<string, unknown>, by = 'ROLE_SUPER_ADMIN') =>
    call(by, roles.distribute, { rows: [{ orgKinds: [], maxUsers: null, ...change }] })

  test('the default of the product book', async () => {
    const names = (row: (typeof rows)[number]) =>
      row.targets
        .map((id) => rows.find((other) => other.roleId === id)?.name)
        .filter((name) => builtin.some((role) => role.zh === name))
    expect(names(rowNamed('代理商')).sort()).toEqual(
      ['代理商', '供应商', '维修员', '补货员', '财务', '货道租户', '赞助商', '运营商'].sort(),
    )
    expect(names(rowNamed('运营商')).sort()).toEqual(
      ['维修员', '补货员', '财务', '货道租户'].sort(),
    )
    expect(names(rowNamed('总管理员'))).toHaveLength(builtin.length - 2)
    expect(names(rowNamed('补货员'))).toEqual([])
    expect(rowNamed('超级管理员').fixed).toBe(true)
  })
  test('nobody gives what stands above him, who adds users gives something, the platform alone decides', async () => {
    const operator = rowNamed('运营商')
    const over = await save({
      roleId: operator.roleId,
      targets: [rowNamed('代理商').roleId],
      version: operator.version,
    })
    expect([over.status, over.body.message]).toEqual([403, '不能授予级别高于操作者的角色'])
    const template = rowNamed('机构管理员')
    expect(
      (await save({ roleId: template.roleId, targets: [], version: template.version })).body
        .message,
    ).toBe('请至少选择一个角色')
    expect(
      (await save({ roleId: operator.roleId, targets: [], version: operator.version }, 'ROLE_FULL'))
        .status,
    ).toBe(403)
    expect(
      (await save({ roleId: rowNamed('超级管理员').roleId, targets: [], version: 1 })).status,
    ).toBe(422)
    expect(
      (await save({ roleId: operator.roleId, targets: [], version: operator.version })).status,
    ).toBe(200)
    expect(
      (await save({ roleId: operator.roleId, targets: [], version: operator.version })).body
        .message,
    ).toBe('内容已被他人修改，请刷新')
    const back = await call('ROLE_SUPER_ADMIN', roles.restoreDistribution)
    expect(
      back.body.rows.find((row: { name: string }) => row.name === '运营商').targets,
    ).toHaveLength(4)
  })
  test('it binds on the next request, and lists who is beyond it', async () => {
    const list = async () =>
      (await call(manager, roles.assignable)).body.list.map((role: { name: string }) => role.name)
    expect(await list()).toContain('维修员')
    const template = rowNamed('机构管理员')
    await save({
      roleId: template.roleId,
      targets: [rowNamed('补货员').roleId],
      version: template.version,
    })
    expect(await list()).not.toContain('维修员')
    expect(
      (await call('ROLE_SUPER_ADMIN', roles.beyond, { keyword: 'user-own' })).body.list,
    ).toMatchObject([{ userName: 'user-OWN', roleName: 'ROLE_NOTHING', grantedBy: '员OWN' }])
    await call('ROLE_SUPER_ADMIN', roles.restoreDistribution)
  })
})

describe('roles of tenants', () => {
  const names = (list: { name: string }[]) => list.map((row) => row.name)
  beforeAll(async () => {
    await world.sql(`insert into roles (org_id, code, name, name_en, rank, data_scope)
      select 4, 'ROLE_C_FLOOD' || n, '洪水' || n, 'flood ' || n, 70, 'ORG_TREE'
      from generate_series(1, 600) n`)
    await world.sql(
      `insert into role_permissions select id, 'device:read' from roles
        where code like 'ROLE_C_FLOOD%'`,
    )
  })
  test('however many, everybody finds the built-in ones and gives what he gave', async () => {
    const given = async () =>
      names((await call('ROLE_RTU_AGENT', roles.assignable, { orgId: 2 })).body.list)
    const before = await given()
    const matrix = (await call('ROLE_SUPER_ADMIN', roles.distribution)).body
    expect(names(matrix.rows)).toEqual(names(matrix.columns))
    expect(names(matrix.rows)).toEqual(expect.arrayContaining(builtin.map((role) => role.zh)))
    expect(names(matrix.rows).filter((name) => name.startsWith('洪水'))).toEqual([])
    const { roleId, targets, orgKinds, maxUsers, version } = matrix.rows.find(
      (row: { name: string }) => row.name === '代理商',
    )
    expect(
      (
        await call('ROLE_SUPER_ADMIN', roles.distribute, {
          rows: [{ roleId, targets, orgKinds, maxUsers, version }],
        })
      ).status,
    ).toBe(200)
    expect((await call('ROLE_SUPER_ADMIN', roles.restoreDistribution)).status).toBe(200)
    expect([await given(), before.includes('供应商')]).toEqual([before, true])
    expect(names((await call('ROLE_SUPER_ADMIN', notices.roles)).body.list)).toEqual(
      expect.arrayContaining(['代理商', '补货员']),
    )
  })
  test('pickers offer those of the organisation that is asked for, and any by name', async () => {
    const offered = async (input: Record<string, unknown>) =>
      names((await call('ROLE_SUPER_ADMIN', roles.assignable, input)).body.list)
    expect((await offered({})).filter((name) => name.startsWith('洪水'))).toEqual([])
    expect((await offered({ orgId: 4 })).filter((name) => name.startsWith('洪水'))).toHaveLength(
      600,
    )
    expect(await offered({ keyword: '洪水59' })).toHaveLength(11)
    expect(await offered({ ids: [await idOf('ROLE_C_FLOOD7')] })).toContain('洪水7')
    expect(
      names((await call('ROLE_SUPER_ADMIN', notices.roles, { keyword: '洪水599' })).body.list),
    ).toEqual(['洪水599'])
    expect(
      names((await call('ROLE_FULL', roles.assignable, { keyword: '洪水' })).body.list),
    ).toEqual([])
  })
  test('whoever holds what is in one gives it, and the rows all share do not name it', async () => {
    const made = (await call('ROLE_FULL', roles.create, form({ rank: 5 }))).body
    expect(
      await world.sql('select 1 from role_distributions where target_role_id = $1', [made.id]),
    ).toEqual([])
    const may = async (username: string) =>
      names((await call(username, roles.assignable)).body.list).includes(made.name)
    expect([await may('ROLE_FULL'), await may('ROLE_RTU_SP'), await may(manager)]).toEqual([
      true,
      true,
      false,
    ])
    // what its holders give beside it, the platform says in a row of its own
    const { rows, columns } = (await call('ROLE_SUPER_ADMIN', roles.distribution, { orgId: 3 }))
      .body
    const { roleId, version } = rows.find((row: { roleId: number }) => row.roleId === made.id)
    expect(names(columns)).not.toContain(made.name)
    const target = columns.find((column: { rank: number }) => column.rank <= 5).roleId
    const row = { roleId, targets: [target], orgKinds: [], maxUsers: null, version }
    const saved = await call('ROLE_SUPER_ADMIN', roles.distribute, { orgId: 3, rows: [row] })
    expect([
      saved.status,
      saved.body.rows.find((found: { roleId: number }) => found.roleId === roleId).targets,
    ]).toEqual([200, [target]])
    expect(
      (
        await call('ROLE_SUPER_ADMIN', roles.distribute, {
          orgId: 3,
          rows: [{ ...row, targets: [made.id], version: 1 }],
        })
      ).status,
    ).toBe(404)
  })
  test('an organisation makes a hundred, also at once', async () => {
    const before = Number(
      (
        await world.sql<{ n: number }>(
          'select count(*) as n from roles where org_id = 3 and not builtin',
        )
      )[0]?.n,
    )
    await world.sql(
      `insert into roles (org_id, code, name, name_en, rank, data_scope)
        select 3, 'ROLE_C_MANY' || n, '多' || n, 'x', 1, 'ORG_TREE'
        from generate_series(1, $1::int) n`,
      [97 - before],
    )
    const made = await Promise.all(
      Array.from({ length: 8 }, () => call('ROLE_FULL', roles.create, form())),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 422, 422, 422, 422, 422,
    ])
    expect(
      (await call(manager, roles.copy, { id: await idOf(manager), name: '第101个' })).body.message,
    ).toBe('每个机构最多100个自定义角色')
    await world.sql(`delete from roles where code like 'ROLE_C_MANY%'`)
  })
})

/** The manager with one role more, while `work` runs. */
async function besides(role: string, work: () => Promise<void>): Promise<void> {
  const [user] = await world.sql<{ id: number }>('select id from users where username = $1', [
    manager,
  ])
  await world.sql(
    'insert into user_roles (user_id, role_id, org_id) select $1, id, 3 from roles where code = $2',
    [user?.id, role],
  )
  await work()
  await world.sql(
    'delete from user_roles ur using roles r where r.id = ur.role_id and ur.user_id = $1 and r.code = $2',
    [user?.id, role],
  )
}

test.each([
  ['ASSIGNED_DEVICES', ['OWN_LANES', 'OWN_GOODS', 'ASSIGNED_DEVICES'], ['ORG_TREE']],
  ['OWN_LANES', ['OWN_LANES', 'OWN_GOODS', 'OWN_BUDGET'], ['ASSIGNED_DEVICES', 'ORG_TREE']],
] as const)(
  'what somebody holds by %s he writes and gives as %s, not as %s',
  async (heldBy, fine, wide) => {
    const held = ['device:read', 'device:update']
    await addRole(
      world.sql,
      { org_id: 1, code: `ROLE_${heldBy}`, name: heldBy, data_scope: heldBy },
      held,
    )
    const codes = { permissions: held, menus: ['/device/device-list'], rank: 1 }
    await besides(`ROLE_${heldBy}`, async () => {
      const made = await Promise.all(
        fine.map((dataScope) => call(manager, roles.create, form({ ...codes, dataScope }))),
      )
      expect(made.map(({ status }) => status)).toEqual(fine.map(() => 200))
      for (const dataScope of wide) {
        expect((await call(manager, roles.create, form({ ...codes, dataScope }))).body.error).toBe(
          'roles.notHeld',
        )
        const { id, version, name } = made[0]?.body ?? {}
        expect(
          (
            await call(manager, roles.update, {
              ...form({ ...codes, name, dataScope }),
              id,
              version,
            })
          ).body.error,
        ).toBe('roles.notHeld')
        // nor is such a role of somebody else his to give
        const others = (await call('ROLE_FULL', roles.create, form({ ...codes, dataScope }))).body
        const list = (await call(manager, roles.assignable)).body.list.map(
          (role: { id: number }) => role.id,
        )
        expect([list.includes(made[0]?.body.id), list.includes(others.id)]).toEqual([true, false])
      }
    })
  },
)
test('who starts a stopped role gives what it holds', async () => {
  const role = (await call('ROLE_FULL', roles.create, form())).body
  const turn = (by: string, version: number, status: string) =>
    call(by, roles.setStatus, { id: role.id, version, status })
  expect((await turn('ROLE_FULL', role.version, 'DISABLED')).status).toBe(200)
  await besides(role.identifier, async () =>
    expect((await turn(manager, role.version + 1, 'ENABLED')).body.error).toBe('roles.notHeld'),
  )
  expect((await turn('ROLE_FULL', role.version + 1, 'ENABLED')).status).toBe(200)
  // to stop is to take from everybody who has it: it asks what giving asks
  expect((await turn(manager, role.version + 2, 'DISABLED')).body.error).toBe('roles.notHeld')
  expect((await turn('ROLE_FULL', role.version + 2, 'DISABLED')).status).toBe(200)
})
test('what equals hold is lowered, emptied and stopped by who outranks them', async () => {
  const equal = await addUser(world.sql, { org_id: 3, username: 'equal-3' })
  const input = form({ ...mine, rank: 55 })
  const made = (await call(manager, roles.create, input)).body
  const put = (by: string, version: number, change: Record<string, unknown>) =>
    call(by, roles.update, { ...input, id: made.id, version, ...change })
  // nobody has it yet
  expect((await put(manager, 1, { rank: 54 })).status).toBe(200)
  expect((await put(manager, 2, { rank: 55 })).status).toBe(200)
  await world.sql('insert into user_roles (user_id, role_id, org_id) values ($1, $2, 3)', [
    equal,
    made.id,
  ])
  for (const change of [
    { rank: 1 },
    { permissions: ['user:read'] },
    { dataScope: 'ASSIGNED_DEVICES' },
  ])
    expect((await put(manager, 3, change)).body.error).toBe('roles.notOutranked')
  expect(
    (await call(manager, roles.setStatus, { id: made.id, version: 3, status: 'DISABLED' })).body
      .error,
  ).toBe('roles.notOutranked')
  expect((await call(manager, roles.get, { id: made.id })).body.can.stop).toBe(false)
  expect((await put(manager, 3, { description: '说明' })).status).toBe(200)
  expect((await put('ROLE_SUPER_ADMIN', 4, { rank: 54 })).status).toBe(200)
  // above the holders; what he does not hold himself goes neither up nor down
  const foreign = form({ rank: 20, permissions: ['device:read'] })
  const other = (await call('ROLE_FULL', roles.create, { ...foreign, rank: 10 })).body
  await world.sql('insert into user_roles (user_id, role_id, org_id) values ($1, $2, 3)', [
    equal,
    other.id,
  ])
  for (const rank of [55, 1])
    expect(
      (await call(manager, roles.update, { ...foreign, id: other.id, version: 1, rank })).body
        .error,
    ).toBe('roles.notHeld')
})

test('a role that is stopped can be taken away, not given', async () => {
  const role = (await call('ROLE_FULL', roles.create, form({ rank: 5 }))).body
  const id = await addUser(
    world.sql,
    { org_id: 3, username: 'two-3' },
    role.identifier,
    'ROLE_NOTHING',
  )
  await call('ROLE_FULL', roles.setStatus, {
    id: role.id,
    version: role.version,
    status: 'DISABLED',
  })
  const set = (version: number, roleIds: number[]) =>
    call('ROLE_FULL', users.setRoles, { id, version, roleIds })
  expect((await set(1, [await idOf('ROLE_NOTHING')])).status).toBe(200)
  expect((await set(2, [await idOf('ROLE_NOTHING'), role.id])).status).toBe(403)
})
test('whoever takes a way to sign in holds what its owner holds, could give it, or answers for him', async () => {
  const role = (await call('ROLE_FULL', roles.create, form({ rank: 5 }))).body
  const more = await addUser(world.sql, { org_id: 3, username: 'owner-more' }, role.identifier)
  const less = await addUser(
    world.sql,
    { org_id: 3, username: 'owner-less' },
    'ROLE_RTU_REPLENISHER',
  )
  const reset = async (by: string, id: number | undefined) =>
    (await call(by, users.resetPassword, { id, mustChangePassword: true })).body.error ?? 'done'
  expect(await reset(manager, more)).toBe('users.holdsMore')
  expect((await call(manager, users.resetFactor, { id: more })).body.error).toBe('users.holdsMore')
  // the distribution lets him make such an account, so this gives him nothing new
  expect(await reset(manager, less)).toBe('done')
  expect(await reset('ROLE_FULL', more)).toBe('done')
  expect(await reset('ROLE_ADMIN', more)).toBe('done')
  await world.sql('update users set is_principal = true where username = $1', [manager])
  expect(await reset(manager, more)).toBe('done')
  await world.sql('update users set is_principal = false where username = $1', [manager])
})
test('nobody stops an organisation in which somebody outranks him, but its principal above or the platform', async () => {
  await addUser(world.sql, { org_id: 7, username: 'boss-7' }, 'ROLE_RTU_AGENT')
  const version = async () =>
    (await world.sql<{ version: number }>('select version from organisations where id = 7'))[0]
      ?.version
  const stop = async (change: Record<string, unknown> = {}) =>
    call(manager, organisations.setStatus, {
      id: 7,
      version: await version(),
      status: 'DISABLED',
      pauseDevices: false,
      ...change,
    })
  expect((await stop()).body.error).toBe('users.rankTooHigh')
  const items = [{ id: 7, version: await version() }]
  expect(
    (
      await call(manager, organisations.setStatuses, {
        items,
        status: 'DISABLED',
        pauseDevices: false,
      })
    ).body.error,
  ).toBe('users.rankTooHigh')
  await world.sql('update users set is_principal = true where username = $1', [manager])
  expect((await stop({ pauseDevices: true })).status).toBe(403)
  expect([(await stop()).status, (await stop({ status: 'ENABLED' })).status]).toEqual([200, 200])
  await world.sql('update users set is_principal = false where username = $1', [manager])
})
