import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { add } from '../../../../test/factories/things.ts'
import { addDevice, addLane, openWorld, people, type World } from './testWorld.ts'

let world: World
let image: string
let category: number
let above: number // category of the platform

beforeAll(async () => {
  world = await openWorld()
  image = await world.upload(3)
  category = (await world.send(people.operator, 'POST', '/product-categories', { name: '饮料' }))
    .body.id
  above = (
    await world.send(people.platform, 'POST', '/product-categories', { name: '零食', sort: 5 })
  ).body.id
})
afterAll(() => world.close())

const fine = (change: Record<string, unknown> = {}) => ({
  name: '矿泉水',
  categoryId: above,
  drugClass: 'NONE',
  model: '550ml',
  costPrice: 90,
  retailPrice: 200,
  images: [image],
  ...change,
})
const drug = (change: Record<string, unknown> = {}) =>
  fine({
    drugClass: 'OTC_B',
    approvalNo: '国药准字Z20147726',
    dosageForm: '丸剂',
    manufacturer: '某厂',
    ...change,
  })
const made = async (user: number, change: Record<string, unknown> = {}) => {
  if (user !== people.operator && !change.images)
    change = { ...change, images: [await world.upload(user)] }
  const { status, body } = await world.send(user, 'POST', '/products', fine(change))
  expect([status, body.message]).toEqual([200, undefined])
  return body as { id: number; version: number }
}
/** A batch of the platform, by a supplier whose people are of this organisation. */
async function delivers(org: number | null, product_id: number, name: string): Promise<void> {
  const who = { org_id: 1, name, phone: '13800138000', supplier_org_id: org }
  const supplier_id = await add(world.sql, 'suppliers', who)
  const dates = { produced_on: '2026-01-01', expires_on: '2028-01-01' }
  await add(world.sql, 'batches', { org_id: 1, product_id, supplier_id, batch_no: 'B', ...dates })
}
const logs = (action: string) =>
  world.rows<{ content: string }>(
    `select content from operation_logs where result = 'SUCCESS' and action = $1 order by id`,
    [action],
  )

