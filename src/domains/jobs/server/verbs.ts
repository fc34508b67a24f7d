import { type RawBuilder, sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { type ErrorDef, Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { type JobRow, jobErrors, type jobs } from '../contract.ts'
import { jobFrom, jobLimits } from '../rules.ts'
import { jobConsole } from './console.ts'
import { countRows, exportNames, exportTitle, planExport } from './exports.ts'
import { importerFor, runImport } from './imports.ts'
import * as q from './queries.ts'

type Contract = typeof jobs

/** Topics of a job: its owner's screens, and the worker that may begin. */
function tell(ctx: Ctx, queue = false): void {
  ctx.touch(`jobs:${ctx.actor.userId}`)
  if (queue)
    for (const name of Object.values(exportNames)) ctx.afterCommit(() => ctx.app.jobs.poke(name))
}

/** One person's jobs cannot crowd out those of others. */
async function refuseTooMany(ctx: Ctx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs ${ctx.actor.userId}`},
    0))`.execute(ctx.db)
  if ((await q.openCount(ctx)) >= jobLimits.openJobs)
    throw new Refusal(jobErrors.tooManyJobs, { most: jobLimits.openJobs })
}

const startExport = prepared<Contract['export'], { total: number; title: string }>({
  async prepare(app, input, _request, actor) {
    const plan = await planExport(await loadPerson(app.database, actor.userId ?? 0), input)
    return {
      total: await countRows(app, plan, 'zh-CN'),
      title: await exportTitle(input.endpoint, 'zh-CN'),
    }
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

/** Moves an own job on; answers and logs what became of it. */
async function moved(
  ctx: Ctx,
  { id, ...before }: q.Row,
  next: 'CANCELLED' | 'QUEUED',
  set: RawBuilder<unknown>,
  wrong: ErrorDef,
): Promise<JobRow> {
  const { numAffectedRows } = await sql`update jobs j set state = ${next}, ${set}
    where j.id = ${id} and j.kind = any(${next === 'QUEUED' ? ['EXPORT'] : ['EXPORT', 'IMPORT']})
      and j.state = any(${jobFrom(next)}) and ${q.own(ctx)}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(wrong)
  const row = await q.present(ctx, await q.ownRow(ctx, id))
  ctx.audit({ id, name: row.title, before: { state: before.state }, after: { state: row.state } })
  tell(ctx, next === 'QUEUED')
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
    const { name, faults } = found(
      await rowOf<{ name: string; faults: q.StoredFault[] }>(ctx.db)`
      select j.name, j.row_errors as faults from jobs j where j.id = ${id} and ${q.own(ctx)}`,
    )
    return { list: q.faultsOf(ctx, await q.importerNamed(name), faults) }
  },
  cancel: async (ctx, { id }) =>
    moved(
      ctx,
      await q.ownRow(ctx, id),
      'CANCELLED',
      sql`next_at = null, finished_at = ${ctx.now}`,
      jobErrors.notCancellable,
    ),
  async retry(ctx, { id }) {
    const before = await q.ownRow(ctx, id)
    await refuseTooMany(ctx)
    const anew = sql`next_at = ${ctx.now}, attempts = 0, done = 0, error = '', started_at = null,
      finished_at = null`
    return moved(ctx, before, 'QUEUED', anew, jobErrors.notRetryable)
  },
  export: startExport,
  async importInfo(ctx, { kind }) {
    const importer = await importerFor(kind, ctx.actor)
    const text = (value = '') => say(value, ctx.lang)
    return {
      title: text(importer.title),
      most: jobLimits.importRows,
      columns: importer.columns.map(({ key, title, required = false, example, note }) => ({
        key,
        required,
        title: text(title),
        example: text(example),
        note: text(note),
      })),
    }
  },
  import: runImport,
  ...jobConsole,
}
