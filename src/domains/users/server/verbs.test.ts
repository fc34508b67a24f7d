import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword, passwordWork } from '../../../server/passwords.ts'
import { session } from '../../session/contract.ts'
import { users } from '../contract.ts'
import { expireResets, freeNames } from './jobs.ts'
import { openWorld, type World } from './testWorld.ts'

let world: World
const tokens = new Map<string, string>()
const as = async (username: string): Promise<string> => {
  const token = tokens.get(username) ?? (await world.login(username))
  tokens.set(username, token)
  return token
}
const call = async (
  username: string,
  endpoint: Parameters<World['call']>[0],
  input: Record<string, unknown> = {},
) => world.call(endpoint, input, { token: await as(username) })
const brief = ({ status, body }: { status: number; body: { message?: string } }) => [
  status,
  body.message,
]

let n = 0
const newcomer = async (change: Record<string, unknown> = {}, by = 'boss') => ({
  username: `new-user.${++n}`,
  password: 'Right horse 7',
  repeat: 'Right horse 7',
  orgId: 3,
  realName: '王小明',
  phone: '13800138001',
  consumerPhone: '0755-26001234',
  address: '科苑路15号',
  avatar: await world.picture(by),
  roleIds: [await world.roleId('ROLE_RTU_REPLENISHER')],
  ...change,
})
const versionOf = async (id: number) =>
  (await world.sql<{ version: number }>('select version from users where id = $1', [id]))[0]
    ?.version as number

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

describe('the list', () => {
  test('shows who stands in the own organisations, with phones masked and what may be done to each', async () => {
    const { body } = await call('chief', users.list, { sort: 'username' })
    expect(body.list.map((row: { username: string }) => row.username)).toEqual([
      'chief',
      'keeper',
      'peer',
    ])
    const [chief, keeper, peer] = body.list
    expect(keeper).toMatchObject({
      phone: '138****8000',
      roleName: '补货员',
      role: 'ROLE_RTU_REPLENISHER',
      operatorId: 3,
      operatorName: '机构3',
      tenantId: 2,
      status: 'ENABLED',
      can: {
        update: true,
        status: true,
        roles: true,
        devices: true,
        reset: true,
        logout: true,
        unbind: false,
        delete: true,
      },
    })
    for (const row of [chief, peer]) expect(Object.values(row.can)).not.toContain(true)
  })
  test('filters', async () => {
    const found = async (filter: Record<string, unknown>) =>
      (await call('boss', users.list, { sort: 'username', ...filter })).body.list.map(
        (row: { username: string }) => row.username,
      )
    expect(await found({ keyword: 'KEEP' })).toEqual(['keeper'])
    expect(await found({ orgId: 3 })).toEqual(['keeper'])
    expect(await found({ orgId: 2 })).toEqual(['chief', 'keeper', 'peer'])
    expect(await found({ roleId: await world.roleId('ROLE_SUPER_ADMIN') })).toEqual([
      'boss',
      'second',
    ])
    expect(await found({ status: 'DISABLED' })).toEqual([])
    await world.sql(
      `update users set last_login_at = '2026-11-20T17:00:00Z' where username = 'keeper'`,
    )
    expect(await found({ from: '2026-11-21', to: '2026-11-21' })).toEqual(['keeper'])
    expect(await found({ never: false })).toEqual(['keeper'])
  })
})

