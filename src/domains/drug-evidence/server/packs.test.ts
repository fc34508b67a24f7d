import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  add,
  addDevice,
  addLanes,
  addPermissions,
  grant,
  type Sql,
} from '../../../../test/factories/things.ts'
import { unzipped } from '../../../../test/support/unzip.ts'
import { type Ctx, systemActor } from '../../../server/context.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'
import { moveStock } from '../../stock/server/move.ts'
import { checkPackage } from '../checker.ts'
import { evidenceLimits } from '../rules.ts'
import { evidenceKind, removeOldPacks } from './make.ts'

const codes = ['drug-evidence:read', 'drug-evidence:export', 'log:read']
const now = new Date('2026-11-21T06:00:00Z')
let world: World
let clock = now
/** Machine 11 and batch 3 of operator 3, machine 12 and batch 4 of operator 4. */
beforeAll(async () => {
  world = await openWorld(now)
  Object.assign(world.app, { now: () => clock })
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905, 908], codes)
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
  const sql = world.rows as Sql
  for (const id of [3, 4]) {
    await add(world.sql, 'products', {
      id,
      org_id: id,
      name: `=药${id}`,
      barcode: `690000000000${id}`,
    })
    await add(world.sql, 'suppliers', { id, org_id: id, name: `供${id}`, phone: '13800138000' })
    await add(world.sql, 'batches', {
      id,
      org_id: id,
      product_id: id,
      supplier_id: id,
      batch_no: `批号${id}`,
      produced_on: '2026-01-01',
      expires_on: '2028-01-01',
      created_at: '2026-01-01T00:00:00Z',
    })
    const device = 8 + id
    await addDevice(sql, { id: device, org_id: id })
    await addLanes(sql, 1, { org_id: id, device_id: device, product_id: id, capacity: 100 })
    const lane = await world.one<{ id: number }>('select id from lanes where device_id = $1', [
      device,
    ])
    const code = `8100000000000000000${id}`
    await add(world.sql, 'trace_codes', { code, org_id: id, batch_id: id })
    const flow = { occurredAt: now, actorKind: 'SYSTEM' } as const
    const refill = { ...flow, type: 'MERCHANT_REPLENISH', reason: 'REFILL' } as const
    await system((ctx) =>
      moveStock(ctx, [
        { laneId: lane.id, flow: { ...refill, change: 1, batchId: id, codes: [code] } },
      ]),
    )
    await system((ctx) =>
      moveStock(ctx, [
        {
          laneId: lane.id,
          flow: { ...flow, change: -1, type: 'CUSTOMER_TAKE', reason: 'SALE', unitId: 700 + id },
        },
      ]),
    )
  }
})
afterAll(() => world.close())

const system = <T>(work: (ctx: Ctx) => Promise<T>) =>
  act(world.app, systemCaller(systemActor), { audit: null, scope: 'system' }, work)
const period = { from: '2026-11-01', to: '2026-11-21' }
const make = (body: object, user = people.operator) =>
  world.send(user, 'POST', '/drug-evidence-packs', { ...period, ...body })
const get = (url: string, user = people.operator) =>
  world.send(user, 'GET', `/drug-evidence-packs/${url}`)
const run = () => runDue(world.app, evidenceKind(world.app))
async function made(body: object, user = people.operator): Promise<string> {
  const answer = await make(body, user)
  expect(answer.status).toBe(200)
  await run()
  return answer.body.no as string
}
async function fileOf(no: string) {
  const { file_key: key } = await world.one<{ file_key: string }>(
    'select file_key from evidence_packs where no = $1',
    [no],
  )
  return path.join(world.app.files.folder, key.slice(0, 2), key)
}
const bytesOf = async (no: string) =>
  new Uint8Array(await buffer(createReadStream(await fileOf(no)))) as Uint8Array<ArrayBuffer>
/** All texts of a package, however they are packed. */
const textOf = async (no: string) => [...unzipped(Buffer.from(await bytesOf(no))).values()].join('')

