import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/support/world.ts'
import { session } from '../../session/contract.ts'
import { menus } from '../menuContract.ts'

let world: World
const tokens = new Map<string, string>()
const as = async (username: string) =>
  tokens.get(username) ?? tokens.set(username, await world.login(username)).get(username)
const call = async (
  username: string,
  endpoint: Parameters<World['call']>[0],
  input: Record<string, unknown> = {},
) => world.call(endpoint, input, { token: await as(username) })
beforeAll(async () => {
  world = await openWorld()
}, 120_000)
afterAll(() => world?.close())
let next = 0

describe('menus', () => {
  const nameNext = () => {
    next += 1
    return `own${next}`
  }
  const node = (change: Record<string, unknown> = {}) => ({
    parentId: null,
    name: nameNext(),
    title: '自建',
    titleEn: 'Own',
    sort: 900,
    path: '',
    icon: '',
    permission: null,
    hidden: false,
    ...change,
  })
  const put = (username: string, input: Record<string, unknown>) =>
    call(username, menus.create, input)
  const byPath = async (path: string) =>
    (await call('ROLE_SUPER_ADMIN', menus.tree)).body.list.find(
      (menu: { path: string }) => menu.path === path,
    )

  test('roles of tenants are not named to everybody', async () => {
    const [role] = await world.sql<{ id: number }>(
      `insert into roles (org_id, code, name, name_en, rank, data_scope)
        values (3, 'ROLE_OF_3', '三', '3', 1, 'ORG_TREE') returning id`,
    )
    await world.sql(
      `insert into role_menus select $1, id from menus where path = '/device/device-list'`,
      [role?.id],
    )
    expect(
      (await byPath('/device/device-list')).roles.map((named: { id: number }) => named.id),
    ).not.toContain(role?.id)
    await world.sql('delete from role_menus where role_id = $1', [role?.id])
    await world.sql('delete from roles where id = $1', [role?.id])
  })
  test.each([
    [{ name: '' }, 'name', '菜单名称不能为空'],
    [{ name: '1x' }, 'name', undefined],
    [{ title: '' }, 'title', '标题不能为空'],
    [{ sort: null }, 'sort', '排序不能为空'],
    [{ sort: 'abc' }, 'sort', undefined],
    [{ sort: -1 }, 'sort', undefined],
    [{ sort: 1e9 }, 'sort', undefined],
    [{ path: 'javascript:alert(1)', permission: 'device:read' }, 'path', '该路径在前端不存在'],
    [{ path: '/nowhere', permission: 'device:read' }, 'path', '该路径在前端不存在'],
    [{ path: '/device/device-list/edit', permission: 'device:fly' }, 'path', undefined],
    [{ path: '/device/device-list', permission: 'device:read' }, 'path', '该路径已有菜单'],
  ] as [Record<string, unknown>, string, string | undefined][])(
    '%o is refused',
    async (change, field, message) => {
      const { status, body } = await put('ROLE_SUPER_ADMIN', node(change))
      expect([status < 500 && status >= 400, body.errors?.[0]?.field]).toEqual([true, field])
      if (message) expect(body.errors[0].message).toBe(message)
    },
  )
  test('three levels, no circle, no orphan', async () => {
    const one = (await put('ROLE_SUPER_ADMIN', node())).body
    const two = (await put('ROLE_SUPER_ADMIN', node({ parentId: one.id }))).body
    const three = (await put('ROLE_SUPER_ADMIN', node({ parentId: two.id }))).body
    expect((await put('ROLE_SUPER_ADMIN', node({ parentId: three.id }))).body.message).toBe(
      '菜单最多三级',
    )
    const circle = await call('ROLE_SUPER_ADMIN', menus.update, {
      ...node({ name: one.name, path: one.path, parentId: three.id }),
      id: one.id,
      version: one.version,
    })
    expect(circle.body.message).toBe('上级菜单不能是自己或自己的下级')
    expect((await call('ROLE_SUPER_ADMIN', menus.remove, { id: two.id })).body.message).toBe(
      '请先删除下级菜单',
    )
    for (const menu of [three, two, one])
      expect((await call('ROLE_SUPER_ADMIN', menus.remove, { id: menu.id })).status).toBe(200)
  })
  test('menus and roles can always be reached by the super administrator', async () => {
    for (const path of ['/system/organ-menu', '/system/organ-role']) {
      const menu = await byPath(path)
      const same = {
        ...node({
          name: menu.name,
          path,
          parentId: menu.parentId,
          permission: menu.permission,
          title: menu.title,
          titleEn: menu.titleEn,
          sort: menu.sort,
        }),
        id: menu.id,
        version: menu.version,
      }
      expect(
        (await call('ROLE_SUPER_ADMIN', menus.update, { ...same, hidden: true })).body.message,
      ).toBe('菜单管理和角色管理不能隐藏、停用或删除')
      expect(
        (
          await call('ROLE_SUPER_ADMIN', menus.setStatus, {
            id: menu.id,
            version: menu.version,
            status: 'DISABLED',
          })
        ).status,
      ).toBe(422)
      expect((await call('ROLE_SUPER_ADMIN', menus.remove, { id: menu.id })).status).toBe(422)
    }
    const group = await byPath('/system')
    expect(
      (
        await call('ROLE_SUPER_ADMIN', menus.setStatus, {
          id: group.id,
          version: group.version,
          status: 'DISABLED',
        })
      ).status,
    ).toBe(422)
  })
  test('stop, title and order reach people; restore brings back what was deleted', async () => {
    const tree = async () =>
      (await call('ROLE_RTU_SP', session.user)).body.menus as {
        name: string
        title: string
        children: { name: string }[]
      }[]
    const stock = await byPath('/stock')
    expect(
      (
        await call('ROLE_SUPER_ADMIN', menus.setStatus, {
          id: stock.id,
          version: stock.version,
          status: 'DISABLED',
        })
      ).status,
    ).toBe(200)
    expect((await tree()).map((group) => group.name)).not.toContain('stock')
    const clean = await byPath('/stock/waste')
    expect((await call('ROLE_SUPER_ADMIN', menus.remove, { id: clean.id })).status).toBe(200)
    expect((await call('ROLE_SUPER_ADMIN', menus.restore)).status).toBe(200)
    expect((await tree()).map((group) => group.name)).toContain('stock')
    expect(
      (await byPath('/stock/waste')).roles.map((role: { name: string }) => role.name),
    ).toContain('运营商')
    const { list } = (await call('ROLE_SUPER_ADMIN', menus.tree)).body
    const top = list
      .filter((menu: { parentId: number | null }) => menu.parentId === null)
      .map(({ id, version }: { id: number; version: number }) => ({ id, version }))
    expect(
      (await call('ROLE_SUPER_ADMIN', menus.sort, { parentId: null, items: top.toReversed() }))
        .status,
    ).toBe(200)
    expect((await tree())[0]?.name).not.toBe('device')
    expect(
      (await call('ROLE_SUPER_ADMIN', menus.sort, { parentId: null, items: top })).status,
    ).toBe(409)
    await call('ROLE_SUPER_ADMIN', menus.restore)
    expect((await tree())[0]?.name).toBe('device')
  })
  test('an agent reads, the platform writes', async () => {
    expect((await call('ROLE_RTU_AGENT', menus.tree)).status).toBe(200)
    expect((await put('ROLE_FULL', node())).status).toBe(403)
    expect((await put('PLATFORM_FULL', node())).status).toBe(200)
  })
})
