import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { add as make } from '../../../../test/factories/things.ts'
import { say } from '../../../shared/text.ts'
import { organisationErrors } from '../contract.ts'
import { addDevice, avatar, fresh, openWorld, people, runImport, type World } from './testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const send: World['send'] = (...given) => world.send(...given)
const add = async (change: Record<string, unknown> = {}, user = people.platform) => {
  const { status, body } = await send(user, 'POST', '/organisations', fresh(change, user))
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
  return body as { id: number; name: string; principalId: number }
}
const versionOf = async (id: number) =>
  Number(
    (
      await world.one<{ version: number } | undefined>(
        'select version from organisations where id = $1',
        [id],
      )
    )?.version ?? 1,
  )
const move = async (user: number, id: number, parentId: number) =>
  send(user, 'POST', `/organisations/${id}/move`, { version: await versionOf(id), parentId })
const preview = (user: number, id: number, parentId: number) =>
  send(user, 'GET', `/organisations/${id}/move?parentId=${parentId}`)
const remove = async (user: number, id: number) =>
  send(user, 'DELETE', `/organisations/${id}?version=${await versionOf(id)}`)
const pathOf = async (id: number) =>
  (
    await world.one<{ path: string }>(
      'select path::text as path from organisations where id = $1',
      [id],
    )
  ).path
/** The tree by its parents is the tree by its paths. */
const broken = () =>
  world.rows(`select o.id from organisations o join organisations p on p.id = o.parent_id
    where o.path <> p.path || o.id::text
    union all select id from organisations where parent_id is null and path <> id::text::ltree`)