describe('adding', () => {
  test('keeps every field, never the password; the newcomer must change it', async () => {
    const input = await newcomer({ departmentId: null, regionCode: '440300' })
    const { status, body } = await call('boss', users.create, input)
    expect(status).toBe(200)
    const got = await call('boss', users.get, { id: body.id })
    expect(got.body).toMatchObject({
      username: input.username,
      phone: '13800138001',
      address: '科苑路15号',
      area: '广东省 深圳市',
      mustChangePassword: true,
    })
    expect(JSON.stringify(got.body)).not.toContain('argon2')
    const signedIn = await world.call(session.login, {
      username: input.username.toUpperCase(),
      password: input.password,
    })
    expect(signedIn.status).toBe(200)
    const [log] = await world.sql(
      `select content, after::text as after from operation_logs where action = 'users.create'
        order by id desc limit 1`,
    )
    expect(log).toMatchObject({ content: `添加用户：${input.username}` })
    expect(JSON.stringify(log)).not.toMatch(/horse|password/i)
  })
  test.each([
    ['username', '用户名不能为空'],
    ['realName', '真实姓名不能为空'],
    ['phone', '联系电话不能为空'],
    ['consumerPhone', '客服电话不能为空'],
    ['address', '街道地址不能为空'],
    ['password', '密码不能为空'],
    ['orgId', '请选择运营商'],
    ['avatar', '请上传头像'],
    ['roleIds', '请至少选择一个角色'],
  ])('without %s: %s', async (field, message) => {
    for (const gone of [undefined, field === 'roleIds' ? [] : field === 'orgId' ? undefined : '']) {
      const answer = await call('boss', users.create, await newcomer({ [field]: gone }))
      expect(answer.body).toMatchObject({
        code: 400001,
        errors: expect.arrayContaining([{ field, message }]),
      })
    }
  })
  test.each([
    [{ phone: '12345678901' }, 'phone', '手机号码不合法'],
    [{ phone: '1380013800' }, 'phone', '手机号码不合法'],
    [{ phone: '+86 13800138000' }, 'phone', '手机号码不合法'],
    [{ consumerPhone: '12' }, 'consumerPhone', '号码不合法'],
    [{ repeat: 'other' }, 'repeat', '两次输入的密码不一致'],
    [{ username: 'abc' }, 'username', '用户名须为4-32位字母、数字或 _ - .'],
    [{ username: '张三李四' }, 'username', '用户名须为4-32位字母、数字或 _ - .'],
    [{ password: 'short1', repeat: 'short1' }, 'password', '密码至少8个字符'],
    [{ password: 'onlyletters', repeat: 'onlyletters' }, 'password', '密码须同时包含字母和数字'],
    [{ password: 'password123', repeat: 'password123' }, 'password', '密码过于常见，请更换'],
    [
      { username: 'zhangsan', password: 'zhangsan-1234', repeat: 'zhangsan-1234' },
      'password',
      '密码不能包含用户名',
    ],
    [{ regionCode: '999999' }, 'regionCode', '请选择区域'],
  ])('%o: %s %s', async (change, field, message) => {
    const { status, body } = await call('boss', users.create, await newcomer(change))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })
  test('full-width digits are normalised, 128 characters are a password', async () => {
    const long = `A1${'长'.repeat(126)}`
    const { body } = await call(
      'boss',
      users.create,
      await newcomer({ phone: '１３８００１３８０００', password: long, repeat: long }),
    )
    expect((await call('boss', users.get, { id: body.id })).body.phone).toBe('13800138000')
  })
  test('what is not the actor’s: organisation, picture, department, role', async () => {
    const mine = (change: Record<string, unknown>) =>
      newcomer(change, 'chief').then((input) => call('chief', users.create, input))
    expect((await mine({})).status).toBe(200)
    expect((await mine({ orgId: 5 })).status).toBe(404)
    expect((await mine({ orgId: 999 })).status).toBe(404)
    expect((await mine({ avatar: await world.picture('boss') })).status).toBe(404)
    const [foreign] = await world.sql<{ id: number }>(
      `insert into departments (org_id, name) values (5, 'x') returning id`,
    )
    expect((await mine({ departmentId: foreign?.id })).status).toBe(404)
    expect((await mine({ roleIds: [await world.roleId('ROLE_SUPER_ADMIN')] })).body.code).toBe(
      403001,
    )
    expect((await mine({ roleIds: [await world.roleId('ROLE_ADMIN')] })).body.code).toBe(403001)
    expect((await mine({ roleIds: [987_654] })).status).toBe(404)
  })
  test('a name is taken everywhere, whoever has it and however it is written', async () => {
    const { body } = await call(
      'chief',
      users.create,
      await newcomer({ username: 'Stranger' }, 'chief'),
    )
    expect(body).toMatchObject({
      code: 409004,
      message: '用户名已存在',
      errors: [{ field: 'username', message: '用户名已存在' }],
    })
  })
  test('ten who want the same name at once: one gets it', async () => {
    const input = await newcomer({ username: 'wanted-name' })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('boss', users.create, input)),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 409),
    ])
    expect(await world.sql(`select 1 from users where username = 'wanted-name'`)).toHaveLength(1)
  })
  test('regulators have a region, sponsors’ people stand in a sponsor', async () => {
    const regulator = [await world.roleId('ROLE_DRUG_REGULATOR')]
    expect(
      (await call('boss', users.create, await newcomer({ roleIds: regulator }))).body.errors,
    ).toEqual([{ field: 'regionCode', message: '请选择监管区域' }])
    const sponsor = [await world.roleId('ROLE_SPONSOR')]
    expect(
      (await call('boss', users.create, await newcomer({ roleIds: sponsor }))).body,
    ).toMatchObject({ code: 400001, message: '请选择所属赞助商' })
    expect(
      (await call('boss', users.create, await newcomer({ roleIds: sponsor, orgId: 6 }))).status,
    ).toBe(200)
  })
  test('a disabled organisation takes nobody, a full one neither', async () => {
    await world.sql(`update organisations set status = 'DISABLED' where id = 2`)
    expect(brief(await call('boss', users.create, await newcomer()))).toEqual([
      422,
      '所属机构已禁用',
    ])
    await world.sql(`update organisations set status = 'ENABLED' where id = 2`)
    await world.sql(
      `insert into role_distribution_limits (role_id, max_users) select id, 3 from roles
        where code = 'ROLE_C_CHIEF' on conflict (role_id) do update set max_users = 3`,
    )
    const inputs = await Promise.all(
      Array.from({ length: 5 }, () => newcomer({ orgId: 4 }, 'chief')),
    )
    const answers = await Promise.all(inputs.map((input) => call('chief', users.create, input)))
    expect(answers.filter((a) => a.status === 200)).toHaveLength(3)
    expect(brief(answers.find((a) => a.status !== 200) as never)).toEqual([
      422,
      '该机构的用户数已达上限（3）',
    ])
    await world.sql('delete from role_distribution_limits')
  })
})

