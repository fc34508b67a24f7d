import { prepared } from '../../../server/bind.ts'
import { type App, bothScopes, type Ctx, iso } from '../../../server/context.ts'
import type { Db, Scope } from '../../../server/database.ts'
import { askerOf, heavyReads } from '../../../server/shares.ts'
import type { Standing, Stands } from '../../../server/standing.ts'
import { toRequest } from '../../../shared/contract.ts'
import { say } from '../../../shared/text.ts'
import { standings } from '../../product.ts'
import type { StandingRow, workbench } from '../contract.ts'
import { byStake } from '../rules.ts'

type Actor = Ctx['actor']

/** The rows of a source that somebody both sees and may do something about; null: none. */
function scopeFor(actor: Actor, { list, act }: Standing): Scope | null {
  const right = act.find((code) => actor.permissions.has(code))
  if (!right || !actor.permissions.has(list.access) || !actor.scopeOf) return null
  return bothScopes(actor.scopeOf(list.access), actor.scopeOf(right as `${string}:${string}`))
}

const shown = (actor: Actor, source: Standing, found: Stands, now: Date): StandingRow => {
  const query = toRequest({ ...source.list, path: source.page, method: 'GET' }, source.filter(now))
  return {
    key: source.key,
    title: say(source.title, 'zh-CN'),
    titleEn: say(source.title, 'en'),
    tone: source.tone,
    count: found.count,
    more: found.more ?? false,
    value: source.money && actor.permissions.has(source.money) ? found.value : null,
    per: source.per,
    since: found.since,
    to: query.url,
  }
}

/** Every right may reach other rows: sources of one scope are read together, in their scope. */
async function measured(app: App, actor: Actor, now: Date): Promise<StandingRow[]> {
  const groups = new Map<string, { scope: Scope; sources: Standing[] }>()
  for (const source of await standings()) {
    const scope = scopeFor(actor, source)
    if (!scope) continue
    const key = JSON.stringify(scope)
    const group = groups.get(key) ?? { scope, sources: [] }
    group.sources.push(source)
    groups.set(key, group)
  }
  const rows: StandingRow[] = []
  for (const { scope, sources } of groups.values())
    await app.database.read(scope, async (db: Db) => {
      const ctx = { app, db, actor: { ...actor, scope }, now } as Ctx
      for (const source of sources) rows.push(shown(actor, source, await source.measure(ctx), now))
    })
  return rows.filter(({ count }) => count > 0).sort(byStake)
}

export const situation = prepared<(typeof workbench)['situation'], StandingRow[]>({
  // before the one read of the endpoint, which has the scope of one right alone
  prepare: (app, _input, request, actor) =>
    heavyReads(app).take(askerOf({ actor, ip: request.ip }), () => measured(app, actor, app.now())),
  run: async (ctx, _input, list) => ({ asOf: iso(ctx.now), list }),
})