describe('moving', () => {
  test('the whole branch goes along', async () => {
    const [from, to] = [await add(), await add()]
    const middle = await add({ parentId: from.id, kind: 'AGENT' })
    const leaf = await add({ parentId: middle.id, kind: 'OPERATOR' })
    await addDevice(world, 41, leaf.id)
    const dry = await preview(people.platform, middle.id, to.id)
    expect(dry.body).toEqual({
      name: middle.name,
      parentName: to.name,
      organisations: 2,
      users: 2,
      devices: 1,
    })
    expect((await move(people.platform, middle.id, to.id)).body).toMatchObject({
      id: middle.id,
      operatorId: to.id,
      tenantId: to.id,
      version: 2,
      deviceCount: 1,
    })
    expect(await pathOf(leaf.id)).toBe(`1.${to.id}.${middle.id}.${leaf.id}`)
    expect(await broken()).toEqual([])
    expect(
      (
        await send(people.platform, 'POST', `/organisations/${middle.id}/move`, {
          version: 1,
          parentId: from.id,
        })
      ).body.code,
    ).toBe(409001)
  })
  test('what stands against it', async () => {
    const [a, b] = [await add(), await add()]
    const inner = await add({ parentId: a.id })
    const deep = await add({ parentId: inner.id })
    const twin = await add({ parentId: b.id, name: 'twin' })
    const same = await add({ name: 'twin' })
    const why = async (user: number, id: number, to: number) => {
      const [dry, real] = [await preview(user, id, to), await move(user, id, to)]
      expect([dry.status, dry.body.message]).toEqual([real.status, real.body.message])
      return [real.status, real.body.message]
    }
    expect(await why(people.platform, a.id, a.id)).toEqual([422, '不能移动到自身或其下级机构'])
    expect(await why(people.platform, a.id, deep.id)).toEqual([422, '不能移动到自身或其下级机构'])
    expect(await why(people.platform, inner.id, a.id)).toEqual([422, '该机构已在此上级机构下'])
    expect(await why(people.platform, a.id, b.id)).toEqual([422, '代理商最多3级'])
    expect(await why(people.platform, a.id, 3)).toEqual([422, '该上级机构下不能有此类型的机构'])
    expect(await why(people.platform, same.id, b.id)).toEqual([409, '机构名称已存在'])
    expect(await why(people.platform, 1, b.id)).toEqual([422, '平台机构不能禁用、移动或删除'])
    expect(await why(people.agent, 2, 2)).toEqual([
      422,
      '不能禁用、移动或删除自己所在的机构或其上级机构',
    ])
    expect((await why(people.agent, 3, 5))[0]).toBe(404)
    expect((await why(people.agent, 5, 2))[0]).toBe(404)
    expect((await why(people.platform, a.id, 987654321))[0]).toBe(404)
    expect(twin.name).toBe('twin')
  })
  test('what it uses from above keeps it there', async () => {
    const top = await add()
    const home = await add({ parentId: top.id, kind: 'OPERATOR' })
    await make(world.sql, 'device_types', { id: 50, org_id: top.id })
    await addDevice(world, 51, home.id)
    await world.rows('update devices set type_id = 50 where id = 51')
    expect((await move(people.platform, home.id, 2)).body).toMatchObject({
      code: 422001,
      message: '该机构仍在使用原上级的设备类型，不能移动',
    })
    await world.rows('update devices set type_id = 1 where id = 51')
    const supplier = await add({ parentId: home.id, kind: 'SUPPLIER' })
    const entry = {
      org_id: home.id,
      supplier_org_id: supplier.id,
      name: '供',
      phone: '13800138000',
    }
    await make(world.sql, 'suppliers', entry)
    expect((await move(people.platform, supplier.id, top.id)).body.message).toBe(
      '该机构仍在使用原上级的供应商资料，不能移动',
    )
    expect((await move(people.platform, home.id, 2)).status).toBe(200)
  })
  test('two moves at once never make a cycle', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [a, b] = [await add(), await add()]
      const answers = await Promise.all([
        move(people.platform, a.id, b.id),
        move(people.platform, b.id, a.id),
      ])
      expect(answers.map((x) => x.status).sort()).toEqual([200, 422])
      expect(await broken()).toEqual([])
    }
  })
  test('the database alone refuses a cycle and a branch that is left behind', async () => {
    const [a, b] = [await add(), await add()]
    const below = await add({ parentId: a.id, kind: 'OPERATOR' })
    await expect(
      world.rows(
        `update organisations set parent_id = ${b.id}, path = '1.${b.id}.${a.id}'
          where id = ${a.id}`,
      ),
    ).rejects.toThrow(/left behind|path/)
    await expect(
      world.rows(`update organisations set parent_id = ${below.id} where id = ${a.id}`),
    ).rejects.toThrow(/path/)
    expect(await broken()).toEqual([])
  })
  describe('something from above is taken into use in the moment of a move', () => {
    /**
     * Somebody, a machine with a lane and a product of `home`; a role, a type, a product and a
     * category of `top`.
     */
    const prepare = async () => {
      const [top, other] = [await add(), await add()]
      const home = await add({ parentId: top.id, kind: 'OPERATOR' })
      for (const [org, n] of [
        [top.id, 20_000 + top.id],
        [home.id, 20_000 + home.id],
      ] as const) {
        await make(world.sql, 'product_categories', { id: n, org_id: org })
        await make(world.sql, 'products', { id: n, org_id: org, category_id: n })
      }
      const used = 20_000 + top.id
      await make(world.sql, 'device_types', { id: used, org_id: top.id })
      await make(world.sql, 'roles', { id: used, org_id: top.id, code: 'ROLE_C_MOVED' })
      await addDevice(world, used, home.id)
      await make(world.sql, 'lane_floors', { id: used, org_id: home.id, device_id: used })
      await make(world.sql, 'lanes', {
        id: used,
        org_id: home.id,
        device_id: used,
        floor_id: used,
        road_index: 1,
        capacity: 0,
      })
      await make(world.sql, 'suppliers', {
        id: used,
        org_id: home.id,
        name: '供',
        phone: '13800138000',
      })
      const uses: Record<string, string> = {
        角色: `insert into user_roles (user_id, role_id, org_id)
          values (${home.principalId}, ${used}, ${home.id})`,
        设备类型: `update devices set type_id = ${used} where id = ${used}`,
        商品: `update lanes set product_id = ${used}, capacity = 5, retail_price = 300, price = 300
          where id = ${used}`,
        商品批次: `insert into batches (org_id, product_id, supplier_id, batch_no, produced_on,
          expires_on) values (${home.id}, ${used}, ${used}, 'B', '2026-01-01', '2030-01-01')`,
        商品分类: `update products set category_id = ${used} where org_id = ${home.id}`,
      }
      return { other, home, use: (what: string) => String(uses[what]) }
    }
    const open = async () => {
      const client = new pg.Client({ connectionString: world.ownerUrl })
      await client.connect()
      await client.query(`begin; select set_config('app.all', 'on', true)`)
      return client
    }
    const settled = (work: Promise<unknown>) =>
      Promise.race([
        work.then(() => true),
        new Promise<boolean>((go) => setTimeout(() => go(false), 300)),
      ])

    test.each(['角色', '设备类型', '商品', '商品批次', '商品分类'])('%s', async (what) => {
      const first = await prepare()
      const taker = await open()
      await taker.query(first.use(what))
      const late = move(people.platform, first.home.id, first.other.id)
      expect(await settled(late)).toBe(false)
      await taker.query('commit')
      expect((await late).body.message).toBe(`该机构仍在使用原上级的${what}，不能移动`)

      const second = await prepare()
      const mover = await open()
      await mover.query(`select from organisations where id = ${second.home.id} for update`)
      await mover.query(
        `update organisations set parent_id = ${second.other.id},
          path = '1.${second.other.id}.${second.home.id}' where id = ${second.home.id}`,
      )
      const use = taker.query(second.use(what)).then(
        () => 'used',
        (error: { code: string }) => error.code,
      )
      expect(await settled(use)).toBe(false)
      await mover.query('commit')
      expect(await use).toBe('23514')
      await Promise.all([taker.end(), mover.end()])
    })
  })
  test('children that are added while the branch moves stand where it stands', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [a, b] = [await add(), await add()]
      const answers = await Promise.all([
        move(people.platform, a.id, b.id),
        send(
          people.platform,
          'POST',
          '/organisations',
          fresh({ parentId: a.id, kind: 'OPERATOR' }),
        ),
      ])
      expect(answers.map((x) => x.status)).toEqual([200, 200])
      expect(await broken()).toEqual([])
    }
  })
})

