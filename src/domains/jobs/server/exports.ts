import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import type { z } from 'zod'
import { type Actor, type App, type Ctx, isRefused } from '../../../server/context.ts'
import { type Db, type Scope, systemScope } from '../../../server/database.ts'
import { loadPerson, type Person } from '../../../server/sessions.ts'
import { heavyReads, tenantOf } from '../../../server/shares.ts'
import type { Endpoint } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { exportKeys, rowShape } from '../../../shared/exportFields.ts'
import { shanghaiClock } from '../../../shared/instants.ts'
import type { Texts } from '../../../shared/locale.ts'
import type { Lang } from '../../../shared/text.ts'
import { textsOver } from '../../../shared/words.ts'
import { permissions } from '../../accounts/permissions.ts'
import { jobErrors } from '../contract.ts'
import { jobLimits } from '../rules.ts'
import { hasTitle, type SheetColumn, sheetColumn } from './cells.ts'
import { rendered } from './rendered.ts'

/** What a person asked for; kept with the job and looked at anew when it runs. */
export type ExportParams = { endpoint: string; query: Record<string, unknown>; columns: string[] }
type ListHandler = (ctx: Ctx, input: never) => Promise<unknown>
type Target = { endpoint: Endpoint; right: string; run: ListHandler; texts: (lang: Lang) => Texts }

/** The lists that may be written to a file, by path. Loaded late: handlers of all domains reach this file through its own. */
let targets: Promise<ReadonlyMap<string, Target>> | undefined
const allTargets = () => {
  targets ??= loadTargets()
  return targets
}
async function loadTargets(): Promise<ReadonlyMap<string, Target>> {
  const [{ contracts }, { handlers }, { locales }] = await Promise.all([import('../../contracts.ts'), import('../../server.ts'), import('../../locales.ts')])
  const found = new Map<string, Target>()
  for (const [domain, contract] of Object.entries(contracts)) {
    for (const [key, endpoint] of Object.entries(contract as Record<string, Endpoint>)) {
      const handler = (handlers as unknown as Record<string, Record<string, unknown>>)[domain]?.[key]
      const locale = locales[domain]
      if (!endpoint.export || !locale) continue
      if (typeof handler !== 'function') throw new Error(`${domain}.${key}: a list that is exported has a plain handler`)
      found.set(endpoint.path, {
        endpoint,
        right: endpoint.export,
        run: handler as ListHandler,
        texts: (lang) => textsOver(locale, lang),
      })
    }
  }
  return found
}

const names = new Map(permissions.map((permission) => [permission.code, permission]))
/** `设备导出` / `Export devices`: the name of the right is the name of the job. */
export async function exportTitle(path: string, lang: Lang): Promise<string> {
  const target = (await allTargets()).get(path)
  const named = target && names.get(target.right)
  return named ? (lang === 'en' ? named.en : named.zh) : path
}

/** Whether he may read that list and write it to a file. */
export async function mayExport(person: Pick<Actor, 'permissions'>, path: string): Promise<boolean> {
  const target = (await allTargets()).get(path)
  return target !== undefined && rightsOf(target).every((right) => person.permissions.has(right))
}

/** What a file was made with: the rights that decided what it shows, and the rows they reached. */
export type MadeWith = { readonly rights: readonly string[]; readonly scope: Scope }

/** Whether he still has all the rights a file was made with; one of which nothing is known shows too much. */
export const hasRightsOf = (person: Pick<Actor, 'permissions'>, rights: readonly string[] | null): boolean =>
  rights?.every((right) => person.permissions.has(right)) ?? false

/** Whether he still has all the rights and reaches all the rows a file was made with. */
export async function reachesAll(person: Person, path: string, made: MadeWith | null): Promise<boolean> {
  const target = (await allTargets()).get(path)
  return target !== undefined && made !== null && hasRightsOf(person, made.rights) && within(made.scope, scopeFor(person, target))
}
const scopeFor = (person: Person, { endpoint, right }: Target): Scope =>
  bothScopes(person.scopeOf(endpoint.access), person.scopeOf(right as Endpoint['access']))

