import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  add,
  addDevice,
  addLanes,
  addOrganisations,
  addPermissions,
  grant,
  type Sql,
} from '../../../../test/factories/things.ts'
import { type Ctx, systemActor } from '../../../server/context.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import { sweepExpiry } from './expiry.ts'

const codes = [
  ...['read', 'create', 'update', 'delete', 'recall', 'export'].map((action) => `batch:${action}`),
  'trace-code:create',
  'trace-code:read',
  'supplier:read',
  'supplier:delete',
]
let world: World
let now = new Date('2026-11-21T06:00:00Z')
/** Of the platform and of operator 3; suppliers of 2, 3 (whose people are user 9's) and 4. */
beforeAll(async () => {
  world = await openWorld(now)
  Object.assign(world.app, { now: () => now })
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905, 906, 908, 909], codes)
  await addOrganisations(world.sql, [7, 3, 'OPERATOR'])
  await world.rows(`update organisations set parent_id = 3, path = '1.2.3.6' where id = 6`)
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  for (const [id, org_id] of [
    [1, 1],
    [3, 3],
    [4, 4],
  ] as const)
    await add(world.sql, 'products', { id, org_id, barcode: `690000000000${id}` })
  for (const org_id of [2, 3, 4])
    await add(world.sql, 'suppliers', {
      id: org_id,
      org_id,
      name: `供${org_id}`,
      phone: '13800138000',
      supplier_org_id: org_id === 3 ? 6 : null,
    })
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
})
afterAll(() => world.close())

let number = 0
const good = () => {
  number += 1
  return {
    productId: 1,
    supplierId: 3,
    batchNo: `B${number}`,
    producedOn: '2026-01-01',
    expiresOn: '2028-01-01',
  }
}
const create = (change: Record<string, unknown> = {}, user = people.operator) =>
  world.send(user, 'POST', '/batches', { ...good(), ...change })
const made = async (change: Record<string, unknown> = {}) =>
  (await create(change)).body.id as number
const post = (path: string, body: object, user = people.operator) =>
  world.send(user, 'POST', `/batches/${path}`, body)
const refusal = (answer: { status: number; body: { message: string } }) => [
  answer.status,
  answer.body.message,
]
const system = <T>(work: (ctx: Ctx) => Promise<T>) =>
  act(world.app, systemCaller(systemActor), { audit: null, scope: 'system' }, work)

let device = 100
/** A machine of the operator, or of one below him, with lanes of product 1. */
async function machine(lanes = 2, org_id = 3): Promise<number[]> {
  device += 1
  const sql = world.rows as Sql
  await addDevice(sql, { id: device, org_id })
  await addLanes(sql, lanes, { org_id, device_id: device, product_id: 1, capacity: 100 })
  return (
    await world.rows<{ id: number }>('select id from lanes where device_id = $1 order by id', [
      device,
    ])
  ).map(({ id }) => id)
}
type Flow = Partial<NonNullable<Move['flow']>>
const move = (laneId: number, flow: Flow) =>
  system((ctx) =>
    moveStock(ctx, [
      {
        laneId,
        flow: {
          change: 2,
          type: 'MERCHANT_REPLENISH',
          reason: 'REFILL',
          occurredAt: now,
          actorKind: 'SYSTEM',
          ...flow,
        },
      },
    ]),
  )
const fill = (laneId: number, batchId: number, change = 2) => move(laneId, { batchId, change })
const takeOut = (laneId: number, change: number) =>
  move(laneId, { change, type: 'MERCHANT_WITHDRAW', reason: 'RECALL' })
const stateOf = async (laneId: number) =>
  world.one<{ status: string; lock_reason: string | null }>(
    'select status, lock_reason from lanes where id = $1',
    [laneId],
  )
const open = { status: 'ENABLED', lock_reason: null }
const locked = (lock_reason: string) => ({ status: 'LOCKED', lock_reason })
const recall = (id: number, change: object = {}) =>
  post(`${id}/recall`, { version: 1, level: 'I', recallNo: 'NMPA-1', reason: '异物', ...change })