describe('deleting', () => {
  const gone = async (id: number) =>
    (await world.rows('select 1 from organisations where id = $1', [id])).length === 0
  test('one that was never used goes with its principal; the log row stays with the parent', async () => {
    const made = await add({ parentId: 2, kind: 'OPERATOR' })
    expect((await remove(people.operator, made.id)).status).toBe(404)
    expect((await remove(people.agent, made.id)).body).toEqual({ ok: true })
    expect([
      await gone(made.id),
      await world.rows('select 1 from users where id = $1', [made.principalId]),
    ]).toEqual([true, []])
    expect(
      await world.rows(
        `select org_id from operation_logs
          where action = 'organisations.remove' and result = 'SUCCESS' and resource_id = $1`,
        [String(made.id)],
      ),
    ).toEqual([{ org_id: 2 }])
    expect((await remove(people.agent, made.id)).status).toBe(404)
  })
  test('a principal who came once is a user', async () => {
    const made = await add()
    await world.rows('update users set last_login_at = now() where id = $1', [made.principalId])
    expect((await remove(people.platform, made.id)).body).toMatchObject({
      code: 409003,
      message: '该机构下仍有1 个用户，无法删除',
    })
  })
  test('staff who were deleted and never came go with it; what they did while they were there stands against it', async () => {
    const made = await add()
    const staff = { org_id: made.id, status: 'DISABLED' as const, deleted_at: new Date() }
    await make(world.sql, 'users', { ...staff, username: 'gone-1' })
    await make(world.sql, 'users', { ...staff, username: 'gone-2', last_login_at: new Date() })
    expect((await remove(people.platform, made.id)).body).toMatchObject({
      code: 409003,
      message: '该机构下仍有1 个已删除用户的登录和操作记录，无法删除',
    })
    await world.rows(`update users set last_login_at = null where username = 'gone-2'`)
    expect((await remove(people.platform, made.id)).body).toEqual({ ok: true })
  })
  test.each([
    ['children', 2, '下级机构'],
    ['device', 3, '台设备'],
  ])('%s stand against it', async (_what, id, words) => {
    await addDevice(world, 60 + id, 3)
    const { status, body } = await remove(people.platform, id)
    expect([status, body.code]).toEqual([409, 409003])
    expect(body.message).toContain(words)
    expect(await gone(id)).toBe(false)
  })
  test('money, goods, types, roles and departments stand against it', async () => {
    const made = await add()
    const told = async () =>
      (await send(people.platform, 'GET', `/organisations/${made.id}/impact`)).body.blocks
    expect(await told()).toBe('')
    for (const [text, words] of [
      [`insert into departments (org_id, name) values (${made.id}, '部')`, '部门'],
      [`insert into ledger_accounts (org_id, code) values (${made.id}, '1001')`, '资金记录'],
      [`insert into product_categories (id, org_id, name) values (9000, ${made.id}, '类')`, '商品'],
      [
        `insert into roles (org_id, code, name, name_en, rank, data_scope)
          values (${made.id}, 'ROLE_X', 'x', 'x', 1, 'ORG_TREE')`,
        '角色',
      ],
    ] as const) {
      await world.rows(text)
      expect(await told()).toContain(words)
    }
    expect((await remove(people.platform, made.id)).body.code).toBe(409003)
  })
  test('the platform and one’s own stay', async () => {
    expect((await remove(people.platform, 1)).body.code).toBe(422001)
    expect((await remove(people.agent, 2)).body.code).toBe(422001)
  })
  test('a machine that is added meanwhile stops it, or does not come', async () => {
    for (let round = 0; round < 6; round += 1) {
      const made = await add({ kind: 'OPERATOR' })
      const device = {
        rtuNumber: `RACE${String(made.id).padStart(6, '0')}`,
        nickname: '机',
        orgId: made.id,
        typeId: 1,
        kind: 'GENERAL',
        county: '440305',
        address: '路1',
        dropSensor: true,
      }
      const [removed, created] = await Promise.all([
        remove(people.platform, made.id),
        send(people.platform, 'POST', '/devices', device),
      ])
      expect([removed.status, created.status].filter((status) => status === 200)).toHaveLength(1)
      expect([removed.status, created.status].filter((status) => status >= 500)).toEqual([])
      expect(await gone(made.id)).toBe(removed.status === 200)
      expect(
        await world.rows(
          'select 1 from devices d left join organisations o on o.id = d.org_id where o.id is null',
        ),
      ).toEqual([])
    }
  })
  test('avatars of others stay theirs', async () =>
    expect(
      (
        await send(
          people.agent,
          'POST',
          '/organisations',
          fresh({ parentId: 2, avatar: avatar(1) }, people.agent),
        )
      ).status,
    ).toBe(404))
})