describe('create', () => {
  test('keeps every field and writes one log row', async () => {
    const whole = drug({
      name: '薄荷膏',
      categoryId: category,
      barcode: '6901028075763',
      storeTempMin: 2,
      storeTempMax: 25.5,
      purchaseLimit: 3,
      warnQty: 2,
      nearExpiryDays: 90,
      redPackets: false,
      status: 'OFF',
      detailImages: [image],
    })
    const { status, body } = await world.send(people.operator, 'POST', '/products', whole)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...whole,
      version: 1,
      source: 'OWN',
      categoryName: '饮料',
      can: { edit: true, publish: true, delete: true },
    })
    expect(await logs('products.create')).toEqual([{ content: '新增商品：薄荷膏' }])
    expect((await world.send(people.operator, 'GET', `/products/${body.id}`)).body).toEqual(body)
  })
  test.each([
    [{ name: '' }, 'name'],
    [{ categoryId: null }, 'categoryId'],
    [{ drugClass: null }, 'drugClass'],
    [{ model: ' ' }, 'model'],
    [{ costPrice: 0 }, 'costPrice'],
    [{ retailPrice: '１２' }, 'retailPrice'],
    [{ images: [] }, 'images'],
    [{ drugClass: 'RX' }, 'approvalNo'],
    [{ storeTempMin: 9, storeTempMax: 8 }, 'storeTempMin'],
    [{ barcode: '123' }, 'barcode'],
    [{ tenantId: 4 }, 'tenantId'],
    [{ orgId: 4 }, 'orgId'],
    [{ images: ['files/00000000-0000-0000-0000-000000000000.png'] }, 'images'],
    [{ categoryId: 99999 }, 'categoryId'],
  ])('%o answers 400 at its field', async (change, field) => {
    const { status, body } = await world.send(people.operator, 'POST', '/products', fine(change))
    expect([status, body.code, body.errors[0].field]).toEqual([400, 400001, field])
  })
  test('an unknown field is named', async () =>
    expect(
      (await world.send(people.operator, 'POST', '/products', fine({ balance: 1 }))).body.errors,
    ).toEqual([{ field: 'balance', message: '不支持的字段' }]))
  test('retail below cost', async () => {
    const { status, body } = await world.send(
      people.operator,
      'POST',
      '/products',
      fine({ costPrice: 201 }),
    )
    expect([status, body.message, body.errors[0].field]).toEqual([
      422,
      '零售价不能低于成本价',
      'retailPrice',
    ])
  })
  test('a barcode is unique inside an organisation, not across', async () => {
    await made(people.operator, { barcode: '96385074' })
    const again = await world.send(
      people.operator,
      'POST',
      '/products',
      fine({ barcode: '96385074' }),
    )
    expect([again.status, again.body.code, again.body.errors]).toEqual([
      409,
      409004,
      [{ field: 'barcode', message: '条形码已存在' }],
    ])
    await made(people.sibling, { barcode: '96385074', images: [await world.upload(4)] })
  })
  test('pictures and categories of strangers are like missing ones', async () => {
    const foreign = (
      await world.send(people.stranger, 'POST', '/product-categories', { name: '外' })
    ).body.id
    expect(
      (await world.send(people.operator, 'POST', '/products', fine({ categoryId: foreign }))).body
        .errors,
    ).toEqual([{ field: 'categoryId', message: '请选择商品分类' }])
    expect(
      (
        await world.send(
          people.operator,
          'POST',
          '/products',
          fine({ images: [await world.upload(5)] }),
        )
      ).status,
    ).toBe(400)
    expect(
      (
        await world.send(
          people.operator,
          'POST',
          '/products',
          fine({ images: [await world.upload(1)] }),
        )
      ).status,
    ).toBe(200)
  })
  test('an agent cannot give a child the category of another child', async () => {
    const { id, version } = await made(people.operator)
    const other = (
      await world.send(people.sibling, 'POST', '/product-categories', { name: '隔壁' })
    ).body.id
    const put = (categoryId: number) =>
      world.send(people.agent, 'PUT', `/products/${id}`, { ...fine({ categoryId }), version })
    expect((await put(other)).body.errors).toEqual([
      { field: 'categoryId', message: '请选择商品分类' },
    ])
    expect((await put(category)).status).toBe(200)
  })
  test('without product:cost no cost is shown, and nothing that carries one is changed', async () => {
    const { status, body } = await world.send(people.noCost, 'POST', '/products', fine())
    expect([status, body.costPrice]).toEqual([200, null])
    expect(
      (
        await world.send(
          people.noCost,
          'PUT',
          `/products/${body.id}`,
          fine({ costPrice: 1, version: 1 }),
        )
      ).body.code,
    ).toBe(403001)
    const row = (await world.send(people.noCost, 'GET', '/products?pageSize=200')).body.list[0]
    expect([row.costPrice, row.margin, row.can.edit]).toEqual([null, null, false])
    expect((await world.send(people.noCost, 'GET', `/products/${row.id}`)).body.costPrice).toBe(
      null,
    )
    expect(
      (await world.send(people.noCost, 'GET', '/products/options')).body.list[0].costPrice,
    ).toBe(null)
    expect((await world.send(people.reader, 'POST', '/products', fine())).body.code).toBe(403001)
    expect((await world.send(people.noCost, 'GET', '/products?sort=costPrice')).status).toBe(400)
  })
})

