import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { seedAccess, seedDemoPeople } from '../domains/accounts/seed.ts'
import { firstAdministrator } from '../domains/accounts/server/bootstrap.ts'
import { writeFirstPassword } from '../domains/accounts/server/firstPassword.ts'
import { seedAdMaterials, seedProgramGroups } from '../domains/ad-materials/seed.ts'
import { seedAlerts } from '../domains/alerts/seed.ts'
import { seedAudit } from '../domains/audit/seed.ts'
import { seedBatches, seedLayers, seedRecalls } from '../domains/batches/seed.ts'
import { seedBilling } from '../domains/billing/seed.ts'
import { seedBoards } from '../domains/boards/seed.ts'
import { seedComplaints } from '../domains/complaints/seed.ts'
import { seedDeviceCommands } from '../domains/device-commands/seed.ts'
import { seedDeviceSettings } from '../domains/device-settings/seed.ts'
import { seedDeviceTags } from '../domains/device-tags/seed.ts'
import { demoSecret, seedDevices } from '../domains/devices/seed.ts'
import { seedDistribution } from '../domains/distribution/seed.ts'
import { seedDrugControl } from '../domains/drug-control/seed.ts'
import { seedEvidence } from '../domains/drug-evidence/seed.ts'
import { seedInvoices } from '../domains/invoices/seed.ts'
import { seedJobs } from '../domains/jobs/seed.ts'
import { seedLanes } from '../domains/lanes/seed.ts'
import { seedPlanograms } from '../domains/lanes/seedPlanograms.ts'
import { seedOutages, seedTelemetry } from '../domains/machines/seed.ts'
import { seedMedicalInsurance } from '../domains/medical-insurance/seed.ts'
import { seedNotices } from '../domains/notices/seed.ts'
import { seedOrderSupplements } from '../domains/order-supplements/seed.ts'
import { seedPaymentConfigs } from '../domains/payment-configs/seed.ts'
import { seedProducts } from '../domains/products/seed.ts'
import { seedReconciliation } from '../domains/reconciliation/seed.ts'
import { seedReferrers } from '../domains/referrers/seed.ts'
import { demoKey, seedRollouts, seedVersions } from '../domains/releases/seed.ts'
import { seedReplenishment } from '../domains/replenishment/seed.ts'
import { seedRoles } from '../domains/roles/seed.ts'
import { seedSecurity } from '../domains/security/seed.ts'
import { seedSession } from '../domains/session/seed.ts'
import { seedCalendar, seedSettings } from '../domains/settings/seed.ts'
import { seedReceivers } from '../domains/split-receivers/seed.ts'
import { seedSplitSimulations } from '../domains/split-simulations/seed.ts'
import { seedSplitStrategies } from '../domains/split-strategies/seed.ts'
import { seedSplits } from '../domains/splits/seed.ts'
import { seedStockWarnings } from '../domains/stock-warnings/seed.ts'
import { seedStores } from '../domains/stores/seed.ts'
import { seedSubscriptions } from '../domains/subscriptions/seed.ts'
import { seedSuppliers } from '../domains/suppliers/seed.ts'
import { seedAvatars } from '../domains/users/avatars.ts'
import { seedUsers } from '../domains/users/seed.ts'
import { seedWithdrawals } from '../domains/withdrawals/seed.ts'
import { beginBuyers, foldBuyers } from '../server/buyerFolds.ts'
import { withClient } from '../server/catalogue.ts'
import type { Config } from '../server/config.ts'
import { type Database, openDatabase, systemScope } from '../server/database.ts'
import { openFiles } from '../server/files.ts'
import { refuseWrongInstallation, sayInstallation } from '../server/installation.ts'
import { ensurePartitions } from '../server/partitions.ts'
import { makeHistory } from './history.ts'
import { loadHistory } from './load.ts'
import { readSellers } from './sellers.ts'
import { devices, deviceTypes } from './world.ts'

export type SeedOptions = {
  databaseUrl: string
  config: Config
  log: (line: string) => void
  now?: Date
}

/**
 * What every installation has: month partitions, permissions, menus, built-in roles and somebody
 * who can sign in. Runs at every start.
 */
export async function install({
  databaseUrl,
  config,
  log,
  now = new Date(),
}: SeedOptions): Promise<void> {
  await withDatabase(databaseUrl, async (database) => {
    await refuseWrongInstallation(database, config)
    await ensurePartitions(databaseUrl, now, 3, 3)
    await database.transact(systemScope, (db) => seedAccess(db, now))
    await database.transact(systemScope, seedCalendar)
    const somebody = await database.read(systemScope, (db) =>
      db.selectFrom('users').select('id').limit(1).executeTakeFirst(),
    )
    if (config.demo) writeFleet(config, !somebody)
    if (somebody) return database.transact(systemScope, (db) => sayInstallation(db, config))
    if (config.demo) {
      await seedDemo(database, config, log, now)
      return analyze(databaseUrl)
    }
    await database.transact(systemScope, async (db) => {
      const first = await firstAdministrator(db, now)
      await sayInstallation(db, config)
      if (!first) return
      const file = writeFirstPassword(config.dataDir, first)
      log(
        `First administrator: ${first.username}. The password is in ${file}; the file goes when it has been changed at the first sign-in.`,
      )
    })
  })
}

