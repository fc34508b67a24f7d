import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type App, type Ctx, found, visible } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { reasonOf, type SendAnswer } from '../../../server/outbound.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { guarding, shape } from '../../../server/shapes.ts'
import type { Kind, Piece } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { type Lang, say } from '../../../shared/text.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { mailServerOf, sendMail } from '../../alerts/server/mail.ts'
import { countToday } from '../../alerts/server/outbox.ts'
import { askRecipients, confirmedOf } from '../../alerts/server/recipients.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import type { billing } from '../contract.ts'
import { locale } from '../locale.ts'
import { mostSubscriptions, type Problem } from '../rules.ts'
import { type Content, SubscriptionRow, statementErrors } from '../statementContract.ts'
import { contentOf, weekOf } from './statementContent.ts'
import { drawStatement } from './statementFile.ts'
import { mailDue, mailsName, whole } from './statements.ts'

type Contract = typeof billing

/** An address counts that said yes to mail of the subscriber's organisation. */
const row = shape(SubscriptionRow, ['statement_subscriptions', 's'], {
  orgName: sql<string>`o.name`,
  confirmed: sql<boolean>`exists (select from alert_recipients a
    where a.org_id = u.org_id and a.address = lower(s.email) and a.confirmed_at is not null)`,
  sentTime: sql`s.sent_at`,
  createTime: sql`s.created_at`,
})
const own = (ctx: Ctx, id?: number) =>
  row.all(
    ctx.db,
    sql`from statement_subscriptions s join organisations o on o.id = s.org_id
      join users u on u.id = s.user_id
      where s.user_id = ${ctx.actor.userId} and ${visible(ctx, 's.org_id')}
        and ${id === undefined ? sql`true` : sql`s.id = ${id}`} order by s.id`,
  )

const guarded = guarding({
  statement_subscriptions_org_id_user_id_period_key: [statementErrors.subscribed, 'period'],
})

export const subscriptionHandlers: Pick<
  Handlers<Contract>,
  'subscriptions' | 'subscribe' | 'unsubscribe'
> = {
  subscriptions: async (ctx) => ({ list: await own(ctx) }),
  async subscribe(ctx, { orgId, period, email }) {
    const { name } = await whole(ctx, orgId)
    if ((await own(ctx)).length >= mostSubscriptions) throw new Refusal(statementErrors.tooMany)
    const { id } = await guarded(
      onlyRow<{ id: number }>(ctx.db)`insert into statement_subscriptions (org_id, user_id,
          period, email, lang, created_at)
        values (${orgId}, ${ctx.actor.userId}, ${period}, ${email}, ${ctx.lang}, ${ctx.now})
        returning id`,
    )
    await askRecipients(ctx, ctx.actor.orgId, [email])
    const after = found((await own(ctx, id))[0])
    ctx.audit({ id, name, orgId, after: { period, email } })
    return after
  },
  async unsubscribe(ctx, { subscriptionId: id }) {
    const before = found((await own(ctx, id))[0])
    await sql`delete from statement_subscriptions where id = ${id}`.execute(ctx.db)
    const { orgName, orgId, period, email } = before
    ctx.audit({ id, name: orgName, orgId, before: { period, email } })
    return { ok: true as const }
  },
}

/** Mondays: the week before to whoever wants it. A month is sent as soon as it is issued. */
export const mailWeek = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const today = shanghaiDay(ctx.now)
    const since = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7
    await mailDue(ctx, 'WEEK', addDays(today, -7 - since))
  })

type Due = Piece & {
  id: number
  org_id: number
  user_id: number
  period: 'WEEK' | 'MONTH'
  email: string
  lang: Lang
  of: string
}
type Sending = SendAnswer & { problem?: Problem }
type Issued = { period: string; versionNo: number | null; issuedAt: Date; content: Content }

/** What is sent is what stands now, to whoever may still have it. */
export const mailKind = (app: App): Kind<Due, Sending> => ({
  name: mailsName,
  table: 'statement_subscriptions',
  reads: sql`t.of_day::text as of`,
  atOnce: 1,
  leaseSeconds: 300,
  waits: [60, 600, 3600, 14_400],
  do: (due) => attempt(app, due),
  async mark(ctx, due, to) {
    const sent = to.state === 'SENT'
    const problem = sent ? 'NONE' : ('problem' in to && to.problem) || 'MAIL'
    await sql`update statement_subscriptions
      set state = ${to.state === 'RETRY' ? 'WAITING' : to.state}, next_at = ${to.nextAt},
        problem = ${problem}, sent_at = ${sent ? ctx.now : sql`sent_at`}
      where ${due.ours}`.execute(ctx.db)
  },
})

const failed = (problem: Problem): Sending => ({ state: 'FAILED', reason: problem, problem })
const later = (problem: Problem): Sending => ({ state: 'RETRY', reason: problem, problem })

async function attempt(app: App, due: Due): Promise<Sending> {
  const person = await loadPerson(app.database, due.user_id)
  const scope = person?.permissions.has('billing:subscribe')
    ? person.scopeOf('billing:subscribe')
    : null
  if (!person || !scope || scope.devices !== null) return failed('NO_RIGHT')
  if (!scope.all && !scope.orgs.includes(due.org_id)) return failed('NO_RIGHT')
  const [to, server] = await bySystem(app, async (ctx) => [
    await confirmedOf(ctx, person.orgId, [due.email]),
    await mailServerOf(ctx, person.orgId),
  ])
  if (!to.length) return failed('UNCONFIRMED')
  if (!server) return later('NO_MAIL_SERVER')
  const issued = await issuedOf(app, due)
  if (!issued) return later('NOT_ISSUED')
  // whose server it is not has an allowance for each day
  const counted = (ctx: Ctx) => countToday(ctx, person.orgId, 'recipients', 1)
  if (server.orgId !== person.orgId && !(await bySystem(app, counted))) return later('LIMIT')
  const { period, content } = issued
  const pdf = await drawStatement(
    { ...issued, issuedAt: issued.issuedAt.toISOString(), lang: due.lang },
    person.orgId,
  ).catch(reasonOf)
  if (typeof pdf === 'string') return later('NOT_ISSUED')
  const { subject, text } = (due.lang === 'en' ? locale.en : locale.zh).subscription.mail
  const values = { org: content.orgName, period }
  return sendMail(server, {
    id: `statement-${due.id}-${due.of}`,
    to,
    subject: say(subject, 'zh-CN', values),
    text: say(text, 'zh-CN', values),
    privateAllowed: await cachedSetting(app, platformOrg, 'alarm.privateAddresses'),
    attachments: [
      {
        filename: `statement-${due.org_id}-${due.of.slice(0, due.period === 'WEEK' ? 10 : 7)}.pdf`,
        content: Buffer.from(pdf),
        contentType: 'application/pdf',
      },
    ],
  })
}

/** A month as it was issued last; a week is put together for its mail and kept nowhere. */
const issuedOf = (app: App, { org_id, period, of }: Due): Promise<Issued | undefined> =>
  app.database.snapshot(systemScope, async (db) =>
    period === 'WEEK'
      ? {
          period: `${of} – ${addDays(of, 6)}`,
          versionNo: null,
          issuedAt: app.now(),
          content: await contentOf(db, org_id, weekOf(of)),
        }
      : rowOf<Issued>(db)`select to_char(month, 'YYYY-MM') as period, version_no as "versionNo",
          issued_at as "issuedAt", content
        from statements where org_id = ${org_id} and month = ${of}::date and state = 'DONE'
        order by version_no desc limit 1`,
  )
