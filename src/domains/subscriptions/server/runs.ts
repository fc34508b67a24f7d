import { sql } from 'kysely'
import { ZodError } from 'zod'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import type { Person } from '../../../server/person.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import {
  type Failed,
  type Kind,
  Lost,
  leased,
  type Piece,
  type Retry,
} from '../../../server/work.ts'
import { common, type ErrorDef, Refusal } from '../../../shared/errors.ts'
import { dayMs, startOfDay } from '../../../shared/instants.ts'
import type { Lang } from '../../../shared/text.ts'
import { bi, filled } from '../../../shared/text.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { statementFor } from '../../billing/server/statementFor.ts'
import { jobErrors } from '../../jobs/contract.ts'
import { type MadeWith, planExport, writeExport } from '../../jobs/server/exports.ts'
import { keepMade } from '../../jobs/server/kept.ts'
import { notify } from '../../notices/server/notify.ts'
import { locale } from '../locale.ts'
import {
  dueAt,
  lastDue,
  type Plan,
  type Problem,
  type periods,
  subscriptionLimits,
} from '../rules.ts'
import { mayHaveStatements, paramsOf, spanFor, type Wanted } from './may.ts'

export const filesName = 'subscription-files'
export const mailsName = 'subscription-mails'

type Due = {
  readonly id: number
  readonly day: string
  readonly span: { readonly from: string; readonly to: string } | null
  readonly at: Date
}
/**
 * A run for everybody who gets it, or by hand for one: nobody has two of one time, however often
 * this is asked.
 */
export async function enqueue(ctx: Ctx, due: readonly Due[], byHand?: number | null) {
  if (!due.length) return
  const rows = due.map(({ id, day, span, at }) => ({
    ...{ id, day, from: span?.from ?? null, to: span?.to ?? null },
    whole: span ? new Date(startOfDay(span.to).getTime() + dayMs) : at,
  }))
  await sql`insert into subscription_runs (org_id, subscription_id, user_id, due_day, by_hand,
      data_from, data_to, whole_at, created_at, next_at)
    select p.org_id, p.subscription_id, p.user_id, x.day, ${byHand !== undefined}, x."from", x."to",
      x.whole, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (id bigint, day date, "from" date,
      "to" date, whole timestamptz)
    join subscription_people p on p.subscription_id = x.id and p.state = 'ACTIVE'
      and ${byHand === undefined ? sql`true` : sql`p.user_id = ${byHand}`}
    order by 2, 3 on conflict do nothing`.execute(ctx.db)
}

type Active = Plan &
  Pick<Wanted, 'kind'> & {
    readonly id: number
    readonly since: Date
    readonly period: (typeof periods)[number]
  }
/**
 * Each hour: what is due and has no run yet. Nothing is kept of the next time, so nothing lies ahead
 * when a clock is set back, and an hour in which no worker was there is made up for, once.
 */
export const startDue = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const active = await rowsOf<Active>(ctx.db)`select id, kind, every, on_day as "onDay",
        at_hour as "atHour", period, since from subscriptions where state = 'ACTIVE' order by id`
    const due = active.flatMap((one) => {
      const day = lastDue(one, ctx.now)
      const at = dueAt(one, day)
      return at < one.since ? [] : [{ id: one.id, day, span: spanFor(one, one, day), at }]
    })
    await enqueue(ctx, due)
    ctx.afterCommit(() => app.jobs.poke(filesName))
  })

/** What is told of for three months. */
export const dropOld = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const before = new Date(ctx.now.getTime() - subscriptionLimits.keepDays * dayMs)
    await sql`delete from subscription_runs
      where created_at < ${before} and next_at is null`.execute(ctx.db)
  })

export type Run = Piece & {
  id: number
  org_id: number
  subscription_id: number
  user_id: number
  from: string | null
  to: string | null
}
export type Subscription = Wanted & {
  id: number
  userId: number
  orgId: number
  name: string
  state: string
  every: Plan['every']
  inApp: boolean
  byMail: boolean
  lang: Lang
}
export const runReads = sql`t.data_from::text as "from", t.data_to::text as "to"`
export const spanOfRun = ({ from, to }: Run) => (from && to ? { from, to } : null)

