import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import {
  type Actor,
  type App,
  type AuditEntry,
  type Ctx,
  found,
  refused,
} from '../../../server/context.ts'
import { noScope } from '../../../server/database.ts'
import type { Importer, RowError } from '../../../server/importers.ts'
import { oneFile } from '../../../server/oneFile.ts'
import { requireProof } from '../../../server/proof.ts'
import { exists } from '../../../server/rows.ts'
import { databaseRefusal, forOneOfMany, longestAct } from '../../../server/run.ts'
import { dryRuns, tenantOf } from '../../../server/shares.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { jobErrors, type jobs } from '../contract.ts'
import { jobLimits } from '../rules.ts'
import { fileNameOf } from './exports.ts'
import { faultsOf, importerNamed } from './queries.ts'
import { markedFile, readSheet, type Sheet } from './sheet.ts'

type Given = {
  importer: Importer
  actor: Actor
  sheet: Sheet
  ready: unknown
  tried: readonly RowError[]
}

/** The importer of that name for somebody who may use it. */
export async function importerFor(
  kind: string,
  actor: Pick<Actor, 'permissions'>,
): Promise<Importer> {
  const importer = found(await importerNamed(kind))
  if (importer.permission !== 'self' && !actor.permissions.has(importer.permission))
    throw new Refusal(common.forbidden)
  return importer
}

/** And who acts, with the rows that its right reaches. */
async function importerAs(
  kind: string,
  actor: Actor,
): Promise<{ importer: Importer; actor: Actor }> {
  const importer = await importerFor(kind, actor)
  const scope = actor.scopeOf?.(importer.permission) ?? noScope
  return { importer, actor: { ...actor, sessionId: null, scope } }
}

/**
 * The file of somebody who showed who he is, where its importer asks for it. A file takes its time:
 * what he may is looked up again when it is there, before anything is made of it.
 */
export async function receive(
  app: App,
  kind: string,
  request: FastifyRequest,
  by: Actor,
): Promise<Omit<Given, 'tried'>> {
  if ((await importerNamed(kind))?.fresh) await requireProof(app, by)
  const importer = await importerFor(kind, by)
  const { bytes } = await oneFile(request, tenantOf(by), jobLimits.importBytes, {
    ...jobErrors,
    tooLarge: jobErrors.fileTooLarge,
  })
  const { actor } = await importerAs(kind, await app.product.signedIn(app, request))
  const sheet = await readSheet(bytes, importer, tenantOf(by))
  const ready = await importer.prepare?.(app, sheet.rows, [...sheet.rows, ...sheet.halves])
  return { importer, actor, sheet, ready }
}

/**
 * Applies the rows, and answers what is wrong with any of them in one go: a file with faults of
 * form, or with something twice, is tried with the rest of its rows, so that a person need not send it twice. Whatever is
 * answered besides `[]` the caller takes back.
 */
async function allFaults(
  ctx: Ctx,
  { importer, sheet, ready }: Omit<Given, 'tried'>,
): Promise<readonly RowError[]> {
  ctx.later(forOneOfMany)
  if (!sheet.errors.length) return importer.run(ctx, sheet.rows, ready)
  const wrong = new Set(sheet.errors.map(({ line }) => line))
  const fine = sheet.rows.filter(({ line }) => !wrong.has(line))
  const known = new Set(sheet.errors.map(({ line, column }) => `${line} ${column}`))
  const found = fine.length ? await importer.run(ctx, fine, ready) : []
  const others = [...sheet.halves, ...sheet.rows.filter(({ line }) => wrong.has(line))]
  const halves = importer.halves && others.length ? await importer.halves(ctx, others, ready) : []
  const more = halves.filter(({ line, column }) => !known.has(`${line} ${column}`))
  return [...sheet.errors, ...found, ...more].sort((a, b) => a.line - b.line)
}

const failedRows = (errors: readonly RowError[]): number =>
  new Set(errors.map(({ line }) => line)).size

/** What the log says of a trial. */
export function trialOf(
  { importer, sheet }: Omit<Given, 'tried'>,
  faults: readonly RowError[],
): AuditEntry {
  const { sha256, lines } = sheet
  return {
    id: importer.kind,
    name: `${say(importer.title, 'zh-CN')}（试运行）`,
    after: { dryRun: true, sha256, total: lines.length, failed: failedRows(faults) },
  }
}

class TriedOut extends Error {
  readonly errors: readonly RowError[]
  constructor(errors: readonly RowError[]) {
    super('dry run')
    this.errors = errors
  }
}

/** What the import would say, by doing it and taking everything back. */
export async function tryOut(
  app: App,
  given: Omit<Given, 'tried'>,
  lang: Ctx['lang'],
  request: FastifyRequest,
): Promise<readonly RowError[]> {
  const { socket } = request.raw
  const gone = new AbortController()
  const leave = () => gone.abort()
  // nobody else has anything of it
  socket.once('close', leave)
  if (socket.destroyed) leave()
  try {
    return await dryRuns(app).take(tenantOf(given.actor), () =>
      triedOut(app, given, lang, gone.signal),
    )
  } catch (error) {
    throw databaseRefusal(error) ?? error
  } finally {
    socket.off('close', leave)
  }
}