describe('editing', () => {
  test('by version; name and organisation are not among the fields', async () => {
    const { body: made } = await call('boss', users.create, await newcomer())
    const { body: row } = await call('boss', users.get, { id: made.id })
    const input = {
      id: made.id,
      version: row.version,
      realName: '新名',
      phone: '13900139000',
      consumerPhone: '4001234567',
      address: 'b',
      avatar: row.avatar,
    }
    expect((await call('boss', users.update, input)).body).toMatchObject({
      realName: '新名',
      phone: '13900139000',
      version: row.version + 1,
    })
    expect((await call('boss', users.update, input)).body.code).toBe(409001)
    expect((await call('boss', users.update, { ...input, username: 'x' })).status).toBe(400)
    expect(
      (
        await call('chief', users.update, {
          ...input,
          version: row.version + 1,
          avatar: await world.picture('boss'),
        })
      ).status,
    ).toBe(404)
    const bare = await call('boss', users.update, {
      ...input,
      version: row.version + 1,
      avatar: '',
    })
    expect([bare.status, bare.body.errors]).toEqual([
      400,
      [{ field: 'avatar', message: '请上传头像' }],
    ])
  })
  test('people of the same rank, above and elsewhere are out of reach', async () => {
    const input = (id: number) => ({
      id,
      version: 1,
      realName: 'x',
      phone: '13900139000',
      consumerPhone: '4001234567',
      address: 'b',
      avatar: '',
    })
    expect((await call('chief', users.update, input(await world.userId('peer')))).body.code).toBe(
      403001,
    )
    expect((await call('chief', users.update, input(await world.userId('chief')))).body.code).toBe(
      403001,
    )
    expect((await call('chief', users.update, input(await world.userId('boss')))).status).toBe(404)
    expect((await call('chief', users.update, input(await world.userId('stranger')))).status).toBe(
      404,
    )
  })
})