export const subscriptionOf = (app: App, id: number): Promise<Subscription> =>
  app.database.read(systemScope, async (db) => {
    const found = await rowOf<Subscription>(db)`select id, user_id as "userId", org_id as "orgId",
        kind, name, endpoint, query, columns, subject_id as "subjectId", state, every,
        in_app as "inApp", by_mail as "byMail", lang from subscriptions where id = ${id}`
    // deleted meanwhile, and the run with it
    if (!found) throw new Lost()
    return found
  })

/** Why it ends, for all or for whoever it was for. */
export type Ends = { readonly ends?: 'ALL' | 'ONE'; readonly problem: Problem }
type Bad = (Failed | Retry) & Ends
export const bad = (problem: Problem, more: Partial<Ends> & { again?: true } = {}): Bad => {
  const { again, ...rest } = more
  return { state: again ? 'RETRY' : 'FAILED', reason: problem, problem, ...rest }
}

/** Somebody who left, or is somewhere else now, is nobody who gets it. */
export async function stillThere(app: App, userId: number, orgId: number): Promise<Person | null> {
  const person = await loadPerson(app.database, userId)
  return person?.orgId === orgId ? person : null
}

type File = { name: string; bytes: number; rows: number; with: MadeWith }
type Made = { state: 'DONE'; of: Subscription; file: File | null }
export const fileKind = (app: App): Kind<Run, Made> => {
  const kind: Kind<Run, Made> = {
    name: filesName,
    table: 'subscription_runs',
    of: sql`t.state = 'WAITING'`,
    reads: runReads,
    atOnce: 1,
    leaseSeconds: subscriptionLimits.leaseSeconds,
    waits: [60, 600, 3600],
    do: (run) => make(run).catch(inWords),
    mark: (ctx, run, to) => (to.state === 'DONE' ? keep(ctx, run, to) : failed(ctx, run, to)),
  }
  return kind

  async function make(run: Run): Promise<Made | Bad> {
    const of = await subscriptionOf(app, run.subscription_id)
    if (of.state === 'ENDED') return bad('NO_RIGHT')
    const right = of.kind === 'LIST' ? 'report:subscribe' : 'billing:subscribe'
    const author = await stillThere(app, of.userId, of.orgId)
    if (!author) return bad('LEFT', { ends: 'ALL' })
    if (!author.permissions.has(right)) return bad('NO_RIGHT', { ends: 'ALL' })
    const person = await stillThere(app, run.user_id, run.org_id)
    if (!person) return bad('LEFT', { ends: 'ONE' })
    const span = spanOfRun(run)
    if (of.kind === 'STATEMENT') {
      if (!mayHaveStatements(person, of.subjectId ?? 0)) return bad('NO_RIGHT', { ends: 'ALL' })
      const issued = span && (await statementFor(app, of.subjectId ?? 0, of.every, span))
      return issued ? { state: 'DONE', of, file: null } : bad('NOT_ISSUED', { again: true })
    }
    // also the author's own: whoever may not read a list any more sends it to nobody
    await planExport(author, paramsOf(of, span)).catch(ending('ALL'))
    const plan = await planExport(person, paramsOf(of, span)).catch(ending('ONE'))
    const file = await writeExport(app, plan, of.lang, async () => {
      const kept = await app.database.transact(systemScope, (db) =>
        sql`update subscription_runs set ${leased(app, kind)} where ${run.ours}`.execute(db),
      )
      if (!kept.numAffectedRows) throw new Lost()
    })
    const made = { rights: [...plan.rights].sort(), scope: plan.person.scope }
    return { state: 'DONE', of, file: { ...file, with: made } }
  }
}

class Ended extends Error {
  readonly ends: 'ALL' | 'ONE'
  constructor(ends: 'ALL' | 'ONE') {
    super('the right was taken back')
    this.ends = ends
  }
}
const ending =
  (ends: 'ALL' | 'ONE') =>
  (error: unknown): never => {
    throw error instanceof Refusal && error.def === common.forbidden ? new Ended(ends) : error
  }

const problemOf: ReadonlyMap<ErrorDef, Problem> = new Map([
  [jobErrors.tooManyRows, 'TOO_MANY'],
  // a list or column of an earlier release
  [jobErrors.notExportable, 'GONE'],
  [jobErrors.unknownColumns, 'GONE'],
])
function inWords(error: unknown): Bad {
  if (error instanceof Ended) return bad('NO_RIGHT', { ends: error.ends })
  if (error instanceof ZodError) return bad('GONE')
  if (error instanceof Refusal) return bad(problemOf.get(error.def) ?? 'FAILED')
  throw error
}

