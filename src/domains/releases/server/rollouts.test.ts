import { createHash, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { add } from '../../../../test/factories/things.ts'
import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'
import {
  badBuild,
  builtWith,
  type Disk,
  openUpdates,
  type Updates,
} from '../../../fleet/updates.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import type { Down } from '../../machines/protocol.ts'
import { readUp } from '../../machines/protocol.ts'
import { applyFacts, type Fact } from '../../machines/server/facts.ts'
import { type Keys, keyLine, manifestText, readKeys, signText } from '../manifest.ts'
import { releaseDocuments } from './document.ts'
import { rolloutKind } from './engine.ts'
import { recordReleases } from './words.ts'

/**
 * A fleet of 200 simulated machines beside the engine: documents go out as the gateway sends them,
 * words come in as facts, packages are read over HTTP.
 */
const machines = Number(process.env.RELEASE_FLEET ?? 200)
const now = new Date('2026-11-20T19:00:00Z') // 03:00 in Shanghai
const people = { platform: 1, agent: 2, operator: 3, sibling: 4, second: 7 }
const rights = ['apk', 'firmware'].flatMap((code) =>
  ['read', 'rollout', 'approve', 'publish'].map((action) => `${code}:${action}`),
)
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
let world: OrgTree
let keys: Keys
let fleet: Map<number, Sim>

type Sim = { updates: Updates; seen: number; said: Fact[]; on: boolean }
const secret = 'a'.repeat(64)
const rtu = (id: number) => `HD${String(id).padStart(6, '0')}`

beforeAll(async () => {
  world = await openOrgTree({
    now,
    permissions: [...rights, 'device:read'],
    people: [{ user: 7, org: 1, scope: 'ORG_TREE', permissions: [...rights, 'device:read'] }],
  })
  writeFileSync(world.app.config.releaseKeys, keyLine(publicKey, 'test'))
  keys = readKeys(keyLine(publicKey, 'test'))
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
  // 200 of operator 3, and one of his sibling
  await world.rows(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, board_no, province, city,
      county, address, kind, lifecycle, drop_sensor, secret_hash, created_at)
    select g, case when g <= $1 then 3 else 4 end, 'HD' || lpad(g::text, 6, '0'), '机器' || g, 1,
      'BOARD-' || g, '440000', '440300', '440305', '科苑路15号', 'GENERAL', 'OPERATING', true, $2, $3
    from generate_series(1, $1 + 1) g`,
    [machines, createHash('sha256').update(secret).digest(), now],
  )
  await world.rows(
    `insert into device_states (device_id, org_id, online, apk, fw)
      select id, org_id, true, '5.12.0', '2.4.1' from devices`,
  )
  await world.rows(`update main_boards set model = 'HD-M3'`)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.rows('truncate release_versions, device_shadows, uploads cascade')
  await world.rows('truncate device_message_keys')
  fleet = new Map(Array.from({ length: machines }, (_, i) => [i + 1, simulated(i + 1)] as const))
})

function simulated(id: number): Sim {
  const files = new Map<string, Buffer>()
  const disk: Disk = {
    size: (name) => files.get(name)?.length ?? 0,
    append(name, bytes) {
      files.set(name, Buffer.concat([files.get(name) ?? Buffer.alloc(0), bytes]))
      return true
    },
    read: (name) => files.get(name) ?? Buffer.alloc(0),
    clear: (name) => void files.delete(name),
  }
  const held = {
    APK: builtWith('APK', 'com.huodao.vend', 'HD-M3', '5.12.0', 51200),
    FIRMWARE: builtWith('FIRMWARE', 'HD-M3', 'HD-M3', '2.4.1', 20401),
  }
  let seq = 0
  const sim: Sim = {
    ...{ seen: 0, said: [], on: true },
    updates: openUpdates(held, {
      tell(kind, body) {
        seq += 1
        const up = readUp(kind, Buffer.from(JSON.stringify({ boot: 1, seq, ts: +now, ...body })))
        if (typeof up === 'string') throw new Error(up)
        const machine = { id, orgId: 3, rtu: rtu(id), epoch: 1 }
        sim.said.push({ machine, up, at: new Date(now) })
      },
      remember: () => {},
      platformNow: () => now.getTime(),
      busy: () => false,
      restart: () => sim.updates.started(),
      async load(url, from) {
        const { statusCode, rawPayload } = await world.http.inject({
          ...{ method: 'GET', url },
          headers: {
            authorization: `Basic ${Buffer.from(`${rtu(id)}:${secret}`).toString('base64')}`,
            range: `bytes=${from}-`,
          },
        })
        return { status: statusCode, bytes: rawPayload }
      },
      ...{ disk, keys },
    }),
  }
  return sim
}

/** A published version whose file is there, with its signed manifest. */
async function version(name: string, code: number, bytes: Buffer, downgrade = false, kind = 'APK') {
  const file = `${crypto.randomUUID()}.apk`
  await world.app.files.put(file, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const target = kind === 'APK' ? 'com.huodao.vend' : 'HD-M3'
  const { id } = await world.one<{ id: number }>(
    `insert into release_versions (org_id, kind, name, target, version_name, version_code, notes,
      file, size, sha256, boards, state, created_at, published_at)
    values (1, $1, '版', $2, $3, $4, 'x', $5, $6, $7, '{HD-M3}', 'PUBLISHED', $8, $8) returning id`,
    [kind, target, name, code, `files/${file}`, bytes.length, sha256, now],
  )
  const { serial } = await world.one<{ serial: number }>(
    `select nextval(pg_get_serial_sequence('release_manifests', 'id')) as serial`,
  )
  const body = manifestText({
    ...{ format: 1, serial: Number(serial), kind: kind as 'APK', target, versionName: name },
    ...{ versionCode: code, boards: ['HD-M3'], minVersion: '', size: bytes.length, sha256 },
    ...{ downgrade, issuedAt: +now, expiresAt: +now + 90 * 86_400_000 },
  })
  const [keyId, signature] = signText(pem, body).split(':')
  await world.rows(
    `insert into release_manifests (id, org_id, version_id, body, downgrade, expires_at, key_id,
      signature, created_at, signed_at) values ($1, 1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [serial, id, body, downgrade, new Date(+now + 90 * 86_400_000), keyId, signature, now],
  )
  return Number(id)
}

/** A minute: the engine looks, documents go out, machines work, words come in. */
async function minute(times = 1): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    now.setTime(now.getTime() + 61_000)
    await runDue(world.app, rolloutKind(world.app))
    await deliver()
  }
}
async function deliver(): Promise<void> {
  for (const kind of ['FIRMWARE', 'APK'] as const) {
    const documents = await world.app.database.read(systemScope, (db) =>
      releaseDocuments(world.app, kind, db, [...fleet.keys()]),
    )
    for (const [id, { version, bodies }] of documents)
      if (fleet.get(id)?.on)
        fleet.get(id)?.updates.document(kind, {
          ...{ version, part: 1, parts: 1 },
          ...(bodies[0] as Down<'apk'>),
        })
  }
  for (const sim of fleet.values())
    if (sim.on) for (let turn = 0; turn < 4; turn += 1) await sim.updates.tick()
  const said = [...fleet.values()].flatMap((sim) => sim.said.splice(0))
  if (said.length)
    await bySystem(world.app, (ctx) =>
      applyFacts(ctx, said, {
        ...{ vends: async () => {}, controls: async () => {} },
        releases: recordReleases,
      }),
    )
}
const stage = (percent: number, change: object = {}) => ({ percent, ...change })
const plan = (versionId: number, change: object = {}) => ({
  ...{ name: '升级', versionId, orgId: 3, stages: [stage(1), stage(100)], atOnce: true, ...change },
})
const create = (user: number, body: object, code = 'apk') =>
  world.send(user, 'POST', `/${code}-rollouts`, body)
