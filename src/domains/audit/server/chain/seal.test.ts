import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../../../test/support/api.ts'
import { systemScope } from '../../../../server/database.ts'
import { ensurePartitions } from '../../../../server/partitions.ts'
import { seedAccess } from '../../../accounts/seed.ts'
import { session } from '../../../session/contract.ts'
import { archiveLog } from './archive.ts'
import { copyHead, headFile } from './heads.ts'
import {
  firstLink,
  firstRows,
  genesis,
  hashedColumns,
  linkHash,
  sealHead,
  sealOnce,
} from './seal.ts'
import { verifyLog } from './verify.ts'

let api: TestApi
let now = new Date('2026-11-21T06:00:00Z')
beforeAll(async () => {
  api = await startTestApi({ now: () => now })
  await ensurePartitions(api.ownerUrl, now, 1, 1)
  await api.app.database.transact(systemScope, (db) => seedAccess(db, now))
  await api.sql(
    `insert into users (org_id, username, password_hash, real_name) values (1, 'me', 'x', 'me')`,
  )
  await api.sql(
    `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1 from users u, roles r
      where r.code = 'ROLE_ADMIN'`,
  )
})
afterAll(async () => api.close())

const verify = () => verifyLog(api.app)
const broken = async () => (await verify()).broken
/**
 * Other databases of the server may hold the snapshot back for a moment: what is not sealed now is
 * sealed soon.
 */
