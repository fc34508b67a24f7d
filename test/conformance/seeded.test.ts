import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../src/domains/accounts/roles.ts'
import { askForBills, billKind } from '../../src/domains/reconciliation/server/billRun.ts'
import { reconcileDay } from '../../src/domains/reconciliation/server/run.ts'
import { install } from '../../src/seed/index.ts'
import { checkInvariants } from '../../src/server/invariants.ts'
import { runDue } from '../../src/server/work.ts'
import { addDays, shanghaiDay } from '../../src/shared/instants.ts'
import { pageSizes } from '../../src/shared/listQuery.ts'
import { startTestApi, type TestApi, testConfig } from '../support/api.ts'
import { digest } from '../support/digest.ts'
import {
  choicesOf,
  endpoints,
  fieldsOf,
  hasParams,
  isList,
  type Registered,
} from '../support/registry.ts'
import type { World } from '../support/world.ts'
import { asksAboutRows, readsOf } from './foreign.ts'
import { sourcesOf, wordOf } from './samples.ts'

/**
 * The demo business: every read answers by its contract for the platform and for an operator, every
 * list pages and sorts.
 */
let api: TestApi
const tokens = new Map<string, string>()
const who = ['super', 'operator'] as const
beforeAll(async () => {
  api = await startTestApi({ seeded: true })
  for (const username of who) tokens.set(username, await api.login(username))
}, 180_000)
afterAll(() => api?.close())

const reads = endpoints.filter(
  ({ endpoint }) => endpoint.kind === 'read' && endpoint.access !== 'open',
)
const lists = endpoints.filter(({ endpoint }) => isList(endpoint))

const roleOf = { super: 'ROLE_SUPER_ADMIN', operator: 'ROLE_RTU_SP' }
const permitted = ({ endpoint }: Registered, username: (typeof who)[number]) =>
  !endpoint.access.includes(':') ||
  (roles.find((role) => role.code === roleOf[username])?.permissions.includes(endpoint.access) ??
    false)

/**
 * Where a row for a path parameter is found among those the user may see: the newest of the
 * organisation tree.
 */
const tables: Record<string, string> = {
  id: 'id',
  deviceId: 'id',
  orderNum: 'order_num',
  clientId: 'client_id',
}
const tree =
  'select o.id from organisations o where o.path <@ (select p.path from organisations p join users u on u.org_id = p.id where u.username = $1)'
const newest = (table: string, column: string) =>
  `select ${column} as value from ${table} where org_id in (${tree})
    order by ${table === 'orders' ? 'created_at' : 'id'} desc limit 1`