describe('enabling and disabling', () => {
  test('ends sessions at once; the next request says the account is closed', async () => {
    const id = await world.addUser('short-lived', 3, 'ROLE_RTU_REPLENISHER')
    const token = await world.login('short-lived')
    expect((await call('chief', users.setStatus, { id, status: 'DISABLED' })).status).toBe(200)
    expect((await world.call(session.user, {}, { token })).body.code).toBe(110103)
    expect((await call('chief', users.setStatus, { id, status: 'ENABLED' })).status).toBe(200)
    await world.sql(`update organisations set status = 'DISABLED' where id = 3`)
    await world.sql(`update users set status = 'DISABLED' where id = $1`, [id])
    expect(brief(await call('chief', users.setStatus, { id, status: 'ENABLED' }))).toEqual([
      422,
      '所属机构已禁用',
    ])
    await world.sql(`update organisations set status = 'ENABLED' where id = 3`)
  })
  test('not oneself, not a state that is none, not somebody of another tenant', async () => {
    const boss = await world.userId('boss')
    expect(brief(await call('boss', users.setStatus, { id: boss, status: 'DISABLED' }))).toEqual([
      422,
      '不能对自己执行该操作',
    ])
    for (const status of ['yes', 2, null])
      expect((await call('boss', users.setStatus, { id: boss, status })).body.code).toBe(400001)
    expect(
      (
        await call('chief', users.setStatus, {
          id: await world.userId('stranger'),
          status: 'DISABLED',
        })
      ).status,
    ).toBe(404)
  })
  test('a batch is all or nothing', async () => {
    const [a, b] = [
      await world.addUser('batch-a', 3, 'ROLE_RTU_REPLENISHER'),
      await world.addUser('batch-b', 3, 'ROLE_RTU_REPAIRER'),
    ]
    const stranger = await world.userId('stranger')
    expect(
      (await call('chief', users.batchStatus, { ids: [a, b, stranger], status: 'DISABLED' }))
        .status,
    ).toBe(404)
    expect(
      (await call('chief', users.batchStatus, { ids: [a, b], status: 'DISABLED' })).body,
    ).toEqual({ changed: 2 })
    const lines = async () =>
      (
        await world.sql(`select 1 from operation_logs where resource_id = any($1)`, [
          [String(a), String(b)],
        ])
      ).length
    const before = await lines()
    expect(
      (await call('chief', users.batchStatus, { ids: [a, b], status: 'DISABLED' })).body,
    ).toEqual({ changed: 0 })
    expect([before >= 2, await lines()], 'who was not changed has no line').toEqual([true, before])
    expect((await call('chief', users.batchStatus, { ids: [], status: 'DISABLED' })).status).toBe(
      400,
    )
  })
})

describe('the last super administrator', () => {
  test('two who disable, delete or demote each other: one stays, the other is told why', async () => {
    const operator = await world.roleId('ROLE_RTU_SP')
    const acts = [
      (id: number) => [users.setStatus, { id, status: 'DISABLED' }] as const,
      async (id: number) => [users.remove, { id, version: await versionOf(id) }] as const,
      async (id: number) =>
        [users.setRoles, { id, version: await versionOf(id), roleIds: [operator] }] as const,
    ]
    for (const act of acts) {
      const pair = [`pair-a${++n}`, `pair-b${n}`]
      for (const name of pair) await world.addUser(name, 1, 'ROLE_SUPER_ADMIN')
      await world.sql(
        `update users set status = 'DISABLED'
          where username <> all($1) and deleted_at is null and id in (select user_id
            from user_roles ur join roles r on r.id = ur.role_id
            where r.code = 'ROLE_SUPER_ADMIN')`,
        [pair],
      )
      const ids = await Promise.all(pair.map((name) => world.userId(name)))
      const inputs = [await act(ids[1] as number), await act(ids[0] as number)] as const
      const answers = await Promise.all(
        inputs.map(([endpoint, input], i) => call(pair[i] as string, endpoint, input)),
      )
      const [lost, won] = [...answers].sort((x, y) => y.status - x.status)
      // whose own account went first is signed out or without the right; otherwise the rule of the
      // database speaks
      expect(
        [won?.status, [401, 403, 422].includes(lost?.status as number)],
        JSON.stringify(answers.map((a) => a.body)),
      ).toEqual([200, true])
      if (lost?.status === 422) expect(lost.body.message).toBe('至少保留一个超级管理员')
      const [left] = await world.sql<{ n: string }>(
        `select count(*) as n from users u join user_roles ur on ur.user_id = u.id
          join roles r on r.id = ur.role_id
          where r.code = 'ROLE_SUPER_ADMIN' and u.status = 'ENABLED' and u.deleted_at is null`,
      )
      expect(Number(left?.n)).toBe(1)
    }
    await world.sql(`update users set status = 'ENABLED' where username in ('boss', 'second')`)
  })
})

