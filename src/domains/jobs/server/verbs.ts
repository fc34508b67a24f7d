import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { loadPerson } from '../../session/server/people.ts'
import { jobErrors, type jobs } from '../contract.ts'
import { jobFrom, jobLimits } from '../rules.ts'
import * as consoleVerbs from './console.ts'
import { countRows, exportNames, exportTitle, planExport } from './exports.ts'
import { importerFor, runImport } from './imports.ts'
import * as q from './queries.ts'

type Contract = typeof jobs

/** Topics of a job: its owner's screens, and the worker that may begin. */
function tell(ctx: Ctx, queue = false): void {
  ctx.touch(`jobs:${ctx.actor.userId}`)
  if (queue) for (const name of Object.values(exportNames)) ctx.afterCommit(() => ctx.app.jobs.poke(name))
}

/** One person's jobs cannot crowd out those of others. */
async function refuseTooMany(ctx: Ctx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs ${ctx.actor.userId}`}, 0))`.execute(ctx.db)
  if ((await q.openCount(ctx)) >= jobLimits.openJobs) throw new Refusal(jobErrors.tooManyJobs, { most: jobLimits.openJobs })
}

const startExport = prepared<Contract['export'], { total: number; title: string }>({
  async prepare(app, input, _request, actor) {
    const plan = await planExport(await loadPerson(app.database, actor.userId ?? 0), input)
    return { total: await countRows(app, plan, 'zh-CN'), title: await exportTitle(input.endpoint, 'zh-CN') }
  },
  async run(ctx, input, { total, title }) {
    await refuseTooMany(ctx)
    const { id } = await ctx.db
      .insertInto('jobs')
      .values({
        org_id: ctx.actor.orgId,
        user_id: ctx.actor.userId as number,
        kind: 'EXPORT',
        name: input.endpoint,
        lang: ctx.lang,
        total,
        params: JSON.stringify(input),
        created_at: ctx.now,
        next_at: ctx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    ctx.audit({ id, name: title, after: { ...input, total } })
    tell(ctx, true)
    return q.present(ctx, await q.ownRow(ctx, id))
  },
})

async function cancel(ctx: Ctx, { id }: { id: number }) {
  const before = await q.ownRow(ctx, id)
  const { numAffectedRows } = await sql`update jobs j set state = 'CANCELLED', next_at = null, finished_at = ${ctx.now}
    where j.id = ${id} and j.state = any(${jobFrom('CANCELLED')}) and ${q.own(ctx)}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(jobErrors.notCancellable)
  const row = await q.present(ctx, await q.ownRow(ctx, id))
  ctx.audit({ id, name: row.title, before: { state: before.state }, after: { state: row.state } })
  tell(ctx)
  return row
}

async function retry(ctx: Ctx, { id }: { id: number }) {
  const before = await q.ownRow(ctx, id)
  await refuseTooMany(ctx)
  const { numAffectedRows } =
    await sql`update jobs j set state = 'QUEUED', next_at = ${ctx.now}, attempts = 0, done = 0, error = '', started_at = null, finished_at = null
    where j.id = ${id} and j.kind = 'EXPORT' and j.state = any(${jobFrom('QUEUED')}) and ${q.own(ctx)}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(jobErrors.notRetryable)
  const row = await q.present(ctx, await q.ownRow(ctx, id))
  ctx.audit({ id, name: row.title, before: { state: before.state }, after: { state: row.state } })
  tell(ctx, true)
  return row
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: await Promise.all(rows.map((row) => q.present(ctx, row))), total }
  },
  running: async (ctx) => ({ count: await q.openCount(ctx) }),
  get: async (ctx, { id }) => q.present(ctx, await q.ownRow(ctx, id)),
  async faults(ctx, { id }) {
    const { rows } = await sql<{
      name: string
      row_errors: q.StoredFault[]
    }>`select j.name, j.row_errors from jobs j where j.id = ${id} and ${q.own(ctx)}`.execute(ctx.db)
    const row = found(rows[0])
    return { list: q.faultsOf(ctx, await q.importerNamed(row.name), row.row_errors) }
  },
  cancel,
  retry,
  export: startExport,
  async importInfo(ctx, { kind }) {
    const importer = await importerFor(kind, ctx.actor)
    const text = (value: string | undefined) => (value ? say(value, ctx.lang) : '')
    return {
      title: text(importer.title),
      most: jobLimits.importRows,
      columns: importer.columns.map(({ key, title, required, example, note }) => ({
        key,
        title: text(title),
        required: required ?? false,
        example: text(example),
        note: text(note),
      })),
    }
  },
  import: runImport,
  ...consoleVerbs.handlers,
}