/** Rows that are found in another way: of everybody, of the person alone, or no rows at all. */
const special: Record<string, string> = {
  'menus id': `select id as value from menus where $1 <> '' limit 1`,
  'organisations id': `${tree.replace('select o.id', 'select o.id as value')} order by o.id desc limit 1`,
  'organ_users id': `select u.id as value from users u
    where u.org_id in (${tree}) and exists (select 1 from user_roles ur
      join roles r on r.id = ur.role_id
      where ur.user_id = u.id and r.data_scope = 'ASSIGNED_DEVICES') limit 1`,
  'products id': `select id as value from products where org_id = 1 and $1 <> '' order by id
    limit 1`,
  'roles id': `select id as value from roles where builtin and $1 <> '' order by id limit 1`,
  'subscriptions id': `select s.id as value from subscriptions s join users u on u.id = s.user_id
    where u.username = $1 order by s.id limit 1`,
  'jobs id': `select j.id as value from jobs j join users u on u.id = j.user_id
    where u.username = $1 order by j.kind desc, j.id limit 1`,
  'messages id': `select m.id as value from messages m join users u on u.id = m.user_id
    where u.username = $1 and m.hidden_at is null limit 1`,
  // the demo draws every machine that has lanes; the newest of a tree may have been sold
  'devices target': `select 1 as value where $1 <> ''`,
  'device_commands cmdId': `select c.cmd_id as value from device_commands c
    where c.org_id in (${tree}) order by c.issued_at limit 1`,
  'orders unitId': `select u.id as value from order_units u
    where (u.org_id, u.created_at, u.order_id) = (select o.org_id, o.created_at, o.id from orders o
      where o.org_id in (${tree}) order by o.created_at desc limit 1) limit 1`,
  'vouchers voucherId': `select voucher_id as value from ledger_voucher_keys
    where org_id in (${tree}) order by voucher_id desc limit 1`,
  'recalls id': `select id as value from recalls where org_id in (${tree}) order by id limit 1`,
  'trace_codes code': `select code as value from trace_codes where org_id in (${tree})
    order by code limit 1`,
  'drug_evidence_packs no': `select no as value from evidence_packs where $1 <> '' limit 1`,
  'my_routes date': `select to_char(now() at time zone 'Asia/Shanghai', 'YYYY-MM-DD') as value
    where $1 <> ''`,
  // of those above: the sample operator has none and no right to
  'invoices id': `select max(id) as value from invoices where $1 <> ''`,
  ...Object.fromEntries(
    ['apk', 'firmware'].flatMap((kind) =>
      ['versions', 'rollouts'].map((table) => [
        `${kind}_${table} id`,
        `select max(id) as value from ${table === 'rollouts' ? table : 'release_versions'}
          where kind = '${kind.toUpperCase()}' and $1 <> ''`,
      ]),
    ),
  ),
  'imports kind': `select 'users' as value where $1 <> ''`,
}
async function rowFor(
  entry: Registered,
  username: string,
): Promise<Record<string, unknown> | null> {
  const found: Record<string, unknown> = {}
  for (const param of Object.keys(sourcesOf(entry.endpoint))) {
    const table = wordOf(entry.endpoint).replaceAll('-', '_')
    const [row] = await api.sql<Record<string, unknown>>(
      special[`${table} ${param}`] ?? newest(table, tables[param] ?? 'id'),
      [username],
    )
    if (!row) return null
    found[param] =
      typeof row.value === 'string' && !/^\d{1,15}$/.test(row.value) ? row.value : Number(row.value)
  }
  return found
}

/** Days are wide enough to meet rows where a list would otherwise show the last week only. */
const ask = async (entry: Registered, input: Record<string, unknown>, username: string) => {
  const row = hasParams(entry.endpoint) ? await rowFor(entry, username) : {}
  if (!row) throw new Error(`${username} has no row for ${entry.name}`)
  return api.call(entry.endpoint, { ...input, ...row }, { token: tokens.get(username) })
}

it.each([
  ['device-list', 'super', 112],
  ['organ-manage-list-index', 'super', 45],
  ['order-list', 'operator', 212],
] as const)('the sample totals: %s', async (path, username, total) => {
  const answer = await api.http.inject({
    url: `/${path}`,
    headers: { authorization: tokens.get(username) as string },
  })
  const { list, total: found } = answer.json() as { list: unknown[]; total: number }
  expect([list.length, found]).toEqual([20, total])
})

it('nothing of the demo happens in the future', async () => {
  for (const table of ['orders', 'stock_flows']) {
    const [row] = await api.sql<{ late: number }>(
      `select count(*) as late from ${table} where created_at > now()`,
    )
    expect([table, Number(row?.late)]).toEqual([table, 0])
  }
})

// the rows of the small world are not here
describe.each(reads.filter((entry) => !asksAboutRows(entry)))('$name', (entry) => {
  it.each(who)('answers by its contract for %s, with every choice', async (username) => {
    const wrong: unknown[] = []
    for (const input of readsOf(entry, { orderNum: () => '0'.repeat(20) } as unknown as World)) {
      const { status, body } = await ask(entry, input, username)
      if (
        status === 403 &&
        username !== 'super' &&
        (!permitted(entry, username) || entry.name === 'jobs.importInfo')
      )
        continue
      if (status !== 200) {
        wrong.push([input, status, body])
        continue
      }
      const parsed = entry.endpoint.output.safeParse(body)
      if (!parsed.success) wrong.push([input, parsed.error.issues.slice(0, 3)])
      expect(body).not.toHaveProperty('code')
    }
    expect(wrong).toEqual([])
  })
})