describe('roles', () => {
  test('what comes and goes must be the actor’s to give; what he may not give stays', async () => {
    const [keeper, repairer, operator, finance] = await Promise.all(
      ['ROLE_RTU_REPLENISHER', 'ROLE_RTU_REPAIRER', 'ROLE_RTU_SP', 'ROLE_FINANCE'].map((code) =>
        world.roleId(code),
      ),
    )
    const id = await world.addUser('changer', 3, 'ROLE_RTU_REPLENISHER')
    await world.sql('insert into user_roles (user_id, role_id, org_id) values ($1, $2, 3)', [
      id,
      finance,
    ])
    const token = await world.login('changer')
    const send = async (roleIds: unknown[]) =>
      call('chief', users.setRoles, { id, version: await versionOf(id), roleIds })
    expect(brief(await send([]))).toEqual([400, '请至少选择一个角色'])
    expect((await send([keeper, finance, operator])).body.code).toBe(403001)
    expect((await send([keeper])).body.code).toBe(403001)
    expect((await send([repairer, finance])).status).toBe(200)
    expect((await world.call(session.user, {}, { token })).body.code).toBe(110103)
    expect(
      await world.sql(
        'select granted_by is not null as given from user_roles where user_id = $1 and role_id = $2',
        [id, repairer],
      ),
    ).toEqual([{ given: true }])
    expect(
      (await call('chief', users.setRoles, { id, version: 1, roleIds: [keeper] })).body.code,
    ).toBe(409001)
    const own = await world.userId('chief')
    expect(
      brief(await call('chief', users.setRoles, { id: own, version: 1, roleIds: [keeper] })),
    ).toEqual([422, '不能对自己执行该操作'])
  })
  test('a batch gives all the same, or nobody', async () => {
    const [a, b] = [
      await world.addUser('many-a', 3, 'ROLE_RTU_REPLENISHER'),
      await world.addUser('many-b', 4, 'ROLE_RTU_REPAIRER'),
    ]
    const roleIds = [await world.roleId('ROLE_RTU_REPAIRER')]
    expect(
      (await call('chief', users.batchRoles, { ids: [a, b, await world.userId('peer')], roleIds }))
        .body.code,
    ).toBe(403001)
    expect((await call('chief', users.batchRoles, { ids: [a, b], roleIds })).body).toEqual({
      changed: 1,
    })
  })
})

describe('machines', () => {
  test('are assigned with history, within the organisation', async () => {
    await world.sql(
      `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind,
        drop_sensor, max_levels, max_roads)
        values (1, 1, 't', false, true, 'spring', 'GENERAL', true, 4, 6)`,
    )
    for (const [id, org] of [
      [1, 3],
      [2, 3],
      [3, 4],
      [4, 5],
    ])
      await world.sql(
        `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county,
          address, kind, lifecycle, drop_sensor, secret_hash)
          values ($1, $2, $3, 'm', 1, '440000', '440300', '440305', 'x', 'GENERAL', 'STOCK', true,
            '\\x00')`,
        [id, org, `HD00000${id}`],
      )
    const id = await world.userId('keeper')
    const send = (deviceIds: number[]) => call('chief', users.setDevices, { id, deviceIds })
    expect((await send([1, 2])).body).toEqual({ added: 2, removed: 0 })
    expect((await call('chief', users.devices, { id })).body.list).toMatchObject([
      { rtuNumber: 'HD000001' },
      { rtuNumber: 'HD000002' },
    ])
    expect((await send([2])).body).toEqual({ added: 0, removed: 1 })
    expect(
      await world.sql(
        `select device_id::int as d, to_at is null as live, kind, assigned_by is not null as by
          from device_assignments order by device_id`,
      ),
    ).toEqual([
      { d: 1, live: false, kind: 'REPLENISHER', by: true },
      { d: 2, live: true, kind: 'REPLENISHER', by: true },
    ])
    expect(brief(await send([2, 3]))).toEqual([422, '设备不属于该用户的机构'])
    expect((await send([2, 4])).status).toBe(404)
    const clerk = await world.addUser('no-keeper', 6, 'ROLE_SPONSOR')
    expect(brief(await call('chief', users.setDevices, { id: clerk, deviceIds: [] }))).toEqual([
      422,
      '仅补货员和维修员可分配设备',
    ])
    expect(
      (await call('boss', users.list, { username: 'keeper', sort: 'username' })).body.list[0]
        .deviceCount,
    ).toBe(1)
  })
})

