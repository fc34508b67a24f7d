import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dumpSchema } from '../../src/server/catalogue.ts'
import { noScope, type Scope } from '../../src/server/database.ts'
import { rowTypes } from '../../src/server/rowTypes.ts'
import type { StateTable } from '../../src/shared/moves.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { openWorld, place, rowId, type World } from '../support/world.ts'

/** Tables without an owner, and why. Everything else carries org_id and a row policy. */
const ownerless: Record<string, string> = {
  permissions: 'catalogue of the product',
  menus: 'catalogue of the product',
  role_permissions: 'belongs to its role',
  role_menus: 'belongs to its role',
  role_distributions: 'belongs to its role',
  role_distribution_limits: 'belongs to its role',
  access_versions: 'counters of tenants',
  job_schedules: 'clockwork of the installation',
  job_loops: 'clockwork of the installation',
  vend_queues: 'clockwork of the installation',
  settings_versions: 'counters of tenants',
  unpaid_counts:
    'counts of machines, addresses and consumers across organisations; no screen reads it',
  sales_folded: 'clockwork of the installation',
  buyers_folded: 'the same for buyers',
  schema_migrations: 'written by the owner',
  installation: 'one row about the installation',
  organisations: 'its id is the owner',
}
/**
 * Owner may be null: a try with an unknown name, a notice of unknown money. Nobody but the system
 * sees those rows.
 */
const nullableOwner = ['login_attempts', 'payment_events']

type Table = {
  name: string
  owned: boolean
  notnull: boolean
  secured: boolean
  forced: boolean
  partitioned: boolean
}

let world: World
let tables: Table[]
beforeAll(async () => {
  world = await openWorld()
  tables = await world.sql<Table>(`select c.relname as name, c.relrowsecurity as secured,
      c.relforcerowsecurity as forced, c.relkind = 'p' as partitioned,
      a.attname is not null as owned, coalesce(a.attnotnull, false) as notnull
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
      and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition order by 1`)
})
afterAll(() => world?.close())

const count = (scope: Scope, table: string) =>
  world.app.database.read(
    scope,
    async (db) =>
      (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]
        ?.n ?? 0,
  )

describe('owners', () => {
  it('every table has one or a reason', () =>
    expect(
      tables
        .filter((t) => !t.owned)
        .map((t) => t.name)
        .sort(),
    ).toEqual(Object.keys(ownerless).sort()))
  it('the owner is never missing', () =>
    expect(tables.filter((t) => t.owned && !t.notnull).map((t) => t.name)).toEqual(nullableOwner))
  // forced on an owner who is no superuser it would blind the functions that run as the owner in
  // order to see everything
  it('row security is on, and not forced on the owner', () =>
    expect(
      tables
        .filter((t) => t.forced || ((t.owned || t.name === 'organisations') && !t.secured))
        .map((t) => t.name),
    ).toEqual([]))
  it('what runs as the owner finds no temporary table in its way', async () =>
    expect(
      await world.sql(
        `select oid::regprocedure from pg_proc
          where pronamespace = 'public'::regnamespace and prosecdef
            and not proconfig @> '{"search_path=public, pg_temp"}'`,
      ),
    ).toEqual([]))
  it('an index begins with the owner', async () => {
    const indexed = await world.sql<{
      name: string
    }>(`select distinct c.relname as name from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
      where i.indkey[0] = a.attnum and i.indpred is null`)
    const names = new Set(indexed.map((row) => row.name))
    expect(tables.filter((t) => t.owned && !names.has(t.name)).map((t) => t.name)).toEqual([])
  })
  it('durable work has the index by which organisations take turns', async () => {
    // refunds lock their order first and go by time alone; schedules belong to nobody
    const without = await world.sql<{
      name: string
    }>(`select t.table_name as name from information_schema.columns t
      where t.table_schema = 'public' and t.column_name = 'next_at'
        and t.table_name not in ('refunds', 'job_schedules') and not exists (
        select from pg_indexes i
        where i.tablename = t.table_name and i.indexdef like '%(org_id, next_at, %'
          and i.indexdef like '%next_at IS NOT NULL%') order by 1`)
    expect(without.map(({ name }) => name)).toEqual([])
  })
  it('partitions are reached through their parent only', async () => {
    const loose = await world.sql<{
      name: string
    }>(`select c.relname as name from pg_class c
      where c.relispartition and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and (has_table_privilege('huodao_app', c.oid, 'select')
        or has_table_privilege('huodao_app', c.oid, 'insert')
        or has_table_privilege('huodao_app', c.oid, 'update')
        or has_table_privilege('huodao_app', c.oid, 'delete'))`)
    expect(loose).toEqual([])
  })
  it('policies call scope functions once per statement, not per row', async () => {
    const slow = await world.sql<{ name: string }>(
      `select polname || ' on ' || polrelid::regclass as name from pg_policy
        where pg_get_expr(polqual,
          polrelid) ~ '(?<!SELECT |SELECT \\(|SELECT \\(cardinality\\()app_(all|orgs|ancestors|devices)\\(\\)'`,
    )
    expect(slow).toEqual([])
  })
})