async function triedOut(
  app: App,
  given: Omit<Given, 'tried'>,
  lang: Ctx['lang'],
  gone: AbortSignal,
): Promise<readonly RowError[]> {
  const { actor } = given
  const nothing = () => {}
  try {
    return await app.database.transact(
      actor.scope,
      async (db, later) => {
        const ctx: Ctx = {
          app,
          db,
          later,
          actor,
          now: app.now(),
          lang,
          requestId: '',
          ip: '',
          userAgent: '',
          audit: nothing,
          touch: nothing,
          afterCommit: nothing,
          afterEnd: nothing,
        }
        const errors = await allFaults(ctx, given)
        // what is otherwise only checked at commit
        if (!errors.length) await sql`set constraints all immediate`.execute(db)
        throw new TriedOut(errors)
      },
      { ...longestAct, gone },
    )
  } catch (error) {
    if (error instanceof TriedOut) return error.errors
    throw error
  }
}

export const runImport = prepared<(typeof jobs)['import'], Given>({
  async prepare(app, { kind, dryRun }, request, by) {
    const given = await receive(app, kind, request, by)
    return { ...given, tried: dryRun ? await tryOut(app, given, 'zh-CN', request) : [] }
  },
  async run(ctx, { kind, dryRun }, given) {
    const { importer, sheet } = given
    const { sha256 } = sheet
    const total = sheet.lines.length
    if (dryRun) {
      ctx.audit(trialOf(given, given.tried))
      return {
        jobId: null,
        total,
        failed: failedRows(given.tried),
        faults: faultsOf(ctx, given.importer, given.tried.slice(0, jobLimits.faults)),
      }
    }
    // its turn came late: what he may now
    const { actor } = await importerAs(kind, ctx.actor)
    await refuseTwice(ctx, kind, sha256)
    const lines: AuditEntry[] = []
    const errors = await applied(
      { ...ctx, actor, audit: (...rows) => void lines.push(...rows) },
      given,
    )
    const failed = failedRows(errors)
    const jobId = await keep(ctx, given, kind, errors)
    ctx.audit(
      { id: jobId, name: say(importer.title, 'zh-CN'), after: { sha256, total, failed } },
      ...(errors.length ? [] : lines),
    )
    ctx.touch(`jobs:${ctx.actor.userId}`)
    if (errors.length) {
      const fields = errors.slice(0, jobLimits.faults).map(({ line, column, text }) => ({
        field: column ? `rows.${line}.${column}` : `rows.${line}`,
        text,
      }))
      return { ...refused(jobErrors.rowsRefused, { failed }), fields }
    }
    if (importer.touches) ctx.touch(importer.touches)
    const shown = importer.once?.(given.ready, sheet.rows)
    return {
      jobId,
      total,
      failed: 0,
      faults: [],
      ...(shown ? { once: onceOf(shown, ctx.lang) } : {}),
    }
  },
})

const onceOf = (shown: ReturnType<NonNullable<Importer['once']>>, lang: Ctx['lang']) => ({
  label: say(shown.label, lang),
  text: shown.text,
  ...(shown.fileName ? { fileName: say(shown.fileName, lang) } : {}),
})

async function refuseTwice(ctx: Ctx, kind: string, sha256: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`import ${ctx.actor.userId} ${kind} ${sha256}`}, 0))`.execute(
    ctx.db,
  )
  if (
    await exists(
      ctx.db,
    )`select 1 from jobs where kind = 'IMPORT' and user_id = ${ctx.actor.userId} and name = ${kind}
      and params ->> 'sha256' = ${sha256}
    and state = 'DONE' and created_at > ${new Date(ctx.now.getTime() - jobLimits.sameFileMs)}
    limit 1`
  )
    throw new Refusal(jobErrors.importedAlready)
}

/** All rows or, when one is wrong, none. */
async function applied(ctx: Ctx, given: Given): Promise<readonly RowError[]> {
  await sql`savepoint import_all`.execute(ctx.db)
  const errors = await allFaults(ctx, given)
  if (errors.length) await sql`rollback to savepoint import_all`.execute(ctx.db)
  return errors
}

/** The job's row; with what was wrong and the marked file when something was. */
async function keep(
  ctx: Ctx,
  { importer, sheet }: Given,
  kind: string,
  errors: readonly RowError[],
): Promise<number> {
  const failed = failedRows(errors)
  const file = errors.length
    ? await ctx.app.files.write(
        once(
          await markedFile(sheet, errors, importer, { lang: ctx.lang, orgId: tenantOf(ctx.actor) }),
        ),
        'xlsx',
      )
    : null
  const row = await ctx.db
    .insertInto('jobs')
    .values({
      org_id: ctx.actor.orgId,
      user_id: ctx.actor.userId as number,
      kind: 'IMPORT',
      name: kind,
      lang: ctx.lang,
      state: errors.length ? 'FAILED' : 'DONE',
      total: sheet.lines.length,
      done: errors.length ? 0 : sheet.lines.length,
      failed,
      params: JSON.stringify({ sha256: sheet.sha256 }),
      error: errors.length ? jobErrors.rowsRefused.text.replaceAll('{failed}', String(failed)) : '',
      row_errors: JSON.stringify(errors.slice(0, jobLimits.faults)),
      created_at: ctx.now,
      started_at: ctx.now,
      finished_at: ctx.now,
      ...(file
        ? {
            file_key: file.name,
            file_name: fileNameOf(say(importer.title, ctx.lang), ctx.now),
            file_bytes: file.bytes,
            file_expires_at: new Date(ctx.now.getTime() + jobLimits.keepDays * 86_400_000),
          }
        : {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}
async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