describe('a new password', () => {
  test('made: shown once, to be changed, sessions end, lock lifted', async () => {
    const id = await world.addUser('forgot-1', 3, 'ROLE_RTU_REPLENISHER', {
      locked_until: '2030-01-01',
    })
    const token = await world.login('forgot-1')
    const { body } = await call('chief', users.resetPassword, { id })
    expect(body.password).toMatch(/^[a-zA-Z2-9]{14}$/)
    expect((await world.call(session.user, {}, { token })).body.code).toBe(110004)
    const signedIn = await world.call(session.login, {
      username: 'forgot-1',
      password: body.password,
    })
    expect(signedIn.status).toBe(200)
    expect(
      (await world.call(session.user, {}, { token: signedIn.body.token })).body.mustChangePassword,
    ).toBe(true)
  })
  test('typed: by the rules, and none of the last five', async () => {
    const id = await world.addUser('forgot-2', 3, 'ROLE_RTU_REPLENISHER', {
      password_hash: await hashPassword('Good-one-0'),
    })
    const send = (password: string, repeat = password) =>
      call('chief', users.resetPassword, { id, password, repeat, mustChangePassword: false })
    expect(brief(await send(''))).toEqual([400, '密码不能为空'])
    expect(brief(await send('Good-one-1', 'other'))).toEqual([400, '两次输入的密码不一致'])
    expect(brief(await send('x-forgot-2-x'))).toEqual([400, '密码不能包含用户名'])
    for (const i of [1, 2, 3, 4, 5])
      expect((await send(`Good-one-${i}`)).body).toEqual({ password: null })
    expect(brief(await send('Good-one-1'))[0]).toBe(400)
    expect((await send('Good-one-6')).status).toBe(200)
    expect((await send('Good-one-1')).status).toBe(200)
  })
  test('not for oneself, for the same rank or for strangers', async () => {
    expect(
      brief(await call('chief', users.resetPassword, { id: await world.userId('chief') }))[0],
    ).toBe(422)
    expect(
      (await call('chief', users.resetPassword, { id: await world.userId('peer') })).body.code,
    ).toBe(403001)
    expect(
      (await call('chief', users.resetPassword, { id: await world.userId('stranger') })).status,
    ).toBe(404)
  })
  test('a stranger and nobody answer alike, after the same work', async () => {
    await world.sql(`insert into password_history (user_id, org_id, password_hash, created_at)
      select id, org_id, password_hash, now() from users where username = 'stranger'`)
    const work = []
    for (const id of [await world.userId('stranger'), 987_654_321]) {
      const before = passwordWork.compared
      const typed = {
        id,
        password: 'Another 1 horse',
        repeat: 'Another 1 horse',
        mustChangePassword: false,
      }
      const { status, body } = await call('chief', users.resetPassword, typed)
      work.push([status, body.code, passwordWork.compared - before])
    }
    expect(work).toEqual([
      [404, 404001, 5],
      [404, 404001, 5],
    ])
  })
})

test('signing somebody out', async () => {
  const id = await world.addUser('kicked', 3, 'ROLE_RTU_REPLENISHER')
  const token = await world.login('kicked')
  expect((await call('chief', users.logout, { id })).body).toEqual({ ended: 1 })
  expect((await world.call(session.user, {}, { token })).body.code).toBe(110004)
})

test('taking a WeChat off', async () => {
  const id = await world.addUser('scanner', 3, 'ROLE_RTU_REPLENISHER')
  expect(brief(await call('chief', users.unbindWechat, { id }))).toEqual([422, '该用户未绑定微信'])
  await world.sql(`insert into wechat_bindings (user_id, org_id, openid) values ($1, 3, 'o-1')`, [
    id,
  ])
  expect((await call('chief', users.list, { wechatBound: true })).body.list).toMatchObject([
    { username: 'scanner', wechatBound: true, can: { unbind: true } },
  ])
  expect((await call('chief', users.unbindWechat, { id })).body).toEqual({ ok: true })
  expect((await call('chief', users.list, { wechatBound: true })).body.total).toBe(0)
})