describe.each(lists)('$name', (entry) => {
  const sorts = choicesOf(fieldsOf(entry.endpoint).sort)
  it('shows 20 of page 1, the right total past the end, and every row once', async () => {
    const first = (await ask(entry, {}, 'super')).body
    expect(
      Object.keys(first)
        .filter((key) => key !== 'sums')
        .sort(),
    ).toEqual(['list', 'total'])
    expect(first.list.length).toBe(Math.min(20, first.total))
    const past = (await ask(entry, { page: 100_000 }, 'super')).body
    expect([past.list, past.total]).toEqual([[], first.total])
    for (const size of pageSizes)
      expect((await ask(entry, { pageSize: size }, 'super')).body.list.length).toBe(
        Math.min(size, first.total),
      )
    const pages = Math.min(5, Math.ceil(first.total / 200))
    const all: string[] = []
    for (let page = 1; page <= pages; page += 1)
      all.push(
        ...(await ask(entry, { page, pageSize: 200 }, 'super')).body.list.map((row: unknown) =>
          JSON.stringify(row),
        ),
      )
    expect(all.length).toBe(Math.min(first.total, 1000))
    expect(new Set(all).size).toBe(all.length)
  })
  it('sorts by each declared key, both ways', async () => {
    for (const sort of sorts) {
      const { status, body } = await ask(entry, { sort, pageSize: 200 }, 'super')
      expect([sort, status]).toEqual([sort, 200])
      const key = sort.replace(/^-/, '')
      const values = body.list
        .map((row: Record<string, unknown>) => row[key])
        .filter((value: unknown) => value !== null && value !== undefined)
      // text is ordered by the database's collation; numbers and instants are checked here
      if (
        !values.length ||
        !values.every((v: unknown) => typeof v === 'number' || /^\d{4}-\d\d-\d\dT/.test(String(v)))
      )
        continue
      const wanted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      expect([sort, values]).toEqual([sort, sort.startsWith('-') ? wanted.reverse() : wanted])
    }
  })
})

describe('the demo business', () => {
  it('keeps every invariant', { timeout: 60_000 }, async () =>
    expect(
      (await checkInvariants(api.ownerUrl)).map(({ name, rows }) => ({
        name,
        rows: rows.slice(0, 2),
      })),
    ).toEqual([]),
  )
  it('agrees with itself and its channel, as the night compares it', async () => {
    for (const back of [1, 2])
      await reconcileDay(api.app, addDays(shanghaiDay(api.app.now()), -back))
    await askForBills(api.app)
    while (await runDue(api.app, billKind(api.app)));
    expect(
      await api.sql(
        // those that the demo tells of a day that nobody asks for any more
        `select day, kind, subject from reconciliation_differences
          where day > (select min(day) from reconciliation_differences) limit 20`,
      ),
    ).toEqual([])
    const [bills] = await api.sql<{ lines: number }>(
      'select sum(lines)::int as lines from payment_bill_days',
    )
    expect(bills?.lines).toBeGreaterThan(100)
  })
  it('has payments of orders that nobody knows, and of orders that cost something else', async () => {
    const rows = await api.sql<{ known: boolean; same: boolean }>(
      `select c.order_num is not null as known, coalesce(p.amount = o.total_amount, false) as same
        from order_cases c join payments p on p.id = c.payment_id
        left join orders o on o.order_num = c.order_num where c.kind = 'UNMATCHED_PAYMENT'`,
    )
    expect(rows.filter(({ same }) => same)).toEqual([])
    expect([...new Set(rows.map(({ known }) => known))].toSorted()).toEqual([false, true])
  })
  it('is not filled in twice', async () => {
    // the built-in roles are written again, which empties the caches of actors and changes nothing
    // else
    const without = ['sessions', 'access_versions']
    const before = await digest(api, without)
    const folder = mkdtempSync(join(tmpdir(), 'huodao-again-'))
    await install({
      databaseUrl: api.ownerUrl,
      config: testConfig(api.ownerUrl, folder),
      log: () => {},
    })
    rmSync(folder, { recursive: true, force: true })
    expect(await digest(api, without)).toEqual(before)
  })
})
