import { type RawBuilder, sql } from 'kysely'
import type { Database, Scope } from './database.ts'
import type { Listener } from './live.ts'
import type { Product } from './product.ts'

/**
 * Open screens of somebody who looks at machines of others (decision 19). What is said of an
 * organisation would tell him of machines he does not see, so a change there is only a reason to
 * look: at his machines alone, with his own scope, whether their rows are others than before. At
 * most every few seconds, and only while he looks.
 */
export type Watch = {
  hear(change: Readonly<Record<string, readonly number[]>>): void
  look(): void
  end(): void
}

type Person = Pick<Listener, 'permissions' | 'scopeOf'>
/** What somebody may hear of, with the rows he reaches by it. */
type Sight = { readonly topic: string; readonly tables: readonly string[]; readonly scope: Scope }

const sightsOf = (topics: Product['topics'], { permissions, scopeOf }: Person): Sight[] =>
  Object.entries(topics).flatMap(([topic, { rights, watched }]) => {
    if (!watched) return []
    const scopes = rights.filter((right) => permissions.has(right)).map(scopeOf)
    const scope = scopes.find((one) => one.watched?.length)
    return scope ? [{ topic, tables: watched, scope }] : []
  })

export function openWatch(
  database: Pick<Database, 'read'>,
  topics: Product['topics'],
  of: () => Person,
  tell: (changed: readonly string[]) => void,
  onError: (error: unknown) => void,
  pauseMs = 5000,
): Watch {
  let seen = new Map<string, string>()
  let homes = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let hasSeen = false
  let again = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let ended = false

  let known = { person: of(), sights: sightsOf(topics, of()) }
  function sights(): Sight[] {
    const person = of()
    if (known.person !== person) known = { person, sights: sightsOf(topics, person) }
    return known.sights
  }

  async function compare(): Promise<void> {
    const fresh = new Map<string, string>()
    for (const { topic, tables, scope } of sights())
      fresh.set(topic, await printOf(database, scope, tables))
    const [first] = sights()
    homes = first ? await homesOf(database, first.scope) : new Set()
    const changed = [...fresh]
      .filter(([topic, print]) => seen.has(topic) && seen.get(topic) !== print)
      .map(([topic]) => topic)
    seen = fresh
    if (changed.length && !ended) tell(changed)
  }

  function look(): void {
    if (looking) again = true
    if (timer || looking || ended || sights().length === 0) return
    timer = setTimeout(
      async () => {
        timer = undefined
        looking = true
        await compare().catch(onError)
        looking = false
        // the first look only learns how things are
        lookedAt = hasSeen ? performance.now() : Number.NEGATIVE_INFINITY
        hasSeen = true
        // what changed while it looked
        if (again) look()
        again = false
      },
      Math.max(100, lookedAt + pauseMs - performance.now()),
    )
  }

  look()
  return {
    hear(change) {
      if (sights().some(({ topic }) => change[topic]?.some((org) => homes.has(org)))) look()
    },
    look,
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}

/**
 * Another number when a row of these tables is another one, came or went; of what grows for ever
 * the last hour.
 */
async function printOf(
  database: Pick<Database, 'read'>,
  scope: Scope,
  tables: readonly string[],
): Promise<string> {
  const prints: RawBuilder<unknown>[] = tables.map((table) => {
    const device = sql.ref(table === 'devices' ? 't.id' : 't.device_id')
    const lately = growing.has(table) ? sql`and t.created_at > now() - interval '1 hour'` : sql``
    return sql`select sum(hashtextextended(t.tableoid::text || t.ctid::text || t.xmin::text,
      0))::text as n from ${sql.table(table)} t
      where ${device} = any(${[...(scope.watched ?? [])]}::bigint[]) ${lately}`
  })
  const { rows } = await database.read(scope, (db) =>
    sql<{ n: string | null }>`${sql.join(prints, sql` union all `)}`.execute(db),
  )
  return rows.map(({ n }) => n ?? '').join('/')
}
const growing: ReadonlySet<string> = new Set(['orders', 'stock_flows'])

async function homesOf(database: Pick<Database, 'read'>, scope: Scope): Promise<Set<number>> {
  const { rows } = await database.read(scope, (db) =>
    sql<{
      org_id: number
    }>`select distinct d.org_id from devices d
      where d.id = any(${[...(scope.watched ?? [])]}::bigint[])`.execute(db),
  )
  return new Set(rows.map((row) => row.org_id))
}
