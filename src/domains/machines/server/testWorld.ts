import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  add,
  addDevice,
  addLanes,
  addOrganisations,
  type Sql,
} from '../../../../test/factories/things.ts'
import { testConfig } from '../../../../test/support/api.ts'
import { freePort } from '../../../../test/support/freePort.ts'
import { testDatabase } from '../../../../test/support/postgres.ts'
import { openApp } from '../../../apps/app.ts'
import { closeApp } from '../../../server/app.ts'
import type { App } from '../../../server/context.ts'
import type { Machine } from './identity.ts'

/**
 * A database with an organisation and a product, and machines as tests need them; for tests only.
 */
export type World = {
  app: App
  clock: { now: number }
  rows<T extends pg.QueryResultRow = Record<string, unknown>>(
    query: string,
    values?: unknown[],
  ): Promise<T[]>
  /** A machine with four lanes of 50 pieces; its secret is `secret-<number>`. */
  addMachine(): Promise<Machine>
  close(): Promise<void>
}

export async function openWorld(settings: Record<string, string> = {}): Promise<World> {
  const database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'huodao-machines-'))
  const clock = { now: Date.now() }
  const config = testConfig(database.ownerUrl, dataDir, {
    MQTT_PORT: String(await freePort()),
    ...settings,
  })
  const app = await openApp(config, 'test', () => new Date(clock.now))
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const rows: World['rows'] = async (query, values = []) =>
    (await owner.query(query, values)).rows as never
  await addOrganisations(rows as Sql, [1, null, 'PLATFORM', 'p'], [2, 1, 'OPERATOR', 'o'])
  await add(rows as Sql, 'device_types', { id: 1, org_id: 1, screen: true })
  await add(rows as Sql, 'product_categories', { id: 1, org_id: 1 })
  await add(rows as Sql, 'products', { id: 1, org_id: 1, name: 'water' })
  let number = 0
  return {
    app,
    clock,
    rows,
    async addMachine() {
      number += 1
      const rtu = `T${String(number).padStart(6, '0')}`
      const secret_hash = createHash('sha256').update(`secret-${rtu}`).digest()
      const id = await addDevice(
        rows as Sql,
        { org_id: 2, rtu_number: rtu, nickname: rtu, secret_hash },
        { last_seen_at: '2026-01-01' },
      )
      await addLanes(rows as Sql, 4, {
        org_id: 2,
        device_id: id,
        product_id: 1,
        capacity: 50,
        quantity: 50,
      })
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