describe('scope', () => {
  test('who does not trade in the catalogue (a supplier, a tenant of lanes) knows the cost of his own goods only', async () => {
    const [theirs, own] = [
      await made(people.platform),
      await made(people.supplier, { images: [await world.upload(6)] }),
    ]
    await delivers(6, theirs.id, '鲜达甲')
    const costs = async (user: number) => {
      const { body } = await world.send(user, 'GET', '/products?pageSize=200')
      const shown = (id: number) => body.list.find((row: { id: number }) => row.id === id)
      const { list } = (await world.send(user, 'GET', `/products/options?id=${theirs.id}`)).body
      const option = list.find((row: { id: number }) => row.id === theirs.id)
      return [
        shown(theirs.id).costPrice,
        shown(theirs.id).margin,
        option.costPrice,
        shown(own.id)?.costPrice,
      ]
    }
    expect(await costs(people.supplier)).toEqual([null, null, null, 90])
    expect(await costs(people.operator)).toEqual([90, 550, 90, undefined])
    expect(
      (await world.send(people.supplier, 'GET', `/products/${theirs.id}`)).body.costPrice,
    ).toBe(null)
  })
  test('a supplier changes what he entered himself, without the right to costs', async () => {
    const image = await world.upload(6)
    const { status, body } = await world.send(
      people.delivers,
      'POST',
      '/products',
      fine({ images: [image], costPrice: 95 }),
    )
    expect([status, body.costPrice, body.can.edit]).toEqual([200, 95, true])
    expect([body.status, body.can.publish], 'the shelf is not his').toEqual(['OFF', false])
    const after = await world.send(
      people.delivers,
      'PUT',
      `/products/${body.id}`,
      fine({ images: [image], costPrice: 96, version: 1 }),
    )
    expect([after.status, after.body.costPrice]).toEqual([200, 96])
    const theirs = await made(people.platform)
    expect(
      (await world.send(people.delivers, 'GET', `/products/${theirs.id}`)).body.costPrice,
    ).toBe(null)
  })
  test('a product above is readable and usable, not changeable', async () => {
    const { id, version } = await made(people.platform)
    const { status, body } = await world.send(people.operator, 'GET', `/products/${id}`)
    expect([status, body.source, body.orgName, body.can]).toEqual([
      200,
      'INHERITED',
      null,
      { edit: false, publish: false, delete: false },
    ])
    for (const [method, path, payload] of [
      ['PUT', '', { ...fine(), version }],
      ['PUT', '/status', { status: 'OFF', version }],
      ['DELETE', `?version=${version}`, undefined],
    ] as const) {
      expect(
        (await world.send(people.operator, method, `/products/${id}${path}`, payload)).body.error,
      ).toBe('products.inherited')
    }
    expect(await world.rows('select version, status from products where id = $1', [id])).toEqual([
      { version: 1, status: 'ON' },
    ])
    expect(
      (await world.send(people.operator, 'GET', '/products/options?keyword=矿泉')).body.list.map(
        (o: { id: number }) => o.id,
      ),
    ).toContain(id)
  })
  test('a foreign product answers like a missing one', async () => {
    const { id, version } = await made(people.sibling)
    for (const [method, path, payload] of [
      ['GET', '', undefined],
      ['GET', '/lanes', undefined],
      ['PUT', '', { ...fine(), version }],
      ['PUT', '/status', { status: 'OFF', version }],
      ['DELETE', `?version=${version}`, undefined],
    ] as const) {
      const foreign = await world.send(people.operator, method, `/products/${id}${path}`, payload)
      const missing = await world.send(people.operator, method, `/products/987654${path}`, payload)
      expect([foreign.status, foreign.body.code, foreign.body.message]).toEqual([
        404,
        404001,
        missing.body.message,
      ])
    }
    const seen = (await world.send(people.operator, 'GET', '/products?pageSize=200')).body.list.map(
      (p: { id: number }) => p.id,
    )
    expect(seen).not.toContain(id)
    expect((await world.send(people.agent, 'GET', `/products/${id}`)).body.can.edit).toBe(true)
  })
})

describe('edit', () => {
  test('changes, logs and refuses a stale version', async () => {
    const { id } = await made(people.operator)
    const put = (change: Record<string, unknown>) =>
      world.send(people.operator, 'PUT', `/products/${id}`, fine(change))
    expect((await put({ name: '新名', version: 1 })).body).toMatchObject({
      name: '新名',
      version: 2,
    })
    const stale = await put({ name: '旧', version: 1 })
    expect([stale.status, stale.body.code]).toEqual([409, 409001])
    expect((await put({ name: '旧' })).status).toBe(400)
    expect((await put({ version: 2, status: 'OFF' })).body.errors[0].field).toBe('status')
    expect((await world.send(people.operator, 'GET', `/products/${id}`)).body.name).toBe('新名')
    expect(await logs('products.edit')).toContainEqual({ content: '编辑商品：矿泉水' })
  })
  test('of ten edits with one version one wins', async () => {
    const { id } = await made(people.operator)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        world.send(
          people.operator,
          'PUT',
          `/products/${id}`,
          fine({ name: `并发${n}`, version: 1 }),
        ),
      ),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, ...Array(9).fill(409)])
  })
})

