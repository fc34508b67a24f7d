import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import type { z } from 'zod'
import { type Actor, type App, bothScopes, type Ctx, isRefused } from '../../../server/context.ts'
import { type Db, type Scope, systemScope } from '../../../server/database.ts'
import type { Walk } from '../../../server/lists.ts'
import type { Person } from '../../../server/person.ts'
import { endpointsOf } from '../../../server/product.ts'
import { heavyReads, tenantOf } from '../../../server/shares.ts'
import { clock, type Kind, Lost, leased, type Piece } from '../../../server/work.ts'
import type { Endpoint } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { exportKeys, rowShape } from '../../../shared/exportFields.ts'
import { shanghaiClock } from '../../../shared/instants.ts'
import type { Texts } from '../../../shared/locale.ts'
import type { Lang } from '../../../shared/text.ts'
import { textsOver } from '../../../shared/words.ts'
import { permissions } from '../../accounts/permissions.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { handlers as allHandlers, contracts, locales } from '../../product.ts'
import { jobErrors } from '../contract.ts'
import { jobLimits } from '../rules.ts'
import { hasTitle, type SheetColumn, sheetColumn } from './cells.ts'
import { rendered } from './rendered.ts'

/** What a person asked for; kept with the job and looked at anew when it runs. */
export type ExportParams = { endpoint: string; query: Record<string, unknown>; columns: string[] }
type ListHandler = (ctx: Ctx, input: never) => Promise<unknown>
type Target = { endpoint: Endpoint; right: string; run: ListHandler; texts: (lang: Lang) => Texts }

