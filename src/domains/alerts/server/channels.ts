import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, may } from '../../../server/context.ts'
import { Blocked, resolveTarget } from '../../../server/outbound.ts'
import { exists, onlyRow } from '../../../server/rows.ts'
import { columns, deleteVersion, type Rows, shape, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import {
  type ChannelFields,
  ChannelRow,
  type ChannelType,
  type channelEndpoints,
  channelErrors,
  MailServer,
} from '../channelContract.ts'
import { alertLimits } from '../rules.ts'
import { countToday, sendsName } from './outbox.ts'
import { askRecipients, confirmMail } from './recipients.ts'
import { seal } from './seal.ts'

type Contract = typeof channelEndpoints
const channel = shape(
  ChannelRow,
  ['alert_channels', 'c'],
  {
    hasSecret: sql`c.secret is not null`,
    lastTime: sql`c.last_at`,
    waiting: sql`(select count(*) from alert_outbox o
      where o.channel_id = c.id and o.next_at is not null)`,
    unconfirmed: sql`array(select r from unnest(c.recipients) with ordinality as x (r, n)
      where not exists (select from alert_recipients a
      where a.org_id = c.org_id and a.address = lower(r) and a.confirmed_at is not null)
      order by n)`,
  },
  ['can'],
)
type Row = Rows<typeof channel>

/** Channels and mail server are the own organisation's, whoever stands below. */
const rows = (ctx: Ctx, id?: number) =>
  channel.all(
    ctx.db,
    sql`from alert_channels c
      where c.org_id = ${ctx.actor.orgId} and ${id === undefined ? sql`true` : sql`c.id = ${id}`}
      order by c.type = 'IN_APP' desc, c.id`,
  )
const one = async (ctx: Ctx, id: number): Promise<Row> => found((await rows(ctx, id))[0])

function shown(ctx: Ctx, row: Row): ChannelRow {
  const update = may(ctx, 'alarm-rule:update')
  return { ...row, can: { update, delete: update && row.type !== 'IN_APP' } }
}

/**
 * Why the server may not be sent there; null when it may or when nobody knows now. The sender looks
 * again at every message.
 */
async function blocked(app: App, host: string): Promise<string | null> {
  try {
    await resolveTarget(host, await cachedSetting(app, 1, 'alarm.privateAddresses'))
    return null
  } catch (error) {
    return error instanceof Blocked ? bi('内部网络地址', 'an address of an inner network') : null
  }
}

/** What the type needs and nothing else: a webhook its address, e-mail its recipients. */
function written(type: ChannelType, channel: ChannelFields) {
  const { fieldMissing, wrongAddress } = channelErrors
  if (type === 'WEBHOOK' && channel.url === '') throw fieldRefusal(fieldMissing, 'url')
  if (type === 'WEBHOOK' && /^https?:\/\/[^/?#]*@/i.test(channel.url))
    throw fieldRefusal(wrongAddress, 'url', { reason: bi('不能包含用户名', 'no user name in it') })
  if (type === 'EMAIL' && channel.recipients.length === 0)
    throw fieldRefusal(fieldMissing, 'recipients')
  return columns('alert_channels', {
    ...channel,
    url: type === 'WEBHOOK' ? channel.url : '',
    recipients: type === 'EMAIL' ? [...new Set(channel.recipients)] : [],
  })
}

const refuse = (field: string, reason: string | null): void => {
  if (reason) throw fieldRefusal(channelErrors.wrongAddress, field, { reason })
}

async function keepSecret(ctx: Ctx, id: number, secret: string | undefined): Promise<void> {
  if (secret === undefined) return
  const sealed = seal(ctx.app.config, `alert_channels.secret|${id}`, secret)
  await sql`update alert_channels set secret = ${sealed}
    where id = ${id} and type = 'WEBHOOK'`.execute(ctx.db)
}

type Checked = { reason: string | null }
const prepare = async (app: App, { url }: { url: string }): Promise<Checked> => ({
  reason: URL.canParse(url) ? await blocked(app, new URL(url).hostname) : null,
})

const createChannel = prepared<Contract['createChannel'], Checked>({
  prepare,
  async run(ctx, { type, secret, ...channel }, { reason }) {
    const values = { ...written(type, channel), org_id: ctx.actor.orgId, type, created_at: ctx.now }
    if (type === 'WEBHOOK') refuse('url', reason)
    if ((await rows(ctx)).length >= 20) throw new Refusal(channelErrors.tooManyChannels)
    const { id } = await ctx.db
      .insertInto('alert_channels')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow()
    await keepSecret(ctx, id, secret)
    await askRecipients(ctx, ctx.actor.orgId, values.recipients)
    const after = shown(ctx, await one(ctx, id))
    ctx.audit({ id, name: after.name, after })
    ctx.touch('alert-channels')
    return after
  },
})

const updateChannel = prepared<Contract['updateChannel'], Checked>({
  prepare,
  async run(ctx, { id, version, secret, ...channel }, { reason }) {
    const before = await one(ctx, id)
    const set = written(before.type, channel)
    if (before.type === 'WEBHOOK') refuse('url', reason)
    await updateVersion(ctx, 'alert_channels', { id, version }, set)
    await keepSecret(ctx, id, secret)
    await askRecipients(ctx, ctx.actor.orgId, set.recipients)
    // switched off: what waits is not sent later, when nobody expects it
    if (!channel.enabled)
      await sql`update alert_outbox set state = 'DROPPED', next_at = null
        where channel_id = ${id} and state = 'WAITING' and event <> 'TEST'`.execute(ctx.db)
    const after = shown(ctx, await one(ctx, id))
    const logged = { ...after, secretChanged: secret !== undefined }
    ctx.audit({ id, name: after.name, before: shown(ctx, before), after: logged })
    ctx.touch('alert-channels')
    return after
  },
})

const removeChannel: Handlers<Contract>['removeChannel'] = async (ctx, { id, version }) => {
  const before = await one(ctx, id)
  if (before.type === 'IN_APP') throw new Refusal(channelErrors.inAppStays)
  await deleteVersion(ctx, 'alert_channels', { id, version })
  // a rule that told this channel alone tells nobody, not everybody
  await sql`update alert_rules
    set channel_ids = array_remove(channel_ids, ${id}::bigint), version = version + 1
    where org_id = ${ctx.actor.orgId} and ${id} = any(channel_ids)`.execute(ctx.db)
  ctx.audit({ id, name: before.name, before: shown(ctx, before) })
  ctx.touch('alert-channels')
  return { ok: true as const }
}

const testChannel: Handlers<Contract>['testChannel'] = async (ctx, { id }) => {
  const channel = await one(ctx, id)
  if (channel.type === 'EMAIL' && (await mailServer(ctx)).source === 'NONE')
    throw new Refusal(channelErrors.noMailServer)
  // also of those that come at once: the day's row is locked until the commit
  const counted = await countToday(ctx, ctx.actor.orgId, 'tests', 1)
  const recent = await exists(ctx.db)`select 1 from alert_outbox
    where channel_id = ${id} and event = 'TEST'
      and created_at > ${ctx.now}::timestamptz - interval '1 minute' limit 1`
  if (!counted || recent)
    throw new Refusal(channelErrors.tooManyTests, { most: alertLimits.perDay.tests })
  const asked = { event: 'TEST', next_at: ctx.now, created_at: ctx.now } as const
  await ctx.db
    .insertInto('alert_outbox')
    .values({ org_id: ctx.actor.orgId, channel_id: id, ...asked })
    .execute()
  ctx.afterCommit(() => ctx.app.jobs.poke(sendsName))
  await askRecipients(ctx, ctx.actor.orgId, channel.recipients)
  ctx.audit({ id, name: channel.name })
  ctx.touch('alert-channels')
  return { ok: true as const }
}

const server = shape(
  MailServer,
  ['alert_mail_servers', 's'],
  { hasPassword: sql`s.password is not null` },
  ['source'],
)
async function mailServer(ctx: Ctx): Promise<MailServer> {
  const { orgId } = ctx.actor
  const own = await server.one(ctx.db, sql`from alert_mail_servers s where s.org_id = ${orgId}`)
  if (own) return { source: 'OWN', ...own }
  const above = await onlyRow<{ org: number | null }>(
    ctx.db,
  )`select app_mail_server(${orgId}) as org`
  return {
    source: above.org ? 'ABOVE' : 'NONE',
    host: '',
    port: 465,
    security: 'TLS',
    username: '',
    hasPassword: false,
    sender: '',
    version: 0,
  }
}

const saveMailServer = prepared<Contract['saveMailServer'], Checked>({
  prepare: async (app, input) => ({ reason: await blocked(app, input.host) }),
  async run(ctx, { version, password, ...server }, { reason }) {
    refuse('host', reason)
    const before = await mailServer(ctx)
    const orgId = ctx.actor.orgId
    // a password belongs to its server: for another host or user it is given anew
    const moved =
      before.source === 'OWN' &&
      (before.host !== server.host || before.username !== server.username)
    const place = `alert_mail_servers.password|${orgId}` as const
    const sealed = password ? seal(ctx.app.config, place, password) : null
    const keeps = password === undefined && !moved
    const set = { ...server, ...(keeps ? {} : { password: sealed }), updated_at: ctx.now }
    const own = { org_id: orgId }
    const made = ctx.db.insertInto('alert_mail_servers').values({ ...own, ...set })
    const changed = ctx.db.updateTable('alert_mail_servers').set({ ...set, version: version + 1 })
    const saved =
      version === 0
        ? made.onConflict((same) => same.doNothing()).returning('version')
        : changed.where((eb) => eb.and({ ...own, version })).returning('version')
    if (!(await saved.executeTakeFirst())) throw new Refusal(common.stale)
    const after = await mailServer(ctx)
    const logged = { ...after, passwordChanged: !keeps }
    ctx.audit({ id: orgId, name: server.host, before, after: logged })
    ctx.touch('alert-channels')
    return after
  },
})

export const handlers: Handlers<Contract> = {
  channels: async (ctx) => ({ list: (await rows(ctx)).map((row) => shown(ctx, row)) }),
  createChannel,
  updateChannel,
  removeChannel,
  testChannel,
  confirmMail,
  mailServer: (ctx) => mailServer(ctx),
  saveMailServer,
}