describe('what a batch says', () => {
  test.each([
    [{ batchNo: ' ' }, 400, 'batchNo', '请输入批号'],
    [{ productId: null }, 400, 'productId', '请选择商品'],
    [{ supplierId: null }, 400, 'supplierId', '请选择供应商'],
    [{ expiresOn: '2026-01-01' }, 400, 'expiresOn', '有效期必须晚于生产日期'],
    [{ producedOn: '2026-11-22' }, 422, 'producedOn', '生产日期不能晚于今天'],
    [{ receivedQty: -1 }, 400, 'receivedQty', null],
    [{ costPrice: 0 }, 400, 'costPrice', '价格不能为空或为零'],
    [{ report: 'https://x/y.png' }, 400, 'report', null],
    [{ loadedQty: 5 }, 400, 'loadedQty', null],
    [{ status: 'RECALLED' }, 400, 'status', null],
  ])('%o', async (change, status, field, message) => {
    const answer = await create(change)
    expect([answer.status, answer.body.errors[0].field]).toEqual([status, field])
    if (message) expect(answer.body.errors[0].message).toBe(message)
  })
  test('create, edit, stale, twice the same number', async () => {
    const first = await create({ batchNo: 'SAME', receivedQty: 10, costPrice: 120 })
    expect(first.body).toMatchObject({
      supplierName: '供3',
      orgId: 3,
      remaining: 10,
      costPrice: 120,
      status: 'NORMAL',
      can: { update: true, delete: true, recall: true, codes: true },
    })
    expect((await create({ batchNo: 'SAME' })).body.errors[0]).toEqual({
      field: 'batchNo',
      message: '该供应商已有此商品的同一批号',
    })
    const { id } = first.body
    const edit = {
      version: 1,
      batchNo: 'SAME',
      producedOn: '2026-01-01',
      expiresOn: '2026-11-20',
      receivedQty: 12,
    }
    const put = (body: object) => world.send(people.operator, 'PUT', `/batches/${id}`, body)
    expect((await put(edit)).body).toMatchObject({ status: 'EXPIRED', version: 2, costPrice: null })
    expect((await put(edit)).body.code).toBe(409001)
    const deleted = await world.send(people.operator, 'DELETE', '/suppliers/3?version=1')
    expect(deleted.body.code).toBe(409003)
  })
  test('no fewer received than are loaded', async () => {
    const [lane] = (await machine(1)) as [number]
    const id = await made({ receivedQty: 5 })
    await fill(lane, id, 4)
    const put = (receivedQty: number) =>
      world.send(people.operator, 'PUT', `/batches/${id}`, {
        version: 1,
        ...{ batchNo: 'x', producedOn: '2026-01-01', expiresOn: '2028-01-01' },
        receivedQty,
      })
    expect((await put(3)).body.errors[0]).toEqual({
      field: 'receivedQty',
      message: '入库数量不能小于已上架数量',
    })
    expect((await put(4)).body).toMatchObject({ loadedQty: 4, remaining: 0 })
  })
})

