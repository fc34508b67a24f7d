import { afterAll, beforeAll, expect, test } from 'vitest'
import { session } from '../../session/contract.ts'
import { openWorld, type World } from './testWorld.ts'

let world: World
let token = ''
beforeAll(async () => {
  world = await openWorld()
  token = await world.login('chief')
})
afterAll(() => world.close())

const head = '用户名,真实姓名,角色,机构,部门,联系电话,客服电话,街道地址,区域'
const good = (name: string, change: Partial<Record<number, string>> = {}) =>
  [name, '张三', '补货员', 'ORG000003', '', '13800138000', '4008001234', '科苑路15号', '']
    .map((cell, i) => change[i] ?? cell)
    .join(',')
async function send(rows: readonly string[], { dry = false, by = token } = {}) {
  return world.sendFile(
    by,
    `/imports/users${dry ? '?dryRun=true' : ''}`,
    [head, ...rows].join('\r\n'),
  )
}
const count = async () =>
  Number((await world.sql<{ n: string }>('select count(*) as n from users'))[0]?.n)

test('every fault is named, nothing is kept', async () => {
  const before = await count()
  const [department] = await world.sql<{ id: number }>(
    `insert into departments (org_id, name) values (3, '运维') returning id`,
  )
  expect(department).toBeDefined()
  const { status, body } = await send([
    good('import-fine', { 2: '补货员、ROLE_RTU_REPAIRER', 4: '运维', 8: '广东省 深圳市 南山区' }),
    good('stranger'),
    good('no-role', { 2: '超级管理员' }),
    good('no-org', { 3: 'ORG000005' }),
    good('no-dept', { 4: '财务' }),
    good('no-region', { 8: '火星' }),
    good('sponsored', { 2: '赞助商' }),
    good('regulator', { 2: '药监人员' }),
    good('stranger', { 2: '超级管理员', 5: '12345678901' }),
  ])
  expect(status).toBe(400)
  expect(body.errors).toEqual([
    { field: 'rows.3.username', message: '用户名已存在' },
    { field: 'rows.4.roles', message: '角色不存在或无权分配' },
    { field: 'rows.5.org', message: '机构不存在' },
    { field: 'rows.6.department', message: '该机构没有此部门' },
    { field: 'rows.7.region', message: '区域不正确' },
    { field: 'rows.8.org', message: '请选择所属赞助商' },
    // a region leads out of the organisation: an agent does not give it, whatever his distribution
    // lists
    { field: 'rows.9.roles', message: '角色不存在或无权分配' },
    // one row with faults of form and of what stands in the database
    { field: 'rows.10.phone', message: '手机号码不合法' },
    { field: 'rows.10.username', message: '用户名已存在' },
    { field: 'rows.10.roles', message: '角色不存在或无权分配' },
  ])
  expect(await count()).toBe(before)
  const doubled = await send([good('same-name'), good('same-name')], { dry: true })
  expect(doubled.body.failed).toBe(2)
  await world.sql(
    `insert into role_distribution_limits (role_id, max_users) select id, 2 from roles
      where code = 'ROLE_C_CHIEF'`,
  )
  expect((await send([good('limit-a'), good('limit-b')], { dry: true })).body.faults).toMatchObject(
    [{ row: 2, column: 'org' }],
  )
  await world.sql('delete from role_distribution_limits')
})

test('a custom role is never taken for a built-in one, and of two with one name none is guessed', async () => {
  for (const [org, code, name] of [
    [2, 'ROLE_C_FALSE', 'ROLE_RTU_REPLENISHER'],
    [3, 'ROLE_C_FALSER', '补货员'],
    [2, 'ROLE_C_TWIN', '店长'],
    [3, 'ROLE_C_TWIN3', '店长'],
    [5, 'ROLE_C_TWIN5', '店长'],
  ] as const)
    await world.sql(
      `with r as (insert into roles (org_id, code, name, name_en, rank, data_scope)
        values ($1, $2, $3, $3, 59, 'ORG_TREE') returning id)
       insert into role_distributions select o.id, r.id from roles o, r
       where o.code = 'ROLE_C_CHIEF'`,
      [org, code, name],
    )
  const rows = [
    good('by-code', { 2: 'ROLE_RTU_REPLENISHER' }),
    good('by-name'),
    good('by-own-code', { 2: 'ROLE_C_TWIN3' }),
  ]
  expect((await send([...rows, good('one-fits', { 2: '店长', 3: 'ORG000004' })])).status).toBe(200)
  expect(
    await world.sql(`select r.code from users u join user_roles ur on ur.user_id = u.id
      join roles r on r.id = ur.role_id
      where u.username in ('by-code', 'by-name', 'by-own-code', 'one-fits') order by u.username`),
  ).toEqual(
    ['ROLE_RTU_REPLENISHER', 'ROLE_RTU_REPLENISHER', 'ROLE_C_TWIN3', 'ROLE_C_TWIN'].map((code) => ({
      code,
    })),
  )
  const unclear = await send([good('either', { 2: '店长' })])
  expect(unclear.body.errors).toEqual([
    { field: 'rows.2.roles', message: '有多个同名角色，请填写角色标识' },
  ])
})

test('a thousand people in five seconds, each with a password of his own that he must change', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) =>
    good(`bulk-${i}`, i % 3 ? {} : { 2: '补货员、维修员' }),
  )
  expect((await send(rows, { dry: true })).body).toMatchObject({ total: 1000, failed: 0 })
  const began = performance.now()
  const { status, body } = await send(rows)
  const ms = performance.now() - began
  expect([status, body.total], JSON.stringify(body).slice(0, 300)).toEqual([200, 1000])
  expect(ms).toBeLessThan(5000)
  if (process.env.SHOW_TIMES) process.stdout.write(`import of 1,000 users: ${Math.round(ms)} ms\n`)
  expect(
    await world.sql(
      `select count(*)::int as n, count(distinct password_hash)::int as hashes,
        bool_and(must_change_password) as must from users where username like 'bulk-%'`,
    ),
  ).toEqual([{ n: 1000, hashes: 1000, must: true }])
  const passwords = String(body.once.text)
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').map((cell) => cell.slice(1, -1)))
  expect(new Set(passwords.map(([, , password]) => password)).size).toBe(1000)
  const of = (username: string) => passwords.find(([name]) => name === username)?.[2] ?? ''
  expect(
    (await world.call(session.login, { username: 'bulk-8', password: of('bulk-7') })).body.code,
    'of somebody else',
  ).toBe(401001)
  const signedIn = await world.call(session.login, { username: 'bulk-7', password: of('bulk-7') })
  expect((await world.call(session.user, {}, { token: signedIn.body.token })).body).toMatchObject({
    mustChangePassword: true,
    role: 'ROLE_RTU_REPLENISHER',
  })
  const said = `select count(distinct resource_id)::int as n, min(org_id) as org from operation_logs
    where action = 'users.create' and target_name like 'bulk-%'`
  expect(await world.sql(said)).toEqual([{ n: 1000, org: 3 }])
  const kept = await world.sql(
    `select j::text as text from jobs j union all select l::text from operation_logs l`,
  )
  expect(
    kept.filter(({ text }) =>
      passwords.some(([, , password = '']) => String(text).includes(password)),
    ),
  ).toEqual([])
})