const get = async (id: number, code = 'apk') =>
  (await world.send(people.platform, 'GET', `/${code}-rollouts/${id}`)).body
async function act(user: number, id: number, what: string, body: object = {}, code = 'apk') {
  await world.rows('update sessions set proven_at = $1, last_seen_at = $1', [now])
  const { version } = await get(id, code)
  return world.send(user, 'POST', `/${code}-rollouts/${id}/${what}`, { version, ...body })
}
const running = (name: string) =>
  [...fleet.values()].filter((sim) => sim.updates.runs('APK').versionName === name).length
const good = (name: string) => Buffer.concat([Buffer.alloc(900, name), Buffer.from('good')])

test('a bad build stops with its first stage, and nobody runs it', async () => {
  const id = await version('5.13.0', 51300, Buffer.from(`${badBuild}${'x'.repeat(800)}`))
  const made = await create(people.platform, plan(id))
  expect(made.body).toMatchObject({ state: 'PENDING', devices: machines })
  // two people
  expect((await act(people.platform, made.body.id, 'approve')).body.error).toBe(
    'releases.samePerson',
  )
  expect((await act(people.second, made.body.id, 'approve')).body.state).toBe('SCHEDULED')
  await minute(6)
  const after = await get(made.body.id)
  expect(after).toMatchObject({ state: 'PAUSED', pause: 'BREAKER', stage: 0, rolledBack: 2 })
  const touched = await world.one<{ n: number }>(
    'select count(*)::int as n from release_updates where released_at is not null',
  )
  expect(touched.n / machines).toBeLessThanOrEqual(0.015)
  expect([running('5.13.0'), running('5.12.0')]).toEqual([0, machines])
  // who resumes it meets the same breaker at once
  await act(people.platform, made.body.id, 'resume', { reason: '再试' })
  await minute(2)
  expect(await get(made.body.id)).toMatchObject({ state: 'PAUSED', pause: 'BREAKER' })
  const again = await act(people.platform, made.body.id, 'retry')
  expect(again.body).toMatchObject({ state: 'RUNNING', pending: machines })
  await minute(3)
  expect(await get(made.body.id)).toMatchObject({ state: 'PAUSED', rolledBack: 2 })
  const ended = await act(people.platform, made.body.id, 'abort', { reason: '坏版本' })
  expect(ended.body).toMatchObject({ state: 'ABORTED', pending: 0 })
  expect((await act(people.platform, made.body.id, 'resume', { reason: 'x' })).body.error).toBe(
    'releases.wrongState',
  )
})