function within(made: Scope, now: Scope): boolean {
  if (made.all || now.all) return now.all
  const among = (ids: readonly number[], found: readonly number[]) => {
    const known = new Set(found)
    return ids.every((id) => known.has(id))
  }
  return (
    among(made.orgs, now.orgs) &&
    among(made.ancestors, [...now.orgs, ...now.ancestors]) &&
    (now.devices === null || (made.devices !== null && among(made.devices, now.devices))) &&
    among(made.watched ?? [], now.watched ?? [])
  )
}

/** The same rights, noting those that were asked for and held: what a handler shows hangs on them. What only allows a deed shows nothing. */
async function noted(held: ReadonlySet<string>, rights: Set<string>): Promise<ReadonlySet<string>> {
  const deeds = await allDeeds()
  const copy = new Set(held)
  copy.has = (code) => {
    const has = held.has(code)
    if (has && !deeds.has(code)) rights.add(code)
    return has
  }
  return copy
}
let deeds: Promise<ReadonlySet<string>> | undefined
const allDeeds = () => {
  deeds ??= import('../../contracts.ts').then(
    ({ contracts }) =>
      new Set(
        Object.values(contracts).flatMap((contract) =>
          Object.values(contract as Record<string, Endpoint>).flatMap((one) => (one.kind === 'write' ? [one.access] : [])),
        ),
      ),
  )
  return deeds
}
const rightsOf = ({ endpoint, right }: Target): string[] => [endpoint.access, right].filter((one) => one !== 'self')

/** Rows that both rights reach. */
export function bothScopes(a: Scope, b: Scope): Scope {
  if (a.all) return b
  if (b.all) return a
  const both = (x: readonly number[], y: readonly number[]) => x.filter((id) => y.includes(id))
  return {
    all: false,
    orgs: both(a.orgs, b.orgs),
    ancestors: both(a.ancestors, b.ancestors),
    devices: a.devices === null ? b.devices : b.devices === null ? a.devices : both(a.devices, b.devices),
    watched: a.watched && b.watched && both(a.watched, b.watched),
  }
}

type Plan = { target: Target; person: Actor; input: Record<string, unknown>; columns: readonly string[]; rights: Set<string> }

/** The whole check: known list, both rights, a filter its contract takes, columns it has. */
export async function planExport(person: Person | null, params: ExportParams): Promise<Plan> {
  if (!person) throw new Refusal(common.accountClosed)
  const target = (await allTargets()).get(params.endpoint)
  if (!target) throw new Refusal(jobErrors.notExportable, {}, [{ field: 'endpoint', text: jobErrors.notExportable.text }])
  if (!(await mayExport(person, params.endpoint))) throw new Refusal(common.forbidden)
  const allowed = exportKeys(target.endpoint).filter((key) => hasTitle(target.texts('zh-CN'), key))
  const unknown = params.columns.filter((key) => !allowed.includes(key))
  if (unknown.length)
    throw new Refusal(jobErrors.unknownColumns, { columns: unknown.join(', ').slice(0, 200) }, [{ field: 'columns', text: jobErrors.unknownColumns.text }])
  const { page: _page, pageSize: _size, ...filter } = params.query
  const input = target.endpoint.input.parse(filter) as Record<string, unknown>
  const rights = new Set(rightsOf(target))
  const actor = { ...person, permissions: await noted(person.permissions, rights), sessionId: null, scope: scopeFor(person, target) }
  return { target, person: actor, input, columns: [...new Set(params.columns)], rights }
}