describe('lanes', () => {
  test('cost above a lane price, shelf, figures, deletion', async () => {
    await addDevice(world, 11, 3)
    const { id } = await made(people.agent)
    await addLane(world, 11, 3, 1, id, 150)
    await addLane(world, 11, 3, 2, id, 250)
    const put = (change: Record<string, unknown>) =>
      world.send(people.agent, 'PUT', `/products/${id}`, { ...fine(), version: 1, ...change })
    const refused = await put({ costPrice: 180 })
    expect([refused.status, refused.body.message]).toEqual([
      422,
      '以下货道售价低于新成本价：HD000011-1 ¥1.50，共1个货道',
    ])
    expect(refused.body.errors[0].field).toBe('costPrice')
    expect((await put({ costPrice: 150 })).status).toBe(200)
    const lanes = (await world.send(people.operator, 'GET', `/products/${id}/lanes`)).body
    expect([lanes.total, lanes.sums, lanes.list[0].rtuNumber]).toEqual([
      2,
      { devices: 1, lanes: 2, stock: 12 },
      'HD000011',
    ])
    await world.rows(
      `insert into product_rollups (org_id, device_id, product_id, day, pieces)
        values (3, 11, $1, '2026-11-20', 7), (3, 11, $1, '2026-10-01', 50)`,
      [id],
    )
    const row = (await world.send(people.operator, 'GET', '/products?sort=-laneCount')).body.list[0]
    expect(row).toMatchObject({
      id,
      deviceCount: 1,
      laneCount: 2,
      stock: 12,
      sales30: 7,
      source: 'INHERITED',
    })
    const deleted = await world.send(people.agent, 'DELETE', `/products/${id}?version=2`)
    expect([deleted.status, deleted.body.message]).toEqual([409, '商品已被使用，请改为下架'])
    const off = await world.send(people.agent, 'PUT', `/products/${id}/status`, {
      status: 'OFF',
      version: 2,
    })
    expect([off.status, off.body.status, off.body.version]).toEqual([200, 'OFF', 3])
    expect(
      (
        await world.send(people.agent, 'PUT', `/products/${id}/status`, {
          status: 'ON',
          version: 2,
        })
      ).body.code,
    ).toBe(409001)
    expect(
      (await world.send(people.operator, 'GET', `/products/options?keyword=矿泉`)).body.list.map(
        (o: { id: number }) => o.id,
      ),
    ).not.toContain(id)
    expect(
      (await world.send(people.operator, 'GET', `/products/options?id=${id}`)).body.list[0],
    ).toMatchObject({ id, status: 'OFF' })
  })
  test('a drug class may only become stricter where machines still may sell it', async () => {
    await addDevice(world, 12, 3, 'DRUG', 'UNATTENDED')
    await addDevice(world, 13, 3, 'DRUG', 'PHARMACIST')
    const { id } = await made(people.operator, drug({ drugClass: 'OTC_B' }))
    await addLane(world, 13, 3, 1, id, 300)
    const put = (drugClass: string, version: number) =>
      world.send(people.operator, 'PUT', `/products/${id}`, { ...drug({ drugClass }), version })
    expect((await put('NONE', 1)).body.errors).toEqual([
      { field: 'drugClass', message: '商品正在销售，药品分类只能改为更严格的类别' },
    ])
    const lane = await addLane(world, 12, 3, 1, id, 300)
    expect((await put('OTC_A', 1)).body.message).toBe(
      '以下货道所在设备不允许销售此类药品：HD000012-1，共1个货道',
    )
    await world.rows('update lanes set archived_at = now() where id = $1', [lane])
    expect((await put('OTC_A', 1)).body.drugClass).toBe('OTC_A')
    expect(
      (
        await world.send(people.operator, 'PUT', `/products/${id}/status`, {
          status: 'OFF',
          version: 2,
        })
      ).status,
    ).toBe(200)
    expect((await put('OTC_B', 3)).body.drugClass).toBe('OTC_B')
  })
  test('one that stood only in a lane since archived stays', async () => {
    await addDevice(world, 14, 3)
    const { id } = await made(people.operator)
    const lane = await addLane(world, 14, 3, 1, id, 300)
    await world.rows('update lanes set archived_at = now() where id = $1', [lane])
    expect(
      (await world.send(people.operator, 'DELETE', `/products/${id}?version=1`)).body.message,
    ).toBe('商品已被使用，请改为下架')
  })
  test('a product never used can be deleted once, with the version seen', async () => {
    const { id } = await made(people.operator)
    expect((await world.send(people.operator, 'DELETE', `/products/${id}`)).status).toBe(400)
    expect(
      (await world.send(people.operator, 'DELETE', `/products/${id}?version=2`)).body.code,
    ).toBe(409001)
    expect((await world.send(people.operator, 'DELETE', `/products/${id}?version=1`)).body).toEqual(
      { ok: true },
    )
    expect((await world.send(people.operator, 'DELETE', `/products/${id}?version=1`)).status).toBe(
      404,
    )
    expect(await logs('products.remove')).toHaveLength(1)
  })
})

