import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isPlatformOnly } from '../../src/domains/accounts/rules.ts'
import type * as sessions from '../../src/domains/session/server/people.ts'
import type { App } from '../../src/server/context.ts'
import { type Scope, systemScope } from '../../src/server/database.ts'
import { buildHttp } from '../../src/server/http.ts'
import type { Access } from '../../src/shared/contract.ts'
import { comparable } from '../support/api.ts'
import { digest } from '../support/digest.ts'
import { endpoints, hasParams, type Registered } from '../support/registry.ts'
import { openWorld, type Place, type World } from '../support/world.ts'
import { ask, type Case, foreignCases, readsOf } from './foreign.ts'
import { params } from './samples.ts'
import { addScopedPeople, scopedPeople } from './scopes.ts'

/**
 * Rows of others, for a user who holds every permission. First with both walls; then with the
 * application's wall taken away: the verbs are told that the actor sees everything (`visible`,
 * `inheritable`, `owns` say yes), the connection keeps his scope.
 */
const wall = vi.hoisted(() => ({ down: false, real: new Map<object, unknown>() }))
vi.mock('../../src/domains/session/server/people.ts', async (original) => {
  const real = await original<typeof sessions>()
  return {
    ...real,
    async actorOfToken(...given: Parameters<typeof real.actorOfToken>) {
      const actor = await real.actorOfToken(...given)
      if (!wall.down || !('scope' in actor) || actor.scope.all) return actor
      const everything = (scope: Scope): Scope => {
        const told = { ...scope, all: true, devices: null, watched: null }
        wall.real.set(told, scope)
        return told
      }
      return {
        ...actor,
        scope: everything(actor.scope),
        scopeOf: (right: Access) => everything(actor.scopeOf(right)),
      }
    },
  }
})

// a few thousand requests each
vi.setConfig({ testTimeout: 120_000 })

let world: World
let bare: FastifyInstance
let cases: Case[]
let token: string
let clerk: string
beforeAll(async () => {
  world = await openWorld()
  await addScopedPeople(world)
  const { database } = world.app
  const scopeOf = (scope: Scope): Scope => (wall.real.get(scope) as Scope | undefined) ?? scope
  const app: App = {
    ...world.app,
    database: {
      ...database,
      read: (scope, work) => database.read(scopeOf(scope), work),
      transact: (scope, work) => database.transact(scopeOf(scope), work),
    },
  }
  bare = await buildHttp(app)
  cases = (await foreignCases(world)).filter(usable)
  token = await world.login('ROLE_FULL')
  clerk = await world.login('ROLE_CLERK')
})
afterAll(async () => {
  await bare?.close()
  await world?.close()
})

/** Answers without a name in them; the comparison with row security alone covers them. */
const figures = [
  'adBindings.timeline',
  'alerts.channels',
  'alerts.mailServer',
  'alerts.stats',
  'alerts.rules',
  'audit.check',
  'batches.recallPreview',
  'billing.summary',
  'billing.ledgerState',
  'billing.accounts',
  'billing.statements',
  'boards.counts',
  'boards.options',
  'complaints.stats',
  'dataReports.equipmentSummary',
  'dataReports.financialDifferences',
  'dataReports.inventorySummary',
  'dataReports.buyers',
  'dataReports.buyersTrend',
  'deviceCommands.find',
  'deviceCommands.previewReboots',
  'deviceCommands.testVendState',
  'deviceSettings.versions',
  'deviceSplits.sample',
  'deviceSplits.previewBind',
  'deviceSplits.previewRelease',
  'devices.counts',
  'devices.previewBatch',
  'devices.previewPauses',
  'devices.telemetry',
  'devices.previewTags',
  'distribution.people',
  'drugEvidence.verify',
  'expiry.stats',
  'expiry.rules',
  'invoices.offers',
  'jobs.console',
  'lanes.restorePlan',
  'lanes.copyPlan',
  'lanes.pricePlan',
  // names no roles of tenants
  'menus.tree',
  'menus.get',
  'notices.unread',
  'notices.audience',
  // of the orders here none may be cleaned
  'orderCleanups.list',
  'orderSupplements.lanes',
  'orders.statistics',
  'orders.vendLanes',
  'organisations.creatable',
  'paymentConfigs.uses',
  'paymentConfigs.addresses',
  'payoutAccounts.options',
  'reconciliation.trialBalance',
  'releases.apkSpread',
  'releases.firmwareSpread',
  'replenishment.unsent',
  'replenishment.myRoute',
  'replenishment.offlinePack',
  'reports.summary',
  'reports.trend',
  'reports.channels',
  'roles.catalogue',
  'roles.diff',
  'settings.list',
  'settings.history',
  'settings.calendar',
  'settings.dictionary',
  'settings.server',
  'splitSimulations.list',
  'splitStrategies.merchants',
  'splitStrategies.lanes',
  'splits.calendar',
  'stockWarnings.stats',
  'stores.people',
  'users.departments',
  'withdrawals.funds',
  'workbench.situation',
]
/** What works for the platform's own people alone is nobody's elsewhere. */
const usable = (entry: Registered): boolean => !isPlatformOnly(entry.endpoint.access)
/**
 * Lists without rows of anybody here: regions of a map service, addresses of the server, phones that
 * were silent, merchants and lanes that a new strategy of the platform could be for, buyers, who are
 * added up by night.
 */
