import { createReadStream } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { evidenceKind } from '../../src/domains/drug-evidence/server/make.ts'
import { runDue } from '../../src/server/work.ts'
import { digest } from '../support/digest.ts'
import { endpointNamed, endpoints, type Registered } from '../support/registry.ts'
import { unzipped } from '../support/unzip.ts'
import { openWorld, type Place, rowId, type World } from '../support/world.ts'
import { ask, foreignCases, readsOf } from './foreign.ts'
import { params, samples } from './samples.ts'

/**
 * Whoever watches drugs of a region, as the product makes him: he stands in the platform, reads
 * what machines of his region show, and changes nothing. Of the drug machines here that of OWN
 * stands in his region, those of the others elsewhere; then they change places.
 */
vi.setConfig({ testTimeout: 120_000 })
const [here, elsewhere] = ['440305', '110105']
const county = (where: Place, code: string) =>
  world.sql(`update devices set province = $2, city = $3, county = $4 where id = $1`, [
    rowId(where, 1),
    `${code.slice(0, 2)}0000`,
    `${code.slice(0, 4)}00`,
    code,
  ])
let world: World
let token: string
beforeAll(async () => {
  world = await openWorld()
  await world.sql(`update devices set kind = 'DRUG', dispensing_mode = 'UNATTENDED',
    licence_no = '证' || rtu_number, licence_address = '广东省' where id % 1000 = 1`)
  await world.sql(`update products set drug_class = 'OTC_B', approval_no = '国药准字Z20147726',
    dosage_form = '丸剂', manufacturer = '厂'`)
  // a stopped lane of drugs, a box in a lane, and a recall that met the machine
  await world.sql(`update lanes set product_id = device_id, price = 250, retail_price = 300,
    status = 'LOCKED', lock_reason = 'TRACE_CODE', locked_at = now() where id % 1000 = 5`)
  await world.sql(`insert into trace_codes (code, org_id, batch_id, state, lane_id, pos, machine_id)
    select replace(t.code, 'CODE', 'BOXES'), t.org_id, t.batch_id, 'LOADED', t.batch_id, 1, t.batch_id
    from trace_codes t where t.code like 'CODE-%'`)
  await world.sql(`insert into recall_devices (recall_id, device_id, org_id, lanes, pieces, version)
    select r.id, d.id, d.org_id, 1, 1, 1 from recalls r join devices d on d.id = r.id`)
  for (const where of ['PLATFORM', 'PARENT', 'SIBLING', 'CHILD'] as const)
    await county(where, elsewhere)
  await county('OWN', here)
  token = await world.login('ROLE_DRUG_REGULATOR')
})
afterAll(() => world?.close())

const his = async (): Promise<Set<string>> =>
  new Set((await world.call(endpointNamed('session.user'), {}, { token })).body.permissions)
/** What he may call at all; everybody's own account is also his. */
const reachable = async (kind: 'read' | 'write'): Promise<Registered[]> => {
  const rights = await his()
  return endpoints.filter(
    ({ endpoint }) =>
      endpoint.kind === kind &&
      (rights.has(endpoint.access as string) || (kind === 'read' && endpoint.access === 'self')),
  )
}
/** Every answer he gets, at the rows of a place. */
async function answers(where: Place): Promise<{ name: string; status: number; text: string }[]> {
  const found: { name: string; status: number; text: string }[] = []
  for (const entry of await reachable('read'))
    for (const input of readsOf(entry, world)) {
      const { status, body } = await ask(
        world,
        entry,
        { ...input, ...params(entry.endpoint, where, world) },
        token,
      )
      found.push({ name: entry.name, status, text: JSON.stringify(body) })
    }
  return found
}
/** Words of a place that stand in these answers, without their numbers. */
const wordsOf = (all: readonly { text: string }[], where: Place) =>
  [
    ...new Set(
      all.flatMap(({ text }) =>
        [...text.matchAll(new RegExp(`([\\p{Script=Han}A-Z]*)-?${where}`, 'gu'))].map(
          ([, word]) => word,
        ),
      ),
    ),
  ].sort()