describe('list', () => {
  test('filters and sorts', async () => {
    await made(people.operator, { name: '独特名字', retailPrice: 999_999 })
    const ask = async (query: string) =>
      (await world.send(people.operator, 'GET', `/products?pageSize=200&${query}`)).body
    expect((await ask('keyword=独特')).list.map((p: { name: string }) => p.name)).toEqual([
      '独特名字',
    ])
    expect((await ask('sort=-retailPrice')).list[0].name).toBe('独特名字')
    const [own, inherited, whole] = [
      await ask('source=OWN'),
      await ask('source=INHERITED'),
      await ask(''),
    ]
    expect(own.total + inherited.total).toBe(whole.total)
    expect([
      new Set(own.list.map((p: { source: string }) => p.source)),
      new Set(inherited.list.map((p: { source: string }) => p.source)),
    ]).toEqual([new Set(['OWN']), new Set(['INHERITED'])])
    expect(
      (await ask('status=OFF')).list.every((p: { status: string }) => p.status === 'OFF'),
    ).toBe(true)
    expect(
      (await ask('drugClass=OTC_B')).list.every(
        (p: { drugClass: string }) => p.drugClass === 'OTC_B',
      ),
    ).toBe(true)
    expect((await ask(`categoryId=${category}`)).total).toBeGreaterThan(0)
    for (const sort of ['createTime', 'updateTime', 'name', 'laneCount', 'stock', 'sales30'])
      expect((await ask(`sort=-${sort}`)).total).toBe(whole.total)
    expect((await ask("keyword=%25' or 1=1")).total).toBe(0)
  })
  test('a replenisher sees figures of his machines only', async () => {
    const row = (await world.send(people.replenisher, 'GET', '/products?sort=-laneCount')).body
      .list[0]
    expect([row.laneCount, row.sales30]).toEqual([0, 0])
  })
})

