import { spawn } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  add,
  addDevice,
  addLanes,
  addPermissions,
  grant,
  type Sql,
} from '../../../../test/factories/things.ts'
import { pagesTouched } from '../../../../test/support/pages.ts'
import { type Ctx, systemActor } from '../../../server/context.ts'
import { act, bySystem, systemCaller } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import { chaseRecalls } from './chase.ts'
import { codeHandlers } from './codes.ts'
import { recallDocuments } from './document.ts'
import { renewalKind } from './renewals.ts'
import { type TraceReport, tracePlatform } from './tracePlatform.ts'
import { gatherCodes, uploadKind } from './uploads.ts'

const codes = [
  ...['read', 'create', 'update', 'delete', 'recall', 'export'].map((one) => `batch:${one}`),
  ...['read', 'create', 'upload', 'export'].map((one) => `trace-code:${one}`),
  'supplier:read',
  'order:read',
]
let world: World
const start = new Date('2026-11-21T06:00:00Z')
let now = start
beforeAll(async () => {
  world = await openWorld(now)
  Object.assign(world.app, { now: () => now })
  await addPermissions(world.sql, codes)
  await grant(world.sql, [903, 904, 905, 906, 908], codes)
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  for (const id of [3, 4]) {
    await add(world.sql, 'products', { id, org_id: id, barcode: `690000000000${id}` })
    await add(world.sql, 'suppliers', { id, org_id: id, name: `供${id}`, phone: '13800138000' })
  }
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
})
afterAll(() => world.close())
afterEach(() => {
  now = start
})

const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, user = 3) =>
  world.send(user, method, path, body)
const system = <T>(work: (ctx: Ctx) => Promise<T>) =>
  act(world.app, systemCaller(systemActor), { audit: null, scope: 'system' }, work)
const refusal = (answer: { status: number; body: { message: string } }) => [
  answer.status,
  answer.body.message,
]