const text = (key: 'made' | 'ended' | 'notMailed', part: 'title' | 'body') =>
  bi(locale.zh.message[key][part], locale.en.message[key][part])
/** To whoever it was for; `also`: and the author. */
export async function tell(
  ctx: Ctx,
  key: 'made' | 'ended' | 'notMailed',
  { name, kind }: Pick<Subscription, 'name' | 'kind'>,
  userIds: readonly number[],
  values: Record<string, string | number> = {},
): Promise<void> {
  const [title, body] = [text(key, 'title'), text(key, 'body')]
  const file = kind === 'LIST' ? '/downloads' : '/finance/billing-details'
  await notify(ctx, {
    kind: 'JOB',
    title: filled(title, { name, ...values }),
    body: filled(body, { name, ...values }),
    link: key === 'ended' ? '/subscriptions' : file,
    userIds,
  })
}

/** The file is the run's, or nobody's: somebody deleted it, or another worker does it now. */
async function keep(ctx: Ctx, run: Run, { of, file }: Made): Promise<void> {
  const mine = await rowOf(ctx.db)`select id from subscription_runs where ${run.ours} for update`
  if (!mine) {
    if (file) ctx.afterCommit(() => ctx.app.files.remove(file.name))
    return
  }
  const owner = { userId: run.user_id, orgId: run.org_id }
  const params = paramsOf(of, spanOfRun(run))
  const jobId =
    file && (await keepMade(ctx, { ...owner, params, name: of.name, lang: of.lang, file }))
  await sql`update subscription_runs set state = ${of.byMail ? 'MAILING' : 'DONE'}, attempts = 0,
      next_at = ${of.byMail ? ctx.now : null}::timestamptz, problem = 'NONE',
      finished_at = ${of.byMail ? null : ctx.now}::timestamptz, rows = ${file?.rows ?? null}::int,
      job_id = ${jobId ?? null}::bigint where ${run.ours}`.execute(ctx.db)
  if (of.inApp) await tell(ctx, 'made', of, [run.user_id])
  if (of.byMail) ctx.afterCommit(() => ctx.app.jobs.poke(mailsName))
  ctx.touch(`jobs:${run.user_id}`, run.org_id)
}

/** How a try without success ended; also of a mail. */
export async function failed(
  ctx: Ctx,
  run: Run,
  to: { state: string; nextAt: unknown } & Partial<Ends>,
): Promise<boolean> {
  const problem = to.problem ?? 'FAILED'
  const over = to.state === 'FAILED'
  const { numAffectedRows } = await sql`update subscription_runs
    set state = ${over ? 'FAILED' : sql`state`}, next_at = ${to.nextAt}, problem = ${problem},
      finished_at = ${over ? ctx.now : null}::timestamptz where ${run.ours}`.execute(ctx.db)
  if (numAffectedRows && to.ends) await end(ctx, run, to.ends, problem)
  ctx.touch(`jobs:${run.user_id}`, run.org_id)
  return numAffectedRows === 1n && over
}

async function end(ctx: Ctx, run: Run, whom: 'ALL' | 'ONE', problem: Problem): Promise<void> {
  const id = run.subscription_id
  const of = await rowOf<{ name: string; kind: 'LIST' | 'STATEMENT'; userId: number }>(ctx.db)`
    select name, kind, user_id as "userId" from subscriptions where id = ${id}`
  if (!of) return
  const ended =
    whom === 'ALL' || run.user_id === of.userId
      ? sql`update subscriptions set state = 'ENDED', version = version + 1
          where id = ${id} and state <> 'ENDED'`
      : sql`update subscription_people set state = 'ENDED'
          where subscription_id = ${id} and user_id = ${run.user_id} and state = 'ACTIVE'`
  const { numAffectedRows } = await ended.execute(ctx.db)
  const why = bi(locale.zh.enums.problem[problem], locale.en.enums.problem[problem])
  if (numAffectedRows) await tell(ctx, 'ended', of, [...new Set([of.userId, run.user_id])], { why })
}