describe('rows', () => {
  const owned = () => tables.filter((t) => t.owned || t.name === 'organisations')
  it('nobody without a scope sees one', async () => {
    for (const table of owned())
      expect([table.name, await count(noScope, table.name)]).toEqual([table.name, 0])
  })
  it('another organisation sees only its own and what is shared downwards', async () => {
    const scope: Scope = {
      all: false,
      orgs: [place.SIBLING],
      ancestors: [place.PARENT, place.PLATFORM],
      devices: null,
      watched: null,
    }
    const inherited = new Set(
      (
        await world.sql<{ name: string }>(
          `select polrelid::regclass::text as name from pg_policy where polname = 'inherited'`,
        )
      ).map((row) => row.name),
    )
    for (const table of owned()) {
      const column = table.name === 'organisations' ? 'id' : 'org_id'
      const { rows } = await world.app.database.read(scope, (db) =>
        sql<{
          org: number | null
        }>`select distinct ${sql.ref(column)} as org from ${sql.table(table.name)}`.execute(db),
      )
      const allowed = inherited.has(table.name)
        ? [place.SIBLING, place.PARENT, place.PLATFORM]
        : [place.SIBLING]
      expect([
        table.name,
        rows.map((row) => row.org).filter((org) => !(allowed as (number | null)[]).includes(org)),
      ]).toEqual([table.name, []])
    }
  })
  it('shared rows cannot be changed from below', async () => {
    const scope: Scope = {
      all: false,
      orgs: [place.OWN],
      ancestors: [place.PARENT, place.PLATFORM],
      devices: null,
      watched: null,
    }
    for (const table of ['products', 'product_categories', 'device_types', 'roles']) {
      const changed = await world.app.database.transact(scope, (db) =>
        sql`update ${sql.table(table)} set version = version + 1
          where org_id in (${place.PARENT}::bigint, ${place.PLATFORM}::bigint)`.execute(db),
      )
      expect([table, Number(changed.numAffectedRows)]).toEqual([table, 0])
    }
  })
  it('a row cannot be given to another organisation', async () => {
    const scope: Scope = {
      all: false,
      orgs: [place.OWN],
      ancestors: [],
      devices: null,
      watched: null,
    }
    await expect(
      world.app.database.transact(scope, (db) =>
        sql`update products set org_id = ${place.SIBLING}::bigint
          where id = ${rowId('OWN', 1)}`.execute(db),
      ),
    ).rejects.toThrow(/row-level security/)
    await expect(
      world.app.database.transact(scope, (db) =>
        sql`insert into product_categories (org_id, name)
          values (${place.SIBLING}::bigint, 'x')`.execute(db),
      ),
    ).rejects.toThrow(/row-level security/)
  })
  it('assigned machines bound the rows of machines', async () => {
    const scope: Scope = {
      all: false,
      orgs: [place.OWN],
      ancestors: [],
      devices: [rowId('OWN', 11)],
      watched: null,
    }
    const bound = await world.sql<{
      name: string
      column: string
    }>(`select c.relname as name, a.attname as column from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'device_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition`)
    for (const { name } of bound) {
      const { rows } = await world.app.database.read(scope, (db) =>
        sql<{
          id: number
        }>`select distinct device_id as id from ${sql.table(name)}
          where device_id is not null`.execute(db),
      )
      expect([name, rows.filter((row) => row.id !== rowId('OWN', 11))]).toEqual([name, []])
    }
  })
  it('what happened is never changed, by nobody', async () => {
    const guarded = await world.sql<{ name: string }>(
      `select tgrelid::regclass::text as name from pg_trigger
        where tgname = 'append_only' and not tgisinternal and tgparentid = 0 order by 1`,
    )
    expect(guarded.map((row) => row.name)).toEqual(
      expect.arrayContaining([
        'device_messages',
        'ledger_entries',
        'ledger_voucher_keys',
        'operation_log_seals',
        'operation_logs',
        'order_events',
        'payment_events',
        'stock_flows',
      ]),
    )
    for (const { name } of guarded) {
      await expect(world.sql(`truncate ${name} cascade`), name).rejects.toThrow(/append-only/)
      if (!(await world.sql(`select 1 from ${name} limit 1`)).length) continue
      await expect(world.sql(`delete from ${name}`), name).rejects.toThrow(/append-only/)
      await expect(world.sql(`update ${name} set org_id = org_id`), name).rejects.toThrow(
        /append-only/,
      )
    }
  })
})

