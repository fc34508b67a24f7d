import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { testDatabase } from '../../../../test/support/postgres.ts'
import { closeApp, openApp } from '../../../server/app.ts'
import { loadConfig } from '../../../server/config.ts'
import { buildHttp } from '../../../server/http.ts'
import { tokenHash } from '../../../server/sessions.ts'

/** Platform 1 over agent 2 over operators 3 and 4; operator 5 stands beside the agent. Users carry the id of their organisation. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by tests
export type Answer = { status: number; body: any }
export type World = Awaited<ReturnType<typeof openWorld>>

const all = [
  'dashboard:read',
  'product:read',
  'device:read',
  'device:create',
  'device:update',
  'device:delete',
  'device-type:read',
  'device-type:create',
  'device-type:update',
  'device-type:delete',
  'lane:read',
  'lane:update',
  'lane:merge',
  'lane:rebuild',
  'lane:copy',
  'lane:price',
  'lane:lock',
  'fault:read',
  'fault:update',
  'dashboard:money',
  'product:cost',
]
/** Besides the organisations: a reader without money and cost (6), a repairer of no machine yet (7), a replenisher of machine 1 (8). */
export const people = { platform: 1, agent: 2, operator: 3, sibling: 4, stranger: 5, reader: 6, repairer: 7, replenisher: 8 }
export const now = new Date('2026-11-21T06:00:00Z')