test('a scope and a period are asked for; machines of others are none', async () => {
  const refused = async (body: object, user?: number) => {
    const { status, body: answer } = await make(body, user)
    return [status, answer.fields?.[0]?.text ?? answer.message]
  }
  expect(await refused({})).toEqual([422, '请选择证据范围'])
  expect(await refused({ deviceIds: [] })).toEqual([422, '请选择证据范围'])
  expect(await refused({ deviceIds: [11], from: '2025-01-01' })).toEqual([400, '日期范围错误'])
  expect((await refused({ deviceIds: [11], dataAsOf: '2026-11-21T07:00:00Z' }))[0]).toBe(422)
  for (const body of [
    { deviceIds: [12] },
    { deviceIds: [11, 12] },
    { batchId: 4 },
    { code: '81000000000000000004' },
    { deviceIds: [12], batchId: 3 },
  ])
    expect([body, (await make(body)).status]).toEqual([body, body.batchId === 3 ? 200 : 404])
  await world.rows('delete from evidence_accesses')
  await world.rows('delete from evidence_packs')
})

test('a package says what happened, nothing of others, and is what was signed', async () => {
  const no = await made({ deviceIds: [11] })
  expect(no).toMatch(/^EV20261121-\d{6}$/)
  const { body } = await get(no)
  expect(body).toMatchObject({ state: 'DONE', devices: 1, can: { download: true } })
  const rows = Object.fromEntries(
    body.files.map((file: { name: string; rows: number }) => [file.name, file.rows]),
  )
  expect(rows).toMatchObject({
    'devices.csv': 1,
    'batches.csv': 1,
    'stock-flows.csv': 2,
    'trace-codes.csv': 2,
    'summary.pdf': 0,
  })
  const text = await textOf(no)
  expect(text).toContain('81000000000000000003')
  expect(text).toContain('批号3')
  for (const foreign of ['81000000000000000004', '批号4', '供4', '药4'])
    expect(text).not.toContain(foreign)
  // what a table program would take for a formula
  expect(text).toContain(`'=药3`)
  const checked = await checkPackage(await bytesOf(no))
  expect(checked).toMatchObject({ signatureOk: true, publicKey: body.publicKey })
  expect(new Set(checked?.files.map(({ state }) => state))).toEqual(new Set(['OK']))
  expect((await get(`${no}/verify`)).body).toMatchObject({ ok: true })
})

test('who was on duty for a machine, and until when as far as was known then', async () => {
  const at = (time: string) => `2026-11-12T${time}Z`
  const duty = (org: number, name: string, began: string, seen: string, ended: string | null) =>
    add(world.sql, 'pharmacist_duties', {
      org_id: org,
      store_id: 500 + org,
      user_id: 900 + org,
      place: 'REMOTE',
      store_name: `店${org}`,
      name,
      licence_no: 'PH0000000001',
      began_at: at(began),
      seen_at: at(seen),
      ended_at: ended && at(ended),
    })
  for (const org of [3, 4]) {
    await add(world.sql, 'stores', { id: 500 + org, org_id: org, store_name: `店${org}` })
    await world.rows('update devices set store_id = $2 where id = $1', [8 + org, 500 + org])
  }
  await duty(3, '早班', '01:00:00', '02:00:00', '02:00:30')
  await duty(3, '晚班', '05:00:00', '06:00:00', null)
  await duty(4, '别家', '05:00:00', '06:00:00', null)
  const of = async (dataAsOf: string) => {
    const text = await textOf(
      await made({ deviceIds: [11], from: '2026-11-12', dataAsOf: at(dataAsOf) }),
    )
    return text.split('\r\n').filter((line) => /^店[34],|早班|晚班|别家/.test(line))
  }
  const early = '店3,早班,PH0000000001,REMOTE,2026-11-12 09:00:00,'
  const late = '店3,晚班,PH0000000001,REMOTE,2026-11-12 13:00:00,'
  expect(await of('02:00:29')).toEqual([early])
  expect(await of('06:02:59')).toEqual([`${early}2026-11-12 10:00:30`, late])
  expect(await of('06:03:00')).toEqual([
    `${early}2026-11-12 10:00:30`,
    `${late}2026-11-12 14:03:00`,
  ])
  // a store that is no more took nobody's duty with it
  await world.rows('update devices set store_id = null where id = 11')
  await world.rows('delete from stores where id = 503')
  expect(
    await world.rows(
      'select store_name from pharmacist_duties where org_id = 3 and store_id is null',
    ),
  ).toEqual([{ store_name: '店3' }, { store_name: '店3' }])
})