describe('deleting', () => {
  test('is soft: gone from lists, roles and machines given back, the log keeps the name; the name is free after 180 days', async () => {
    const { body } = await call('boss', users.create, await newcomer({ username: 'leaver' }))
    await world.sql(
      `insert into password_resets (org_id, user_id, method) values (3, $1, 'ADMIN')`,
      [body.id],
    )
    await world.sql(
      `insert into device_assignments (org_id, device_id, user_id, kind, from_at)
        values (3, 1, $1, 'REPLENISHER', '2026-01-01')`,
      [body.id],
    )
    expect((await call('boss', users.remove, { id: body.id, version: 99 })).body.code).toBe(409001)
    expect((await call('boss', users.remove, { id: body.id, version: 1 })).status).toBe(200)
    expect((await call('boss', users.get, { id: body.id })).status).toBe(404)
    expect((await call('boss', users.remove, { id: body.id, version: 2 })).status).toBe(404)
    expect(
      (await world.call(session.login, { username: 'leaver', password: 'Right horse 7' })).body
        .code,
    ).toBe(401001)
    expect(
      await world.sql('select state from password_resets where user_id = $1', [body.id]),
    ).toEqual([{ state: 'EXPIRED' }])
    expect(
      await world.sql('select 1 from device_assignments where user_id = $1 and to_at is null', [
        body.id,
      ]),
    ).toEqual([])
    expect(
      (await call('boss', users.create, await newcomer({ username: 'leaver' }))).body.code,
    ).toBe(409004)
    await world.sql(
      `update users set deleted_at = deleted_at - interval '181 days' where id = $1`,
      [body.id],
    )
    await freeNames(world.app)
    expect((await call('boss', users.create, await newcomer({ username: 'leaver' }))).status).toBe(
      200,
    )
    expect(
      await world.sql(
        `select 1 from operation_logs where action = 'users.remove' and content = '删除用户：leaver'`,
      ),
    ).toHaveLength(1)
  })
  test('not oneself, not a principal', async () => {
    const id = await world.userId('boss')
    expect(brief(await call('boss', users.remove, { id, version: 1 }))).toEqual([
      422,
      '不能对自己执行该操作',
    ])
    const principal = await world.addUser('principal', 3, 'ROLE_RTU_REPLENISHER', {
      is_principal: true,
    })
    expect(brief(await call('boss', users.remove, { id: principal, version: 1 }))).toEqual([
      422,
      '主账号不能删除',
    ])
  })
  test('while somebody assigns roles or machines: one of them comes first, nothing is left behind', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await world.addUser(`race-${round}`, 3, 'ROLE_RTU_REPLENISHER')
      const roleIds = [await world.roleId('ROLE_RTU_REPAIRER')]
      const answers = await Promise.all([
        call('boss', users.remove, { id, version: 1 }),
        call('chief', users.setRoles, { id, version: 1, roleIds }),
        call('chief', users.setDevices, { id, deviceIds: [1, 2] }),
      ])
      for (const { status } of answers) expect([200, 404, 409]).toContain(status)
      const [row] = await world.sql<{ gone: boolean }>(
        'select deleted_at is not null as gone from users where id = $1',
        [id],
      )
      if (!row?.gone) continue
      expect(await world.sql('select 1 from user_roles where user_id = $1', [id])).toEqual([])
      expect(
        await world.sql('select 1 from device_assignments where user_id = $1 and to_at is null', [
          id,
        ]),
      ).toEqual([])
    }
  })
})