describe('states', () => {
  it('equal the SQL check of their column', async () => {
    const isTable = (value: unknown): value is StateTable =>
      typeof value === 'object' &&
      value !== null &&
      'moves' in value &&
      'column' in value &&
      'start' in value
    const found = (
      await Promise.all(
        globSync('src/domains/*/rules.ts').map(async (file) =>
          Object.values((await import(resolve(file))) as object).filter(isTable),
        ),
      )
    ).flat()
    for (const table of found) {
      const [name, column] = table.column.split('.')
      const checks = await world.sql<{ text: string }>(
        `select pg_get_constraintdef(k.oid) as text from pg_constraint k
          join pg_attribute a on a.attrelid = k.conrelid and k.conkey = array[a.attnum]
        where k.contype = 'c' and k.conrelid = $1::regclass and a.attname = $2`,
        [name, column],
      )
      const states = checks.flatMap(({ text }) =>
        [...text.matchAll(/'(\w+)'::text/g)].map((m) => m[1] as string),
      )
      expect([table.name, [...new Set(states)].sort()]).toEqual([
        table.name,
        Object.keys(table.moves).sort(),
      ])
    }
  })
  it('are text with a check, never an enum type', async () =>
    expect(
      await world.sql(
        `select typname from pg_type t join pg_namespace n on n.oid = t.typnamespace
          where typtype = 'e' and n.nspname = 'public'`,
      ),
    ).toEqual([]))
})

describe('migrations', () => {
  let fresh: TestDatabase
  beforeAll(async () => {
    fresh = await testDatabase()
  })
  afterAll(() => fresh?.drop())
  const differing = (file: string, wanted: string) => {
    const lines = globSync(file).length ? readFileSync(file, 'utf8').split('\n') : []
    const now = wanted.split('\n')
    return {
      'lines that differ': [
        ...now.filter((line) => !lines.includes(line)),
        ...lines.filter((line) => !now.includes(line)),
      ].slice(0, 5),
      same: lines.join('\n') === wanted,
      'mend with': 'npm run db -- dump',
    }
  }
  const same = { 'lines that differ': [], same: true, 'mend with': 'npm run db -- dump' }
  it('make db/schema.sql', async () =>
    expect(differing('db/schema.sql', await dumpSchema(fresh.ownerUrl))).toEqual(same))
  it('make the row types', async () =>
    expect(differing('src/server/schema.ts', await rowTypes(fresh.ownerUrl))).toEqual(same))
})