test('who bought special compounds is there, as people may see him', async () => {
  const at = new Date('2026-11-18T02:00:00Z')
  for (const org of [3, 4]) {
    const piece = { org_id: org, device_id: 8 + org, order_id: org, unit_no: 1 }
    const ordered = { created_at: at, order_num: `2026111800000000000${org}` }
    await add(world.sql, 'orders', {
      ...{ id: org, org_id: org, device_id: 8 + org, ...ordered, expire_at: at, pieces: 1 },
      ...{ rtu_number: 'x', device_name: 'x', consumer: '', channel: 'MACHINE' },
      ...{ order_type: 'SCAN', pay_type: 'WECHAT', detail: 'x', img: '' },
      ...{ total_amount: 300, payable_amount: 300 },
    })
    await add(world.sql, 'order_units', {
      ...{ ...piece, ...ordered, lane_id: 1, road: 1 },
      ...{ product_id: org, product_name: `伪麻${org}`, model: '12片', drug_class: 'OTC_A' },
      ...{ img: '', list_price: 300, discount: 0, paid: 300, cost: 100 },
      ...{ vend_state: 'FAILED', hold: 'RELEASED', finished_at: now },
    })
    await add(world.sql, 'special_purchases', {
      ...piece,
      ...{ order_at: at, day: '2026-11-18', person: Buffer.alloc(32), sealed: Buffer.alloc(9) },
      ...{ buyer: '安*', card: '110***********002X' },
    })
  }
  const of = async (more: object) => {
    const text = await textOf(await made({ deviceIds: [11], from: '2026-11-18', ...more }))
    return text.split('\r\n').filter((line) => /伪麻/.test(line))
  }
  const row =
    'HD000011,20261118000000000003,1,伪麻3,12片,安*,110***********002X,FORM,2026-11-18 10:00:00,'
  expect(await of({})).toEqual([`${row}FAILED`])
  expect(await of({ dataAsOf: '2026-11-18T03:00:00Z' })).toEqual([row])
})

test('the same parameters with the same data-as-of are the same bytes', async () => {
  const body = { deviceIds: [11], dataAsOf: '2026-11-21T05:59:59Z' }
  const no = await made(body)
  const first = Buffer.from(await bytesOf(no))
  clock = new Date(now.getTime() + 60_000)
  await system(async (ctx) => {
    await ctx.db.updateTable('lanes').set({ warn_qty: 1 }).where('device_id', '=', 11).execute()
  })
  expect((await make(body)).body.no).toBe(no)
  // as if the worker had died before it said that it is done
  await world.rows(
    `update evidence_packs set state = 'WAITING', next_at = $2, attempts = 0 where no = $1`,
    [no, clock],
  )
  await run()
  expect(Buffer.from(await bytesOf(no)).equals(first)).toBe(true)
  const other = await made({ ...body, dataAsOf: '2026-11-21T05:59:58Z' })
  expect(other).not.toBe(no)
  clock = now
})

test('what was changed afterwards is seen', async () => {
  const no = await made({ batchId: 3 })
  const file = await fileOf(no)
  const bytes = await readFile(file)
  const one = bytes.indexOf('manifest.json') - 60
  bytes.writeUInt8(bytes.readUInt8(one) ^ 1, one)
  await writeFile(file, bytes)
  expect((await get(`${no}/verify`)).body).toMatchObject({ ok: false, fileOk: false })
  const checked = await checkPackage(new Uint8Array(bytes))
  expect(checked === null || checked.files.some(({ state }) => state === 'WRONG')).toBe(true)
  await world.rows(`update evidence_packs set manifest = manifest || ' ' where no = $1`, [no])
  expect((await get(`${no}/verify`)).body).toMatchObject({ ok: false, signatureOk: false })
})

test('who had a package is kept; others do not know it, nor who lost a machine', async () => {
  const no = await made({ deviceIds: [11], from: '2026-11-10' })
  const download = (user?: number) => get(`${no}/file`, user)
  expect((await download()).status).toBe(200)
  for (const user of [people.sibling, people.stranger])
    for (const url of [no, `${no}/verify`, `${no}/file`])
      expect((await get(url, user)).status).toBe(404)
  // those above see it
  expect((await get(no, people.agent)).status).toBe(200)
  expect((await get(no)).body.accesses).toMatchObject([
    { what: 'DOWNLOAD', userName: '员工3' },
    { what: 'MAKE' },
  ])
  expect(
    await world.one(
      `select count(*)::int as n from operation_logs where action = 'drugEvidence.download'
        and target_name = $1`,
      [no],
    ),
  ).toEqual({ n: 1 })
  await world.rows('update devices set org_id = 4 where id = 11')
  expect((await download()).body.message).toBe('证据包包含您无权查看的内容')
  await world.rows('update devices set org_id = 3 where id = 11')
})

