import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDevice, avatar, fresh, openWorld, people, type World } from './testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const send: World['send'] = (...given) => world.send(...given)
const add = async (change: Record<string, unknown> = {}, user = people.platform) => {
  const { status, body } = await send(user, 'POST', '/organisations', fresh(change, user))
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
  return body
}
const versionOf = async (id: number) =>
  Number(
    (await world.one<{ version: number }>('select version from organisations where id = $1', [id]))
      .version,
  )
const setStatus = async (user: number, id: number, status: string, more = {}) =>
  send(user, 'PUT', `/organisations/${id}/status`, {
    version: await versionOf(id),
    status,
    ...more,
  })

describe('creating', () => {
  test('organisation and principal come together', async () => {
    const made = await add({ name: '北方代理' })
    expect(made).toMatchObject({
      name: '北方代理',
      kind: 'AGENT',
      username: expect.stringMatching(/^fresh/),
      realName: '王五',
      roleName: '普通',
      role: 'ROLE_PLAIN',
      operatorId: 1,
      operatorName: '机构1',
      area: '广东省 / 深圳市 / 南山区',
      phone: '13800138000',
      tenantId: made.id,
      deviceCount: 0,
      childCount: 0,
      status: 'ENABLED',
      version: 1,
      orgCode: `ORG${String(made.id).padStart(6, '0')}`,
      can: { update: true, disable: true, move: true, delete: true },
    })
    const [user] = await world.rows(
      'select org_id, is_principal, must_change_password, avatar, region_code, phone from users where id = $1',
      [made.principalId],
    )
    expect(user).toEqual({
      org_id: made.id,
      is_principal: true,
      must_change_password: true,
      avatar: avatar(1),
      region_code: '440305',
      phone: '13800138000',
    })
    const [log] = await world.rows<{ action: string; org_id: number; after: object }>(
      `select action, org_id, after from operation_logs where resource_id = $1`,
      [String(made.id)],
    )
    expect([log?.action, log?.org_id]).toEqual(['organisations.create', made.id])
    expect(JSON.stringify(log?.after)).not.toMatch(/password|argon2|Zebra/)
  })
  test('an agent adds below himself, with both walls up, and sees what he made', async () => {
    const made = await add({ parentId: 2, kind: 'OPERATOR' }, people.agent)
    expect(made).toMatchObject({ operatorId: 2, tenantId: 2, username: expect.any(String) })
    expect((await send(people.agent, 'GET', `/organisations/${made.id}`)).status).toBe(200)
    expect((await send(people.stranger, 'GET', `/organisations/${made.id}`)).status).toBe(403)
    expect((await send(people.operator, 'GET', `/organisations/${made.id}`)).status).toBe(404)
  })
  test.each([
    ['parentId', undefined, '请选择上级机构'],
    ['kind', undefined, '请选择机构类型'],
    ['kind', 'PLATFORM', '该上级机构下不能有此类型的机构'],
    ['name', '', '机构名称不能为空'],
    ['name', 'x'.repeat(41)],
    ['username', '', '用户名不能为空'],
    ['username', 'ab '],
    ['password', '', '密码不能为空'],
    ['password', 'short1'],
    ['repeat', 'Other-crossing7', '两次输入的密码不一致'],
    ['realName', ' ', '真实姓名不能为空'],
    ['roleIds', [], '请至少选择一个角色'],
    ['roleIds', undefined, '请至少选择一个角色'],
    ['phone', '', '联系电话不能为空'],
    ['phone', undefined, '联系电话不能为空'],
    ['phone', '12345678901', '手机号码不合法'],
    ['phone', '+86 13800138000', '手机号码不合法'],
    ['consumerPhone', '', '客服电话不能为空'],
    ['consumerPhone', '12', '号码不合法'],
    ['address', '', '街道地址不能为空'],
    ['avatar', '', '请上传头像'],
    ['licences', Array.from({ length: 6 }, () => avatar(1)), '最多上传5张图片'],
    ['creditCode', '91440300708461136A', '统一社会信用代码不正确'],
    ['regionCode', '999999'],
    ['lat', 22.5, '经度和纬度须同时填写'],
    ['tenantId', 3, '不支持的字段'],
  ])('%s %o is refused', async (field, value, message?: string) => {
    const given = { ...fresh(), [field]: value }
    const { status, body } = await send(people.platform, 'POST', '/organisations', given)
    expect([
      status < 500 && status >= 400,
      body.errors?.some((e: { field: string }) => e.field === field),
    ]).toEqual([true, true])
    if (message)
      expect(body.errors.find((e: { field: string }) => e.field === field).message).toContain(
        message,
      )
    expect(await world.rows('select 1 from users where username = $1', [given.username])).toEqual(
      [],
    )
  })
  test('full-width digits are read, the service phone may be a landline', async () => {
    expect(
      (await add({ phone: '１３８００１３８０００', consumerPhone: '0755-86531200' })).phone,
    ).toBe('13800138000')
  })
  test('pictures are the actor’s own, roles his to give, kinds within his row', async () => {
    const refused = async (change: Record<string, unknown>, user = people.platform) => {
      const { status, body } = await send(user, 'POST', '/organisations', fresh(change, user))
      return [status, body.code]
    }
    expect(await refused({ avatar: avatar(2) })).toEqual([404, 404001])
    expect(await refused({ licences: ['files/99999999-0000-4000-8000-000000000000.png'] })).toEqual(
      [404, 404001],
    )
    expect(await refused({ roleIds: [992] })).toEqual([403, 403001])
    expect(await refused({ roleIds: [123456] })).toEqual([404, 404001])
    expect(await refused({ kind: 'HOSPITAL' })).toEqual([403, 403001])
    expect(await refused({ kind: 'SPONSOR', parentId: 3 }, people.operator)).toEqual([403, 403001])
    expect(await refused({ kind: 'SUPPLIER', parentId: 4 }, people.operator)).toEqual([404, 404001])
    const wrongHome = await send(
      people.platform,
      'POST',
      '/organisations',
      fresh({ roleIds: [991] }),
    )
    expect([wrongHome.status, wrongHome.body.message, wrongHome.body.errors[0].field]).toEqual([
      400,
      '请选择所属供应商',
      'kind',
    ])
    expect((await add({ kind: 'SUPPLIER', roleIds: [991] })).role).toBe('ROLE_SUPPLIER')
  })
  test('names are unique among siblings, usernames everywhere and without saying whose', async () => {
    const { name } = await add()
    const same = await send(people.platform, 'POST', '/organisations', fresh({ name }))
    expect([same.status, same.body.code, same.body.errors[0]]).toEqual([
      409,
      409004,
      { field: 'name', message: '机构名称已存在' },
    ])
    await add({ name, parentId: 2 })
    const taken = await send(
      people.agent,
      'POST',
      '/organisations',
      fresh({ parentId: 2, kind: 'OPERATOR', username: 'TEST5' }, people.agent),
    )
    expect([taken.status, taken.body.code, taken.body.message]).toEqual([
      409,
      409004,
      '用户名已存在',
    ])
    expect(JSON.stringify(taken.body)).not.toMatch(/机构5/)
  })
  test('agents stand three deep, organisations eight', async () => {
    const second = await add({ parentId: 2 })
    const third = await add({ parentId: second.id })
    const fourth = await send(
      people.platform,
      'POST',
      '/organisations',
      fresh({ parentId: third.id }),
    )
    expect([fourth.status, fourth.body.message]).toEqual([422, '代理商最多3级'])
    expect(
      (
        await send(
          people.platform,
          'POST',
          '/organisations',
          fresh({ parentId: 6, kind: 'SUPPLIER' }),
        )
      ).body.message,
    ).toBe('该上级机构下不能有此类型的机构')
    await expect(
      world.rows(
        `insert into organisations (id, parent_id, path, kind, name)
          values (77, 2, '1.5.77', 'OPERATOR', 'x')`,
      ),
    ).rejects.toThrow(/path/)
  })
  test('two of one name at once: one is made', async () => {
    const name = '同名机构'
    const answers = await Promise.all(
      [0, 1, 2, 3].map(() => send(people.platform, 'POST', '/organisations', fresh({ name }))),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409, 409])
    expect(await world.rows('select 1 from organisations where name = $1', [name])).toHaveLength(1)
    expect(
      await world.rows(
        `select 1 from users u where not exists (select from organisations o
          where o.id = u.org_id)`,
      ),
    ).toEqual([])
  })
  test('kinds the form offers', async () => {
    const ask = async (user: number, parentId?: number) =>
      (
        await send(
          user,
          'GET',
          `/organisations/creatable-kinds${parentId ? `?parentId=${parentId}` : ''}`,
        )
      ).body
    expect((await ask(people.platform)).kinds).toEqual([
      'AGENT',
      'OPERATOR',
      'SPONSOR',
      'SUPPLIER',
      'SCHOOL',
    ])
    expect((await ask(people.platform, 3)).kinds).toEqual(['SPONSOR', 'SUPPLIER', 'SCHOOL'])
    expect((await ask(people.operator)).kinds).toEqual(['SUPPLIER'])
    expect((await ask(people.operator, 4)).code).toBe(404001)
  })
})