const rowless = [
  'dataReports.buyers',
  'geo.search',
  'paymentConfigs.addresses',
  'replenishment.unsent',
  'splitStrategies.merchants',
  'splitStrategies.lanes',
]
const volatile = ['sessions', 'debug_logs']
const reads = endpoints.filter(
  ({ endpoint }) => endpoint.kind === 'read' && endpoint.access !== 'open',
)
const titled = (entry: Case, where: Place) =>
  `${entry.name} by ${entry.by} ${entry.field ?? ''} at ${where}`

async function eachCase(
  work: (entry: Case, where: Place) => Promise<object | string | null>,
): Promise<string[]> {
  const wrong: string[] = []
  for (const entry of cases) {
    for (const where of ['SIBLING', 'PARENT', 'PLATFORM'] as const) {
      const found = await work(entry, where)
      if (found)
        wrong.push(
          `${titled(entry, where)}: ${typeof found === 'string' ? found : JSON.stringify(found).slice(0, 500)}`,
        )
    }
  }
  return wrong
}

describe('both walls', () => {
  it('a row of another organisation answers exactly like one that is not there', async () => {
    const before = await digest(world, volatile)
    const wrong = await eachCase(async (entry, where) => {
      if (where !== 'SIBLING' && (entry.shared || entry.by === 'body')) return null
      const [foreign, nobody] = [
        await ask(world, entry, entry.at(where), token),
        await ask(world, entry, entry.at(null), token),
      ]
      if (entry.by === 'path' && nobody.status !== 404)
        return `a missing row answers ${nobody.status} ${JSON.stringify(nobody.body)}`
      if (entry.by === 'body' && nobody.status < 400)
        return `a missing row in the body answers ${nobody.status}`
      if (JSON.stringify(comparable(foreign)) !== JSON.stringify(comparable(nobody)))
        return { foreign: comparable(foreign), nobody: comparable(nobody) }
      return null
    })
    expect(wrong).toEqual([])
    expect(await digest(world, volatile)).toEqual(before)
  })
  it('what the organisations above share can be read and not changed', async () => {
    const before = await digest(world, volatile)
    const wrong = await eachCase(async (entry, where) => {
      // a copy of a role is the copier's own
      if (
        !entry.shared ||
        where === 'SIBLING' ||
        entry.by === 'body' ||
        entry.name === 'roles.copy'
      )
        return null
      const { status, body } = await ask(world, entry, entry.at(where), token)
      const fine = entry.endpoint.kind === 'read' ? status === 200 : status >= 400 && status < 500
      return fine ? null : { status, body }
    })
    expect(wrong).toEqual([])
    expect(await digest(world, volatile)).toEqual(before)
  })
  it('own rows and those of organisations below are there', async () => {
    const wrong: unknown[] = []
    for (const entry of cases.filter((c) => c.by === 'path' && c.endpoint.kind === 'read')) {
      // a job or subscription is its person's alone
      // so is what is asked about lanes or machines of his own
      const only =
        ['jobs', 'subscriptions'].includes(entry.domain) ||
        ['lanes.copyPlan', 'lanes.pricePlan'].includes(entry.name)
      for (const where of only ? (['OWN'] as const) : (['OWN', 'CHILD'] as const)) {
        const { status } = await ask(world, entry, entry.at(where), token)
        if (status !== 200) wrong.push([titled(entry, where), status])
      }
    }
    expect(wrong).toEqual([])
  })
})

/**
 * Texts of rows an actor must not see. The marks stand in names, addresses, numbers and payloads of
 * every row.
 */