describe('departments', () => {
  test('a tree of one organisation: five levels, no circle, no brothers of one name', async () => {
    const add = (name: string, parentId: number | null = null, more = {}) =>
      call('chief', users.createDepartment, { orgId: 3, name, parentId, ...more })
    const ids: number[] = []
    for (const level of [1, 2, 3, 4, 5])
      ids.push((await add(`级${level}`, ids.at(-1) ?? null)).body.id)
    expect(brief(await add('级6', ids[4]))).toEqual([422, '部门最多5级'])
    expect(brief(await add('级1'))).toEqual([409, '部门名称已存在'])
    expect(brief(await add(''))).toEqual([400, '部门名称不能为空'])
    expect((await add('x', null, { orgId: 5 })).status).toBe(404)
    const other = (await call('chief', users.createDepartment, { orgId: 4, name: '别处' })).body.id
    expect((await add('y', other)).status).toBe(404)
    const move = (id: number, parentId: number | null, version = 1) =>
      call('chief', users.updateDepartment, { id, version, parentId, name: '移动' })
    expect(brief(await move(ids[1] as number, ids[3] as number))).toEqual([
      422,
      '不能移动到自己或下级部门',
    ])
    expect((await move(ids[4] as number, null)).status).toBe(200)
    expect((await move(ids[4] as number, null)).body.code).toBe(409001)
    const { body } = await call('chief', users.departments, { orgId: 3 })
    expect(body.list.map((d: { name: string }) => d.name)).toEqual([
      '级1',
      '移动',
      '级2',
      '级3',
      '级4',
    ])
    expect((await call('chief', users.departments, { orgId: 5 })).status).toBe(404)
    expect(brief(await call('chief', users.removeDepartment, { id: ids[0] }))).toEqual([
      409,
      '请先删除下级部门',
    ])
    const member = await call('boss', users.create, await newcomer({ departmentId: ids[4] }))
    expect(brief(await call('chief', users.removeDepartment, { id: ids[4] }))).toEqual([
      409,
      '部门下仍有用户，无法删除',
    ])
    expect((await call('boss', users.list, { departmentId: ids[4] })).body.total).toBe(1)
    await call('boss', users.remove, { id: member.body.id, version: 1 })
    expect((await call('chief', users.removeDepartment, { id: ids[4] })).body).toEqual({ ok: true })
  })
  test('two moves that only together make a circle: one waits and is refused', async () => {
    const add = async (name: string) =>
      (await call('chief', users.createDepartment, { orgId: 4, name })).body.id as number
    const [a, b] = [await add('甲'), await add('乙')]
    const answers = await Promise.all([
      call('chief', users.updateDepartment, { id: a, version: 1, parentId: b, name: '甲' }),
      call('chief', users.updateDepartment, { id: b, version: 1, parentId: a, name: '乙' }),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422])
  })
})

describe('requests for a new password', () => {
  const ask = async (userId: number, org: number, more = '') =>
    Number(
      (
        await world.sql<{ id: number }>(
          `insert into password_resets (org_id, user_id, method) values ($1, $2, 'ADMIN')
            returning id ${more}`,
          [org, userId],
        )
      )[0]?.id,
    )
  test('are seen by who stands above, refused with a reason once, answered by the reset', async () => {
    const [a, b] = [
      await world.addUser('asker-a', 3, 'ROLE_RTU_REPLENISHER'),
      await world.addUser('asker-b', 3, 'ROLE_RTU_REPLENISHER'),
    ]
    const [first, second] = [await ask(a, 3), await ask(b, 3)]
    const ofPeer = await ask(await world.userId('peer'), 2)
    const ofStranger = await ask(await world.userId('stranger'), 5)
    const { body } = await call('chief', users.passwordResets, { state: 'PENDING' })
    expect(body.list.map((row: { id: number }) => row.id).sort()).toEqual([first, second].sort())
    expect(body.list[0]).toMatchObject({
      phone: '138****8000',
      method: 'ADMIN',
      can: { reset: true, reject: true },
    })
    expect(brief(await call('chief', users.rejectReset, { id: first, reason: ' ' }))).toEqual([
      400,
      '请填写拒绝原因',
    ])
    expect(
      (await call('chief', users.rejectReset, { id: first, reason: '本人未申请' })).status,
    ).toBe(200)
    expect(brief(await call('chief', users.rejectReset, { id: first, reason: 'x' }))).toEqual([
      409,
      '该申请已处理',
    ])
    expect((await call('chief', users.rejectReset, { id: ofPeer, reason: 'x' })).body.code).toBe(
      403001,
    )
    expect((await call('chief', users.rejectReset, { id: ofStranger, reason: 'x' })).status).toBe(
      404,
    )
    await call('chief', users.resetPassword, { id: b })
    const handled = await call('chief', users.passwordResets, { sort: 'createTime' })
    expect(
      handled.body.list.map((row: { state: string; handlerName: string }) => [
        row.state,
        row.handlerName,
      ]),
    ).toContainEqual(['DONE', 'chief'])
  })
  test('end after a day', async () => {
    const id = await ask(await world.addUser('late', 3, 'ROLE_RTU_REPLENISHER'), 3)
    await world.sql(`update password_resets set created_at = $2 where id = $1`, [
      id,
      new Date(world.app.now().getTime() - 25 * 3_600_000),
    ])
    await expireResets(world.app)
    expect(await world.sql('select state from password_resets where id = $1', [id])).toEqual([
      { state: 'EXPIRED' },
    ])
  })
})