/** One page of the list as its own screen would get it, only larger. */
async function readPage(app: App, db: Db, plan: Plan, lang: Lang, now: Date, page: number, pageSize: number): Promise<{ list: unknown[]; total: number }> {
  const refuse = () => {
    throw new Error('a read endpoint changes nothing')
  }
  const ctx: Ctx = {
    app,
    db,
    actor: plan.person,
    now,
    lang,
    requestId: randomUUID(),
    ip: '',
    userAgent: '',
    audit: refuse,
    touch: refuse,
    later: refuse,
    afterCommit: refuse,
  }
  const answer = await plan.target.run(ctx, { ...plan.input, page, pageSize } as never)
  if (isRefused(answer)) throw new Refusal(answer.refused, answer.values)
  return answer as { list: unknown[]; total: number }
}

/** How many rows the file would have. */
export async function countRows(app: App, plan: Plan, lang: Lang): Promise<number> {
  const count = () => app.database.read(plan.person.scope, (db) => readPage(app, db, plan, lang, app.now(), 1, 3))
  const { total } = await heavyReads(app).take(tenantOf(plan.person), count)
  if (total > jobLimits.exportRows) throw new Refusal(jobErrors.tooManyRows, { total, most: jobLimits.exportRows })
  return total
}

type Progress = (done: number, total: number) => Promise<void>

/** All rows of one moment into one file; `progress` may stop it by throwing. Answers the rows written. */
export async function writeExport(app: App, plan: Plan, lang: Lang, progress: Progress): Promise<{ name: string; bytes: number; rows: number }> {
  const shape = (rowShape(plan.target.endpoint) as z.ZodObject).shape as Record<string, z.ZodType>
  const texts = plan.target.texts(lang)
  const columns = plan.columns.map((key) => ({ key, ...sheetColumn(key, shape[key] as z.ZodType, texts, lang) }))
  return app.database.snapshot(plan.person.scope, async (db) => {
    let rows = 0
    async function* cells() {
      const now = app.now()
      for (let page = 1; ; page += 1) {
        const { list, total } = await readPage(app, db, plan, lang, now, page, jobLimits.exportPage)
        if (total > jobLimits.exportRows) throw new Refusal(jobErrors.tooManyRows, { total, most: jobLimits.exportRows })
        // whoever waits comes before the rows that were just read
        await breathe()
        for (const row of list as Record<string, unknown>[]) yield columns.map(({ key, cell }) => cell(row[key]))
        rows += list.length
        await progress(rows, total)
        if (rows >= total || list.length === 0) return
      }
    }
    const heads = columns.map(({ def }: SheetColumn) => def)
    return { ...(await app.files.write(rendered(cells(), heads), 'xlsx')), rows }
  })
}

/** The file's name as its owner will see it: title and Shanghai time. */
export const fileNameOf = (title: string, now: Date): string => `${title}_${shanghaiClock(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')}.xlsx`

export type ClaimedJob = { id: number; org_id: number; user_id: number; name: string; lang: Lang; params: ExportParams; lease: string; attempts: number }

/** The next job nobody works on, ours for as long as its lease is renewed. `quick`: small ones only, so that they never wait behind large ones. */
export async function claimExport(app: App, quick: boolean): Promise<ClaimedJob | undefined> {
  const now = app.now()
  return app.database.transact(systemScope, async (db) => {
    const { rows } = await sql<ClaimedJob>`
      update jobs set state = 'RUNNING', lease = gen_random_uuid(), heartbeat_at = ${now}, started_at = coalesce(started_at, ${now}), attempts = attempts + 1, done = 0
      where id = (select id from jobs where kind = 'EXPORT' and (state = 'QUEUED' or (state = 'RUNNING' and heartbeat_at < ${new Date(now.getTime() - jobLimits.leaseMs)}))
        and ${quick ? sql`total <= ${jobLimits.quickRows}` : sql`total > ${jobLimits.quickRows}`} order by created_at, id limit 1 for update skip locked)
      returning id, org_id, user_id, name, lang, params, lease, attempts`.execute(db)
    return rows[0]
  })
}