describe('reading', () => {
  test('an operator sees himself as the top', async () => {
    const { body } = await send(people.operator, 'GET', '/organisations?pageSize=100')
    expect(
      body.list.map((row: { id: number; operatorId: number | null; operatorName: string }) => [
        row.id,
        row.operatorId,
        row.operatorName,
      ]),
    ).toEqual([[3, null, '']])
    expect(body.list[0].can).toEqual({ update: true, disable: false, move: false, delete: false })
    const tree = (await send(people.operator, 'GET', '/organisations/tree')).body.list
    expect(tree).toEqual([
      { value: 3, label: '机构3', kind: 'OPERATOR', status: 'ENABLED', children: [] },
    ])
  })
  test('filters', async () => {
    const home = await add({
      kind: 'AGENT',
      name: '筛选代理',
      realName: '赵钱孙',
      phone: '13911112222',
      regionCode: '330106',
    })
    const below = await add({
      kind: 'OPERATOR',
      parentId: home.id,
      name: '筛选运营',
      regionCode: '330200',
    })
    const ids = async (query: string) =>
      (
        await send(people.platform, 'GET', `/organisations?pageSize=200&sort=createTime&${query}`)
      ).body.list?.map((r: { id: number }) => r.id)
    expect(await ids(`parentId=${home.id}`)).toEqual([home.id, below.id])
    expect(await ids(`parentId=${home.id}&direct=true`)).toEqual([below.id])
    expect(await ids(`name=${encodeURIComponent('筛选')}`)).toEqual([home.id, below.id])
    expect(await ids(`user=${encodeURIComponent('钱孙')}`)).toEqual([home.id])
    expect(await ids('phone=13911112222')).toEqual([home.id])
    expect(await ids('region=330000')).toEqual([home.id, below.id])
    expect(await ids('region=330100')).toEqual([home.id])
    expect(await ids(`parentId=${home.id}&kind=OPERATOR`)).toEqual([below.id])
    expect(await ids(`parentId=${home.id}&roleId=990`)).toEqual([home.id, below.id])
    expect(await ids('direct=true')).toContain(2)
    expect(await ids('direct=true')).not.toContain(3)
    expect(await ids('parentId=987654321')).toEqual([])
    expect(
      (await send(people.platform, 'GET', `/organisations?name=${encodeURIComponent('筛选代理')}`))
        .body.list[0],
    ).toMatchObject({
      phone: '139****2222',
      childCount: 1,
    })
  })
  test('whoever sees part of a phone finds by no more', async () => {
    await world.rows(`update organisations set contact_phone = '13911112222' where id = 3`)
    await world.rows(
      `delete from role_permissions where role_id = 903 and permission_code = 'org:update'`,
    )
    const found = async (phone: string) =>
      (await send(people.operator, 'GET', `/organisations?phone=${phone}`)).body.total
    expect([
      await found('2222'),
      await found('139'),
      await found('12222'),
      await found('13911112222'),
    ]).toEqual([1, 1, 0, 0])
    await world.rows(`insert into role_permissions values (903, 'org:update')`)
    expect(await found('12222')).toBe(1)
  })
  test('two thousand organisations: the tree stays fast, the branch comes by its index', async () => {
    await world.rows(
      `insert into organisations (id, parent_id, path, kind, name)
        select 100000 + n, 5, text2ltree('1.5.' || (100000 + n)), 'SUPPLIER', '供' || n
        from generate_series(1, 2000) n`,
    )
    await world.rows('analyze organisations')
    const began = performance.now()
    const { body } = await send(people.platform, 'GET', '/organisations/tree')
    expect(performance.now() - began).toBeLessThan(1000)
    type Node = { value: number; children: Node[] }
    const find = (nodes: Node[], id: number): Node | undefined =>
      nodes.find((node) => node.value === id) ??
      nodes.map((node) => find(node.children, id)).find(Boolean)
    expect(find(body.list, 5)?.children).toHaveLength(2000)
    const listed = performance.now()
    expect(
      (await send(people.platform, 'GET', '/organisations?parentId=5&pageSize=20')).body.total,
    ).toBe(2001)
    expect(performance.now() - listed).toBeLessThan(1000)
    await world.rows('delete from organisations where id > 100000')
  })
})