test('whoever looks at machines gets what he asked for; of others he knows who made which', async () => {
  // of the platform, as the people of other regions
  await world.rows(`update users set org_id = 1, region_code = '440300' where id = 907`)
  await world.rows(`update roles set org_id = 1, data_scope = 'REGION_DRUGS' where id = 907`)
  await world.rows(`update devices set kind = 'DRUG', dispensing_mode = 'UNATTENDED', licence_no = 'x',
    province = '440000', city = '440300', county = '440305' where id = 11`)
  await grant(world.sql, [907], codes)
  const [here, elsewhere] = [
    await made({ deviceIds: [11], from: '2026-11-08' }, people.platform),
    await made({ deviceIds: [11, 12], from: '2026-11-08' }, people.platform),
  ]
  expect(await textOf(here)).toContain('operation-log.csv')
  const own = await made({ deviceIds: [11], from: '2026-11-08' }, people.reader)
  expect(await textOf(own)).not.toContain('operation-log.csv')
  const { body } = await world.send(people.reader, 'GET', '/drug-evidence-packs')
  const found = new Map(body.list.map((row: { no: string; can: object }) => [row.no, row.can]))
  expect([own, here, elsewhere].map((no) => found.get(no))).toEqual([
    { download: true },
    { download: false },
    undefined,
  ])
  expect((await get(`${own}/file`, people.reader)).status).toBe(200)
  expect((await get(`${here}/file`, people.reader)).body.code).toBe(403001)
  for (const url of [elsewhere, `${elsewhere}/verify`])
    expect((await get(url, people.reader)).status).toBe(404)
})

test('a package with rows of the log is for those who read the log', async () => {
  const no = await made({ deviceIds: [11], from: '2026-11-09' })
  expect((await get(`${no}/file`)).status).toBe(200)
  await grant(world.sql, [906], codes.slice(0, 2))
  const { body } = await get(no, people.noCost)
  expect(body.can).toEqual({ download: false })
  expect((await get(`${no}/file`, people.noCost)).body.code).toBe(403001)
})

test('too many rows, too many at once, and after three years the file goes', async () => {
  const limits = evidenceLimits as { rows: number }
  const whole = limits.rows
  limits.rows = 3
  const no = await made({ deviceIds: [11], from: '2026-11-02' })
  limits.rows = whole
  expect((await get(no)).body).toMatchObject({
    state: 'FAILED',
    error: expect.stringContaining('3 行'),
  })
  for (const from of ['2026-11-03', '2026-11-04', '2026-11-05'])
    expect((await make({ deviceIds: [11], from })).status).toBe(200)
  expect((await make({ deviceIds: [11], from: '2026-11-06' })).status).toBe(422)
  for (let n = 0; n < 3; n += 1) await run()
  const kept = await made({ deviceIds: [11], from: '2026-11-07' })
  clock = new Date('2029-11-22T00:00:00Z')
  await removeOldPacks(world.app)
  clock = now
  expect((await get(`${kept}/verify`)).body.message).toBe('证据包文件已到期清理')
  expect((await get(kept)).status).toBe(200)
})

test('whoever watches a machine checks a package about it', async () => {
  const no = await made({ deviceIds: [11], from: '2026-11-12' })
  await world.rows(`update devices set kind = 'DRUG', dispensing_mode = 'UNATTENDED',
    licence_no = 'X', province = '440000', city = '440300', county = '440305' where id = 11`)
  await world.rows(`insert into roles (id, org_id, code, name, name_en, rank, data_scope)
    values (950, 1, 'ROLE_DRUG_REGULATOR', '药监', 'r', 1, 'REGION_DRUGS')`)
  await grant(world.sql, [950], ['drug-evidence:read'])
  await world.rows(`update users set region_code = '440300' where id = 901`)
  await world.rows(`update user_roles set role_id = 950 where user_id = 901`)
  expect((await get(no, people.platform)).body).toMatchObject({
    state: 'DONE',
    can: { download: false },
  })
  expect((await get(`${no}/verify`, people.platform)).body).toMatchObject({ ok: true })
})
