import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { testDatabase } from '../../../../test/support/postgres.ts'
import { closeApp, openApp } from '../../../server/app.ts'
import { loadConfig } from '../../../server/config.ts'
import type { App } from '../../../server/context.ts'
import { buildHttp } from '../../../server/http.ts'
import { tokenHash } from '../../../server/sessions.ts'

/** Platform 1 over agent 2 over operators 3 and 4; operator 5 stands beside the agent. Users carry the id of their organisation. */
export type World = {
  app: App
  http: FastifyInstance
  now: Date
  owner: pg.Client
  send(user: number, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<Answer>
  raw(user: number, url: string, payload: Buffer, headers: Record<string, string>): Promise<Answer>
  rows<T = Record<string, unknown>>(text: string, values?: unknown[]): Promise<T[]>
  upload(orgId: number): Promise<string>
  close(): Promise<void>
}
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by tests
export type Answer = { status: number; body: any }

const all = [
  'product:read',
  'product:create',
  'product:update',
  'product:delete',
  'product:publish',
  'product:cost',
  'product-category:read',
  'product-category:create',
  'product-category:update',
  'product-category:delete',
  'stock-flow:read',
  'upload:create',
]
/** Users besides those of the organisations: no cost (6), a clerk who may only read (7), a replenisher of machine 1 (8). */
export const people = { platform: 1, agent: 2, operator: 3, sibling: 4, stranger: 5, noCost: 6, reader: 7, replenisher: 8 }

export async function openWorld(now = new Date('2026-11-21T06:00:00Z')): Promise<World> {
  const database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'huodao-products-'))
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const tokens = await people_(owner, now)
  const config = loadConfig({
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    RATE_LIMIT: '100000',
    SECRET_KEY: '0'.repeat(64),
    SIM_PAY_KEY: '1'.repeat(64),
  })
  const app = await openApp(config, 'test', () => now)
  const http = await buildHttp(app)
  const answer = (response: { statusCode: number; json: () => unknown }): Answer => ({ status: response.statusCode, body: response.json() })
  return {
    app,
    http,
    now,
    owner,
    send: async (user, method, url, body) =>
      answer(
        await http.inject({
          method,
          url: `/api${url}`,
          headers: { authorization: tokens.get(user) ?? '', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        }),
      ),
    raw: async (user, url, payload, headers) =>
      answer(await http.inject({ method: 'POST', url: `/api${url}`, payload, headers: { authorization: tokens.get(user) ?? '', ...headers } })),
    rows: async <T>(text: string, values: unknown[] = []) => (await owner.query(text, values)).rows as T[],
    async upload(orgId) {
      const url = `files/${crypto.randomUUID()}.png`
      await owner.query(`insert into uploads (org_id, kind, mime, bytes, sha256, url) values ($1, 'IMAGE', 'image/png', 10, 'x', $2)`, [orgId, url])
      return url
    },
    async close() {
      await http.close()
      await closeApp(app)
      await owner.end()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function people_(owner: pg.Client, now: Date): Promise<Map<number, string>> {
  const orgs: [number, number | null, string, string][] = [
    [1, null, '1', 'PLATFORM'],
    [2, 1, '1.2', 'AGENT'],
    [3, 2, '1.2.3', 'OPERATOR'],
    [4, 2, '1.2.4', 'OPERATOR'],
    [5, 1, '1.5', 'OPERATOR'],
  ]
  for (const [id, parent, path, kind] of orgs) {
    await owner.query(`insert into organisations (id, parent_id, path, kind, name) values ($1, $2, $3, $4, $5) on conflict do nothing`, [
      id,
      parent,
      path,
      kind,
      `机构${id}`,
    ])
  }
  for (const code of all) await owner.query(`insert into permissions values ($1, 'product', $1, $1, 1) on conflict do nothing`, [code])
  const tokens = new Map<number, string>()
  for (const [user, org, scope, permissions] of [
    ...[1, 2, 3, 4, 5].map((id) => [id, id, id === 1 ? 'ALL' : 'ORG_TREE', all] as const),
    [6, 3, 'ORG_TREE', all.filter((code) => code !== 'product:cost')] as const,
    [7, 3, 'ORG_TREE', ['product:read']] as const,
    [8, 3, 'ASSIGNED_DEVICES', ['product:read', 'stock-flow:read']] as const,
  ]) {
    const role = 900 + user
    await owner.query(`insert into users (id, org_id, username, password_hash, real_name) values ($1, $2, $3, 'x', $4)`, [
      900 + user,
      org,
      `test${user}`,
      `员工${user}`,
    ])
    await owner.query(`insert into roles (id, org_id, code, name, name_en, rank, data_scope) values ($1, $2, $3, $3, 'r', 1, $4)`, [
      role,
      org,
      `ROLE_TEST_${user}`,
      scope,
    ])
    await owner.query('insert into user_roles (user_id, role_id, org_id) values ($1, $2, $3)', [900 + user, role, org])
    for (const code of permissions) await owner.query('insert into role_permissions values ($1, $2)', [role, code])
    const token = randomBytes(32).toString('base64url')
    await owner.query(
      `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at, last_seen_at, expires_at) values ($1, $2, $3, '', '', $4, $4, $5)`,
      [tokenHash(token), 900 + user, org, now, new Date(now.getTime() + 86_400_000)],
    )
    tokens.set(user, token)
  }
  return tokens
}

/** A machine of operator 3 with one floor; lanes are added by `addLane`. */
export async function addDevice(world: World, id: number, orgId: number, kind = 'GENERAL', mode: string | null = null): Promise<void> {
  await world.rows(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor, max_levels, max_roads) values (1, 1, 'T', true, true, 'spring', 'GENERAL', true, 6, 10) on conflict do nothing`,
  )
  await world.rows(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county, address, kind, lifecycle, dispensing_mode, licence_no, licence_address, drop_sensor, secret_hash)
    values ($1, $2, $3, $4, 1, '440000', '440300', '440305', 'A', $5, 'OPERATING', $6, 'L', 'A', true, '\\x00')`,
    [id, orgId, `HD${String(id).padStart(6, '0')}`, `机器${id}`, kind, mode],
  )
  await world.rows(`insert into lane_floors (id, org_id, device_id, level, name) values ($1, $2, $1, 1, '1')`, [id, orgId])
}

export async function addLane(world: World, deviceId: number, orgId: number, road: number, productId: number, price: number): Promise<number> {
  const [row] = await world.rows<{ id: string }>(
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id, capacity, quantity, retail_price, price) values ($1, $2, $2, $3, $3, $3, $4, 10, 6, $5, $5) returning id`,
    [orgId, deviceId, road, productId, price],
  )
  return Number(row?.id)
}
