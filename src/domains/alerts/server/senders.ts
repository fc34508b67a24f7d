import { type App, type Ctx, iso, isoOrNull } from '../../../server/context.ts'
import type { SendAnswer } from '../../../server/outbound.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi, type Lang, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { locale } from '../locale.ts'
import { mailServerOf, sendMail } from './mail.ts'
import { countToday, type MessageEvent } from './outbox.ts'
import { confirmedOf } from './recipients.ts'
import { unseal } from './seal.ts'
import { postWebhook } from './webhook.ts'
import { bodyOf, both, contentOf, fill, type Told, titleOf } from './words.ts'

export type Batch = {
  readonly id: string
  readonly channelId: number
  readonly orgId: number
  readonly attempts: number
}
type AlertFacts = Told & {
  id: number
  deviceId: number | null
  level: string
  state: string
  since: Date
  openedAt: Date
  closedAt: Date | null
  reminders: number
}
export type Event = {
  readonly event: MessageEvent
  readonly at: Date
  readonly alert: AlertFacts | null
}

/** What a batch says, as it is now: a machine that joined since is in it. */
export async function readEvents(ctx: Ctx, batch: string): Promise<Event[]> {
  type Row = Omit<AlertFacts, 'id'> & Pick<Event, 'event' | 'at'> & { id: number | null }
  const rows = await rowsOf<Row>(ctx.db)`
    select o.event, o.created_at as at, a.id, a.device_id as "deviceId", a.kind, a.subject, a.level,
      a.state, a.data, a.times, a.since,
      a.opened_at as "openedAt", a.closed_at as "closedAt", a.reminders,
      d.rtu_number as "rtuNumber", d.nickname,
      coalesce(m.numbers, '{}') as numbers, case
        when a.device_id is null then coalesce(m.members, 0) else 1 end as "deviceCount"
    from alert_outbox o left join alerts a on a.id = o.alert_id left
    join devices d on d.id = a.device_id
    left join lateral (select count(*) as members,
      (array_agg(x.rtu_number order by x.rtu_number))[1:200] as numbers
      from alert_members m join devices x on x.id = m.device_id where m.alert_id = a.id) m
        on a.device_id is null
    where o.batch = ${batch}::uuid and o.state = 'SENDING' order by o.id`
  return rows.map(({ event, at, id, ...alert }) => ({
    event,
    at,
    alert: id === null ? null : { id, ...alert },
  }))
}

const words = (key: keyof typeof locale.zh.message, n = 0) =>
  both((lang) => fill(locale[lang].message[key], { n }))
const join = (a: string, b: string) =>
  bi(`${say(a, 'zh-CN')}：${say(b, 'zh-CN')}`, `${say(a, 'en')}: ${say(b, 'en')}`)

/** A line for an event: what happened, to whom. */
function lineOf({ event, alert }: Event): string {
  if (!alert) return words('test')
  return event === 'OPENED'
    ? titleOf(alert)
    : join(words(event === 'CLOSED' ? 'closed' : 'reminder'), titleOf(alert))
}
/** What is over is the least, then a warning; of equals the first. */
const weight = ({ event, alert }: Event): number =>
  event === 'CLOSED' ? 2 : alert?.level === 'ERROR' ? 0 : 1
/** Many messages at once are named by the worst of them. */
function headOf(events: readonly Event[]): string {
  const worst = lineOf(events.toSorted((a, b) => weight(a) - weight(b))[0] as Event)
  const digest = (lang: Lang, text: string) =>
    say(text, lang, { line: say(worst, lang), n: events.length })
  return events.length === 1
    ? worst
    : bi(digest('zh-CN', locale.zh.message.digest), digest('en', locale.en.message.digest))
}

/** Into the message centre of whoever may see the alerts; several at once are one message. */
export async function tellInApp(ctx: Ctx, orgId: number, events: readonly Event[]): Promise<void> {
  if (events.some((event) => event.event === 'TEST'))
    return void (await notify(ctx, { permission: 'alarm:read', orgId, ...noteOf(events) }))
  const readers = await readersOf(ctx, orgId, events)
  for (const [ids, people] of Map.groupBy(readers, (reader) => reader.alerts.join(','))) {
    const seen = new Set(ids.split(',').map(Number))
    await notify(ctx, {
      userIds: people.map((reader) => reader.id),
      ...noteOf(events.filter((event) => event.alert && seen.has(event.alert.id))),
    })
  }
}

/**
 * Who holds alarm:read, and which of these he reaches by it: staff with single machines hear of
 * those.
 */
