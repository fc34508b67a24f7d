import { afterAll, beforeAll, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'

const codes = ['read', 'create', 'update', 'delete', 'import'].map(
  (action) => `medical-insurance:${action}`,
)
let world: World
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905, 908], codes)
  for (const org_id of [1, 3, 4]) await add(world.sql, 'product_categories', { id: org_id, org_id })
  const drug = { category_id: 1, drug_class: 'OTC_B' } as const
  for (const id of [31, 32, 33])
    await add(world.sql, 'products', { id, org_id: 3, name: `药${id}`, ...drug })
  await add(world.sql, 'products', { id: 11, org_id: 1, name: '药11', ...drug })
  await add(world.sql, 'products', { id: 41, org_id: 4, name: '药41', ...drug })
  await add(world.sql, 'products', { id: 39, org_id: 3, name: '水', category_id: 1 })
})
afterAll(() => world.close())

const code = (n: number) => `XA01ABD075A0020101${String(n).padStart(5, '0')}`
const good = {
  productId: 31,
  insuranceCode: code(1),
  insuranceClass: 'A',
  payPrice: 1280,
  selfRatio: 12.5,
  validFrom: '2026-01-01',
  validUntil: '2026-12-31',
}
const create = (user: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/medical-insurance-items', { ...good, ...change })

test.each([
  [{ productId: undefined }, 'productId', '请选择商品'],
  [{ insuranceCode: '' }, 'insuranceCode', '请输入国家医保编码'],
  [{ insuranceCode: 'AA01ABD075A002010100483' }, 'insuranceCode', '国家医保编码格式不正确'],
  [{ insuranceCode: 'XA01ABD075A00201010048' }, 'insuranceCode', '国家医保编码格式不正确'],
  [{ insuranceCode: 'xA01ABD075A002010100483' }, 'insuranceCode', '国家医保编码格式不正确'],
  [{ insuranceClass: 'OTC' }, 'insuranceClass', '请选择医保类别'],
  [{ payPrice: 0 }, 'payPrice', '价格不能为空或为零'],
  [{ payPrice: 1.5 }, 'payPrice'],
  [{ selfRatio: 100.01 }, 'selfRatio'],
  [{ selfRatio: -1 }, 'selfRatio'],
  [{ selfRatio: 12.345 }, 'selfRatio'],
  [{ validFrom: undefined }, 'validFrom', '请选择生效日期'],
  [{ validUntil: '2026-02-30' }, 'validUntil', '日期范围错误'],
  [{ validUntil: '2026-01-01' }, 'validUntil', '结束时间必须晚于开始时间'],
  [{ balance: 1 }, 'balance'],
] as [Record<string, unknown>, string, string?][])('%o is 400', async (change, field, message) => {
  const { status, body } = await create(people.operator, change)
  expect([status, body.errors[0].field]).toEqual([400, field])
  if (message) expect(body.errors[0].message).toBe(message)
})

test('create, edit, stale, delete', async () => {
  const made = await create(people.operator)
  expect(made.body).toMatchObject({
    productId: 31,
    productName: '药31',
    drugClass: 'OTC_B',
    payPrice: 1280,
    selfRatio: 12.5,
    status: 'VALID',
    traceRequired: true,
    source: 'OWN',
    can: { update: true, delete: true },
  })
  const url = `/medical-insurance-items/${made.body.id}`
  await world.sql('update products set trace_required = false where id = 31')
  const { list } = (await world.send(people.operator, 'GET', '/medical-insurance-items')).body
  expect(list).toMatchObject([{ id: made.body.id, traceRequired: false }])
  const { productId: _, ...fields } = good
  const put = (user: number, version: number) =>
    world.send(user, 'PUT', url, { ...fields, version, payPrice: null, insuranceClass: 'SELF' })
  expect((await put(people.operator, 1)).body).toMatchObject({ payPrice: null, version: 2 })
  expect((await put(people.operator, 1)).body.code).toBe(409001)
  expect((await put(people.sibling, 2)).status).toBe(404)
  const remove = (version: number) =>
    world.send(people.operator, 'DELETE', `${url}?version=${version}`)
  expect((await remove(1)).body.code).toBe(409001)
  expect((await remove(2)).body).toEqual({ ok: true })
})

test('only own drugs have entries, and stay drugs', async () => {
  const why = async (user: number, productId: number) => {
    const { status, body } = await create(user, { productId, insuranceCode: code(productId) })
    return [status, body.errors?.[0]?.message ?? body.message ?? 'made']
  }
  expect(await why(people.operator, 39)).toEqual([422, '只能选择药品'])
  expect((await why(people.operator, 41))[0]).toBe(404)
  expect((await why(people.operator, 11))[0]).toBe(403)
  expect(await why(people.platform, 11)).toEqual([200, 'made'])
  const [item] = (await world.send(people.operator, 'GET', '/medical-insurance-items')).body.list
  expect(item).toMatchObject({
    productId: 11,
    source: 'INHERITED',
    can: { update: false, delete: false },
  })
  const url = `/medical-insurance-items/${item.id}`
  expect((await world.send(people.operator, 'DELETE', `${url}?version=1`)).status).toBe(403)
  await expect(
    world.sql(`update products set drug_class = 'NONE' where id = 11`),
  ).rejects.toMatchObject({ code: '23514' })
  await expect(
    world.sql('update medical_insurance_items set product_id = 39, org_id = 3 where id = $1', [
      item.id,
    ]),
  ).rejects.toMatchObject({ code: '23514' })
})

test('a product with an entry stays a drug, and the list of products says who has one', async () => {
  const { body: item } = await create(people.operator)
  const { body } = await world.send(people.operator, 'GET', '/products/31')
  const { id, version } = body
  const images = [await world.upload(3)]
  const changed = await world.send(people.operator, 'PUT', `/products/${id}`, {
    ...{ version, images, name: '药31', categoryId: 3, model: '1件' },
    ...{ costPrice: 100, retailPrice: 300, drugClass: 'NONE' },
  })
  expect(changed.body.errors).toEqual([
    { field: 'drugClass', message: '商品有医保信息，不能改为非药品' },
  ])
  const insured = async (wanted: boolean) =>
    (
      await world.send(people.operator, 'GET', `/products?pageSize=200&insured=${wanted}`)
    ).body.list.map((row: { name: string }) => row.name)
  const { list } = (
    await world.send(people.operator, 'GET', '/products/options?source=OWN&drugs=true')
  ).body
  const offered = list.map((row: { name: string }) => row.name)
  expect(offered).toEqual(expect.arrayContaining(['药31', '药32']))
  expect(offered).not.toEqual(expect.arrayContaining(['药11']))
  expect(offered).not.toEqual(expect.arrayContaining(['水']))
  expect(await insured(true)).toContain('药31')
  expect(await insured(false)).toContain('水')
  expect(await insured(false)).not.toContain('药31')
  await world.sql('delete from medical_insurance_items where id = $1', [item.id])
})

test('a product has one entry at a time, a code one product of an owner at a time', async () => {
  const first = { productId: 32, insuranceCode: code(320) }
  expect((await create(people.operator, first)).status).toBe(200)
  const fault = async (user: number, change: Record<string, unknown>) => {
    const { status, body } = await create(user, { ...first, ...change })
    return [status, body.errors?.[0]?.field, body.errors?.[0]?.message]
  }
  const other = { insuranceCode: code(321) }
  const product = [409, 'productId', '只能添加一个商品：该商品在此期间已有医保信息']
  expect(await fault(people.operator, other)).toEqual(product)
  const late = { validFrom: '2026-12-31', validUntil: '2027-12-31' }
  expect(await fault(people.operator, { ...other, ...late })).toEqual(product)
  expect(await fault(people.operator, { productId: 33 })).toEqual([
    409,
    'insuranceCode',
    '国家医保编码在此期间已被其他商品使用',
  ])
  expect((await fault(people.sibling, { productId: 41 }))[0]).toBe(200)
  const next = { validFrom: '2027-01-01', validUntil: '2027-12-31' }
  expect((await fault(people.operator, next))[0]).toBe(200)
  const twice = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      create(people.operator, { productId: 33, insuranceCode: code(330 + n) }),
    ),
  )
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
})