async function leaks(who: string, marks: RegExp, on?: FastifyInstance): Promise<string[]> {
  const found: string[] = []
  for (const entry of reads.filter(usable)) {
    for (const input of readsOf(entry, world)) {
      const { status, body } = await ask(world, entry, input, who, on)
      if (status !== 200)
        found.push(`${entry.name} ${JSON.stringify(input)}: ${status} ${JSON.stringify(body)}`)
      const text = JSON.stringify(body)
      if (marks.test(text))
        found.push(
          `${entry.name} ${JSON.stringify(input)}: ${text.slice(Math.max(0, text.search(marks) - 100), text.search(marks) + 60)}`,
        )
    }
  }
  return found
}

describe('no read tells of others', () => {
  it('and would be caught if it did: the platform meets the marks everywhere but in pure figures', async () => {
    const administrator = await world.login('ROLE_SUPER_ADMIN')
    const silent: string[] = []
    for (const entry of reads.filter(({ endpoint }) => endpoint.access !== 'self')) {
      const texts = await Promise.all(
        readsOf(entry, world).map(async (input) =>
          JSON.stringify(
            (
              await ask(
                world,
                entry,
                { ...input, ...params(entry.endpoint, 'SIBLING', world) },
                administrator,
              )
            ).body,
          ),
        ),
      )
      if (!texts.some((text) => text.includes('SIBLING'))) silent.push(entry.name)
    }
    expect(silent).toEqual(figures)
  })
  it('and no list is empty for whoever has rows in it, or its silence would prove nothing', async () => {
    const empty: string[] = []
    for (const entry of reads.filter(usable)) {
      const answers = await Promise.all(
        readsOf(entry, world).map(async (input) => (await ask(world, entry, input, token)).body),
      )
      const lists = answers.flatMap((body) =>
        Array.isArray((body as { list?: unknown } | null)?.list)
          ? [(body as { list: unknown[] }).list]
          : [],
      )
      if (lists.length && lists.every((list) => !list.length)) empty.push(entry.name)
    }
    expect(empty).toEqual(rowless)
  })
  it('of other organisations', async () => expect(await leaks(token, /SIBLING/)).toEqual([]))
  it('of other organisations, in every data scope and region', async () => {
    const wrong: string[] = []
    // the tree is everybody's in this file; own lanes, own budget and own goods are one rule
    for (const { name, home } of scopedPeople.filter(
      ({ scope, region }) =>
        region === '440300' && !['ORG_TREE', 'OWN_LANES', 'OWN_BUDGET'].includes(scope),
    )) {
      const scoped = await world.login(name)
      for (const entry of reads) {
        const [input] = readsOf(entry, world)
        const text = input ? JSON.stringify((await ask(world, entry, input, scoped)).body) : ''
        // who watches a region stands in the platform, whose own rows are his; no machine of this
        // world is a drug machine
        if (/SIBLING/.test(text) || (home === 'PLATFORM' && /机OWN|机CHILD/.test(text)))
          wrong.push(`${name} ${entry.name}`)
        const foreign = params(entry.endpoint, 'SIBLING', world)
        if (!Object.keys(foreign).length) continue
        const { status } = await ask(world, entry, { ...input, ...foreign }, scoped)
        if (status === 200) wrong.push(`${name} opens ${entry.name}`)
      }
    }
    expect(wrong).toEqual([])
  })
  it('of machines that are not assigned', async () => {
    const wrong: string[] = []
    for (const entry of reads.filter(({ endpoint }) => !hasParams(endpoint))) {
      for (const input of readsOf(entry, world)) {
        const { body } = await ask(world, entry, input, clerk)
        if (/SIBLING|UNASSIGNED|机CHILD/.test(JSON.stringify(body)))
          wrong.push(`${entry.name} ${JSON.stringify(input)}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('row security alone', () => {
  beforeAll(() => {
    wall.down = true
  })
  afterAll(() => {
    wall.down = false
  })
  it('the application wall is really down: only the database stands between', async () => {
    const user = endpoints.find((e) => e.name === 'accounts.organisationOptions')
    expect(user && (await ask(world, user, {}, token, bare)).status).toBe(200)
    expect(wall.real.size).toBeGreaterThan(0)
  })
  it('no row of another organisation is answered or changed', async () => {
    const before = await digest(world, volatile)
    const wrong = await eachCase(async (entry, where) => {
      // an act that crosses organisations by design has the application's wall only
      if (entry.endpoint.scope === 'system' || (entry.name === 'roles.copy' && where !== 'SIBLING'))
        return null
      if (
        where !== 'SIBLING' &&
        ((entry.shared && entry.endpoint.kind === 'read') || entry.by === 'body')
      )
        return null
      const { status, body } = await ask(world, entry, entry.at(where), token, bare)
      if (entry.by === 'query')
        return JSON.stringify(body).includes(where) && !entry.shared ? { status, body } : null
      return status < 400 || JSON.stringify(body).includes(where) ? { status, body } : null
    })
    expect(wrong).toEqual([])
    expect(await digest(world, volatile)).toEqual(before)
  })
  it('no read tells of others', async () => expect(await leaks(token, /SIBLING/, bare)).toEqual([]))
  it('figures and lists are the same as with both walls', async () => {
    const wrong: string[] = []
    for (const who of [token, clerk]) {
      // the clerk's log is his own acts, and he hears nothing of unknown boards: that is the
      // application's choice, not a row's owner
      const mine = (entry: Registered) =>
        who === clerk && ['audit.list', 'audit.logins', 'boards.unknown'].includes(entry.name)
      for (const entry of reads.filter(
        (one) => one.endpoint.scope === 'actor' && !hasParams(one.endpoint) && !mine(one),
      )) {
        // whether a row is the actor's own is decided by the wall that is down
        for (const input of readsOf(entry, world).filter((given) => !('source' in given))) {
          wall.down = false
          const both = plain((await ask(world, entry, input, who)).body)
          wall.down = true
          const alone = plain((await ask(world, entry, input, who, bare)).body)
          if (both !== alone)
            wrong.push(`${entry.name} ${JSON.stringify(input)}${apart(both, alone)}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
})

/** The connection sees every row, so whatever a query forgot to narrow shows. */
describe('the application wall alone', () => {
  let open: FastifyInstance
  beforeAll(async () => {
    const { database } = world.app
    const all: App['database'] = {
      ...database,
      read: (_, work) => database.read(systemScope, work),
      transact: (_, work) => database.transact(systemScope, work),
      snapshot: (_, work) => database.snapshot(systemScope, work),
    }
    open = await buildHttp({ ...world.app, database: all })
  })
  afterAll(() => open?.close())
  it('no row of another organisation is answered or changed', async () => {
    const before = await digest(world, volatile)
    const wrong = await eachCase(async (entry, where) => {
      if (entry.name === 'roles.copy' && where !== 'SIBLING') return null
      if (
        where !== 'SIBLING' &&
        ((entry.shared && entry.endpoint.kind === 'read') || entry.by === 'body')
      )
        return null
      const { status, body } = await ask(world, entry, entry.at(where), token, open)
      if (entry.by === 'query') {
        // below an organisation above stand the actor's own rows, too
        if (where !== 'SIBLING')
          return JSON.stringify(body).includes(where) && !entry.shared ? { status, body } : null
        const both = plain((await ask(world, entry, entry.at(where), token)).body)
        return both === plain(body) ? null : { both, alone: body }
      }
      return status < 400 || JSON.stringify(body).includes(where) ? { status, body } : null
    })
    expect(wrong).toEqual([])
    expect(await digest(world, volatile)).toEqual(before)
  })
  it('every read answers the same as with both walls', async () => {
    const wrong: string[] = []
    for (const who of [token, clerk]) {
      // the server page shows figures of this very moment
      for (const entry of reads.filter((one) => one.name !== 'settings.server')) {
        for (const input of readsOf(entry, world)) {
          const both = plain((await ask(world, entry, input, who)).body)
          const alone = plain((await ask(world, entry, input, who, open)).body)
          if (both !== alone)
            wrong.push(`${entry.name} ${JSON.stringify(input)}${apart(both, alone)}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
})

/** Two answers from where they begin to differ. */
function apart(both: string, alone: string): string {
  const at = [...both].findIndex((letter, i) => letter !== alone[i])
  const from = Math.max(0, (at < 0 ? both.length : at) - 150)
  return `\n both …${both.slice(from, from + 300)}\n alone …${alone.slice(from, from + 300)}`
}

/**
 * Without what is decided from the actor's rights and not from rows: also what was sold of a recall,
 * which is withheld from whoever sees some of its machines only.
 */
const plain = (body: unknown): string =>
  JSON.stringify(body, function (this: object, key, value) {
    const decided = ['can', 'source', 'orgName', 'requestId', 'canRefund'].includes(key)
    return decided || (key === 'sold' && 'recallNo' in this) ? undefined : value
  })
