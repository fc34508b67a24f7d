import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { App, Ctx } from '../../../server/context.ts'
import type { SendAnswer } from '../../../server/outbound.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { keyFor } from '../../../server/secretBox.ts'
import type { Kind, Piece } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { dayMs } from '../../../shared/instants.ts'
import { madeStorable, say } from '../../../shared/text.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { type channelEndpoints, channelErrors } from '../channelContract.ts'
import { locale } from '../locale.ts'
import { alertLimits } from '../rules.ts'
import { mailServerOf, sendMail } from './mail.ts'
import { countToday } from './outbox.ts'

/**
 * Whoever is to get mail of alerts says so himself: until he opened the link of the one message
 * that asks him, nothing else goes to his address. Accounts have no address that counts as
 * confirmed.
 */
export const recipientsName = 'alert-recipients'

/**
 * Asks those who did not confirm, each once a day at most, or once more when the message did not
 * leave.
 */
export async function askRecipients(
  ctx: Ctx,
  orgId: number,
  addresses: readonly string[],
): Promise<void> {
  await sql`insert into alert_recipients as a (org_id, address, asked_at, next_at)
    select ${orgId}, address, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
    from (select distinct lower(r) as address from unnest(${[...addresses]}::text[]) r) x
    order by address
    on conflict (org_id, address) do update
    set asked_at = excluded.asked_at, next_at = excluded.next_at, state = 'WAITING', attempts = 0,
      last_error = ''
      where a.confirmed_at is null and a.next_at is null
        and (a.state = 'FAILED' or a.asked_at <= ${ctx.now}::timestamptz - interval
          '1 day')`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(recipientsName))
}

/** Of these addresses those that confirmed, as they were written. */
export async function confirmedOf(
  ctx: Ctx,
  orgId: number,
  addresses: readonly string[],
): Promise<string[]> {
  const rows = await rowsOf<{ address: string }>(ctx.db)`select r as address
    from unnest(${[...addresses]}::text[]) with ordinality as x (r, n)
    where exists (select from alert_recipients a where a.org_id = ${orgId} and a.address = lower(r)
      and a.confirmed_at is not null) order by n`
  return rows.map(({ address }) => address)
}

type Asked = { id: number; org_id: number; address: string; asked_at: Date }
/**
 * Nothing of it is kept: what it says is signed, and true as long as the row stands as it was
 * asked.
 */
export function recipientToken({ config }: Pick<App, 'config'>, asked: Asked): string {
  const { id, org_id, address, asked_at } = asked
  const said = `${id}|${org_id}|${address}|${asked_at.getTime()}`
  const signed = createHmac('sha256', keyFor(config, 'alerts.recipients')).update(said)
  return `${id}.${signed.digest('base64url')}`
}

type Due = Piece & Asked & { org_name: string; tenant: number }
export const recipientKind = (app: App): Kind<Due, SendAnswer> => ({
  name: recipientsName,
  table: 'alert_recipients',
  begins: sql`state = 'SENDING'`,
  reads: sql`(select o.name from organisations o where o.id = t.org_id) as org_name,
    (select coalesce(nullif(split_part(o.path::text, '.', 2), ''), o.id::text)::bigint
      from organisations o where o.id = t.org_id) as tenant`,
  atOnce: 4,
  leaseSeconds: alertLimits.leaseSeconds,
  waits: [60, 600],
  async do(row) {
    const server = await bySystem(app, (ctx) => mailServerOf(ctx, row.org_id))
    if (!server) return { state: 'FAILED', reason: 'no mail server' }
    // of a tenant: organisations below his own are soon made
    if (!(await bySystem(app, (ctx) => countToday(ctx, row.tenant, 'confirmations', 1))))
      return { state: 'FAILED', reason: 'limit of the day' }
    const values = {
      org: row.org_name,
      days: alertLimits.linkDays,
      link: publicLink(app.config, `/login?mode=mail#${recipientToken(app, row)}`),
    }
    const [zh, en] = [locale.zh.message, locale.en.message]
    return sendMail(server, {
      id: `recipient-${row.id}-${row.asked_at.getTime()}`,
      to: [row.address],
      subject: `${say(zh.confirm, 'zh-CN')} / ${say(en.confirm, 'zh-CN')}`,
      text: `${say(zh.confirmBody, 'zh-CN', values)}\n\n${say(en.confirmBody, 'zh-CN', values)}`,
      privateAllowed: await cachedSetting(app, 1, 'alarm.privateAddresses'),
    })
  },
  async mark(ctx, row, to) {
    const reason = 'reason' in to ? madeStorable(to.reason).slice(0, 200) : ''
    await sql`update alert_recipients
      set state = ${to.state === 'RETRY' ? 'WAITING' : to.state}, last_error = ${reason},
        next_at = ${to.nextAt} where ${row.ours}`.execute(ctx.db)
    ctx.touch('alert-channels', row.org_id)
  },
})

type Confirm = Handlers<typeof channelEndpoints>['confirmMail']
export const confirmMail: Confirm = async (ctx, { token }) => {
  const since = new Date(ctx.now.getTime() - alertLimits.linkDays * dayMs)
  const row = await rowOf<Asked & { org_name: string }>(ctx.db)`select a.id, a.org_id, a.address,
      a.asked_at, o.name as org_name
    from alert_recipients a join organisations o on o.id = a.org_id
    where a.id = ${Number(token.split('.')[0])}
      and a.asked_at > ${since} for no key update of a`
  const right =
    row && timingSafeEqual(Buffer.from(recipientToken(ctx.app, row)), Buffer.from(token))
  if (!right) throw new Refusal(channelErrors.linkOver)
  await sql`update alert_recipients
    set confirmed_at = coalesce(confirmed_at, ${ctx.now}::timestamptz)
    where id = ${row.id}`.execute(ctx.db)
  ctx.audit({ id: row.id, name: row.address, orgId: row.org_id })
  ctx.touch('alert-channels', row.org_id)
  return { orgName: row.org_name }
}