test('filters by period, class, completeness, code and name', async () => {
  const drug = { category_id: 1, drug_class: 'RX', org_id: 5 } as const
  await add(world.sql, 'product_categories', { id: 5, org_id: 5 })
  for (const id of [51, 52, 53])
    await add(world.sql, 'products', { id, name: `处方${id}`, ...drug })
  const made = (productId: number, change: Record<string, unknown>) =>
    create(people.stranger, { productId, insuranceCode: code(productId), ...change })
  await made(51, { validFrom: '2025-01-01', validUntil: '2026-11-20' })
  await made(52, { validFrom: '2026-11-20', validUntil: '2026-11-21', insuranceClass: 'B' })
  await made(53, { validFrom: '2026-11-22', validUntil: '2027-01-01', selfRatio: null })
  const ids = async (query: string) =>
    (
      await world.send(
        people.stranger,
        'GET',
        `/medical-insurance-items?sort=insuranceCode&${query}`,
      )
    ).body.list
      .map((row: { productId: number }) => row.productId)
      .filter((id: number) => id > 50)
  expect(await ids('status=EXPIRED')).toEqual([51])
  expect(await ids('status=VALID')).toEqual([52])
  expect(await ids('status=PENDING')).toEqual([53])
  expect(await ids('insuranceClass=B')).toEqual([52])
  expect(await ids('complete=false')).toEqual([53])
  expect(await ids('complete=true')).toEqual([51, 52])
  expect(await ids(`insuranceCode=${code(52).slice(9).toLowerCase()}`)).toEqual([52])
  expect(await ids('keyword=处方53')).toEqual([53])
  expect(await ids('productId=51')).toEqual([51])
  expect((await world.send(people.reader, 'GET', '/medical-insurance-items')).status).toBe(403)
})

