import { afterAll, beforeAll, expect, test } from 'vitest'
import { add, addOrganisations, addPermissions, grant } from '../../../../test/factories/things.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'

const codes = ['read', 'create', 'update', 'delete'].map((action) => `supplier:${action}`)
let world: World
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905, 909], codes)
  await addOrganisations(world.sql, [8, 4, 'SUPPLIER'])
})
afterAll(() => world.close())
const good = { name: '粤港商贸', phone: '13800138000' }
const create = (user: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/suppliers', { ...good, ...change })

test.each([
  [{ name: ' ' }, 'name', '请输入供应商名称'],
  [{ name: 'x'.repeat(41) }, 'name'],
  [{ phone: '12345678901' }, 'phone', '手机号码不合法'],
  [{ phone: undefined }, 'phone', '请输入手机号码'],
  [{ creditCode: '91440300MA5FQJ7K3X' }, 'creditCode', '统一社会信用代码不正确'],
  [{ suppliesDrugs: true, licenceUntil: '2028-01-01' }, 'licence', '请上传经营许可证'],
  [{ suppliesDrugs: true, licence: 'files/a.png' }, 'licenceUntil', '请选择许可证有效期'],
  [{ licenceUntil: '2026-02-30' }, 'licenceUntil', '日期范围错误'],
  [{ licence: 'https://example.com/a.png' }, 'licence'],
  [{ status: 'GONE' }, 'status'],
  [{ balance: 1 }, 'balance'],
] as [Record<string, unknown>, string, string?][])('%o is 400', async (change, field, message) => {
  const { status, body } = await create(people.operator, change)
  expect([status, body.errors[0].field]).toEqual([400, field])
  if (message) expect(body.errors[0].message).toBe(message)
})

test('create, edit, stale, duplicate, delete', async () => {
  const licence = await world.upload(3)
  const made = await create(people.operator, {
    phone: '１３８００１３８０００',
    creditCode: '91440300708461136t',
    suppliesDrugs: true,
    licence,
    licenceUntil: '2028-01-01',
  })
  expect(made.body).toMatchObject({
    name: '粤港商贸',
    phone: '13800138000',
    creditCode: '91440300708461136T',
    licenceUntil: '2028-01-01',
    status: 'ENABLED',
    orgId: 3,
    version: 1,
    can: { update: true, delete: true },
  })
  const logged = await world.one<{ after: object }>(
    `select after from operation_logs where action = 'suppliers.create'`,
  )
  expect(logged.after).toMatchObject({ phone: '138****8000' })
  expect((await create(people.operator)).body.errors[0]).toEqual({
    field: 'name',
    message: '供应商名称已存在',
  })
  expect((await create(people.sibling)).status).toBe(200)
  expect((await create(people.operator, { orgId: 4 })).status).toBe(404)
  expect((await create(people.platform, { orgId: 6 })).body.errors[0].field).toBe('orgId')
  const url = `/suppliers/${made.body.id}`
  const put = (user: number, version: number) =>
    world.send(user, 'PUT', url, { ...good, version, name: '粤港', status: 'DISABLED' })
  expect((await put(people.operator, 1)).body).toMatchObject({ name: '粤港', version: 2 })
  expect((await put(people.operator, 1)).body.code).toBe(409001)
  expect((await put(people.sibling, 2)).status).toBe(404)
  const remove = (version: number) =>
    world.send(people.operator, 'DELETE', `${url}?version=${version}`)
  expect((await remove(1)).body.code).toBe(409001)
  expect((await remove(2)).body).toEqual({ ok: true })
  expect((await remove(2)).status).toBe(404)
})

test('a picture of somebody else is no licence; one that is there already stays', async () => {
  const name = '有证'
  const foreign = await create(people.operator, { name, licence: await world.upload(5) })
  expect([foreign.status, foreign.body.errors]).toEqual([
    404,
    [{ field: 'licence', message: '数据不存在或无权查看' }],
  ])
  const licence = await world.upload(3)
  const { id } = (await create(people.operator, { name, licence })).body
  await world.sql('update uploads set org_id = 1 where url = $1', [licence])
  const edit = { ...good, name, licence, version: 1 }
  expect((await world.send(people.operator, 'PUT', `/suppliers/${id}`, edit)).status).toBe(200)
})

test('people of a supplier read the entry of their organisation and change nothing', async () => {
  const listed = async (user: number) =>
    (await world.send(user, 'GET', '/suppliers?keyword=自家')).body.list
  const own = (supplierOrgId: number) => create(people.operator, { name: '自家', supplierOrgId })
  // organisation 6 stands beside the agent, 8 below another operator, 4 is no supplier
  for (const other of [6, 8, 4, 999_999])
    expect((await own(other)).body.errors[0]).toEqual({
      field: 'supplierOrgId',
      message: '请选择所属机构下级的供应商机构',
    })
  await world.sql(`update organisations set parent_id = 3, path = '1.2.3.6' where id = 6`)
  const { body } = await own(6)
  expect(body.supplierOrgId).toBe(6)
  await add(world.sql, 'suppliers', { org_id: 3, name: '自家以外', phone: '13800138000' })
  expect(await listed(people.supplier)).toEqual([
    { ...body, orgName: '', can: { update: false, delete: false } },
  ])
  expect((await listed(people.operator)).length).toBe(2)
  const url = `/suppliers/${body.id}`
  const edit = { ...good, version: 1 }
  expect((await world.send(people.supplier, 'PUT', url, edit)).status).toBe(403)
  expect((await world.send(people.supplier, 'DELETE', `${url}?version=1`)).status).toBe(403)
})

test('filters', async () => {
  await create(people.stranger, { name: '甲', contact: '王小明' })
  await create(people.stranger, { name: '乙', status: 'DISABLED' })
  const names = async (query: string) =>
    (await world.send(people.stranger, 'GET', `/suppliers?sort=name&${query}`)).body.list.map(
      (row: { name: string }) => row.name,
    )
  expect(await names('keyword=小明')).toEqual(['甲'])
  expect(await names('status=DISABLED')).toEqual(['乙'])
  expect(await names('suppliesDrugs=true')).toEqual([])
  expect((await names('suppliesDrugs=false')).sort()).toEqual(['乙', '甲'].sort())
  expect((await world.send(people.reader, 'GET', '/suppliers')).status).toBe(403)
})