async function readersOf(ctx: Ctx, orgId: number, events: readonly Event[]) {
  const alerts = events.flatMap((event) => event.alert ?? [])
  return rowsOf<{ id: number; alerts: number[] }>(ctx.db)`
    select u.id, array_agg(distinct x.alert_id) as alerts
    from users u join user_roles ur on ur.user_id = u.id
    join roles r on r.id = ur.role_id and r.status = 'ENABLED'
    join role_permissions p on p.role_id = r.id and p.permission_code = 'alarm:read'
    cross join unnest(${alerts.map((alert) => alert.id)}::bigint[],
      ${alerts.map((alert) => alert.deviceId)}::bigint[]) as x (alert_id, device_id)
    where u.org_id = ${orgId} and (r.data_scope <> 'ASSIGNED_DEVICES'
      or exists (select from device_assignments a
        where a.device_id = x.device_id and a.user_id = u.id and a.to_at is null))
    group by u.id order by u.id`
}

function noteOf(events: readonly Event[]) {
  const alert = events.length === 1 ? events[0]?.alert : undefined
  const lines = (lang: Lang) => events.map((event) => say(lineOf(event), lang)).join('\n')
  const several = events.length > 1 ? bi(lines('zh-CN'), lines('en')) : words('testBody')
  return {
    kind: 'DEVICE_ALARM' as const,
    title: headOf(events),
    body: alert ? bodyOf(alert) : several,
    link: alert ? `/device/alerts?detail=${alert.id}` : '/device/alerts',
  }
}

type Channel = {
  type: 'WEBHOOK' | 'EMAIL'
  url: string
  secret: Buffer | null
  recipients: string[]
  lang: Lang
}

/** One call to the outside, after everything it needs was read. */
export async function sendBatch(
  app: App,
  batch: Batch,
  events: readonly Event[],
): Promise<SendAnswer> {
  const privateAllowed = await cachedSetting(app, 1, 'alarm.privateAddresses')
  const { channel, server } = await bySystem(app, async (ctx) => ({
    channel: await rowOf<Channel>(
      ctx.db,
    )`select type, url, secret, recipients, lang from alert_channels where id = ${batch.channelId}`,
    server: await mailServerOf(ctx, batch.orgId),
  }))
  if (!channel) return { state: 'FAILED', reason: 'no channel' }
  if (channel.type === 'WEBHOOK') {
    const secret = channel.secret
      ? unseal(app.config, `alert_channels.secret|${batch.channelId}`, channel.secret)
      : null
    return postWebhook({
      url: channel.url,
      secret,
      id: batch.id,
      body: JSON.stringify(payload(app, batch, events)),
      now: app.now(),
      privateAllowed,
    })
  }
  if (!server) return { state: 'RETRY', reason: 'no mail server' }
  const to = await bySystem(app, (ctx) => confirmedOf(ctx, batch.orgId, channel.recipients))
  if (!to.length) return { state: 'FAILED', reason: 'no recipient confirmed' }
  // the name of whoever lends his server stands under it
  const lent = server.orgId !== batch.orgId
  const counted = (ctx: Ctx) => countToday(ctx, batch.orgId, 'recipients', to.length)
  if (lent && !(await bySystem(app, counted)))
    return { state: 'FAILED', reason: 'limit of the day: set a mail server of your own' }
  const { lang } = channel
  const title = say(headOf(events), lang)
  const subject = say(locale[lang === 'en' ? 'en' : 'zh'].message.subject, 'zh-CN', { title })
  const text = events.map((event) => {
    const body = event.alert ? bodyOf(event.alert) : words('testBody')
    return `${say(lineOf(event), lang)}\n${say(body, lang)}`
  })
  return sendMail(server, { id: batch.id, to, subject, text: text.join('\n\n'), privateAllowed })
}

/** What a webhook gets; docs/alert-webhooks.md describes it. */
function payload(app: App, batch: Batch, events: readonly Event[]) {
  const texts = (text: string) => ({ zh: say(text, 'zh-CN'), en: say(text, 'en') })
  return {
    id: batch.id,
    attempt: batch.attempts,
    sentAt: iso(app.now()),
    events: events.map(({ event, at, alert }) => ({
      event,
      at: iso(at),
      title: texts(lineOf({ event, at, alert })),
      alert: alert && {
        id: alert.id,
        kind: alert.kind,
        level: alert.level,
        state: alert.state,
        subject: alert.subject,
        content: texts(contentOf(alert)),
        rtuNumber: alert.rtuNumber,
        nickname: alert.nickname,
        machines:
          alert.deviceId === null ? { count: alert.deviceCount, rtuNumbers: alert.numbers } : null,
        times: alert.times,
        since: iso(alert.since),
        openedAt: iso(alert.openedAt),
        closedAt: isoOrNull(alert.closedAt),
        reminders: alert.reminders,
      },
    })),
  }
}
