import type { App } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { rowsOf } from '../../../server/rows.ts'
import { registry, type SettingKey, type SettingValue, settingOfKey } from '../registry.ts'

/**
 * What counts for an organisation, for every domain. Settings of the platform are those of
 * organisation 1, whoever asks.
 */
export const platformOrg = 1
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

type Cache = {
  version: number
  checkedAt: number
  checking: Promise<void> | null
  values: Map<string, Promise<unknown>>
}
/**
 * How old the look at the counter may be; other processes also tell at once over the live channel.
 */
const checkMs = 2000

const cacheOf = perApp((app): Cache => {
  const fresh: Cache = {
    version: 0,
    checkedAt: Number.NEGATIVE_INFINITY,
    checking: null,
    values: new Map(),
  }
  app.live.subscribe((topics) => {
    if (topics.includes('settings')) fresh.checkedAt = Number.NEGATIVE_INFINITY
  })
  return fresh
})

/**
 * The counter as another query of this process just read it (sessions do at every request): spares
 * the look of our own.
 */
export function noteSettingsVersion(app: App, version: number): void {
  const cache = cacheOf(app)
  if (version !== cache.version) cache.values.clear()
  cache.version = version
  cache.checkedAt = performance.now()
}

/** This process changed a setting: the next reader looks. */
export function settingsChanged(app: App): void {
  cacheOf(app).checkedAt = Number.NEGATIVE_INFINITY
}

async function checked(app: App): Promise<Cache> {
  const cache = cacheOf(app)
  if (performance.now() - cache.checkedAt > checkMs) {
    cache.checking ??= app.database
      .aside((db) => db.selectFrom('settings_version').select('version').executeTakeFirstOrThrow())
      .then(({ version }) => noteSettingsVersion(app, version))
      .finally(() => {
        cache.checking = null
      })
    await cache.checking
  }
  return cache
}

async function remembered<T>(app: App, name: string, load: () => Promise<T>): Promise<T> {
  const { values } = await checked(app)
  const known = values.get(name) as Promise<T> | undefined
  if (known) return known
  if (values.size > 10_000) values.clear()
  const loading = load()
  values.set(name, loading)
  // a failure is not an answer
  loading.catch(() => values.delete(name))
  return loading
}

/** For hot paths: no query while nothing changed, at most two seconds behind. */
export const cachedSetting = <K extends SettingKey>(
  app: App,
  orgId: number,
  key: K,
): Promise<SettingValue<K>> =>
  remembered(app, `${holder(key, orgId)} ${key}`, () =>
    app.database.aside((db) => settingOf(db, orgId, key)),
  )

/** Several at once; they are read alone, once. */
export async function cachedSettings<K extends SettingKey>(
  app: App,
  orgId: number,
  keys: readonly K[],
): Promise<{ [P in K]: SettingValue<P> }> {
  const values = await Promise.all(keys.map((key) => cachedSetting(app, orgId, key)))
  return Object.fromEntries(keys.map((key, n) => [key, values[n]])) as { [P in K]: SettingValue<P> }
}

/** For sweeps over all organisations: the value of each, kept like `cachedSetting`. */
export const cachedByOrg = <K extends SettingKey>(
  app: App,
  key: K,
): Promise<ReadonlyMap<number, SettingValue<K>>> =>
  remembered(app, `* ${key}`, () =>
    app.database.aside(async (db) => {
      const rows = await rowsOf<{ id: number; value: unknown }>(
        db,
      )`select id, app_setting(id, ${key}) as value from organisations`
      return new Map(rows.map((row) => [row.id, readable(key, row.value)]))
    }),
  )