async function sealed(rows: number): Promise<void> {
  for (let left = rows, tries = 0; left > 0 && tries < 200; tries += 1) {
    left -= await sealOnce(api.app)
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
/** As somebody with the whole database in hand, whom no trigger stops. */
const asOwner = async (...statements: string[]) => {
  for (const statement of [
    `set session_replication_role = 'replica'`,
    ...statements,
    `set session_replication_role = 'origin'`,
  ])
    await api.sql(statement)
}
const row = (at = now, org = 1) => ({
  org_id: org,
  created_at: at,
  username: 'x',
  level: 'INFO' as const,
  action: 'session.logout',
  content: '退出登录：x',
  resource_id: '1',
  ip_address: '',
  request_id: '',
})
const write = async (n: number, at = now) => {
  for (let i = 0; i < n; i += 1)
    await api.app.database.transact(systemScope, (db) =>
      db.insertInto('operation_logs').values(row(at)).execute(),
    )
}
const columns = [...hashedColumns].sort().join(', ')
const seals = () =>
  api.sql<{ seq: number; log_id: number }>(
    'select seq::int as seq, log_id::int as log_id from operation_log_seals order by seq',
  )
const idOf = async (seq: number) =>
  (await seals()).find((seal) => seal.seq === seq)?.log_id as number

/** Twelve rows, sealed, with heads copied after six and after twelve. */
beforeEach(async () => {
  now = new Date('2026-11-21T06:00:00Z')
  await asOwner(
    'truncate operation_logs',
    'truncate operation_log_seals',
    'truncate log_checkpoints',
  )
  rmSync(headFile(api.app.config.dataDir), { force: true })
  for (let half = 0; half < 2; half += 1) {
    await write(6)
    await sealed(6)
    await copyHead(api.app)
  }
})

/**
 * The chain made again from `seq` on, as its own sealer would: only the copied heads know better.
 */
async function rechain(seq: number): Promise<void> {
  await asOwner(`delete from operation_log_seals where seq >= ${seq}`)
  await sealed(13 - seq)
}

describe('what was tampered with is located', () => {
  test('nothing, when nothing was', async () => {
    expect(await verify()).toEqual({ checked: 12, total: 12, heads: 2, broken: null })
    expect(await sealOnce(api.app)).toBe(0)
  })
  test('the hash covers every column', async () => {
    const found = await api.sql<{ name: string }>(
      `select column_name as name from information_schema.columns
        where table_name = 'operation_logs' order by 1`,
    )
    expect(found.map(({ name }) => name).join(', ')).toBe(columns)
  })
  test('1. a row that was altered, whatever the column', async () => {
    const id = await idOf(4)
    const changes: Record<string, string> = {
      content: `content || ' '`,
      result: `'REFUSED'`,
      before: `'{}'::jsonb`,
      duration_ms: 'duration_ms + 1',
      user_agent: `'x'`,
      actor_org_id: '7',
      user_id: '7',
      error_name: `'x'`,
      target_name: `'x'`,
      ip_address: `'1.1.1.1'`,
    }
    for (const [column, value] of Object.entries(changes)) {
      const [old] = await api.sql<{ old: unknown }>(
        `select ${column} as old from operation_logs where id = ${id}`,
      )
      await asOwner(`update operation_logs set ${column} = ${value} where id = ${id}`)
      expect([column, await broken()]).toEqual([
        column,
        { seq: 4, logId: id, at: expect.stringContaining('2026-11-21T06:00:00'), why: 'CHANGED' },
      ])
      await asOwner(
        `update operation_logs set ${column} = ${old?.old === null ? 'null' : `'${old?.old}'`}
          where id = ${id}`,
      )
    }
    expect(await broken()).toBeNull()
  })
  test('2. a row that was deleted, in the middle and with its seal', async () => {
    const id = await idOf(5)
    await asOwner(`delete from operation_logs where id = ${id}`)
    expect(await broken()).toMatchObject({ seq: 5, logId: id, why: 'MISSING' })
    await asOwner(`delete from operation_log_seals where seq = 5`)
    expect(await broken()).toMatchObject({ seq: 5, why: 'MISSING' })
  })
  test('3. a row that was slipped in behind the seals, before all, or from the future', async () => {
    for (const [txid, seq] of [
      [`(select txid from operation_logs where id = ${await idOf(5)})`, 6],
      [`'0'::xid8`, 1],
      [`'4000000000'::xid8`, 12],
    ] as const) {
      await asOwner(`insert into operation_logs (org_id, created_at, id, txid, username, level,
        action, content, resource_id, ip_address, request_id)
        select org_id, created_at, 900000, ${txid}, username, level, action, content, resource_id,
          ip_address, request_id from operation_logs where id = ${await idOf(1)}`)
      expect(await broken()).toMatchObject({ seq, logId: 900000, why: 'INSERTED' })
      await asOwner('delete from operation_logs where id = 900000')
    }
    expect(await broken()).toBeNull()
  })
  test('4. rows or seals that changed places', async () => {
    const [a, b] = [await idOf(7), await idOf(8)]
    const swap = [
      `update operation_logs set content = '甲' where id = ${a}`,
      `update operation_logs set content = '乙' where id = ${b}`,
    ]
    await asOwner(...swap)
    expect(await broken()).toMatchObject({ seq: 7, why: 'CHANGED' })
    await asOwner(`update operation_logs set content = '退出登录：x'`)
    await asOwner(
      'update operation_log_seals set seq = 1000 where seq = 7',
      'update operation_log_seals set seq = 7 where seq = 8',
      'update operation_log_seals set seq = 8 where seq = 1000',
    )
    expect(await broken()).toMatchObject({ seq: 7, why: 'INSERTED', logId: a })
  })
  test('5. an end that was cut off, by the copied heads', async () => {
    await asOwner(
      `delete from operation_logs where id >= ${await idOf(10)}`,
      'delete from operation_log_seals where seq >= 10',
    )
    expect(await verify()).toEqual({
      checked: 9,
      total: 9,
      heads: 2,
      broken: { seq: 10, logId: null, at: now.toISOString(), why: 'TRUNCATED' },
    })
  })
  test('6. a chain that was made again over an altered row, by the copied heads', async () => {
    await asOwner(
      `update operation_logs set username = 'somebody else' where id = ${await idOf(9)}`,
    )
    await rechain(9)
    expect(await broken()).toMatchObject({ seq: 7, why: 'REWRITTEN' })
    await rechain(1)
    expect(await broken(), 'the head after six still agrees').toMatchObject({
      seq: 7,
      why: 'REWRITTEN',
    })
  })
  test('and copied heads that were edited or left out', async () => {
    const file = headFile(api.app.config.dataDir)
    const [first = '', second = ''] = readFileSync(file, 'utf8').trim().split('\n')
    const { hash } = await api.app.database.read(systemScope, sealHead)
    writeFileSync(file, `${first}\n${second.replace(hash.toString('hex'), '0'.repeat(64))}\n`)
    expect(await broken()).toEqual({ seq: 12, logId: null, at: null, why: 'HEADS' })
    writeFileSync(file, `${second}\n`)
    expect(await broken()).toMatchObject({ why: 'HEADS' })
    writeFileSync(file, `${first}\n${second}\n{"at":"20`)
    await write(1)
    await sealed(1)
    await copyHead(api.app)
    expect(await verify(), 'what a crash left behind the last line is cut off').toMatchObject({
      heads: 3,
      broken: null,
    })
    appendFileSync(file, '{}\n')
    expect(await broken()).toMatchObject({ why: 'HEADS' })
  })
})

test('a running transaction is not sealed over', async () => {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = api.app.database.transact(systemScope, async (db) => {
    await db.insertInto('operation_logs').values(row()).execute()
    started.resolve()
    await ended.promise
  })
  await started.promise
  await api.call(session.logout, {}, { token: await api.login('me') })
  expect(await sealOnce(api.app)).toBe(0)
  ended.resolve()
  await running
  await sealed(2)
  expect(await verify()).toMatchObject({ checked: 14, broken: null })
})

test('rows sealed before every column was hashed still fit, and their new columns must be empty', async () => {
  await asOwner('truncate operation_log_seals')
  rmSync(headFile(api.app.config.dataDir))
  const old = await api.app.database.read(systemScope, (db) => firstRows(db, genesis, sql`true`, 3))
  let hash = Buffer.alloc(32) as Buffer
  for (const [index, entry] of old.entries()) {
    hash = firstLink(hash, entry)
    await api.sql(
      `insert into operation_log_seals (seq, log_id, org_id, log_created_at, epoch, txid, version,
        hash) select $1, id, org_id, created_at, epoch, txid, 1, $2 from operation_logs
        where id = $3`,
      [index + 1, hash, entry.logId],
    )
  }
  await sealed(9)
  expect(await verify()).toMatchObject({ checked: 12, broken: null })
  await asOwner(`update operation_logs set target_name = 'x' where id = ${await idOf(2)}`)
  expect(await broken()).toMatchObject({ seq: 2, why: 'CHANGED' })
  expect(linkHash(hash, 4, hash)).toHaveLength(32)
})

test('a restored database goes on in an epoch of its own: small transaction numbers stand behind large ones', async () => {
  await asOwner(
    `update operation_logs set txid = '3000000000'::xid8`,
    'truncate operation_log_seals',
  )
  rmSync(headFile(api.app.config.dataDir))
  await api.sql(`select setval('operation_log_epoch', last_value + 1) from operation_log_epoch`)
  await sealed(12)
  await write(2)
  await sealed(2)
  expect(await verify()).toMatchObject({ checked: 14, broken: null })
})

describe('the archive', () => {
  const archive = () => archiveLog(api.app, 180)
  /**
   * Two months ago six rows, then one of a transaction that began before midnight, then this
   * month's.
   */
  async function age(): Promise<void> {
    await asOwner('truncate operation_logs', 'truncate operation_log_seals')
    rmSync(headFile(api.app.config.dataDir))
    await ensurePartitions(api.ownerUrl, new Date('2026-04-15T00:00:00Z'), 0, 1)
    const end = new Date('2026-05-01T00:00:00Z').getTime()
    await write(5, new Date(end - 5000))
    await write(1, new Date(end + 10))
    await write(1, new Date(end - 10))
    await write(3, new Date(end + 20_000))
    await sealed(10)
    await copyHead(api.app)
  }
  const month = async () =>
    (await api.sql(`select 1 from pg_class where relname = 'operation_logs_202604'`)).length

  test('leaves a file and a signed checkpoint from which the chain goes on', async () => {
    await age()
    expect(await archive()).toEqual([{ file: 'operation_logs_202604.jsonl.gz', rows: 7 }])
    expect(await month()).toBe(0)
    const lines = gunzipSync(
      readFileSync(join(api.app.config.dataDir, 'archive/operation_logs_202604.jsonl.gz')),
    )
      .toString()
      .trim()
      .split('\n')
    expect(lines.length).toBe(8)
    expect(JSON.parse(lines[0] as string)).toMatchObject({ from: 1, to: 7 })
    expect(JSON.parse(lines[7] as string)).toMatchObject({
      seq: 7,
      row: { action: 'session.logout' },
    })
    expect(await verify()).toMatchObject({ checked: 3, broken: null })
    expect(await archive()).toEqual([])
    await write(1)
    await sealed(1)
    await copyHead(api.app)
    expect(await verify()).toMatchObject({ checked: 4, broken: null })

    const [kept] = await api.sql<{ id: number }>(
      `select (stragglers->0->>0)::int as id from log_checkpoints`,
    )
    await asOwner(`update operation_logs set content = 'x' where id = ${kept?.id}`)
    expect(await broken()).toMatchObject({ seq: 7, logId: kept?.id, why: 'CHANGED' })
    await asOwner(`update operation_logs set content = '退出登录：x' where id = ${kept?.id}`)
    await asOwner(`update log_checkpoints set seq = 6`)
    expect(await broken()).toMatchObject({ why: 'CHECKPOINT' })
    await asOwner('truncate log_checkpoints')
    expect(await broken()).toMatchObject({ seq: 1, why: 'MISSING' })
  })
  test('does not touch what is younger, not sealed or does not fit', async () => {
    await age()
    expect(await archiveLog(api.app, 300)).toEqual([])
    await asOwner(`update operation_logs set content = 'x' where id = ${await idOf(2)}`)
    expect(await archive()).toEqual([{ kept: 'operation_logs_202604', why: 'BROKEN' }])
    await asOwner(`update operation_logs set content = '退出登录：x'`)
    await write(1, new Date('2026-04-30T23:00:00Z'))
    expect(await archive()).toEqual([{ kept: 'operation_logs_202604', why: 'UNSEALED' }])
    expect([
      await month(),
      existsSync(join(api.app.config.dataDir, 'archive/operation_logs_202604.jsonl.gz.part')),
    ]).toEqual([1, false])
  })
})