/**
 * The demo business in one transaction: a start that is killed half-way begins again from nothing.
 */
async function seedDemo(
  database: Database,
  config: Config,
  log: (line: string) => void,
  now: Date,
): Promise<void> {
  log('Filling in the demo business (60 days of sales) …')
  await database.transact(systemScope, async (db) => {
    const people = await seedDemoPeople(db, now)
    const files = openFiles(config.dataDir)
    const product = await seedProducts(db, files, people, now)
    const ids = { org: people.organisations, user: people.users, product }
    await seedDevices(db, ids, now, config.secretKey)
    await seedBoards(db, ids, now)
    await seedVersions(db, files, config, people.users, now)
    await seedStores(db, ids, now)
    await seedPaymentConfigs(db, config, ids.org, now)
    await seedReferrers(db, config, ids.org, now)
    await seedDistribution(db, ids, now)
    await seedDeviceTags(db, ids, now)
    await seedLanes(db, ids, now)
    await seedDeviceSettings(db, now)
    await seedDeviceCommands(db, now)
    await seedOutages(db, now)
    await seedTelemetry(db, now)
    await seedSettings(db, ids, now)
    await seedRoles(db, people, now)
    await seedUsers(db, ids, now)
    await seedPlanograms(db, ids, now)
    await seedMedicalInsurance(db, ids, now)
    await seedSuppliers(db, files, ids, now)
    await seedBatches(db, now)
    await seedAvatars(db, files, ids, now)
    await seedNotices(db, ids, now)
    await seedJobs(db, ids, now)
    await seedRollouts(db, people.users, now)
    await seedAdMaterials(db, files, ids, now)
    await seedProgramGroups(db, ids.org)
    await loadHistory(db, makeHistory(await readSellers(db), now), now)
    await seedSubscriptions(db, ids, now)
    await seedSplitStrategies(db, ids, now)
    await seedSplitSimulations(db, ids.user.get('finance') as number, now)
    await seedSplits(db, now)
    await seedReceivers(db, config, ids.org, now)
    await seedStockWarnings(db, now)
    await seedOrderSupplements(db, now)
    await seedWithdrawals(db, config, now)
    await seedReconciliation(db, now)
    await seedReplenishment(db, now)
    await seedLayers(db, now)
    await seedDrugControl(db, now)
    await seedRecalls(db, now)
    await seedEvidence(db, now)
    await seedBilling(db, now)
    await seedInvoices(db, files, ids, now)
    await seedAudit(db, now)
    await seedComplaints(db, now)
    await seedSecurity(db, now)
    await seedAlerts(db, ids, now)
    await seedSession(db, ids, now)
    await beginBuyers(db, now)
    while (await foldBuyers(db));
    await sayInstallation(db, config)
  })
}

/**
 * The shipped machines: what the simulated fleet knows, as a maker would burn it in. `blank`:
 * nothing of what they did for a database before this one.
 */
export function writeFleet(config: Config, blank: boolean): void {
  const machines = devices
    .filter((d) => d.lifecycle === 'OPERATING' || d.lifecycle === 'PAUSED')
    .map((d) => ({
      rtuNumber: d.rtuNumber,
      secret: demoSecret(config.secretKey, d.rtuNumber),
      popularity: d.popularity,
      site: d.site,
      sells: d.lifecycle === 'OPERATING',
      dropSensor: deviceTypes.find((type) => type.key === d.typeKey)?.dropSensor ?? false,
    }))
  mkdirSync(config.dataDir, { recursive: true })
  if (blank) rmSync(path.join(config.dataDir, 'fleet'), { recursive: true, force: true })
  writeFileSync(
    path.join(config.dataDir, 'fleet.json'),
    JSON.stringify({ machines, releaseKeys: demoKey(config).line }),
    {
      mode: 0o600,
    },
  )
}

/** Statistics of what was just loaded, so that the first queries are planned well. */
async function analyze(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query('analyze'))
}

async function withDatabase(
  databaseUrl: string,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = await openDatabase({
    url: databaseUrl,
    reads: 1,
    writes: 2,
    statementMs: 120_000,
  })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

/** The seeded template of the tests. */
export const seed = install