test('a good one goes through its stages; one that is away comes later; then back by a signed manifest', async () => {
  const old = await version('5.12.5', 51250, good('5.12.5'), true)
  const id = await version('5.13.0', 51300, good('5.13.0'))
  const away = fleet.get(77) as Sim
  away.on = false
  const made = await create(
    people.platform,
    plan(id, { stages: [stage(5), stage(20, { after: 'PAUSE' }), stage(100)] }),
  )
  await act(people.second, made.body.id, 'approve')
  await minute(5)
  expect(await get(made.body.id)).toMatchObject({ state: 'PAUSED', pause: 'CHECKPOINT', stage: 1 })
  expect(running('5.13.0')).toBeLessThanOrEqual(40)
  // a machine that is in this one is in no other
  const { deviceIds, stages } = { deviceIds: [...fleet.keys()], stages: [stage(100)] }
  const other = await world.send(people.platform, 'POST', '/apk-rollouts/preview', {
    ...{ versionId: old, deviceIds, stages, downgrade: true },
  })
  expect(other.body.fits + other.body.unfitTotal).toBe(machines)
  expect(new Set(other.body.unfit.map((one: { reason: string }) => one.reason))).toEqual(
    new Set(['IN_ROLLOUT']),
  )
  expect((await act(people.platform, made.body.id, 'next-stage')).body).toMatchObject({ stage: 2 })
  await minute(3)
  expect(await get(made.body.id)).toMatchObject({ state: 'RUNNING', succeeded: machines - 1 })
  away.on = true
  await minute(3)
  expect(await get(made.body.id)).toMatchObject({
    ...{ state: 'DONE', succeeded: machines, pending: 0, successShare: 1000 },
  })
  expect(running('5.13.0')).toBe(machines)
  const back = await act(people.platform, made.body.id, 'revert', { reason: '回退' })
  expect(back.body).toMatchObject({ state: 'PENDING', downgrade: true, versionName: '5.12.5' })
})

test('machines hold while it is paused, are cancelled one by one, and time out in silence', async () => {
  const id = await version('5.13.0', 51300, good('5.13.0'))
  const made = await create(
    people.platform,
    plan(id, { orgId: undefined, deviceIds: [1, 2, 3, 4] }),
  )
  expect(made.body).toMatchObject({ state: 'SCHEDULED', devices: 4 })
  const at = made.body.id
  for (const n of [1, 2, 3, 4]) (fleet.get(n) as Sim).on = false
  await minute()
  expect((await act(people.platform, at, 'pause', { reason: '等一等' })).body.pause).toBe('MANUAL')
  for (const n of [1, 2, 3, 4]) (fleet.get(n) as Sim).on = true
  await minute(2)
  expect(running('5.13.0')).toBe(0)
  const list = await world.send(people.platform, 'GET', `/apk-rollouts/${at}/devices`)
  const [first, ...rest] = list.body.list as { deviceId: number; stage: number }[]
  expect([first?.stage, ...rest.map((row) => row.stage)].sort()).toEqual([0, 1, 1, 1])
  const left = (list.body.list as { deviceId: number; stage: number }[]).find(
    (row) => row.stage === 1,
  )
  const cancel = () =>
    world.send(people.platform, 'POST', `/apk-rollouts/${at}/devices/${left?.deviceId}/cancel`)
  expect((await cancel()).body).toEqual({ ok: true })
  expect((await cancel()).body.error).toBe('releases.wrongState')
  await act(people.platform, at, 'resume', { reason: '继续' })
  await minute(4)
  expect(await get(at)).toMatchObject({ state: 'DONE', succeeded: 3 })
  // one that says nothing after it began
  const next = await version('5.14.0', 51400, good('5.14.0'))
  await world.rows(`update device_states set apk = '5.13.0' where device_id = 5`)
  const silent = await create(people.platform, plan(next, { orgId: undefined, deviceIds: [5] }))
  await minute()
  await world.rows(
    `update release_updates set state = 'INSTALLING', finished_at = null, reported_at = $1
      where rollout_id = $2`,
    [new Date(+now - 31 * 60_000), silent.body.id],
  )
  await runDue(world.app, rolloutKind(world.app))
  now.setTime(+now + 61_000)
  await runDue(world.app, rolloutKind(world.app))
  expect(await get(silent.body.id)).toMatchObject({ state: 'PAUSED', pause: 'BREAKER', failed: 1 })
})