describe('walls', () => {
  test('a batch belongs to the organisation of its supplier, of a product it may use', async () => {
    for (const field of ['supplierId', 'productId', 'report']) {
      const { status, body } = await create({ [field]: field === 'report' ? 'files/x.png' : 4 })
      expect([field, status, body.errors?.[0].field]).toEqual([field, 404, field])
    }
    expect((await create({ productId: 3, supplierId: 2 }, people.agent)).body.errors[0]).toEqual({
      field: 'productId',
      message: '供应商所属机构不能使用该商品',
    })
  })
  test('those above share it, those beside do not know it', async () => {
    const above = (await create({ supplierId: 2, costPrice: 77 }, people.agent)).body
    const seen = async (user: number, id: number) =>
      (await world.send(user, 'GET', '/batches?pageSize=200')).body.list.find(
        (row: { id: number }) => row.id === id,
      )
    expect(await seen(people.operator, above.id)).toMatchObject({
      can: { update: false, delete: false, recall: false, codes: false },
    })
    expect(await seen(people.stranger, above.id)).toBeUndefined()
    expect((await recall(above.id)).status).toBe(403)
    const own = await made()
    expect(await seen(people.sibling, own)).toBeUndefined()
    for (const path of [`${own}/recall`, `${own}/unrecall`, `${own}/trace-codes`])
      expect(
        (
          await post(
            path,
            path.endsWith('codes')
              ? { codes: ['12345678'] }
              : { version: 1, level: 'I', reason: 'x' },
            people.sibling,
          )
        ).status,
        path,
      ).not.toBe(200)
    expect((await world.send(people.sibling, 'GET', `/batches/${own}/recall`)).status).toBe(404)
  })
  test('a supplier enters and sees his own deliveries alone', async () => {
    await made({ supplierId: 3, batchNo: 'HIS', costPrice: 50 })
    await create({ supplierId: 2 }, people.agent)
    const entered = await create({ batchNo: 'MINE', costPrice: 60 }, people.supplier)
    expect(entered.body).toMatchObject({
      costPrice: 60,
      orgName: '',
      can: { update: false, delete: false, recall: false, codes: false },
    })
    const { body } = await world.send(people.supplier, 'GET', '/batches?pageSize=200')
    expect(new Set(body.list.map((row: { supplierId: number }) => row.supplierId))).toEqual(
      new Set([3]),
    )
    expect((await create({ supplierId: 2 }, people.supplier)).status).toBe(404)
    expect((await create({ supplierId: 4 }, people.supplier)).status).toBe(404)
    await world.rows(`update suppliers set status = 'DISABLED' where id = 3`)
    expect((await create({}, people.supplier)).body.errors[0].message).toBe('该供应商已停用')
    await world.rows(`update suppliers set status = 'ENABLED' where id = 3`)
  })
  test('without the right to costs none is seen or changed', async () => {
    const id = await made({ costPrice: 99 })
    const edit = { version: 1, ...good(), costPrice: null } as Record<string, unknown>
    delete edit.productId
    delete edit.supplierId
    const answer = await world.send(people.noCost, 'PUT', `/batches/${id}`, edit)
    expect([answer.status, answer.body.costPrice]).toEqual([200, null])
    expect(await world.one('select cost_price from batches where id = $1', [id])).toEqual({
      cost_price: 99,
    })
  })
  test('who sees some machines only recalls nothing', async () => {
    const id = await made()
    const answer = await post(
      `${id}/recall`,
      { version: 1, level: 'I', reason: 'x' },
      people.replenisher,
    )
    expect(answer.status).toBe(403)
  })
})