describe('what he reads', () => {
  it('is of the machine in his region, and of no other', async () => {
    const own = await answers('OWN')
    for (const where of ['SIBLING', 'CHILD', 'PARENT'] as const)
      expect([where, own.filter(({ text }) => text.includes(where))]).toEqual([where, []])
    // the platform's machine is none of his, though his account lies there
    expect(own.filter(({ text }) => /机PLATFORM|PLATFORM0001/.test(text))).toEqual([])
    expect(wordsOf(own, 'OWN')).toEqual(told)
    const showing = new Set(own.filter(({ text }) => text.includes('OWN')).map(({ name }) => name))
    expect([...showing].sort()).toEqual(shows)
  })
  it('answers a machine elsewhere, and all of it, as if it were not there', async () => {
    const open: string[] = []
    for (const entry of await reachable('read')) {
      const foreign = params(entry.endpoint, 'SIBLING', world)
      if (!Object.keys(foreign).length) continue
      const [input] = readsOf(entry, world)
      const { status } = await ask(world, entry, { ...input, ...foreign }, token)
      if (status !== 404) open.push(`${entry.name} ${status}`)
    }
    expect(open).toEqual([])
  })
  it('tells nothing of it to a filter, either', async () => {
    const wrong: string[] = []
    let asked = 0
    for (const { endpoint, name, by, at } of await foreignCases(world, await reachable('read'))) {
      if (by !== 'query') continue
      asked++
      const { status, body } = await world.call(endpoint, at('SIBLING'), { token })
      if (status >= 500 || JSON.stringify(body).includes('SIBLING')) wrong.push(`${name} ${status}`)
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(10)
  })
  it('is the way of a box that lies in it, and of no other', async () => {
    const way = (where: Place) =>
      world.call(endpointNamed('batches.codePath'), { code: `BOXES-${where}` }, { token })
    expect((await way('OWN')).status).toBe(200)
    expect((await way('SIBLING')).status).toBe(404)
  })
  it('follows machines that move in and out, with all that happened in them', async () => {
    await county('SIBLING', here)
    await county('OWN', elsewhere)
    const moved = await answers('SIBLING')
    expect(moved.filter(({ text }) => /机OWN|OWN0001|品OWN/.test(text))).toEqual([])
    expect(wordsOf(moved, 'SIBLING')).toEqual(told)
    // one that is no drug machine any more is none of his
    await world.sql(`update devices set kind = 'GENERAL', dispensing_mode = null where id = $1`, [
      rowId('SIBLING', 1),
    ])
    expect((await answers('SIBLING')).filter(({ text }) => text.includes('SIBLING'))).toEqual([])
    await world.sql(
      `update devices set kind = 'DRUG', dispensing_mode = 'UNATTENDED' where id = $1`,
      [rowId('SIBLING', 1)],
    )
    await county('SIBLING', elsewhere)
    await county('OWN', here)
  })
})

describe('a package of his', () => {
  const period = { from: '2026-11-01', to: '2026-11-21' }
  const make = (who: string, where: Place, more: object = {}) =>
    world.call(
      endpointNamed('drugEvidence.make'),
      { deviceIds: [rowId(where, 1)], ...period, ...more },
      { token: who },
    )
  const file = async (no: string) => {
    const [row] = await world.sql<{ key: string }>(
      'select file_key as key from evidence_packs where no = $1',
      [no],
    )
    const key = row?.key as string
    const bytes = await buffer(
      createReadStream(path.join(world.app.files.folder, key.slice(0, 2), key)),
    )
    return unzipped(bytes)
  }
  const total = async (name: string, query: object = {}) =>
    (await world.call(endpointNamed(name), { deviceId: rowId('OWN', 1), ...query }, { token })).body
      .total as number

  it('holds exactly what he may see of his machine', async () => {
    const { status, body } = await make(token, 'OWN')
    expect(status).toBe(200)
    await runDue(world.app, evidenceKind(world.app))
    const texts = await file(body.no)
    const all = [...texts.values()].join('\n')
    expect(all).not.toMatch(/SIBLING|CHILD|PARENT/)
    expect(all).toContain('OWN0001')
    expect(texts.has('operation-log.csv')).toBe(false)
    const rows = (name: string) => (texts.get(name) as string).trimEnd().split('\r\n').length - 1
    expect({
      flows: rows('stock-flows.csv'),
      refusals: rows('refusals.csv'),
      excursions: rows('temperature-excursions.csv'),
      machines: rows('devices.csv'),
    }).toEqual({
      flows: await total('stock.flows', period),
      refusals: await total('drugControl.refusals', period),
      excursions: await total('drugControl.excursions', period),
      machines: 1,
    })
    expect(rows('stock-flows.csv')).toBeGreaterThan(2)
    expect(rows('refusals.csv')).toBe(1)
    expect(rows('temperature-excursions.csv')).toBe(1)
  })
  it('is not made of a machine elsewhere, nor of both, nor of its batch', async () => {
    expect((await make(token, 'SIBLING')).status).toBe(404)
    const both = [rowId('OWN', 1), rowId('SIBLING', 1)]
    expect((await make(token, 'OWN', { deviceIds: both })).status).toBe(404)
    expect((await make(token, 'OWN', { batchId: rowId('SIBLING', 1) })).status).toBe(404)
  })
  it('of somebody else is not his: of another region he does not know it', async () => {
    const { body } = await make(token, 'OWN', { to: '2026-11-20' })
    await runDue(world.app, evidenceKind(world.app))
    const get = (name: string, who: string) =>
      world.call(endpointNamed(name), { no: body.no }, { token: who })
    expect((await get('drugEvidence.get', token)).status).toBe(200)
    await world.sql(`insert into users (org_id, username, password_hash, real_name, region_code)
      values (1, 'beijing', 'x', '京', '110000')`)
    await world.sql(`insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1
      from users u, roles r where u.username = 'beijing' and r.code = 'ROLE_DRUG_REGULATOR'`)
    const beijing = await world.login('beijing')
    for (const name of ['drugEvidence.get', 'drugEvidence.verify'])
      expect([name, (await get(name, beijing)).status]).toEqual([name, 404])
    const list = async (who: string) =>
      (await world.call(endpointNamed('drugEvidence.list'), {}, { token: who })).body.list.map(
        (row: { no: string }) => row.no,
      )
    expect(await list(token)).toContain(body.no)
    expect(await list(beijing)).not.toContain(body.no)
    // the machine has moved to his region: who made it is his to know, the file is not
    await county('OWN', elsewhere)
    expect((await get('drugEvidence.get', beijing)).body.can).toEqual({ download: false })
    expect((await get('drugEvidence.get', token)).body.can).toEqual({ download: false })
    await county('OWN', here)
  })
})

describe('what he changes', () => {
  it('is nothing: no endpoint that writes is his, but packages and files of what he reads', async () => {
    expect((await reachable('write')).map(({ name }) => name).sort()).toEqual(writes)
  })
  it('each of them is refused with a good input about his machine, too', async () => {
    const rights = await his()
    const others = endpoints.filter(
      ({ endpoint }) =>
        endpoint.kind === 'write' &&
        endpoint.access !== 'self' &&
        endpoint.access !== 'open' &&
        !rights.has(endpoint.access),
    )
    expect(others.length).toBeGreaterThan(100)
    // good inputs are made with goods that anybody may buy, and with the lanes as samples know them
    await world.sql(`update products set drug_class = 'NONE' where id % 1000 = 1`)
    await world.sql(`update lanes set product_id = null, price = null, retail_price = null,
      status = 'ENABLED', lock_reason = null, locked_at = null where id % 1000 = 5`)
    const asked: [Registered, Record<string, unknown>][] = []
    for (const entry of others) {
      const input = (await samples[entry.name]?.(world)) ?? {}
      asked.push([entry, { ...input, ...params(entry.endpoint, 'OWN', world) }])
    }
    const before = await digest(world, ['sessions', 'debug_logs'])
    const wrong: string[] = []
    for (const [entry, input] of asked) {
      const { status } = await ask(world, entry, input, token)
      if (status !== 403) wrong.push(`${entry.name} ${status}`)
    }
    expect(wrong).toEqual([])
    expect(await digest(world, ['sessions', 'debug_logs'])).toEqual(before)
  })
  it('and the shell is told to say so', async () => {
    const user = async (who: string) =>
      (await world.call(endpointNamed('session.user'), {}, { token: who })).body.readOnly
    expect(await user(token)).toBe(true)
    for (const other of [
      'ROLE_SUPER_ADMIN',
      'ROLE_RTU_SP',
      'ROLE_RTU_REPLENISHER',
      'ROLE_SUPPLIER',
    ])
      expect([other, await user(await world.login(other))]).toEqual([other, false])
  })
})

/** Marks of the world that a machine of his region brings with it. */
const told = [
  '',
  'BOARD',
  'BOXES',
  '事',
  '偏',
  '员工',
  '品',
  '因',
  '址',
  '型',
  '层',
  '批',
  '拒',
  '机',
  '机构',
  '类',
  '证',
]
/** Reads that tell of it; the others are figures, or of nobody's machine. */
const shows = [
  'batches.list',
  'batches.recallOne',
  'batches.recalls',
  'batches.soldPieces',
  'batches.traceCodes',
  'deviceSettings.get',
  'deviceSettings.syncs',
  'deviceTypes.list',
  'deviceTypes.options',
  'devices.detail',
  'devices.list',
  'devices.map',
  'devices.timeline',
  'drugControl.excursion',
  'drugControl.excursions',
  'drugControl.locks',
  'drugControl.refusals',
  'drugEvidence.get',
  'drugEvidence.list',
  'expiry.list',
  'geo.searchDevices',
  'lanes.compare',
  'lanes.one',
  'lanes.plan',
  'machines.options',
  'medicalInsurance.list',
  'products.allCategories',
  'products.categories',
  'products.get',
  'products.lanes',
  'products.list',
  'products.options',
  'reports.attention',
  'reports.deviceMap',
  'stock.flows',
]
const writes = [
  'drugEvidence.make',
  'files.uploadImage',
  'notices.confirm',
  'notices.hide',
  'notices.markRead',
]