/** The lists that may be written to a file, by path. */
let targets: Promise<ReadonlyMap<string, Target>> | undefined
const allTargets = () => {
  targets ??= loadTargets()
  return targets
}
async function loadTargets(): Promise<ReadonlyMap<string, Target>> {
  const handlers = await allHandlers()
  const found = new Map<string, Target>()
  for (const { name, domain, key, endpoint } of endpointsOf(contracts)) {
    const handler = handlers[domain]?.[key]
    const locale = locales[domain]
    if (!endpoint.export || !locale) continue
    if (typeof handler !== 'function')
      throw new Error(`${name}: a list that is exported has a plain handler`)
    found.set(endpoint.path, {
      endpoint,
      right: endpoint.export,
      run: handler as ListHandler,
      texts: (lang) => textsOver(locale, lang),
    })
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
export async function mayExport(
  person: Pick<Actor, 'permissions'>,
  path: string,
): Promise<boolean> {
  const target = (await allTargets()).get(path)
  return target !== undefined && rightsOf(target).every((right) => person.permissions.has(right))
}

/** Whether its filter has a range of days. */
export async function takesDays(path: string): Promise<boolean> {
  const { from, to } = (await allTargets()).get(path)?.endpoint.input.shape ?? {}
  return Boolean(from && to)
}

/** What a file was made with: the rights that decided what it shows, and the rows they reached. */
export type MadeWith = { readonly rights: readonly string[]; readonly scope: Scope }

/**
 * Whether he still has all the rights a file was made with; one of which nothing is known shows too
 * much.
 */
export const hasRightsOf = (
  person: Pick<Actor, 'permissions'>,
  rights: readonly string[] | null,
): boolean => rights?.every((right) => person.permissions.has(right)) ?? false

/**
 * Whether he still has all the rights and reaches all the rows a file was made with; those of an
 * organisation that ended are nobody else's.
 */
export async function reachesAll(
  app: App,
  person: Person,
  path: string,
  made: MadeWith | null,
): Promise<boolean> {
  const target = (await allTargets()).get(path)
  if (target === undefined || made === null || !hasRightsOf(person, made.rights)) return false
  const { orgs, ancestors } = made.scope
  const { rows } = await app.database.read(systemScope, (db) =>
    sql<{
      id: number
    }>`select id from organisations where id = any(${[...orgs, ...ancestors]}::bigint[])`.execute(
      db,
    ),
  )
  const there = new Set(rows.map((org) => org.id))
  return within(
    {
      ...made.scope,
      orgs: orgs.filter((id) => there.has(id)),
      ancestors: ancestors.filter((id) => there.has(id)),
    },
    scopeFor(person, target),
  )
}
const scopeFor = (person: Person, { endpoint, right }: Target): Scope =>
  bothScopes(person.scopeOf(endpoint.access), person.scopeOf(right as Endpoint['access']))

function within(made: Scope, now: Scope): boolean {
  if (made.all || now.all) return now.all
  const among = (ids: readonly number[], found: readonly number[]) =>
    new Set(ids).isSubsetOf(new Set(found))
  return (
    among(made.orgs, now.orgs) &&
    among(made.ancestors, [...now.orgs, ...now.ancestors]) &&
    (now.devices === null || (made.devices !== null && among(made.devices, now.devices))) &&
    among(made.watched ?? [], now.watched ?? [])
  )
}

/**
 * The same rights, noting those that were asked for and held: what a handler shows hangs on them.
 * What only allows a deed shows nothing.
 */
function noted(held: ReadonlySet<string>, rights: Set<string>): ReadonlySet<string> {
  const deeds = allDeeds()
  const copy = new Set(held)
  copy.has = (code) => {
    const has = held.has(code)
    if (has && !deeds.has(code)) rights.add(code)
    return has
  }
  return copy
}
let deeds: ReadonlySet<string> | undefined
const allDeeds = () => {
  deeds ??= new Set(
    endpointsOf(contracts).flatMap(({ endpoint }) =>
      endpoint.kind === 'write' ? [endpoint.access] : [],
    ),
  )
  return deeds
}
const rightsOf = ({ endpoint, right }: Target): string[] =>
  [endpoint.access, right].filter((one) => one !== 'self')

type Plan = {
  target: Target
  person: Actor
  input: Record<string, unknown>
  columns: readonly string[]
  rights: Set<string>
}

/** The whole check: known list, both rights, a filter its contract takes, columns it has. */
export async function planExport(person: Person | null, params: ExportParams): Promise<Plan> {
  if (!person) throw new Refusal(common.accountClosed)
  const target = (await allTargets()).get(params.endpoint)
  if (!target) throw fieldRefusal(jobErrors.notExportable, 'endpoint')
  if (!(await mayExport(person, params.endpoint))) throw new Refusal(common.forbidden)
  const allowed = exportKeys(target.endpoint).filter((key) => hasTitle(target.texts('zh-CN'), key))
  const unknown = params.columns.filter((key) => !allowed.includes(key))
  if (unknown.length)
    throw fieldRefusal(jobErrors.unknownColumns, 'columns', {
      columns: unknown.join(', ').slice(0, 200),
    })
  const { page: _page, pageSize: _size, ...filter } = params.query
  const input = target.endpoint.input.parse(filter) as Record<string, unknown>
  const rights = new Set(rightsOf(target))
  const actor = {
    ...person,
    permissions: noted(person.permissions, rights),
    sessionId: null,
    scope: scopeFor(person, target),
  }
  return { target, person: actor, input, columns: [...new Set(params.columns)], rights }
}

/** One page of the list as its own screen would get it, only larger. */
async function readPage(
  app: App,
  db: Db,
  plan: Plan,
  lang: Lang,
  now: Date,
  page: number,
  pageSize: number,
  walk: Walk,
): Promise<{ list: unknown[]; total: number }> {
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
    afterEnd: refuse,
  }
  const answer = await plan.target.run(ctx, { ...plan.input, page, pageSize, walk } as never)
  if (isRefused(answer)) throw new Refusal(answer.refused, answer.values)
  return answer as { list: unknown[]; total: number }
}

/** From behind the last row, and counted as far as a file may go. */
const allRows = (): Walk => ({ most: jobLimits.exportRows })

/** How many rows the file would have. */
export async function countRows(app: App, plan: Plan, lang: Lang): Promise<number> {
  const count = () =>
    app.database.read(plan.person.scope, (db) =>
      readPage(app, db, plan, lang, app.now(), 1, 3, allRows()),
    )
  const { total } = await heavyReads(app).take(tenantOf(plan.person), count)
  if (total > jobLimits.exportRows)
    throw new Refusal(jobErrors.tooManyRows, { total, most: jobLimits.exportRows })
  return total
}

type Progress = (done: number, total: number) => Promise<void>

/**
 * All rows of one moment into one file; `progress` may stop it by throwing. Answers the rows
 * written.
 */
export async function writeExport(
  app: App,
  plan: Plan,
  lang: Lang,
  progress: Progress,
): Promise<{ name: string; bytes: number; rows: number }> {
  const shape = (rowShape(plan.target.endpoint) as z.ZodObject).shape as Record<string, z.ZodType>
  const texts = plan.target.texts(lang)
  const columns = plan.columns.map((key) => ({
    key,
    ...sheetColumn(key, shape[key] as z.ZodType, texts, lang),
  }))
  return app.database.snapshot(plan.person.scope, async (db) => {
    let rows = 0
    async function* cells() {
      const now = app.now()
      const walk = allRows()
      for (let page = 1; ; page += 1) {
        const { list, total } = await readPage(
          ...([app, db, plan, lang, now, page, jobLimits.exportPage, walk] as const),
        )
        if (total > jobLimits.exportRows)
          throw new Refusal(jobErrors.tooManyRows, { total, most: jobLimits.exportRows })
        // whoever waits comes before the rows that were just read
        await breathe()
        for (const row of list as Record<string, unknown>[])
          yield columns.map(({ key, cell }) => cell(row[key]))
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
export const fileNameOf = (title: string, now: Date): string =>
  `${title}_${shanghaiClock(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')}.xlsx`

type Job = Piece & {
  id: number
  org_id: number
  user_id: number
  name: string
  lang: Lang
  params: ExportParams
}
type Made = { state: 'DONE'; file: { name: string; bytes: number; rows: number }; with: MadeWith }
export const exportNames = { quick: 'exports-quick', large: 'exports-large' } as const

/** Two kinds, so that a short list never waits behind a long one. Each page renews the lease. */
export const exportKind = (app: App, size: keyof typeof exportNames): Kind<Job, Made> => {
  const kind: Kind<Job, Made> = {
    name: exportNames[size],
    table: 'jobs',
    of: sql`t.total ${sql.raw(size === 'quick' ? '<=' : '>')} ${jobLimits.quickRows}`,
    begins: sql`state = 'RUNNING', started_at = coalesce(t.started_at, ${clock(app)}), done = 0`,
    atOnce: 1,
    leaseSeconds: jobLimits.leaseSeconds,
    // whoever waits for it tries again himself
    waits: [],
    most: jobLimits.attempts,
    do: make,
    async mark(ctx, job, to) {
      if (to.state === 'DONE') await keep(ctx, job, to)
      else
        await sql`update jobs set state = 'FAILED', next_at = null, finished_at = ${ctx.now},
          error = ${to.reason.slice(0, 1000)} where ${job.ours}`.execute(ctx.db)
      ctx.touch(`jobs:${job.user_id}`, job.org_id)
    },
  }
  return kind

  async function make(job: Job): Promise<Made> {
    const told = () => app.live.publish([`jobs:${job.user_id}`], job.org_id)
    told()
    const plan = await planExport(await loadPerson(app.database, job.user_id), job.params).catch(
      inWordsOfJob,
    )
    let toldAt = Number.NEGATIVE_INFINITY
    const file = await writeExport(app, plan, job.lang, async (done, total) => {
      const kept = await app.database.transact(systemScope, (db) =>
        sql`update jobs set ${leased(app, kind)}, done = ${done}, total = ${total}
          where ${job.ours}`.execute(db),
      )
      if (!kept.numAffectedRows) throw new Lost()
      if (performance.now() - toldAt < 1000) return
      toldAt = performance.now()
      told()
    })
    return {
      state: 'DONE',
      file,
      with: { rights: [...plan.rights].sort(), scope: plan.person.scope },
    }
  }
}

/** The file is the job's, or nobody's: somebody cancelled it, or another worker does it now. */
async function keep(ctx: Ctx, job: Job, { file, with: made }: Made): Promise<void> {
  const name = fileNameOf(await exportTitle(job.name, job.lang), ctx.now)
  const expires = new Date(ctx.now.getTime() + jobLimits.keepDays * 86_400_000)
  const kept = await sql`update jobs set state = 'DONE', next_at = null, finished_at = ${ctx.now},
      total = ${file.rows}, done = ${file.rows}, file_key = ${file.name},
    file_name = ${name}, file_bytes = ${file.bytes}, made_with = ${JSON.stringify(made)}::jsonb,
    file_expires_at = ${expires} where ${job.ours}`.execute(ctx.db)
  if (!kept.numAffectedRows) ctx.afterCommit(() => ctx.app.files.remove(file.name))
}

/** Closed accounts and lost rights in words that fit a job. */
function inWordsOfJob(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  const def =
    error.def === common.accountClosed
      ? jobErrors.ownerClosed
      : error.def === common.forbidden
        ? jobErrors.rightLost
        : null
  throw def ? new Refusal(def) : error
}

/** Result files after their time: the row stays, its file goes. */
export async function removeExpired(app: App): Promise<void> {
  for (;;) {
    const { rows } = await app.database.transact(systemScope, (db) =>
      sql<{
        file_key: string
      }>`with old as (select id, file_key from jobs
        where file_key is not null and file_expires_at <= ${app.now()} limit 500
        for update skip locked)
        update jobs j set file_key = null, file_name = null, file_bytes = null,
          file_expires_at = null from old where j.id = old.id returning old.file_key`.execute(db),
    )
    if (!rows.length) return
    for (const { file_key } of rows) await app.files.remove(file_key)
  }
}