describe('recall', () => {
  test('locks every lane that holds it, below too, and tells who fetches it', async () => {
    const id = await made()
    const [a, b] = (await machine(2)) as [number, number]
    const mine = device
    const [below] = (await machine(1, 7)) as [number]
    await world.rows(
      `insert into device_assignments (org_id, device_id, user_id, kind)
        values (3, $1, 908, 'REPLENISHER')`,
      [mine],
    )
    for (const lane of [a, below]) await fill(lane, id)
    await fill(b, await made())
    expect((await world.send(people.operator, 'GET', `/batches/${id}/recall`)).body).toEqual({
      devices: 2,
      lanes: 2,
      pieces: 4,
    })
    expect((await recall(id)).body).toEqual({ devices: 2, lanes: 2, pieces: 4 })
    expect([await stateOf(a), await stateOf(b), await stateOf(below)]).toEqual([
      locked('RECALL'),
      open,
      locked('RECALL'),
    ])
    const told = await world.rows<{ user_id: number }>(
      `select user_id from messages where kind = 'STOCK' order by user_id`,
    )
    expect(told.map((row) => row.user_id)).toEqual(expect.arrayContaining([903, 908]))
    expect(
      await world.one<{ n: number }>(
        `select count(*)::int as n from operation_logs where action = 'batches.recall'
          and resource_id = $1`,
        [String(id)],
      ),
    ).toEqual({ n: 2 })
    expect(refusal(await recall(id, { version: 2 }))).toEqual([422, '该批次已召回'])
  })
  test('the lane is free when the last of it is out', async () => {
    const id = await made()
    const [lane] = (await machine(1)) as [number]
    await fill(lane, id, 3)
    await recall(id)
    await takeOut(lane, -2)
    expect(await stateOf(lane)).toEqual(locked('RECALL'))
    await takeOut(lane, -1)
    expect(await stateOf(lane)).toEqual(open)
  })
  test('ends with a reason; other recalls, other locks stay', async () => {
    const [id, second] = [await made(), await made()]
    const [a, b, c] = (await machine(3)) as [number, number, number]
    for (const lane of [a, b, c]) await fill(lane, id)
    await fill(b, second)
    await world.rows(
      `update lanes set status = 'LOCKED', lock_reason = 'QUALITY x' where id = $1`,
      [c],
    )
    await recall(id)
    await recall(second)
    expect(await stateOf(c)).toEqual(locked('QUALITY x'))
    await system((ctx) => unlockLanes(ctx, [c]))
    expect(await stateOf(c)).toEqual(locked('RECALL'))
    await world.rows(`update lanes set lock_reason = 'QUALITY x' where id = $1`, [c])
    expect((await post(`${id}/unrecall`, { version: 2, reason: ' ' })).status).toBe(400)
    // goods are missing: somebody else has to say so, too
    expect((await post(`${id}/unrecall`, { version: 2, reason: '误报' })).body.ended).toBe(false)
    expect(await stateOf(a)).toEqual(locked('RECALL'))
    const { id: recallId, version } = await world.one<{ id: number; version: number }>(
      'select id, version from recalls where batch_id = $1',
      [id],
    )
    const confirm = (user: number, change: object = {}) =>
      world.send(user, 'POST', `/recalls/${recallId}/confirm-end`, {
        version,
        accept: true,
        ...change,
      })
    expect(refusal(await confirm(people.operator))).toEqual([422, '须由另一人确认'])
    expect((await confirm(people.stranger)).status).toBe(404)
    expect((await confirm(people.noCost, { version: 99 })).status).toBe(409)
    expect((await confirm(people.noCost)).body).toEqual({ ended: true })
    expect([await stateOf(a), await stateOf(b), await stateOf(c)]).toEqual([
      open,
      locked('RECALL'),
      locked('QUALITY x'),
    ])
    const again = await post(`${id}/unrecall`, { version: 4, reason: 'x' })
    expect(refusal(again)).toEqual([422, '该批次未召回'])
  })
  test('500 lanes in one act, while they sell, are filled and emptied', {
    timeout: 60_000,
  }, async () => {
    const id = await made()
    const lanes = (await Promise.all(Array.from({ length: 1 }, () => machine(1)))).flat()
    for (let n = 0; n < 50; n += 1) lanes.push(...(await machine(10)))
    await system((ctx) =>
      moveStock(
        ctx,
        lanes.map((laneId) => ({
          laneId,
          flow: {
            change: 5,
            type: 'MERCHANT_REPLENISH',
            reason: 'REFILL',
            occurredAt: now,
            actorKind: 'SYSTEM',
            batchId: id,
          },
        })),
      ),
    )
    const empty = await machine(10)
    let unit = 900_000
    const traffic = Array.from({ length: 60 }, async (_, n) => {
      const lane = lanes[(n * 7) % lanes.length] as number
      unit += 1
      const sale = {
        change: -1,
        type: 'CUSTOMER_TAKE',
        reason: 'SALE',
        unitId: unit,
      } as const
      await (n % 3 === 0
        ? move(lane, sale)
        : n % 3 === 1
          ? fill(empty[n % 10] as number, id)
          : takeOut(lane, -5))
    })
    let answer = await recall(id)
    // it gave way to somebody who was loading the batch
    while (answer.status === 503) answer = await recall(id)
    expect(answer.status).toBe(200)
    const settled = await Promise.allSettled(traffic)
    expect(settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual([])
    const wrong = await world.rows(
      `select l.id, l.status, l.lock_reason from lanes l
        where (l.status = 'LOCKED') <> exists (select from lane_layers y
          where y.lane_id = l.id and y.batch_id = $1) and l.id = any($2)`,
      [id, [...lanes, ...empty]],
    )
    expect(wrong).toEqual([])
  })
})

describe('dates', () => {
  const lane = async (expiresOn: string) => {
    const id = await made({ expiresOn })
    const [made1] = (await machine(1)) as [number]
    await fill(made1, id)
    return { id, lane: made1 }
  }
  test('a lane stops the day before, by the clock, and what is taken out frees it', async () => {
    const tomorrow = await lane('2026-11-23')
    const later = await lane('2026-11-24')
    await sweepExpiry(world.app)
    expect([await stateOf(tomorrow.lane), await stateOf(later.lane)]).toEqual([open, open])
    now = new Date('2026-11-21T16:00:00Z')
    await sweepExpiry(world.app)
    expect([await stateOf(tomorrow.lane), await stateOf(later.lane)]).toEqual([
      locked('EXPIRY'),
      open,
    ])
    await takeOut(tomorrow.lane, -2)
    expect(await stateOf(tomorrow.lane)).toEqual(open)
    now = new Date('2026-11-21T06:00:00Z')
  })
  test('a setting widens it, a corrected date ends it', async () => {
    const near = await lane('2026-12-01')
    await world.rows(
      `insert into settings (org_id, key, value)
        values (3, 'stock.stopSaleDaysBeforeExpiry', '20')`,
    )
    settingsChanged(world.app)
    await sweepExpiry(world.app)
    expect(await stateOf(near.lane)).toEqual(locked('EXPIRY'))
    const correct = (version: number, expiresOn: string) =>
      world.send(people.operator, 'PUT', `/batches/${near.id}`, {
        version,
        ...{ batchNo: `C${near.id}`, producedOn: '2026-01-01', expiresOn },
      })
    expect((await correct(1, '2027-12-01')).status).toBe(200)
    expect(await stateOf(near.lane)).toEqual(open)
    expect((await correct(2, '2026-12-02')).status).toBe(200)
    expect(await stateOf(near.lane)).toEqual(locked('EXPIRY'))
    await world.rows(`delete from settings where key = 'stock.stopSaleDaysBeforeExpiry'`)
    settingsChanged(world.app)
  })
})

describe('trace codes', () => {
  const add20 = (id: number, list: string[], user = people.operator) =>
    post(`${id}/trace-codes`, { codes: list }, user)
  test('all or none, each once on the platform, and nobody is told whose', async () => {
    const id = await made()
    expect((await add20(id, ['10000000000000000001', '10000000000000000002'])).body).toEqual({
      added: 2,
    })
    const foreign = (await create({ supplierId: 4, productId: 1 }, people.sibling)).body.id
    const answer = await add20(
      foreign,
      ['10000000000000000003', '10000000000000000002'],
      people.sibling,
    )
    expect(answer.body.errors[0]).toEqual({
      field: 'codes',
      message: '追溯码已存在：10000000000000000002',
    })
    expect(await world.rows(`select from trace_codes where batch_id = $1`, [foreign])).toEqual([])
  })
  test.each([
    [[], '请输入追溯码'],
    [['short'], '追溯码格式不正确'],
    [['中文追溯码一二三四'], '追溯码格式不正确'],
    [['12345678', '12345678 '], '追溯码重复'],
    [Array.from({ length: 1001 }, (_, i) => `9${i}`.padEnd(12, '0')), '一次最多 1000 个追溯码'],
  ] as [string[], string][])('%#', async (list, message) =>
    expect((await add20(await made(), list)).body.errors[0].message).toBe(message),
  )
  test('two who bring the same codes in other orders: one of them has them', async () => {
    const [a, b] = [await made(), await made()]
    const list = Array.from({ length: 500 }, (_, i) => `RACE${String(i).padStart(8, '0')}`)
    const answers = await Promise.all([add20(a, list), add20(b, list.toReversed())])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})

describe('files', () => {
  const send = async (kind: string, rows: readonly string[], user = 'test3') =>
    world.sendFile(await world.login(user), `/imports/${kind}`, rows.join('\r\n'))

  test('batches, whole or not at all', async () => {
    const head = '商品,供应商,批号,生产日期,有效期至,入库数量,成本价'
    const bad = await send('batches', [
      head,
      '6900000000001,供3,F1,2026-01-01,2027-01-01,10,1.20',
      '没有,供3,F2,2026-01-01,2027-01-01,,',
      '6900000000001,供4,F3,2026-01-01,2027-01-01,,',
      '6900000000001,供3,F4,2026-12-01,2027-01-01,,',
      '6900000000001,供3,F5,2026-01-01,2025-01-01,,',
      '6900000000001,供3,F1,2026-01-01,2027-01-01,,',
    ])
    expect(bad.body.errors).toEqual([
      { field: 'rows.2.batchNo', message: '与第7行重复' },
      { field: 'rows.3.product', message: '没有这条记录' },
      { field: 'rows.4.supplier', message: '没有这条记录' },
      { field: 'rows.5.producedOn', message: '生产日期不能晚于今天' },
      { field: 'rows.6.expiresOn', message: '有效期必须晚于生产日期' },
      { field: 'rows.7.batchNo', message: '与第2行重复' },
    ])
    expect(await world.rows(`select from batches where batch_no like 'F_'`)).toEqual([])
    const fine = await send('batches', [
      head,
      '6900000000001,供3,F1,2026-01-01,2027-01-01,10,1.20',
      '6900000000003,供3,F2,2026-01-01,2027-01-01,,',
    ])
    expect(fine.body).toMatchObject({ total: 2, failed: 0 })
    expect(
      await world.rows(
        `select received_qty, cost_price from batches where batch_no like 'F_' order by batch_no`,
      ),
    ).toEqual([
      { received_qty: 10, cost_price: 120 },
      { received_qty: null, cost_price: null },
    ])
  })
  test('a thousand trace codes; those that exist are named, not whose they are', async () => {
    const mine = await made({ batchNo: 'CODED' })
    await made({ batchNo: 'TWICE' })
    await made({ batchNo: 'TWICE', productId: 3 })
    const theirs = (await create({ supplierId: 4, batchNo: 'THEIRS' }, people.sibling)).body.id
    await post(`${theirs}/trace-codes`, { codes: ['THEIR-CODE-1'] }, people.sibling)
    const head = '批号,商品,追溯码'
    const bad = await send('trace-codes', [
      head,
      'CODED,,MY-CODE-0001',
      'CODED,,THEIR-CODE-1',
      'THEIRS,,MY-CODE-0002',
      'TWICE,,MY-CODE-0003',
      'TWICE,6900000000003,MY-CODE-0004',
    ])
    expect(bad.body.errors).toEqual([
      { field: 'rows.3.code', message: '追溯码已存在：THEIR-CODE-1' },
      { field: 'rows.4.batchNo', message: '没有这条记录' },
      { field: 'rows.5.batchNo', message: '有多个符合的记录，请填写得更具体' },
    ])
    expect(await world.rows(`select from trace_codes where code like 'MY-CODE%'`)).toEqual([])
    const started = performance.now()
    const fine = await send('trace-codes', [
      head,
      ...Array.from({ length: 1000 }, (_, n) => `CODED,,MY-CODE-${String(n).padStart(4, '0')}`),
    ])
    expect(fine.body).toMatchObject({ total: 1000, failed: 0 })
    expect(performance.now() - started).toBeLessThan(5000)
    expect(
      await world.one('select count(*)::int as n from trace_codes where batch_id = $1', [mine]),
    ).toEqual({ n: 1000 })
  })
})

test('the books agree', async () => {
  const broken = await checkInvariants(world.ownerUrl)
  expect(
    broken.map(({ name }) => name).filter((name) => /layer|batch|code|lanes\./.test(name)),
  ).toEqual([])
})