describe('categories', () => {
  test('are put in order, one act for one place, whoever owns those between', async () => {
    const add = async (name: string, sort: number) =>
      (await world.send(people.operator, 'POST', '/product-categories', { name, sort })).body
    const order = async (user = people.operator) =>
      (await world.send(user, 'GET', '/product-categories?keyword=序')).body.list.map(
        ({ name, sort }: { name: string; sort: number }) => `${name}${sort}`,
      )
    const [a, b, c] = [await add('序甲', 4), await add('序乙', 4), await add('序丙', 9)]
    const move = (row: { id: number; version: number }, besideId: number, side = 'AFTER') =>
      world.send(people.operator, 'PUT', `/product-categories/${row.id}/place`, {
        version: row.version,
        besideId,
        side,
      })
    const moved = (await move(c, a.id)).body
    // 丙 stands behind 甲 by its id; 乙 gives way
    expect(await order()).toEqual(['序甲4', '序丙4', '序乙5'])
    expect((await move(c, a.id, 'BEFORE')).body.code).toBe(409001)
    expect((await move(b, a.id, 'BEFORE')).body.code).toBe(409001)
    expect(await order()).toEqual(['序甲4', '序丙4', '序乙5'])
    // the platform's stands between: nobody moves it, and anybody may stand behind it
    expect((await move({ id: above, version: 1 }, a.id)).body.error).toBe('products.inherited')
    expect((await move(moved, above)).status).toBe(200)
    expect(await order()).toEqual(['序甲4', '序丙5', '序乙6'])
    const foreign = (
      await world.send(people.sibling, 'POST', '/product-categories', { name: '序外' })
    ).body
    expect((await move(a, foreign.id)).status).toBe(404)
    expect((await logs('products.moveCategory')).length).toBe(2)
  })
  test('create, rename, duplicate, stale, delete', async () => {
    const made1 = (
      await world.send(people.operator, 'POST', '/product-categories', { name: ' 面包 ', sort: 3 })
    ).body
    expect(made1).toMatchObject({
      name: '面包',
      sort: 3,
      productCount: 0,
      source: 'OWN',
      can: { edit: true, delete: true },
    })
    const twice = await world.send(people.operator, 'POST', '/product-categories', { name: '面包' })
    expect([twice.status, twice.body.code, twice.body.message, twice.body.errors[0].field]).toEqual(
      [409, 409004, '分类名称已存在', 'name'],
    )
    expect(
      (
        await world.send(people.operator, 'PUT', `/product-categories/${made1.id}`, {
          name: '饮料',
          sort: 3,
          version: 1,
        })
      ).body.code,
    ).toBe(409004)
    expect(
      (
        await world.send(people.operator, 'PUT', `/product-categories/${made1.id}`, {
          name: '糕点',
          sort: 4,
          version: 1,
        })
      ).body,
    ).toMatchObject({
      name: '糕点',
      version: 2,
    })
    expect(
      (
        await world.send(people.operator, 'PUT', `/product-categories/${made1.id}`, {
          name: '点心',
          sort: 4,
          version: 1,
        })
      ).body.code,
    ).toBe(409001)
    expect(
      (await world.send(people.operator, 'DELETE', `/product-categories/${made1.id}?version=1`))
        .body.code,
    ).toBe(409001)
    expect(
      (await world.send(people.operator, 'DELETE', `/product-categories/${made1.id}?version=2`))
        .body,
    ).toEqual({ ok: true })
    expect(
      (await world.send(people.operator, 'POST', '/product-categories', { name: '' })).body.message,
    ).toBe('请输入分类名称')
    expect(
      (await world.send(people.operator, 'POST', '/product-categories', { name: '字'.repeat(21) }))
        .status,
    ).toBe(400)
  })
  test('one with products stays', async () => {
    const { body: own } = await world.send(people.operator, 'POST', '/product-categories', {
      name: '有货',
    })
    await made(people.operator, { categoryId: own.id })
    await made(people.operator, { categoryId: own.id })
    const refused = await world.send(
      people.operator,
      'DELETE',
      `/product-categories/${own.id}?version=1`,
    )
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      409003,
      '该分类下仍有2个商品，无法删除',
    ])
  })
  test('those above are listed, not changed; foreign ones are missing', async () => {
    const list = (await world.send(people.operator, 'GET', '/product-categories?keyword=零食')).body
      .list
    expect(list).toHaveLength(1)
    expect([list[0].source, list[0].can]).toEqual(['INHERITED', { edit: false, delete: false }])
    expect(
      (
        await world.send(people.operator, 'PUT', `/product-categories/${above}`, {
          name: 'x',
          sort: 0,
          version: 1,
        })
      ).status,
    ).toBe(403)
    expect(
      (
        await world.send(people.stranger, 'PUT', `/product-categories/${category}`, {
          name: 'x',
          sort: 0,
          version: 1,
        })
      ).status,
    ).toBe(404)
    expect(
      (await world.send(people.operator, 'GET', '/product-categories/all')).body.list.map(
        (c: { id: number }) => c.id,
      ),
    ).toEqual(expect.arrayContaining([above, category]))
  })
})

test('who delivers a product finds it, and is the filter that finds it', async () => {
  const [{ id: goods }, { id: others }] = [await made(people.platform), await made(people.platform)]
  await delivers(6, goods, '鲜达乙')
  await delivers(null, others, '别家')
  const found = async (user: number, query: string) =>
    (await world.send(user, 'GET', `/products?pageSize=200${query}`)).body.list.map(
      (row: { id: number }) => row.id,
    )
  const his = await found(people.supplier, '&source=INHERITED')
  expect([his.includes(goods), his.includes(others)]).toEqual([true, false])
  // he may deliver any other one, too
  const offered = (await world.send(people.supplier, 'GET', `/products/options?id=${others}`)).body
  expect(offered.list[0].id).toBe(others)
  expect(await found(people.platform, '&supplier=达乙')).toEqual([goods])
  expect(await found(people.platform, '&supplier=没有')).toEqual([])
  // of suppliers above nobody is told
  expect(await found(people.operator, '&supplier=鲜')).toEqual([])
})

