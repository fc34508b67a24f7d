import type { App } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { rowsOf } from '../../../server/rows.ts'
import { platformOrg } from '../../../shared/access.ts'
import { registry, type SettingKey, type SettingValue, settingOfKey } from '../registry.ts'

/**
 * What counts for an organisation, for every domain. Settings of the platform are those of its
 * organisation, whoever asks.
 */
const holder = (key: SettingKey, orgId: number): number =>
  settingOfKey(key).level === 'platform' ? platformOrg : orgId

/** One query, in whatever scope the caller has: the value is the same for all. */
export async function settingOf<K extends SettingKey>(
  db: Db,
  orgId: number,
  key: K,
): Promise<SettingValue<K>> {
  return (await settingsOf(db, orgId, [key]))[key]
}

/** Several at once, still one query. */
export async function settingsOf<K extends SettingKey>(
  db: Db,
  orgId: number,
  keys: readonly K[],
): Promise<{ [P in K]: SettingValue<P> }> {
  const rows = await rowsOf<{ key: K; value: unknown }>(db)`
    select w.key, app_setting(w.org, w.key) as value
    from unnest(${[...keys]}::text[], ${keys.map((key) => holder(key, orgId))}::bigint[]) as w(key,
      org)`
  return Object.fromEntries(rows.map((row) => [row.key, readable(row.key, row.value)])) as {
    [P in K]: SettingValue<P>
  }
}

/** A stored value that a later release no longer allows counts as not set. */
function readable<K extends SettingKey>(key: K, value: unknown): SettingValue<K> {
  const parsed =
    value === null || value === undefined ? undefined : registry[key].shape.safeParse(value)
  return (parsed?.success ? parsed.data : registry[key].fallback) as SettingValue<K>
}

type Known = { tenant: number | null; readonly value: Promise<unknown> }
type Cache = {
  /** Counters by tenant. */
  readonly versions: Map<number, number>
  checkedAt: number
  checking: Promise<void> | null
  readonly values: Map<string, Known>
  /** Names of the values that each counter empties; null: those that are being read. */
  readonly names: Map<number | null, Set<string>>
}
/**
 * How old the look at the counters may be; other processes also tell at once over the live channel.
 */
const checkMs = 2000
const mostKept = 100_000

const cacheOf = perApp((app): Cache => {
  const fresh: Cache = {
    versions: new Map(),
    checkedAt: Number.NEGATIVE_INFINITY,
    checking: null,
    values: new Map(),
    names: new Map(),
  }
  app.live.subscribe((topics) => {
    if (topics.includes('settings')) fresh.checkedAt = Number.NEGATIVE_INFINITY
  })
  return fresh
})

function keep(cache: Cache, name: string, known: Known): void {
  cache.values.set(name, known)
  const names = cache.names.get(known.tenant) ?? new Set()
  cache.names.set(known.tenant, names.add(name))
}

function forgetAll(cache: Cache): void {
  cache.values.clear()
  cache.names.clear()
}

/** What a tenant changes is forgotten for him alone, what the platform changes for everybody. */
function forget(cache: Cache, tenants: readonly number[]): void {
  if (tenants.includes(platformOrg)) return forgetAll(cache)
  // whose the ones are that are being read is not known yet
  for (const tenant of [...tenants, null]) {
    for (const name of cache.names.get(tenant) ?? []) cache.values.delete(name)
    cache.names.delete(tenant)
  }
}

export type SettingsVersion = { readonly tenant: number; readonly version: number }

/** Counters as another query of this process just read them (sessions do at every request). */
export function noteSettingsVersions(app: App, read: readonly SettingsVersion[]): void {
  const cache = cacheOf(app)
  const moved = read.filter(({ tenant, version }) => cache.versions.get(tenant) !== version)
  if (moved.length === 0) return
  for (const { tenant, version } of moved) cache.versions.set(tenant, version)
  forget(
    cache,
    moved.map(({ tenant }) => tenant),
  )
}