test('firmware goes before the app of a machine, and needs two people', async () => {
  const app = await version('5.13.0', 51300, good('5.13.0'))
  const firmware = await version('2.5.0', 20500, good('2.5.0'), false, 'FIRMWARE')
  const one = { orgId: undefined, deviceIds: [9], stages: [stage(100)] }
  const hard = await create(people.platform, plan(firmware, one), 'firmware')
  expect(hard.body.state).toBe('PENDING')
  const soft = await create(people.platform, plan(app, one))
  await act(people.second, hard.body.id, 'approve', {}, 'firmware')
  const sim = fleet.get(9) as Sim
  sim.on = false
  await minute()
  const documents = await world.app.database.read(systemScope, (db) =>
    releaseDocuments(world.app, 'APK', db, [9]),
  )
  expect(documents.get(9)?.bodies).toEqual([{ what: 'HOLD' }])
  sim.on = true
  await minute(5)
  expect([sim.updates.runs('FIRMWARE').versionName, sim.updates.runs('APK').versionName]).toEqual([
    '2.5.0',
    '5.13.0',
  ])
  expect((await get(soft.body.id)).state).toBe('DONE')
})

describe('who may', () => {
  test('an agent rolls out to his own machines; others do not see it', async () => {
    const id = await version('5.13.0', 51300, good('5.13.0'))
    const mine = await create(people.agent, plan(id, { orgId: undefined, deviceIds: [1] }))
    expect(mine.status).toBe(200)
    const at = `/apk-rollouts/${mine.body.id}`
    expect((await world.send(people.sibling, 'GET', at)).status).toBe(404)
    expect((await create(people.operator, plan(id, { deviceIds: [machines + 1] }))).status).toBe(
      404,
    )
    expect((await create(people.operator, plan(id, { orgId: 4 }))).status).toBe(404)
    const raced = await Promise.all(
      [1, 2, 3].map(() => create(people.operator, plan(id, { orgId: undefined, deviceIds: [2] }))),
    )
    expect(raced.map((answer) => answer.status).sort()).toEqual([200, 409, 409])
  })
  test('bytes go to a machine that was let, in parts, and to nobody else', async () => {
    const id = await version('5.13.0', 51300, good('5.13.0'))
    const made = await create(people.platform, plan(id, { orgId: undefined, deviceIds: [1] }))
    const { manifest_id } = await world.one<{ manifest_id: number }>(
      'select manifest_id from rollouts where id = $1',
      [made.body.id],
    )
    const ask = (who: string, headers: object = {}) =>
      world.http.inject({
        ...{ method: 'GET', url: `/api/machine/releases/${manifest_id}` },
        headers: { authorization: `Basic ${Buffer.from(who).toString('base64')}`, ...headers },
      })
    expect((await ask(`${rtu(1)}:${secret}`)).statusCode).toBe(404) // not yet
    ;(fleet.get(1) as Sim).on = false
    await minute()
    const whole = await ask(`${rtu(1)}:${secret}`)
    expect([whole.statusCode, whole.rawPayload.equals(good('5.13.0'))]).toEqual([200, true])
    const part = await ask(`${rtu(1)}:${secret}`, { range: 'bytes=900-' })
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([
      ...[206, 'good', 'bytes 900-903/904'],
    ])
    const beyond = await ask(`${rtu(1)}:${secret}`, { range: 'bytes=904-' })
    expect(beyond.statusCode).toBe(416)
    for (const who of [`${rtu(1)}:x`, `${rtu(2)}:${secret}`, 'nobody:x', ''])
      expect([who, (await ask(who)).statusCode]).toEqual([who, 404])
  })
  test('a key that is taken out of the file takes its releases back', async () => {
    const id = await version('5.13.0', 51300, good('5.13.0'))
    await create(people.platform, plan(id, { orgId: undefined, deviceIds: [1] }))
    await bySystem(world.app, (ctx) => sql`select 1`.execute(ctx.db))
    writeFileSync(world.app.config.releaseKeys, '# none\n')
    await minute(3)
    expect(running('5.13.0')).toBe(0)
    writeFileSync(world.app.config.releaseKeys, keyLine(publicKey, 'test'))
  })
})