test('a file of entries is imported whole or not at all', async () => {
  await add(world.sql, 'products', {
    id: 61,
    org_id: 3,
    name: '药61',
    category_id: 1,
    drug_class: 'RX',
    barcode: '6901234567892',
    approval_no: '国药准字H20000061',
  })
  const head = '商品,国家医保编码,医保类别,医保支付价,自付比例,生效日期,失效日期'
  const send = async (rows: readonly string[]) =>
    world.sendFile(
      await world.login('test3'),
      '/imports/medical-insurance',
      [head, ...rows].join('\r\n'),
    )
  const period = '2028-01-01,2028-12-31'
  const count = () => world.one('select count(*)::int as n from medical_insurance_items')
  const before = await count()
  const bad = await send([
    `药61,${code(611)},医保甲类,12.80,10,${period}`,
    `药41,${code(612)},A,,,${period}`,
    `药31,${code(613)},甲类OTC,,,${period}`,
    `药32,${code(614)},自费,0,100.01,${period}`,
    `药33,${code(615)},自费,,,2028-12-31,2028-12-31`,
    `水,${code(616)},自费,,,${period}`,
    `药61,${code(617)},自费,,,2028-06-01,2028-12-31`,
    `药31,${code(611)},自费,,,2028-06-01,2028-12-31`,
    `药33,${code(618)},自费,,,${period}`,
    `药33,${code(619)},自费,,,${period}`,
  ])
  expect(bad.status).toBe(400)
  expect(bad.body.errors).toEqual([
    { field: 'rows.3.product', message: '没有这个商品' },
    { field: 'rows.4.insuranceClass', message: '医保类别不正确' },
    { field: 'rows.5.payPrice', message: '价格不能为空或为零' },
    { field: 'rows.6.validUntil', message: '结束时间必须晚于开始时间' },
    { field: 'rows.7.product', message: '只能选择药品' },
    { field: 'rows.8.product', message: '只能添加一个商品：该商品在此期间已有医保信息' },
    { field: 'rows.9.insuranceCode', message: '国家医保编码在此期间已被其他商品使用' },
    { field: 'rows.10.product', message: '与第11行重复' },
    { field: 'rows.11.product', message: '与第10行重复' },
  ])
  expect(await count()).toEqual(before)
  const fine = await send([
    `国药准字H20000061,${code(611)},医保甲类,12.80,10.25,${period}`,
    `药31,${code(613)},乙类,,,${period}`,
  ])
  expect(fine.body).toMatchObject({ total: 2, failed: 0 })
  const { list } = (
    await world.send(people.operator, 'GET', '/medical-insurance-items?status=PENDING')
  ).body
  expect(list.map((row: object) => row)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ productId: 61, payPrice: 1280, selfRatio: 10.25 }),
      expect.objectContaining({ productId: 31, insuranceClass: 'B', payPrice: null }),
    ]),
  )
})