/** This process changed a setting: the next reader looks. */
export function settingsChanged(app: App): void {
  cacheOf(app).checkedAt = Number.NEGATIVE_INFINITY
}

async function checked(app: App): Promise<Cache> {
  const cache = cacheOf(app)
  if (performance.now() - cache.checkedAt > checkMs) {
    cache.checking ??= look(app).finally(() => {
      cache.checking = null
    })
    await cache.checking
  }
  return cache
}

async function look(app: App): Promise<void> {
  const read = await app.database.aside(
    (db) => rowsOf<SettingsVersion>(db)`select tenant_id as tenant, version from settings_versions`,
  )
  noteSettingsVersions(app, read)
  cacheOf(app).checkedAt = performance.now()
}

type Wanted = { readonly name: string; readonly org: number; readonly key: SettingKey }

/** The values of all of them, in one query. */
function load(app: App, cache: Cache, wanted: readonly Wanted[]): void {
  const reading = app.database.aside(
    (db) =>
      rowsOf<{ value: unknown; tenant: number | null }>(db)`
      select app_setting(w.org, w.key) as value, tenant_of_path(o.path) as tenant
      from unnest(${wanted.map(({ org }) => org)}::bigint[],
        ${wanted.map(({ key }) => key)}::text[]) with ordinality as w(org, key, n)
      left join organisations o on o.id = w.org order by w.n`,
  )
  const known = wanted.map(({ key }, n) => ({
    tenant: null,
    value: reading.then((rows) => readable(key, rows[n]?.value)),
  }))
  for (const [n, { name }] of wanted.entries()) keep(cache, name, known[n] as Known)
  const settle = (rows: readonly { tenant: number | null }[]) => {
    for (const [n, { name }] of wanted.entries()) {
      // forgotten meanwhile, and perhaps read again
      if (cache.values.get(name) !== known[n]) continue
      cache.values.delete(name)
      cache.names.get(null)?.delete(name)
      const tenant = rows[n]?.tenant ?? null
      if (tenant !== null) keep(cache, name, { tenant, value: (known[n] as Known).value })
    }
  }
  // a failure is not an answer, nor what was said of an organisation that nobody sees yet
  reading.then(settle, () => settle([]))
  for (const { value } of known) value.catch(() => {})
}

/**
 * For hot paths, lists and sweeps: what counts for these organisations, by the organisation. No
 * query while nothing changed, else one for those that are not known; at most two seconds behind.
 */
export async function cachedFor<K extends SettingKey>(
  app: App,
  orgIds: Iterable<number>,
  keys: readonly K[],
): Promise<(orgId: number) => { [P in K]: SettingValue<P> }> {
  const cache = await checked(app)
  const nameOf = (orgId: number, key: K) => `${holder(key, orgId)} ${key}`
  const wanted = new Map<string, Wanted>()
  for (const orgId of new Set(orgIds))
    for (const key of keys)
      wanted.set(nameOf(orgId, key), { name: nameOf(orgId, key), org: holder(key, orgId), key })
  if (cache.values.size > mostKept) forgetAll(cache)
  const missing = [...wanted.values()].filter(({ name }) => !cache.values.has(name))
  if (missing.length) load(app, cache, missing)
  const reading = [...wanted.keys()].map((name) => [name, cache.values.get(name)?.value] as const)
  const values = new Map<string, unknown>()
  for (const [name, value] of reading) values.set(name, await value)
  return (orgId) =>
    Object.fromEntries(
      keys.map((key) => [key, values.get(nameOf(orgId, key)) ?? registry[key].fallback]),
    ) as { [P in K]: SettingValue<P> }
}

export const cachedSettings = async <K extends SettingKey>(
  app: App,
  orgId: number,
  keys: readonly K[],
): Promise<{ [P in K]: SettingValue<P> }> => (await cachedFor(app, [orgId], keys))(orgId)

export const cachedSetting = async <K extends SettingKey>(
  app: App,
  orgId: number,
  key: K,
): Promise<SettingValue<K>> => (await cachedSettings(app, orgId, [key]))[key]