describe('editing', () => {
  const edit = (made: Record<string, unknown>, change: Record<string, unknown>) => {
    const keys = [
      'version',
      'principalVersion',
      'name',
      'realName',
      'phone',
      'consumerPhone',
      'regionCode',
      'address',
      'lng',
      'lat',
      'licences',
      'creditCode',
      'roleIds',
      'avatar',
    ]
    return { ...Object.fromEntries(keys.map((key) => [key, made[key]])), ...change }
  }
  test('organisation and principal change together; stale and duplicate are told', async () => {
    const made = await add()
    const put = (change: Record<string, unknown>, user = people.platform) =>
      send(user, 'PUT', `/organisations/${made.id}`, edit(made, change))
    const { status, body } = await put({
      name: '改名',
      realName: '李四',
      phone: '13700137000',
      licences: [avatar(1)],
      lng: 114.05,
      lat: 22.55,
    })
    expect([status, body]).toMatchObject([
      200,
      {
        name: '改名',
        realName: '李四',
        phone: '13700137000',
        licences: [avatar(1)],
        lng: 114.05,
        version: 2,
      },
    ])
    // the account keeps its own phone
    expect(
      await world.one('select real_name, phone, version from users where id = $1', [
        made.principalId,
      ]),
    ).toEqual({
      real_name: '李四',
      phone: '13800138000',
      version: 2,
    })
    const lines = await world.rows(
      `select org_id, after from operation_logs where action = 'users.update' and resource_id = $1`,
      [String(made.principalId)],
    )
    expect(lines).toEqual([{ org_id: made.id, after: { realName: '李四' } }])
    expect((await put({ name: '再改' })).body.code).toBe(409001)
    const other = await add()
    expect((await put({ version: 2, name: other.name })).body).toMatchObject({
      code: 409004,
      message: '机构名称已存在',
    })
    expect((await put({ version: 2, avatar: '' })).body.message).toBe('请上传头像')
    expect((await put({ version: 2, avatar: avatar(2) })).status).toBe(404)
    expect((await put({ version: 2, realName: '王五' })).body.code).toBe(409001)
    expect((await put({ version: 2, kind: 'OPERATOR' })).status).toBe(400)
    expect(
      (await put({ version: 2, principalVersion: 2, realName: '李四', roleIds: [992] })).status,
    ).toBe(403)
    expect((await put({ version: 2, roleIds: [] })).body.message).toBe('请至少选择一个角色')
    expect((await put({ version: 2, name: '改名' }, people.operator)).status).toBe(404)
  })
  test('the form of an organisation gives its principal nothing back that was taken from the account meanwhile', async () => {
    const made = await add()
    await world.rows(
      `update users set phone = '13900139999', version = version + 1 where id = $1`,
      [made.principalId],
    )
    const { status, body } = await send(
      people.platform,
      'PUT',
      `/organisations/${made.id}`,
      edit(made, { address: '新地址 8 号' }),
    )
    expect([status, body.address]).toEqual([200, '新地址 8 号'])
    expect(
      (
        await world.one<{ phone: string }>('select phone from users where id = $1', [
          made.principalId,
        ])
      ).phone,
    ).toBe('13900139999')
    await world.rows('insert into user_roles (user_id, role_id, org_id) values ($1, 991, $2)', [
      made.principalId,
      made.id,
    ])
    await world.rows('delete from user_roles where user_id = $1 and role_id = 990', [
      made.principalId,
    ])
    await world.rows('update users set version = version + 1 where id = $1', [made.principalId])
    expect(
      (
        await send(
          people.platform,
          'PUT',
          `/organisations/${made.id}`,
          edit(body, { roleIds: [990] }),
        )
      ).body.code,
    ).toBe(409001)
    // whoever may edit the organisation corrects its address, whatever its principal's rank
    await world.rows('update roles set rank = 90 where id = 991')
    const seen = (await send(people.platform, 'GET', `/organisations/${made.id}`)).body
    expect(
      (
        await send(
          people.platform,
          'PUT',
          `/organisations/${made.id}`,
          edit(seen, { address: '新地址 9 号' }),
        )
      ).status,
    ).toBe(200)
    await world.rows('update roles set rank = 1 where id = 991')
  })
  test('nobody edits a principal of his rank or above through the organisation', async () => {
    await world.rows(`update users set is_principal = true where id in (902, 903)`)
    const mine = (await send(people.agent, 'GET', '/organisations/2')).body
    const boss = {
      ...edit(mine, {
        realName: '自己',
        phone: '13700137000',
        consumerPhone: '400-830-1866',
        address: '街1',
      }),
      roleIds: undefined,
    }
    expect((await send(people.agent, 'PUT', '/organisations/2', boss)).status).toBe(200)
    await world.rows('update roles set rank = 40 where id = 903')
    const theirs = (await send(people.agent, 'GET', '/organisations/3')).body
    const input = {
      ...edit(theirs, {
        realName: '换人',
        phone: '13700137000',
        consumerPhone: '400-830-1866',
        address: '街1',
      }),
      roleIds: undefined,
    }
    expect((await send(people.agent, 'PUT', '/organisations/3', input)).body).toMatchObject({
      code: 403001,
      message: '不能操作同级或更高级别的用户',
    })
    await world.rows('update roles set rank = 30 where id = 903')
    expect((await send(people.agent, 'PUT', '/organisations/3', input)).status).toBe(200)
    await world.rows(`update users set is_principal = false where id in (902, 903)`)
  })
})