describe('several at once', () => {
  const batch = (user: number, items: { id: number; version: number }[], change: object) =>
    world.send(user, 'POST', '/products/batch', { items: items.map(key), ...change })
  const key = ({ id, version }: { id: number; version: number }) => ({ id, version })
  test('shelf, category and price: all or none, with names of those that do not fit', async () => {
    const goods = [
      await made(people.operator, { name: '批一', costPrice: 100 }),
      await made(people.operator, { name: '批二', costPrice: 190 }),
    ]
    const low = await batch(people.operator, goods, { retailPrice: 150 })
    expect([low.status, low.body.message]).toEqual([422, '零售价不能低于成本价：批二，共1个商品'])
    const off = await batch(people.operator, goods, { status: 'OFF' })
    expect(off.body).toMatchObject({ changed: 2 })
    // versions the person has not seen
    expect((await batch(people.operator, goods, { retailPrice: 250 })).status).toBe(409)
    const now = goods.map(({ id, version }) => ({ id, version: version + 1 }))
    expect((await batch(people.operator, now, { categoryId: category })).body).toMatchObject({
      changed: 2,
    })
    const rows = await world.rows(
      'select category_id::int, retail_price::int, status from products where id = any($1)',
      [goods.map(({ id }) => id)],
    )
    expect(rows).toEqual(Array(2).fill({ category_id: category, retail_price: 200, status: 'OFF' }))
    const two = { status: 'ON', retailPrice: 300 }
    expect((await batch(people.operator, now, two)).status).toBe(400)
    expect((await batch(people.operator, now, {})).status).toBe(400)
  })
  test('lanes take the price too: a change for each machine, said before', async () => {
    const goods = [await made(people.operator, { costPrice: 100 })]
    const id = goods[0]?.id as number
    const devices = [8801, 8802]
    for (const device of devices) {
      await addDevice(world, device, 3)
      await addLane(world, device, 3, 1, id, 150)
      await addLane(world, device, 3, 2, id, 200)
    }
    const asked = { retailPrice: 180, alsoLanes: true }
    const trial = await batch(people.operator, goods, { ...asked, dryRun: true })
    expect(trial.body).toEqual({ changed: 1, devices: 2, lanes: 4, raised: 2, lowered: 2 })
    const waiting = () =>
      world.rows('select device_id::int, lanes from price_schedules order by device_id')
    expect(await waiting()).toEqual([])
    await batch(people.operator, goods, asked)
    const lane = { productId: id, price: 180, retailPrice: 180 }
    expect(await waiting()).toMatchObject(
      devices.map((device_id) => ({
        device_id,
        lanes: [
          { ...lane, road: 1, from: 150 },
          { ...lane, road: 2, from: 200 },
        ],
      })),
    )
  })
  test('a new cost above the prices of lanes is saved when those rise with it, and no other', async () => {
    await addDevice(world, 83, 3)
    await world.rows('insert into device_states (org_id, device_id) values (3, 83)')
    const { id } = await made(people.operator)
    await addLane(world, 83, 3, 1, id, 150)
    await addLane(world, 83, 3, 2, id, 190)
    const below = await world.send(people.operator, 'GET', `/products/${id}/lanes?below=180`)
    expect(below.body.list.map((lane: { price: number }) => lane.price)).toEqual([150])
    const put = (raiseLanes: boolean) =>
      world.send(people.operator, 'PUT', `/products/${id}`, {
        ...fine({ costPrice: 180, retailPrice: 240 }),
        version: 1,
        raiseLanes,
      })
    expect((await put(false)).body.error).toBe('products.lanesBelowCost')
    expect((await put(true)).body).toMatchObject({ costPrice: 180 })
    const lane = 'select price, retail_price from lanes where device_id = 83 order by road_index'
    expect((await world.rows<{ price: string }>(lane)).map(({ price }) => Number(price))).toEqual([
      240, 190,
    ])
    const kept = 'select source from planogram_versions where device_id = 83 order by version'
    expect(await world.rows(kept)).toEqual([{ source: 'PRICE' }])
    expect((await logs('lanes.prices')).length).toBe(1)
  })
  test('those of others are not touched, and who may not publish does not', async () => {
    const foreign = await made(people.platform)
    const answer = await batch(people.operator, [foreign], { retailPrice: 300 })
    expect([answer.status, answer.body.error]).toEqual([403, 'products.inherited'])
    const own = await made(people.operator)
    const gone = { id: 987_654, version: 1 }
    expect((await batch(people.operator, [own, gone], { retailPrice: 300 })).status).toBe(404)
    expect((await batch(people.reader, [own], { status: 'OFF' })).status).toBe(403)
  })
})