describe('importing', () => {
  const rows = (changes: Record<string, unknown>[]) =>
    changes.map((change, i) => {
      const {
        parentId: _,
        roleIds: __,
        password: ___,
        repeat: ____,
        avatar: _____,
        licences: ______,
        ...row
      } = fresh({ parent: 'ORG000002', kind: '运营商', roles: '普通', ...change })
      return { line: i + 2, value: row }
    })
  const run = (user: number, changes: Record<string, unknown>[]) =>
    runImport(world, user, rows(changes))
  const count = async () =>
    Number((await world.one<{ n: number }>('select count(*)::int as n from organisations')).n)

  test('earlier rows may be parents; for an agent too', async () => {
    const before = await count()
    expect(
      await run(people.agent, [
        { kind: 'AGENT', name: '导入代理' },
        { parent: '导入代理', name: '导入运营' },
      ]),
    ).toEqual([])
    expect(await count()).toBe(before + 2)
    expect(await broken()).toEqual([])
    expect(
      await world.rows(
        `select u.is_principal, u.must_change_password from users u
          join organisations o on o.id = u.org_id where o.name = '导入运营'`,
      ),
    ).toEqual([{ is_principal: true, must_change_password: true }])
  })
  test('faults name line and column, and nothing stays', async () => {
    const before = await count()
    const errors = await run(people.platform, [
      {},
      { parent: '没有' },
      { kind: '外星' },
      { roles: '高' },
      { kind: '监管机构' },
      { username: 'test5' },
    ])
    expect(errors.map(({ line, column }) => [line, column])).toEqual([
      [3, 'parent'],
      [4, 'kind'],
      [5, 'roles'],
      [6, 'kind'],
      [7, 'username'],
    ])
    expect(await count()).toBe(before)
  })
  test('all faults of a row at once; names among brothers and in the file', async () => {
    const before = await count()
    const twice = { name: '同名机构' }
    const errors = await run(people.agent, [
      twice,
      { ...twice, username: 'TEST5' },
      { name: '供应', kind: '供应商', roles: '供应商' },
      { parent: '供应', kind: '飞船' },
    ])
    expect(errors.map(({ line, column }) => [line, column])).toEqual([
      [3, 'username'],
      [3, 'name'],
      [5, 'kind'],
    ])
    expect(await count()).toBe(before)
  })
  test('a thousand rows in a handful of statements', async () => {
    const before = await count()
    const version = async () =>
      (
        await world.one<{ version: number }>(
          'select sum(version)::int as version from access_versions',
        )
      ).version
    const at = await version()
    expect(
      await run(
        people.platform,
        Array.from({ length: 1000 }, (_, i) => ({
          name: `大批-${i}`,
          username: `bulk.${i}`,
          ...(i % 2 ? { parent: `大批-${i - 1}`, kind: '供应商', roles: '供应商' } : {}),
        })),
      ),
    ).toEqual([])
    expect(await count()).toBe(before + 1000)
    expect(await broken()).toEqual([])
    // rights of everybody are read anew once per statement, so not once per row
    expect((await version()) - at).toBeLessThan(10)
  })
})

