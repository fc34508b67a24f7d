import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { testConfig } from '../../../../test/support/api.ts'
import { freePort } from '../../../../test/support/freePort.ts'
import { testDatabase } from '../../../../test/support/postgres.ts'
import { openApp } from '../../../apps/app.ts'
import { closeApp } from '../../../server/app.ts'
import type { App } from '../../../server/context.ts'
import type { Machine } from './identity.ts'

/** A database with an organisation and a product, and machines as tests need them; for tests only. */
export type World = {
  app: App
  clock: { now: number }
  rows<T extends pg.QueryResultRow = Record<string, unknown>>(query: string, values?: unknown[]): Promise<T[]>
  /** A machine with four lanes of 50 pieces; its secret is `secret-<number>`. */
  addMachine(): Promise<Machine>
  close(): Promise<void>
}

export async function openWorld(settings: Record<string, string> = {}): Promise<World> {
  const database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'huodao-machines-'))
  const clock = { now: Date.now() }
  const config = testConfig(database.ownerUrl, dataDir, { MQTT_PORT: String(await freePort()), ...settings })
  const app = await openApp(config, 'test', () => new Date(clock.now))
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const rows: World['rows'] = async (query, values = []) => (await owner.query(query, values)).rows as never
  await rows(`insert into organisations (id, parent_id, path, kind, name) values (1, null, '1', 'PLATFORM', 'p'), (2, 1, '1.2', 'OPERATOR', 'o')`)
  await rows(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor, max_levels, max_roads) values (1, 1, 't', true, true, 'spring', 'GENERAL', true, 6, 10)`,
  )
  await rows(`insert into product_categories (id, org_id, name) values (1, 1, 'c')`)
  await rows(
    `insert into products (id, org_id, category_id, name, model, drug_class, cost_price, retail_price, images) values (1, 1, 1, 'water', 'x', 'NONE', 100, 300, '{a}')`,
  )
  let number = 0
  return {
    app,
    clock,
    rows,
    async addMachine() {
      number += 1
      const rtu = `T${String(number).padStart(6, '0')}`
      const [device] = await rows<{ id: string }>(
        `insert into devices (org_id, rtu_number, nickname, type_id, province, city, county, address, kind, lifecycle, drop_sensor, secret_hash)
        values (2, $1, $1, 1, '110000', '110100', '110101', 'a', 'GENERAL', 'OPERATING', true, $2) returning id`,
        [rtu, createHash('sha256').update(`secret-${rtu}`).digest()],
      )
      const id = Number(device?.id)
      await rows(`insert into device_states (device_id, org_id, online, last_seen_at) values ($1, 2, true, '2026-01-01')`, [id])
      const [floor] = await rows<{ id: string }>(`insert into lane_floors (org_id, device_id, level, name) values (2, $1, 1, '1') returning id`, [id])
      await rows(
        `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id, capacity, quantity, retail_price, price) select 2, $1, $2, n, n, n, 1, 50, 50, 300, 300 from generate_series(1, 4) n`,
        [id, floor?.id],
      )
      return { id, orgId: 2, rtu, epoch: 0 }
    },
    async close() {
      await closeApp(app)
      await owner.end()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