describe('enabling and disabling', () => {
  test.each([['yes'], [2], [null], [undefined]])('status %o is refused', async (status) => {
    expect(
      (await send(people.platform, 'PUT', '/organisations/4/status', { version: 1, status }))
        .status,
    ).toBe(400)
  })
  test('the platform and one’s own organisation stay', async () => {
    expect((await setStatus(people.platform, 1, 'DISABLED')).body).toMatchObject({
      code: 422001,
      message: '平台机构不能禁用、移动或删除',
    })
    expect((await setStatus(people.agent, 2, 'DISABLED')).body.code).toBe(422001)
    expect((await setStatus(people.operator, 2, 'DISABLED')).status).toBe(404)
    expect((await setStatus(people.operator, 4, 'DISABLED')).status).toBe(404)
  })
  test('everybody below is out at the next request, machines stop when asked, and come back enabled', async () => {
    await addDevice(world, 31, 3)
    await addDevice(world, 32, 3, { lifecycle: 'STOCK' })
    const about = (await send(people.platform, 'GET', '/organisations/2/impact')).body
    expect(about).toMatchObject({ name: '机构2', operating: 1, devices: 2 })
    expect(about.blocks).toContain('下级机构')
    expect((await send(people.operator, 'GET', '/organisations')).status).toBe(200)
    expect(
      (await setStatus(people.platform, 2, 'DISABLED', { pauseDevices: true })).body.status,
    ).toBe('DISABLED')
    const out = await send(people.operator, 'GET', '/organisations')
    expect([out.status, out.body.code]).toEqual([401, 110103])
    expect(
      await world.rows(`select lifecycle, version from devices where id in (31, 32) order by id`),
    ).toEqual([
      { lifecycle: 'PAUSED', version: 2 },
      { lifecycle: 'STOCK', version: 1 },
    ])
    expect(await world.rows(`select status from users where id in (902, 903)`)).toEqual([
      { status: 'ENABLED' },
      { status: 'ENABLED' },
    ])
    expect((await setStatus(people.platform, 2, 'ENABLED')).status).toBe(200)
    expect((await send(people.operator, 'GET', '/organisations')).status).toBe(200)
    expect(
      (
        await send(people.platform, 'PUT', '/organisations/2/status', {
          version: 1,
          status: 'DISABLED',
        })
      ).body.code,
    ).toBe(409001)
  })
  test('a user who is added while his organisation is disabled does not get in', async () => {
    const org = await add()
    const [off, user] = await Promise.all([
      setStatus(people.platform, org.id, 'DISABLED'),
      send(people.platform, 'POST', '/organ-users', {
        orgId: org.id,
        username: 'race.user',
        password: 'Zebra-crossing7',
        repeat: 'Zebra-crossing7',
        realName: '甲',
        phone: '13800138000',
        consumerPhone: '400-830-1866',
        address: '街',
        roleIds: [990],
        avatar: avatar(1),
      }),
    ])
    expect(off.status).toBe(200)
    expect([200, 422]).toContain(user.status)
    // whatever came first: nobody of a disabled organisation has a way in
    const body = await world.rows(
      `select 1 from users u join organisations o on o.id = u.org_id
        where u.username = 'race.user' and o.status = 'ENABLED'`,
    )
    expect(body).toEqual([])
  })
  test('several at once, all or none', async () => {
    const [a, b] = [await add(), await add()]
    const batch = (items: { id: number; version: number }[], status: string) =>
      send(people.platform, 'PUT', '/organisations/batch-status', { items, status })
    expect(
      (
        await batch(
          [
            { id: a.id, version: 1 },
            { id: b.id, version: 9 },
          ],
          'DISABLED',
        )
      ).body.code,
    ).toBe(409001)
    expect(
      (
        await batch(
          [
            { id: a.id, version: 1 },
            { id: 1, version: 1 },
          ],
          'DISABLED',
        )
      ).body.code,
    ).toBe(422001)
    expect(await versionOf(a.id)).toBe(1)
    expect(
      (
        await batch(
          [
            { id: b.id, version: 1 },
            { id: a.id, version: 1 },
          ],
          'DISABLED',
        )
      ).body,
    ).toEqual({ changed: 2, paused: 0 })
    expect(
      await world.rows('select status from organisations where id in ($1, $2)', [a.id, b.id]),
    ).toEqual([{ status: 'DISABLED' }, { status: 'DISABLED' }])
  })
})