export async function openWorld() {
  const database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'huodao-devices-'))
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const tokens = await addPeople(owner)
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
  const rows = async <T = Record<string, unknown>>(text: string, values: unknown[] = []) => (await owner.query(text, values)).rows as T[]
  return {
    app,
    owner,
    rows,
    async send(user: number, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<Answer> {
      const json = body === undefined ? {} : { payload: JSON.stringify(body) }
      const response = await http.inject({
        method,
        url: `/api${url}`,
        headers: { authorization: tokens.get(user) ?? '', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...json,
      })
      return { status: response.statusCode, body: response.json() }
    },
    /** Rows as anybody may not see them, for comparing before and after. */
    one: async <T = Record<string, unknown>>(text: string, values: unknown[] = []) => (await rows<T>(text, values))[0] as T,
    async close() {
      await http.close()
      await closeApp(app)
      await owner.end()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function addPeople(owner: pg.Client): Promise<Map<number, string>> {
  const orgs: [number, number | null, string, string][] = [
    [1, null, '1', 'PLATFORM'],
    [2, 1, '1.2', 'AGENT'],
    [3, 2, '1.2.3', 'OPERATOR'],
    [4, 2, '1.2.4', 'OPERATOR'],
    [5, 1, '1.5', 'OPERATOR'],
    [6, 1, '1.6', 'SUPPLIER'],
  ]
  for (const [id, parent, path, kind] of orgs)
    await owner.query('insert into organisations (id, parent_id, path, kind, name) values ($1, $2, $3, $4, $5) on conflict do nothing', [
      id,
      parent,
      path,
      kind,
      `机构${id}`,
    ])
  for (const code of all) await owner.query('insert into permissions values ($1, $2, $1, $1, 1) on conflict do nothing', [code, 'device'])
  const tokens = new Map<number, string>()
  for (const [user, org, scope, permissions] of [
    ...[1, 2, 3, 4, 5].map((id) => [id, id, id === 1 ? 'ALL' : 'ORG_TREE', all] as const),
    [6, 3, 'ORG_TREE', ['device:read', 'lane:read']] as const,
    [7, 3, 'ASSIGNED_DEVICES', ['device:read', 'device:create', 'device:update', 'lane:read', 'fault:read', 'fault:update']] as const,
    [8, 3, 'ASSIGNED_DEVICES', ['device:read', 'lane:read']] as const,
  ]) {
    const code = user === 7 ? 'ROLE_RTU_REPAIRER' : `ROLE_TEST_${user}`
    await owner.query(`insert into users (id, org_id, username, password_hash, real_name) values ($1, $2, $3, 'x', $4)`, [
      900 + user,
      org,
      `test${user}`,
      `员工${user}`,
    ])
    await owner.query(`insert into roles (id, org_id, code, name, name_en, rank, data_scope) values ($1, $2, $3, $3, 'r', 1, $4)`, [
      900 + user,
      org,
      code,
      scope,
    ])
    await owner.query('insert into user_roles (user_id, role_id, org_id) values ($1, $2, $3)', [900 + user, 900 + user, org])
    for (const permission of permissions) await owner.query('insert into role_permissions values ($1, $2)', [900 + user, permission])
    const token = randomBytes(32).toString('base64url')
    await owner.query(
      `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at, last_seen_at, expires_at) values ($1, $2, $3, '', '', $4, $4, $5)`,
      [tokenHash(token), 900 + user, org, now, new Date(now.getTime() + 86_400_000)],
    )
    tokens.set(user, token)
  }
  // types of the platform: spring 1, drug 2, small 3; a type of another operator: 4
  for (const [id, org, name, kind, pattern, levels, roads] of [
    [1, 1, '弹簧机', 'GENERAL', 'spring', 6, 10],
    [2, 1, '售药机', 'DRUG', 'lift', 6, 10],
    [3, 1, '小机', 'GENERAL', 'spring', 2, 5],
    [4, 5, '外机', 'GENERAL', 'spring', 6, 10],
  ] as const) {
    await owner.query(
      'insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor, max_levels, max_roads) values ($1, $2, $3, false, true, $4, $5, true, $6, $7)',
      [id, org, name, pattern, kind, levels, roads],
    )
  }
  await owner.query(`insert into product_categories (id, org_id, name) values (1, 1, '饮料')`)
  for (const [id, org, drug, status] of [
    [1, 3, 'NONE', 'ON'],
    [2, 1, 'NONE', 'ON'],
    [3, 3, 'OTC_B', 'ON'],
    [4, 3, 'OTC_A', 'ON'],
    [5, 3, 'RX', 'ON'],
    [6, 5, 'NONE', 'ON'],
    [7, 3, 'NONE', 'OFF'],
    [8, 4, 'NONE', 'ON'],
  ] as const) {
    await owner.query(
      `insert into products (id, org_id, category_id, name, model, drug_class, cost_price, retail_price, approval_no, dosage_form, manufacturer, images, status) values ($1, $2, 1, $3, '1件', $4, 100, 300, $5, $6, '厂', '{x}', $7)`,
      [id, org, `商品${id}`, drug, drug === 'NONE' ? null : '国药准字Z20147726', drug === 'NONE' ? null : '丸剂', status],
    )
  }
  // rows with ids of their own stand below, rows of the product from 1000 on
  for (const table of ['devices', 'device_types']) await owner.query(`alter table ${table} alter column id restart with 1000`)
  return tokens
}

/** A machine straight into the tables; type 1 unless it is a drug machine. */
export async function addDevice(
  world: World,
  id: number,
  orgId: number,
  more: { kind?: string; mode?: string; lifecycle?: string; online?: boolean } = {},
): Promise<void> {
  const drug = more.kind === 'DRUG'
  await world.rows(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county, address, kind, lifecycle, dispensing_mode, licence_no, licence_address, drop_sensor, secret_hash, board_no, created_at)
    values ($1, $2, $3, $4, $5, '440000', '440300', '440305', '科苑路15号', $6, $7, $8, $9, $10, true, 'x', $11, $12)`,
    [
      id,
      orgId,
      `HD${String(id).padStart(6, '0')}`,
      `机器${id}`,
      drug ? 2 : 1,
      more.kind ?? 'GENERAL',
      more.lifecycle ?? 'OPERATING',
      drug ? (more.mode ?? 'UNATTENDED') : null,
      drug ? '粤DB1' : '',
      drug ? '深圳市南山区科苑路15号' : '',
      more.lifecycle === 'SCRAPPED' ? null : `BOARD-${id}`,
      now,
    ],
  )
  await world.rows('insert into device_states (device_id, org_id, online) values ($1, $2, $3)', [id, orgId, more.online ?? true])
}