test('a tenant has five thousand organisations at most: one more, a file’s or a branch is refused', async () => {
  const from = await add()
  await add({ parentId: from.id, kind: 'OPERATOR' })
  const [to, full] = [await add(), organisationErrors.tenantFull]
  await world.rows(
    `insert into organisations (id, parent_id, path, kind, name)
      select 50000 + n, ${to.id}, ('1.${to.id}.' || 50000 + n)::ltree, 'OPERATOR', '多-' || n
      from generate_series(1, 4998) n`,
  )
  const { status, body } = await move(people.platform, from.id, to.id)
  expect([status, body.error, body.message]).toEqual([
    422,
    full.name,
    say(full.text, 'zh-CN', { most: 5000 }),
  ])
  const row = (n: number, kind: string) => ({
    line: n,
    value: {
      ...{ parent: to.name, kind, name: `满-${n}`, username: `full.${n}`, realName: '张三' },
      ...{ roles: '普通', phone: '13800138000', consumerPhone: '400-800-1234', address: '路1号' },
      ...{ regionCode: '', creditCode: '' },
    },
  })
  expect(await runImport(world, people.platform, [row(2, 'OPERATOR'), row(3, 'OPERATOR')])).toEqual(
    [{ line: 3, column: 'parent', text: full.text.replaceAll('{most}', '5000') }],
  )
  await add({ parentId: to.id, kind: 'OPERATOR' })
  const more = await send(
    people.platform,
    'POST',
    '/organisations',
    fresh({ parentId: to.id, kind: 'OPERATOR' }),
  )
  expect([more.status, more.body.error]).toEqual([422, full.name])
  expect((await move(people.platform, from.id, 2)).status).toBe(200)
})

test('a branch that moves notes its tenants once, and where it stands is checked before the commit', async () => {
  const [from, to] = [await add(), await add()]
  const middle = await add({ parentId: from.id, kind: 'AGENT' })
  await world.rows(
    `insert into organisations (id, parent_id, path, kind, name)
      select 60000 + n, ${middle.id}, ('1.${from.id}.${middle.id}.' || 60000 + n)::ltree,
        'OPERATOR', '枝-' || n from generate_series(1, 40) n`,
  )
  const client = new pg.Client(world.ownerUrl)
  await client.connect()
  const calls = async () =>
    new Map<string, number>(
      (
        await client.query(
          `select funcname as name, calls::int from pg_stat_xact_user_functions
            where funcname ~ '^(bump|check)_'`,
        )
      ).rows.map(({ name, calls }) => [name, calls]),
    )
  await client.query(`begin; set local track_functions = 'all'`)
  await client.query(
    `update organisations set path = '1.${to.id}' || subpath(path, 2),
        parent_id = case when id = ${middle.id} then ${to.id} else parent_id end
      where path <@ '1.${from.id}.${middle.id}'`,
  )
  await client.query('set constraints organisations_path_follows immediate')
  expect(await calls()).toEqual(new Map([['check_organisation_path', 41]]))
  await client.query('set constraints all immediate')
  expect(await calls()).toEqual(
    new Map([
      ['bump_organisations', 1],
      ['bump_settings_moved', 1],
      ['check_organisation_path', 41],
    ]),
  )
  await client.query('rollback')
  await client.end()
})

test('a page of the organisations of a large tenant does not cost their square', async () => {
  await world.rows(
    `insert into organisations (id, parent_id, path, kind, name)
      select 70000 + n, 2, ('1.2.' || 70000 + n)::ltree, 'OPERATOR', '大-' || n
      from generate_series(1, 4900) n`,
  )
  await world.rows('analyze organisations')
  const began = performance.now()
  const { status, body } = await send(people.agent, 'GET', '/organisations?pageSize=100')
  expect([status, body.list.length]).toEqual([200, 100])
  expect(performance.now() - began).toBeLessThan(4000)
})

test('the row policies find organisations in whatever order a scope has them', async () => {
  const scope = { all: false, orgs: [5, 2, 4, 3], ancestors: [1], devices: null, watched: null }
  const seen = await world.app.database.read(scope, (db) =>
    db.selectFrom('organisations').select('id').where('id', '<', 10).orderBy('id').execute(),
  )
  expect(seen.map(({ id }) => id)).toEqual([2, 3, 4, 5])
})