describe('a file of products', () => {
  const head =
    '商品名称,分类,药品分类,规格,成本价,销售价,条形码,生产厂家,批准文号,剂型,最低储存温度,最高储存温度,需追溯码,含特殊药品复方制剂,限购数量,默认预警值,临期天数,参与红包活动,通用名'
  const send = async (rows: readonly string[]) =>
    world.sendFile(await world.login('test3'), '/imports/products', [head, ...rows].join('\r\n'))
  const rest = ',,,,,,,,,,,'
  test('is taken whole or not at all; goods come off the shelf until they have a picture', async () => {
    const bad = await send([
      `甲,没有,,1L,1,2${rest},`,
      `乙,饮料,药,1L,1,2${rest},`,
      `丙,饮料,,1L,2,1${rest},`,
      `丁,饮料,乙类 OTC,1L,1,2${rest},`,
      `戊,饮料,,1L,一,2${rest},`,
      `己,饮料,,1L,1,2,6901028075764${rest}`,
    ])
    expect(bad.status).toBe(400)
    expect(bad.body.errors).toEqual([
      { field: 'rows.2.category', message: '没有这个分类' },
      { field: 'rows.3.drugClass', message: '不在可选范围内' },
      { field: 'rows.4.retailPrice', message: '零售价不能低于成本价' },
      { field: 'rows.5.approvalNo', message: '请输入批准文号' },
      { field: 'rows.6.costPrice', message: '价格格式错误' },
      { field: 'rows.7.barcode', message: '条形码不正确' },
    ])
    const fine = await send([
      `导入水,饮料,,550ml,0.9,2.00,6901028300049${rest}`,
      `导入药,饮料,OTC_B,10粒,5,9.90,,某厂,国药准字Z20147726,片剂/胶囊,2,25,是,是,3,2,90,否,布洛芬缓释胶囊`,
    ])
    expect(fine.body).toMatchObject({ total: 2, failed: 0 })
    const [water, drug] = await world.rows<{ id: number; version: number }>(
      `select id::int, version, name, status, images, cost_price::int, retail_price::int, drug_class,
        trace_required, special_compound, red_packets, purchase_limit, near_expiry_days,
        generic_name from products where name like '导入%'
        order by id`,
    )
    expect(water).toMatchObject({ status: 'OFF', images: [], cost_price: 90, retail_price: 200 })
    expect(drug).toMatchObject({
      drug_class: 'OTC_B',
      trace_required: true,
      special_compound: true,
      near_expiry_days: 90,
      generic_name: '布洛芬缓释胶囊',
      red_packets: false,
    })
    const shelf = { status: 'ON', version: water?.version }
    const refused = await world.send(people.operator, 'PUT', `/products/${water?.id}/status`, shelf)
    expect([refused.status, refused.body.message]).toEqual([
      422,
      '请先上传商品图片再上架：导入水，共1个商品',
    ])
    // whoever looks for the substance finds the brand
    const { list } = (await world.send(people.operator, 'GET', '/products?keyword=布洛芬')).body
    expect(list).toMatchObject([{ name: '导入药', genericName: '布洛芬缓释胶囊' }])
    const again = await send([`导入水二,饮料,,550ml,0.9,2.00,6901028300049${rest}`])
    expect(again.body.errors).toEqual([{ field: 'rows.2.barcode', message: '条形码已存在' }])
  })
})