let number = 0
async function batch(change: object = {}): Promise<number> {
  number += 1
  const { body } = await call('POST', '/batches', {
    productId: 3,
    supplierId: 3,
    batchNo: `R${number}`,
    producedOn: '2026-01-01',
    expiresOn: '2028-01-01',
    ...change,
  })
  return body.id as number
}
let device = 500
async function machine(lanes = 1): Promise<{ device: number; lanes: number[] }> {
  device += 1
  const sql = world.rows as Sql
  await addDevice(sql, { id: device, org_id: 3 })
  await addLanes(sql, lanes, { org_id: 3, device_id: device, product_id: 3, capacity: 100 })
  const rows = await world.rows<{ id: number }>(
    'select id from lanes where device_id = $1 order by id',
    [device],
  )
  return { device, lanes: rows.map(({ id }) => id) }
}
type Flow = Partial<NonNullable<Move['flow']>>
const move = (laneId: number | undefined, flow: Flow) =>
  system((ctx) =>
    moveStock(ctx, [
      {
        laneId: laneId as number,
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
let unit = 800_000
const sell = (laneId: number | undefined, orderNum?: string) => {
  unit += 1
  const sale = { change: -1, type: 'CUSTOMER_TAKE', reason: 'SALE', unitId: unit } as const
  return move(laneId, { ...sale, ...(orderNum ? { orderNum } : {}) })
}
const leave = (laneId: number | undefined, change: number, reason = 'RECALL') =>
  move(laneId, { change, type: 'MERCHANT_WITHDRAW', reason })
const recallOf = async (batchId: number, change: object = {}) => {
  const answer = await call('POST', `/batches/${batchId}/recall`, {
    version: 1,
    level: 'I',
    recallNo: 'NMPA-7',
    reason: '异物',
    ...change,
  })
  expect(answer.status).toBe(200)
  const { id } = await world.one<{ id: number }>(
    'select id from recalls where batch_id = $1 order by id desc limit 1',
    [batchId],
  )
  return id
}
const one = async (id: number, user = 3) =>
  (await call('GET', `/recalls/${id}`, undefined, user)).body

test('a recall shows where every piece of the batch is, and who was told', async () => {
  const id = await batch()
  const [first, second] = [await machine(2), await machine()]
  await move(first.lanes[0], { change: 5, batchId: id })
  await move(second.lanes[0], { change: 4, batchId: id })
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, $1, 908, 'REPLENISHER')`,
    [first.device],
  )
  await sell(first.lanes[0])
  await leave(first.lanes[0], -1, 'WASTE')
  const notice = await world.upload(3)
  const recall = await recallOf(id, { notice })
  expect(await one(recall)).toMatchObject({
    state: 'OPEN',
    level: 'I',
    notice,
    dueAt: '2026-11-22T06:00:00.000Z',
    devices: 2,
    acknowledged: 0,
    lockedLanes: 2,
    loadedQty: 9,
    withdrawn: 0,
    inLanes: 7,
    sold: 1,
    can: { end: true, confirm: false, destroy: true },
  })
  expect((await one(recall)).people.map((row: { userId: number }) => row.userId)).toEqual(
    expect.arrayContaining([903, 908]),
  )
  // a picture of others is none
  expect(
    (
      await call('POST', `/batches/${await batch()}/recall`, {
        version: 1,
        level: 'I',
        reason: 'x',
        notice: await world.upload(4),
      })
    ).status,
  ).toBe(404)
  // one answers, on its way out a piece is sold, the rest is taken out
  await world.rows(
    `update device_shadows set delivered = 1, applied = 1, answered_at = now()
      where device_id = $1 and kind = 'RECALLS'`,
    [second.device],
  )
  await sell(second.lanes[0])
  const after = await one(recall)
  expect(after).toMatchObject({ acknowledged: 1, sold: 2, inLanes: 6 })
  expect(after.deviceRows).toMatchObject([
    { deviceId: first.device, acknowledged: false, inLanes: 3 },
    { deviceId: second.device, acknowledged: true, inLanes: 3 },
  ])
  // who fills one of the machines knows what lies there, and not what was sold of the rest
  expect(await one(recall, people.replenisher)).toMatchObject({ inLanes: 3, sold: null })
  const sold = (await call('GET', `/recalls/${recall}/sold`)).body
  expect(sold).toMatchObject({
    total: 2,
    list: [
      { qty: 1, late: true },
      { qty: 1, late: true },
    ],
  })
  for (const user of [people.sibling, people.stranger])
    for (const path of [`/recalls/${recall}`, `/recalls/${recall}/sold`])
      expect((await call('GET', path, undefined, user)).status).toBe(404)
})

test('it ends by itself when all is accounted for; while it is not, two people say so', async () => {
  const id = await batch()
  const { lanes } = await machine()
  await move(lanes[0], { change: 3, batchId: id })
  const recall = await recallOf(id)
  const end = (version: number) =>
    call('POST', `/batches/${id}/unrecall`, { version, reason: '误报' })
  expect((await end(2)).body).toMatchObject({ pieces: 3, ended: false })
  expect(await one(recall)).toMatchObject({ state: 'ASKED', endReason: '误报' })
  expect((await one(recall, people.noCost)).can).toMatchObject({ confirm: true })
  const confirm = (accept: boolean, version: number, user: number) =>
    call('POST', `/recalls/${recall}/confirm-end`, { accept, version }, user)
  expect((await confirm(false, 2, people.noCost)).body).toEqual({ ended: false })
  expect(await one(recall)).toMatchObject({ state: 'OPEN', endReason: '' })
  expect(refusal(await confirm(true, 3, people.noCost))).toEqual([422, '没有待确认的解除申请'])
  await sell(lanes[0])
  await leave(lanes[0], -2)
  expect((await end(3)).body).toMatchObject({ pieces: 0, ended: true })
  expect(await one(recall)).toMatchObject({ state: 'ENDED', withdrawn: 2, sold: 1, inLanes: 0 })
})

test('boxes are destroyed before another person, with pictures, and no more than there are', async () => {
  const id = await batch()
  const { lanes } = await machine()
  await move(lanes[0], { change: 5, batchId: id })
  const recall = await recallOf(id)
  await leave(lanes[0], -4)
  const photos = [await world.upload(3)]
  const destroy = (change: object = {}) =>
    call('POST', `/recalls/${recall}/destructions`, { qty: 3, witnessId: 906, photos, ...change })
  expect(refusal(await destroy({ witnessId: 903 }))).toEqual([422, '见证人不能是本人'])
  expect((await destroy({ witnessId: 905 })).status).toBe(404)
  expect((await destroy({ photos: [] })).status).toBe(400)
  expect((await destroy({ photos: [await world.upload(4)] })).status).toBe(404)
  // at once: one of them is too many
  const both = await Promise.all([destroy(), destroy()])
  expect(both.map((answer) => answer.status).sort()).toEqual([200, 422])
  expect(refusal(await destroy({ qty: 2 }))).toEqual([422, '销毁数量不能超过库中未销毁的 1 件'])
  expect(await one(recall)).toMatchObject({ destroyedQty: 3, destructions: [{ qty: 3, photos }] })
  // sent twice with one key, it was one box
  const body = { qty: 1, witnessId: 906, photos } as never
  const again = () =>
    world.raw(3, `/recalls/${recall}/destructions`, body, { 'idempotency-key': 'once' })
  const twice = [await again(), await again()]
  expect(twice.map((answer) => answer.body)).toEqual([{ destroyedQty: 4 }, { destroyedQty: 4 }])
})

test('machines are sent the recalled list anew, and people hear when it is overdue', async () => {
  const id = await batch()
  const { device: held, lanes } = await machine()
  await move(lanes[0], { change: 2, batchId: id })
  await recallOf(id)
  const version = async () =>
    (
      await world.one<{ wanted: number }>(
        `select wanted from device_shadows where device_id = $1 and kind = 'RECALLS'`,
        [held],
      )
    ).wanted
  const document = () => bySystem(world.app, (ctx) => recallDocuments(ctx.db, [held]))
  expect((await document()).get(held)).toEqual({
    version: 1,
    recalls: [{ batch: `R${number}`, name: expect.any(String), lanes: [1] }],
  })
  await world.rows(
    `update device_shadows set delivered = 1, sends = 5, delivered_at = now()
      where device_id = $1 and kind = 'RECALLS'`,
    [held],
  )
  now = new Date('2026-11-22T07:00:00Z')
  await chaseRecalls(world.app)
  await chaseRecalls(world.app)
  const late = `select count(*)::int as n from messages where title_zh = $1 and user_id = 903`
  expect(await world.one(late, [`召回 R${number} 已超期`])).toEqual({ n: 1 })
  expect(
    await world.one(`select sends from device_shadows where device_id = $1 and kind = 'RECALLS'`, [
      held,
    ]),
  ).toEqual({ sends: 0 })
  await world.rows('delete from recall_renewals')
  // whoever took them out is killed behind his commit
  const [code, signal] = await killedBehind(lanes[0] as number, -2)
  expect([code, signal, await version()]).toEqual([null, 'SIGKILL', 1])
  const kind = renewalKind(world.app)
  // what was given up is tried again
  await world.rows('update recall_renewals set next_at = null, attempts = 4')
  await chaseRecalls(world.app)
  expect([await runDue(world.app, kind), await runDue(world.app, kind)]).toEqual([1, 0])
  expect([await version(), (await document()).get(held)?.recalls]).toEqual([2, []])
  expect(await world.rows('select from recall_renewals')).toEqual([])
})

/** A process that moves goods and dies before anything behind its commit is done. */
function killedBehind(laneId: number, change: number): Promise<unknown[]> {
  const of = [world.ownerUrl, world.app.config.dataDir, `${laneId}`, `${change}`]
  const child = spawn(process.execPath, ['test/support/moveProcess.ts', ...of], {
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.on('exit', (...end) => resolve(end)))
}

test('a batch that was never used goes, others stay', async () => {
  const [unused, loaded, coded] = [await batch(), await batch(), await batch()]
  const { lanes } = await machine()
  await move(lanes[0], { change: 1, batchId: loaded })
  await leave(lanes[0], -1, 'TAKE_BACK')
  await call('POST', `/batches/${coded}/trace-codes`, { codes: ['81000000000000000001'] })
  const remove = (id: number) => call('DELETE', `/batches/${id}?version=1`)
  for (const id of [loaded, coded])
    expect(refusal(await remove(id))).toEqual([422, '该批次已使用，不能删除'])
  expect((await remove(unused)).status).toBe(200)
  expect((await remove(unused)).status).toBe(404)
})

const boxes = (from: number, n: number) =>
  Array.from({ length: n }, (_, i) => `8100000000000000${from + i}`)
async function loaded(all: string[]) {
  const id = await batch()
  const { lanes, device: held } = await machine()
  expect((await call('POST', `/batches/${id}/trace-codes`, { codes: all })).status).toBe(200)
  await move(lanes[0], { change: all.length, batchId: id, codes: all })
  return { id, lane: lanes[0] as number, device: held }
}

test('what was sold is told to the platform, again after 1, 5, 30 minutes and 6 hours, then by hand', async () => {
  const all = boxes(2000, 3)
  const { lane } = await loaded(all)
  const heard: TraceReport[][] = []
  let answer: () => Map<string, string | null> = () => {
    throw new Error('平台不可用')
  }
  tracePlatform(world.app).use = {
    send: async (reports) => {
      heard.push([...reports])
      return answer()
    },
  }
  await sell(lane)
  await sell(lane)
  await gatherCodes(world.app)
  const kind = uploadKind(world.app)
  const state = () =>
    world.rows<{ code: string; state: string }>(
      'select code, state from trace_events where code = any($1) order by code',
      [all],
    )
  for (const minutes of [0, 1, 5, 30, 360]) {
    now = new Date(now.getTime() + minutes * 60_000)
    await runDue(world.app, kind).catch(() => 0)
  }
  expect(heard.map((reports) => reports.length)).toEqual([2, 2, 2, 2, 2])
  expect(new Set(heard.flat().map((report) => report.no)).size).toBe(2)
  expect((await state()).map((row) => row.state)).toEqual(['FAILED', 'FAILED'])
  now = new Date(now.getTime() + 86_400_000)
  await gatherCodes(world.app)
  await gatherCodes(world.app)
  const told = `select count(*)::int as n from messages
    where title_zh = '追溯码上报超过24小时未成功' and user_id = 903`
  expect(await world.one(told)).toEqual({ n: 1 })
  now = start
  answer = () =>
    new Map([
      [`${all[0]}-SALE`, null],
      [`${all[1]}-SALE`, '编码不存在'],
    ])
  expect((await call('POST', '/trace-codes/upload', {}, people.sibling)).body).toEqual({ codes: 0 })
  expect((await call('POST', '/trace-codes/upload', {})).body).toEqual({ codes: 2 })
  await expect
    .poll(() => world.rows(`select from trace_uploads where state = 'SENDING'`))
    .toHaveLength(1)
  await world.rows(`update trace_uploads set next_at = $1 where state = 'SENDING'`, [now])
  await runDue(world.app, kind)
  expect((await state()).map((row) => row.state)).toEqual(['SENT', 'FAILED'])
  const list = (await call('GET', '/trace-codes?upload=FAILED')).body
  expect(list).toMatchObject({
    total: 1,
    list: [{ code: all[1], upload: 'FAILED', uploadReason: '编码不存在', state: 'SOLD' }],
  })
})

test('the path of a box is told to those who see its machine; a quality refund keeps it apart', async () => {
  const [code] = boxes(3000, 1) as [string]
  const { id, lane, device: held } = await loaded([code])
  await sell(lane)
  const path = async (user?: number) => call('GET', `/trace-codes/${code}/path`, undefined, user)
  expect((await path()).body).toMatchObject({
    box: { code, batchId: id, state: 'SOLD', quarantined: false, upload: 'WAITING' },
    steps: [{ kind: 'RECEIVED' }, { kind: 'LOADED', cargoRoad: 1 }, { kind: 'SOLD' }],
  })
  for (const user of [people.sibling, people.stranger]) expect((await path(user)).status).toBe(404)
  await world.rows(
    `insert into refunds (org_id, device_id, refund_no, unit_id, kind, amount, reason, automatic,
        next_at) values (3, $1, 'RF-Q1', $2, 'UNIT', 0, 'QUALITY', false, now())`,
    [held, unit],
  )
  await world.rows(
    `update refunds set state = 'SUCCESS', succeeded_at = $1 where refund_no = 'RF-Q1'`,
    [now],
  )
  expect((await path()).body).toMatchObject({ box: { state: 'SOLD', quarantined: true } })
  for (const [query, total] of [
    [`code=${code}`, 1],
    [`deviceId=${held}`, 1],
    ['state=LOADED&productId=4', 0],
    [`batchNo=R${number}&state=SOLD`, 1],
  ] as const)
    expect((await call('GET', `/trace-codes?${query}`)).body.total).toBe(total)
  expect((await call('GET', '/trace-codes', undefined, people.stranger)).body.total).toBe(0)
})

test('a page of boxes reads its own rows, however many were sold', async () => {
  const id = await batch()
  const { device: held } = await machine()
  await world.rows(
    `with sold as (insert into trace_codes (code, org_id, batch_id, state, unit_id, created_at,
          machine_id, sold_org_id)
        select 'SOLD' || lpad(i::text, 8, '0'), 3, $1, 'SOLD', 5000000 + i,
          $2::timestamptz - i * interval '1 minute', $3::bigint, 3
        from generate_series(1, 20000) i returning code, unit_id, created_at)
      insert into trace_events (code, event, org_id, device_id, cargo_road, unit_id, at, state)
      select code, 'SALE', 3, $3, 1, unit_id, created_at, 'SENT' from sold`,
    [id, now, held],
  )
  await world.rows('analyze trace_codes, trace_events')
  const own = { all: false, orgs: [3], ancestors: [1, 2], devices: null, watched: null }
  const region = { ...own, orgs: [1], ancestors: [], devices: [], watched: [held] }
  const pages = (scope: typeof own | typeof region, query: object) =>
    pagesTouched(world.app, scope, async (ctx) => {
      const asked = { page: 1, pageSize: 20, sort: '-createTime', ...query } as const
      await (codeHandlers.traceCodes as (ctx: Ctx, asked: object) => Promise<unknown>)(ctx, asked)
    })
  // as many as are counted, and a page; a box by its number; what is rare
  expect(await pages(own, {})).toBeLessThan(330)
  expect(await pages(own, { state: 'WITHDRAWN' })).toBeLessThan(50)
  expect(await pages(region, { code: 'SOLD00000007' })).toBeLessThan(150)
  // those of a machine, whether it sold all of them or few
  const { device: other } = await machine()
  expect(await pages(own, { deviceId: held })).toBeLessThan(450)
  expect(await pages(own, { deviceId: other })).toBeLessThan(50)
  expect(await pages(region, { deviceId: held })).toBeLessThan(450)
})

test('whose machine a box of those above lies in, or was sold by, is for those who see it', async () => {
  await add(world.sql, 'products', { id: 2, org_id: 2, barcode: '6900000000002' })
  const above = { org_id: 2, product_id: 2 }
  await add(world.sql, 'suppliers', { id: 2, org_id: 2, name: '供2', phone: '13800138000' })
  const batchId = await add(world.sql, 'batches', {
    ...above,
    supplier_id: 2,
    batch_no: 'ABOVE',
    produced_on: '2026-01-01',
    expires_on: '2028-01-01',
  })
  const boxes = ['ABOVE0000001', 'ABOVE0000002']
  for (const code of boxes)
    await add(world.sql, 'trace_codes', { code, org_id: 2, batch_id: batchId })
  const sql = world.rows as Sql
  await addDevice(sql, { id: 490, org_id: 4 })
  await addLanes(sql, 1, { org_id: 4, device_id: 490, product_id: 2, capacity: 100 })
  const { id: lane } = await world.one<{ id: number }>('select id from lanes where device_id = 490')
  await move(lane, { change: 2, batchId, codes: boxes })
  await sell(lane)
  const total = async (user: number, query = 'deviceId=490') =>
    (await call('GET', `/trace-codes?${query}`, undefined, user)).body.total
  expect(await total(people.sibling)).toBe(2)
  // as goods of those above they are told to everybody below, their place is not
  expect(await total(people.operator, 'batchNo=ABOVE')).toBe(2)
  expect(await total(people.operator)).toBe(0)
  // it changes hands: what lies in it goes along, what it had sold stays with who sold it
  await world.rows('update devices set org_id = 3 where id = 490')
  await world.rows('update lanes set org_id = 3 where device_id = 490')
  await world.rows('update lane_layers set org_id = 3 where device_id = 490')
  expect([await total(people.operator), await total(people.sibling)]).toEqual([1, 1])
})