/** Somebody cancelled it, or another worker holds it now: what we wrote is thrown away. */
class Lost extends Error {}

/** Runs one job if there is one; true when there was. */
export async function runNextExport(app: App, quick: boolean): Promise<boolean> {
  const job = await claimExport(app, quick)
  if (!job) return false
  const told = () => app.live.publish([`jobs:${job.user_id}`], job.org_id)
  told()
  try {
    if (job.attempts > jobLimits.attempts) throw new Error(`gave up after ${jobLimits.attempts} tries`)
    const plan = await planExport(await loadPerson(app.database, job.user_id), job.params)
    let toldAt = 0
    const file = await writeExport(app, plan, job.lang, async (done, total) => {
      const now = app.now()
      const kept = await app.database.transact(systemScope, (db) =>
        sql`update jobs set heartbeat_at = ${now}, done = ${done}, total = ${total} where id = ${job.id} and state = 'RUNNING' and lease = ${job.lease}`.execute(
          db,
        ),
      )
      if (!kept.numAffectedRows) throw new Lost()
      if (Date.now() - toldAt < 1000) return
      toldAt = Date.now()
      told()
    })
    await finish(app, job, file, { rights: [...plan.rights].sort(), scope: plan.person.scope })
  } catch (error) {
    if (!(error instanceof Lost)) await fail(app, job, error)
  }
  told()
  return true
}

async function finish(app: App, job: ClaimedJob, file: { name: string; bytes: number; rows: number }, made: MadeWith): Promise<void> {
  const now = app.now()
  const name = fileNameOf(await exportTitle(job.name, job.lang), now)
  const kept = await app.database.transact(systemScope, (db) =>
    sql`update jobs set state = 'DONE', lease = null, heartbeat_at = null, finished_at = ${now}, total = ${file.rows}, done = ${file.rows}, file_key = ${file.name}, file_name = ${name},
      file_bytes = ${file.bytes}, made_with = ${JSON.stringify(made)}::jsonb, file_expires_at = ${new Date(now.getTime() + jobLimits.keepDays * 86_400_000)} where id = ${job.id} and state = 'RUNNING' and lease = ${job.lease}`.execute(
      db,
    ),
  )
  if (!kept.numAffectedRows) await app.files.remove(file.name)
}

async function fail(app: App, job: ClaimedJob, error: unknown): Promise<void> {
  if (!(error instanceof Refusal)) app.log.error({ err: error, job: job.id }, 'export')
  const text = error instanceof Refusal ? failureText(error) : common.unexpected.text
  await app.database.transact(systemScope, (db) =>
    sql`update jobs set state = 'FAILED', lease = null, heartbeat_at = null, finished_at = ${app.now()}, error = ${text.slice(0, 1000)}
      where id = ${job.id} and state = 'RUNNING' and lease = ${job.lease}`.execute(db),
  )
}

/** Closed accounts and lost rights in words that fit a job, the rest as it was said. */
function failureText(refusal: Refusal): string {
  if (refusal.def === common.accountClosed) return jobErrors.ownerClosed.text
  if (refusal.def === common.forbidden) return jobErrors.rightLost.text
  return refusal.def.text.replace(/\{(\w+)\}/g, (whole, key: string) => String(refusal.values[key] ?? whole))
}

/** Result files after their time: the row stays, its file goes. */
export async function removeExpired(app: App): Promise<void> {
  for (;;) {
    const { rows } = await app.database.transact(systemScope, (db) =>
      sql<{
        file_key: string
      }>`with old as (select id, file_key from jobs where file_key is not null and file_expires_at <= ${app.now()} limit 500 for update skip locked)
        update jobs j set file_key = null, file_name = null, file_bytes = null, file_expires_at = null from old where j.id = old.id returning old.file_key`.execute(
        db,
      ),
    )
    if (!rows.length) return
    for (const { file_key } of rows) await app.files.remove(file_key)
  }
}
