import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { reasonOf } from '../../../server/outbound.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import type { Kind } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { bi, say } from '../../../shared/text.ts'
import { mailServerOf, sendMail } from '../../alerts/server/mail.ts'
import { countToday } from '../../alerts/server/outbox.ts'
import { drawStatement } from '../../billing/server/statementFile.ts'
import { statementFor } from '../../billing/server/statementFor.ts'
import { type MadeWith, mayExport, reachesAll } from '../../jobs/server/exports.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { locale } from '../locale.ts'
import { subscriptionLimits } from '../rules.ts'
import { mayHaveStatements } from './may.ts'
import { addressOf } from './queries.ts'
import {
  bad,
  failed,
  mailsName,
  type Run,
  runReads,
  type Subscription,
  spanOfRun,
  stillThere,
  subscriptionOf,
  tell,
} from './runs.ts'

type Sent = { state: 'SENT'; how: 'FILE' | 'LINK' }
type Bad = ReturnType<typeof bad>
type Attached = { filename: string; content: Buffer; contentType: string }

/** What was made, to the person's own address; whether he may have it is asked again. */
export const mailKind = (app: App): Kind<Run & { jobId: number | null }, Sent> => ({
  name: mailsName,
  table: 'subscription_runs',
  of: sql`t.state = 'MAILING'`,
  reads: sql`${runReads}, t.job_id as "jobId"`,
  atOnce: 2,
  leaseSeconds: subscriptionLimits.leaseSeconds,
  waits: [60, 600, 3600, 14_400],
  do: (run) => attempt(app, run),
  async mark(ctx, run, to) {
    if (to.state === 'SENT') {
      await sql`update subscription_runs set state = 'DONE', next_at = null, problem = 'NONE',
        mailed = ${to.how}, finished_at = ${ctx.now} where ${run.ours}`.execute(ctx.db)
      ctx.touch(`jobs:${run.user_id}`, run.org_id)
      return
    }
    // the file is there all the same
    if (await failed(ctx, run, to)) await notMailed(ctx, run, to)
  },
})

async function notMailed(ctx: Ctx, run: Run, { problem = 'MAIL' }: Partial<Bad>): Promise<void> {
  const of = await rowOf<Pick<Subscription, 'name' | 'kind'>>(ctx.db)`
    select name, kind from subscriptions where id = ${run.subscription_id}`
  const why = bi(locale.zh.enums.problem[problem], locale.en.enums.problem[problem])
  if (of && problem !== 'NO_RIGHT') await tell(ctx, 'notMailed', of, [run.user_id], { why })
}

async function attempt(app: App, run: Run & { jobId: number | null }): Promise<Sent | Bad> {
  const of = await subscriptionOf(app, run.subscription_id)
  const person = await stillThere(app, run.user_id, run.org_id)
  if (!person) return bad('LEFT', { ends: 'ONE' })
  const [{ address, confirmed }, server] = await bySystem(app, async (ctx) => [
    await addressOf(ctx, run.user_id),
    await mailServerOf(ctx, run.org_id),
  ])
  if (!address) return bad('NO_ADDRESS')
  if (!confirmed) return bad('UNCONFIRMED')
  if (!server) return bad('NO_MAIL_SERVER', { again: true })
  const file = await (of.kind === 'LIST' ? listFile() : statement())
  if (file !== null && 'problem' in file) return file
  // whose server it is not has an allowance for each day
  const counted = (ctx: Ctx) => countToday(ctx, run.org_id, 'recipients', 1)
  if (server.orgId !== run.org_id && !(await bySystem(app, counted)))
    return bad('LIMIT', { again: true })
  const words = (of.lang === 'en' ? locale.en : locale.zh).mail
  const days = spanOfRun(run)
  const values = {
    ...{ name: of.name, link: publicLink(app.config, '/downloads') },
    days: days ? (days.from === days.to ? days.from : `${days.from} – ${days.to}`) : '',
  }
  const lines = [
    days ? words.days : '',
    file ? words.attached : words.linked,
    '',
    `${words.stop}${publicLink(app.config, '/subscriptions')}`,
  ]
  const sent = await sendMail(server, {
    id: `subscription-${run.id}`,
    to: [address],
    subject: say(days ? words.subject : words.subjectPlain, 'zh-CN', values),
    text: lines.map((line) => say(line, 'zh-CN', values)).join('\n'),
    privateAllowed: await cachedSetting(app, platformOrg, 'alarm.privateAddresses'),
    attachments: file ? [file] : [],
  })
  if (sent.state === 'SENT') return { state: 'SENT', how: file ? 'FILE' : 'LINK' }
  return bad('MAIL', sent.state === 'RETRY' ? { again: true } : {})

  /** Null: too large to be attached. */
  async function listFile(): Promise<Attached | null | Bad> {
    type Job = { key: string | null; name: string; bytes: number; made: MadeWith | null }
    const job = await app.database.read(
      systemScope,
      (db) =>
        rowOf<Job>(db)`select file_key as key, file_name as name, file_bytes as bytes,
        made_with as made from jobs where id = ${run.jobId}`,
    )
    const path = of.endpoint ?? ''
    if (!person || !(await mayExport(person, path))) return bad('NO_RIGHT', { ends: 'ONE' })
    if (!job?.key) return bad('GONE')
    if (!(await reachesAll(app, person, path, job.made))) return bad('NO_RIGHT')
    if (job.bytes > subscriptionLimits.mailBytes) return null
    const stream = await app.files.open(job.key)
    if (!stream) return bad('GONE')
    const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    return { filename: job.name, content: await buffer(stream), contentType }
  }

  async function statement(): Promise<Attached | Bad> {
    const [span, id] = [spanOfRun(run), of.subjectId ?? 0]
    if (!person || !mayHaveStatements(person, id)) return bad('NO_RIGHT', { ends: 'ALL' })
    const issued = span && (await statementFor(app, id, of.every, span))
    if (!issued) return bad('NOT_ISSUED', { again: true })
    const pdf = await drawStatement({ ...issued, lang: of.lang }, run.org_id).catch(reasonOf)
    if (typeof pdf === 'string') return bad('FAILED', { again: true })
    const filename = `statement-${id}-${issued.period.replaceAll(' – ', '-')}.pdf`
    return { filename, content: Buffer.from(pdf), contentType: 'application/pdf' }
  }
}
