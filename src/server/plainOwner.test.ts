import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testConfig } from '../../test/support/api.ts'
import { type Cluster, clusters } from '../../test/support/cluster.ts'
import { openWorld, type World } from '../../test/support/world.ts'
import { openApp } from '../apps/app.ts'
import {
  firstPasswordFile,
  registerFirstPassword,
} from '../domains/accounts/server/firstPassword.ts'
import { archiveLog } from '../domains/audit/server/chain/archive.ts'
import { install } from '../seed/index.ts'
import { closeApp } from './app.ts'
import { dumpSchema, withClient } from './catalogue.ts'
import { systemScope } from './database.ts'
import { refuseOwner } from './installation.ts'
import { checkInvariants } from './invariants.ts'
import { earlier, migrate } from './migrate.ts'
import { ensurePartitions } from './partitions.ts'
import { bySystem } from './run.ts'
import { runByHand } from './schedules.ts'

/**
 * Both ways of docs/operations.md to install on a PostgreSQL somebody else administers, then a
 * business on it.
 */
describe.each(Object.entries(clusters))('%s', (_name, start) => {
  let cluster: Cluster
  let world: World
  const urlOf = (user: string, database: string) =>
    Object.assign(new URL(cluster.adminUrl), {
      username: user,
      password: 'p',
      pathname: `/${database}`,
    }).href
  const asAdmin = async (...statements: string[]) =>
    withClient(cluster.adminUrl, async (client) => {
      for (const statement of statements) await client.query(statement)
    })
  beforeAll(async () => {
    cluster = await start()
  })
  afterAll(async () => {
    await world?.close()
    await cluster?.stop()
  })

  test('an owner who may make roles installs by himself', async () => {
    await asAdmin(
      `create role maker login createrole password 'p'`,
      'create database made owner maker',
    )
    await migrate(urlOf('maker', 'made'))
    expect(await dumpSchema(urlOf('maker', 'made'))).toBe(readFileSync('db/schema.sql', 'utf8'))
  })

  test('somebody else is told what is missing', async () => {
    await asAdmin(`create role other login password 'p'`, 'create database others owner other')
    await expect(migrate(urlOf('other', 'others'))).rejects.toThrow(
      /let an administrator run: grant huodao_app to other/,
    )
    await asAdmin('grant huodao_app to other')
    expect(await migrate(urlOf('other', 'others'), undefined, '0001')).toEqual(['0001_ground.sql'])
  })

  test('a database that a superuser installed before comes to the same', async () => {
    await asAdmin('create database before')
    const url = Object.assign(new URL(cluster.adminUrl), { pathname: '/before' }).href
    await migrate(url, undefined, '0032')
    await withClient(url, async (client) => {
      for (const [name, checksum] of Object.entries(earlier))
        await client.query('update schema_migrations set checksum = $2 where name = $1', [
          name,
          checksum,
        ])
      for (const name of [
        'app_bound',
        'app_mail_server',
        'open_alert_channel',
        'forget_unknown_board',
      ])
        await client.query(`alter function ${name} set app."all" = 'on'`)
    })
    await migrate(url)
    expect(await dumpSchema(url)).toBe(readFileSync('db/schema.sql', 'utf8'))
  })

  test('roles made beforehand: a plain owner installs, a login that owns nothing serves', async () => {
    await asAdmin(
      `create role plain login password 'p' in role huodao_app`,
      `create role server login password 'p' in role huodao_app`,
      'create database business owner plain',
    )
    await migrate(urlOf('plain', 'business'))
    expect(await dumpSchema(urlOf('plain', 'business'))).toBe(readFileSync('db/schema.sql', 'utf8'))
    // organisations, people, orders that are paid, vended and refunded
    world = await openWorld({
      on: {
        ownerUrl: urlOf('plain', 'business'),
        serverUrl: urlOf('server', 'business'),
        drop: async () => {},
      },
    })
    expect(await checkInvariants(world.ownerUrl)).toEqual([])
    expect(await world.sql('select distinct pay_state from orders order by 1')).not.toEqual([])
  })

  test('and what the server did as the owner works', async () => {
    const { app } = world
    const serverUrl = urlOf('server', 'business')
    await ensurePartitions(serverUrl, new Date('2026-04-15T00:00:00Z'), 0, 0)
    expect(await archiveLog(app, 184)).toEqual([{ file: '', rows: 0 }])
    let ran = 0
    await app.jobs.schedule('probe', '0 0 1 1 *', async () => {
      ran += 1
    })
    await bySystem(app, (ctx) => runByHand(ctx, 'probe'))
    for (let turn = 0; turn < 100 && !ran; turn += 1) await sleep(50)
    expect(ran).toBe(1)
    const asServer = (text: string) => withClient(serverUrl, (client) => client.query(text))
    await expect(asServer('drop table orders')).rejects.toThrow(/must be owner/)
    await expect(
      asServer(`select app_drop_log_month('operation_logs_202611', null)`),
    ).rejects.toThrow(/may go/)
    await expect(asServer(`select app_make_month('users', '2026-01-01')`)).rejects.toThrow(
      /no month of facts/,
    )
  })
  test('production takes a login that owns nothing, and says which login would have to migrate', async () => {
    await refuseOwner(urlOf('server', 'business'))
    await expect(refuseOwner(urlOf('plain', 'business'))).rejects.toThrow(
      /plain, which owns the database/,
    )
    await expect(refuseOwner(cluster.adminUrl)).rejects.toThrow(/is a superuser/)
    expect(await migrate(urlOf('server', 'business'))).toEqual([])
    await asAdmin('create database shop owner plain')
    await expect(migrate(urlOf('server', 'shop'))).rejects.toThrow(/DATABASE_OWNER_URL/)
  })

  test('the first administrator’s password is in no log, and goes with its file', async () => {
    const databaseUrl = urlOf('server', 'shop')
    await migrate(urlOf('plain', 'shop'))
    const dataDir = mkdtempSync(join(tmpdir(), 'hd-first-'))
    const said: string[] = []
    const config = testConfig(databaseUrl, dataDir, { PRODUCTION: '1' })
    await install({ databaseUrl, config, log: (line) => said.push(line) })
    const file = firstPasswordFile(dataDir)
    const [name = '', password = ''] = readFileSync(file, 'utf8').split('\n')
    expect([
      name,
      password.length,
      statSync(file).mode & 0o777,
      said.join().includes(password),
    ]).toEqual(['super', 16, 0o600, false])
    expect(said.join()).toContain(file)
    // what the database is now holds for every process
    await expect(openApp({ ...config, secretKey: 'f'.repeat(64) }, 'test')).rejects.toThrow(
      /not the key/,
    )
    await expect(
      install({ databaseUrl, config: testConfig(databaseUrl, dataDir), log: () => {} }),
    ).rejects.toThrow(/real business/)
    const app = await openApp(config, 'test')
    await registerFirstPassword(app)
    app.jobs.poke('first-password')
    await sleep(200)
    expect(existsSync(file)).toBe(true)
    // nobody came for a while: it opens all the same
    await app.database.transact(systemScope, (db) =>
      sql`update users set password_changed_at = now() - interval '30 days'`.execute(db),
    )
    app.jobs.poke('first-password')
    const old = () =>
      app.database.read(systemScope, (db) =>
        sql`select 1 from users where password_changed_at < now() - interval '1 day'`.execute(db),
      )
    await expect.poll(async () => (await old()).rows).toEqual([])
    await app.database.transact(systemScope, (db) =>
      db.updateTable('users').set({ must_change_password: false }).execute(),
    )
    app.jobs.poke('first-password')
    for (let turn = 0; turn < 100 && existsSync(file); turn += 1) await sleep(20)
    expect(existsSync(file)).toBe(false)
    await closeApp(app)
    rmSync(dataDir, { recursive: true, force: true })
  })
})
