import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, isoOrNull, may } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { type ChannelFields, type ChannelRow, type ChannelType, type channelEndpoints, channelErrors, type MailServer } from '../channelContract.ts'
import { Blocked, resolveTarget } from './outbound.ts'
import { sendLoop } from './outbox.ts'
import { seal } from './seal.ts'

type Contract = typeof channelEndpoints
type Row = {
  id: number
  type: ChannelType
  name: string
  enabled: boolean
  url: string
  has_secret: boolean
  recipients: string[]
  lang: 'zh-CN' | 'en'
  tell_closed: boolean
  quiet_from: string | null
  quiet_to: string | null
  urgent_through: boolean
  last_state: ChannelRow['lastState']
  last_reason: string
  last_at: Date | null
  waiting: number
  version: number
}

/** Channels and mail server are the own organisation's, whoever stands below. */
async function rows(ctx: Ctx, id?: number): Promise<Row[]> {
  const { rows: found } = await sql<Row>`
    select c.id, c.type, c.name, c.enabled, c.url, c.secret is not null as has_secret, c.recipients, c.lang, c.tell_closed, c.quiet_from, c.quiet_to, c.urgent_through,
      c.last_state, c.last_reason, c.last_at, c.version, (select count(*) from alert_outbox o where o.channel_id = c.id and o.next_at is not null) as waiting
    from alert_channels c where c.org_id = ${ctx.actor.orgId} and ${id === undefined ? sql`true` : sql`c.id = ${id}`} order by c.type = 'IN_APP' desc, c.id`.execute(
    ctx.db,
  )
  return found
}
const one = async (ctx: Ctx, id: number): Promise<Row> => found((await rows(ctx, id))[0])

const shown = (ctx: Ctx, row: Row): ChannelRow => ({
  id: row.id,
  type: row.type,
  name: row.name,
  enabled: row.enabled,
  url: row.url,
  hasSecret: row.has_secret,
  recipients: row.recipients,
  lang: row.lang,
  tellClosed: row.tell_closed,
  quietFrom: row.quiet_from,
  quietTo: row.quiet_to,
  urgentThrough: row.urgent_through,
  lastState: row.last_state,
  lastReason: row.last_reason,
  lastTime: isoOrNull(row.last_at),
  waiting: row.waiting,
  version: row.version,
  can: { update: may(ctx, 'alarm-rule:update'), delete: may(ctx, 'alarm-rule:update') && row.type !== 'IN_APP' },
})

const at = (field: string, def = channelErrors.fieldMissing, values = {}) => new Refusal(def, values, [{ field, text: def.text }])

/** Why the server may not be sent there; null when it may or when nobody knows now. The sender looks again at every message. */
async function blocked(app: App, host: string): Promise<string | null> {
  try {
    await resolveTarget(host, await cachedSetting(app, 1, 'alarm.privateAddresses'))
    return null
  } catch (error) {
    return error instanceof Blocked ? bi('内部网络地址', 'an address of an inner network') : null
  }
}

function urlHost(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null
}

/** What the type needs and nothing else: a webhook its address, e-mail its recipients. */
function columnsOf(type: ChannelType, channel: ChannelFields) {
  if (type === 'WEBHOOK' && channel.url === '') throw at('url')
  if (type === 'WEBHOOK' && /^https?:\/\/[^/?#]*@/i.test(channel.url))
    throw at('url', channelErrors.wrongAddress, { reason: bi('不能包含用户名', 'no user name in it') })
  if (type === 'EMAIL' && channel.recipients.length === 0) throw at('recipients')
  return {
    name: channel.name,
    enabled: channel.enabled,
    url: type === 'WEBHOOK' ? channel.url : '',
    recipients: type === 'EMAIL' ? [...new Set(channel.recipients)] : [],
    lang: channel.lang,
    tell_closed: channel.tellClosed,
    quiet_from: channel.quietFrom,
    quiet_to: channel.quietTo,
    urgent_through: channel.urgentThrough,
  }
}

const refuse = (field: string, reason: string | null): void => {
  if (reason) throw new Refusal(channelErrors.wrongAddress, { reason: reason.split('\u001f')[0] ?? '' }, [{ field, text: channelErrors.wrongAddress.text }])
}

async function keepSecret(ctx: Ctx, id: number, secret: string | undefined): Promise<void> {
  if (secret === undefined) return
  await ctx.db
    .updateTable('alert_channels')
    .set({ secret: seal(ctx.app.config, `alert_channels.secret|${id}`, secret) })
    .where('id', '=', id)
    .where('type', '=', 'WEBHOOK')
    .execute()
}

const createChannel = prepared<Contract['createChannel'], { reason: string | null }>({
  async prepare(app, input) {
    const host = input.type === 'WEBHOOK' ? urlHost(input.url) : null
    return { reason: host === null ? null : await blocked(app, host) }
  },
  async run(ctx, { type, secret, ...channel }, { reason }) {
    const columns = columnsOf(type, channel)
    refuse('url', reason)
    if ((await rows(ctx)).length >= 20) throw new Refusal(channelErrors.tooManyChannels)
    const { id } = await ctx.db
      .insertInto('alert_channels')
      .values({ org_id: ctx.actor.orgId, type, created_at: ctx.now, ...columns })
      .returning('id')
      .executeTakeFirstOrThrow()
    await keepSecret(ctx, id, secret)
    const after = shown(ctx, await one(ctx, id))
    ctx.audit({ id, name: after.name, after })
    ctx.touch('alert-channels')
    return after
  },
})

const updateChannel = prepared<Contract['updateChannel'], { reason: string | null }>({
  async prepare(app, input) {
    const host = urlHost(input.url)
    return { reason: host === null ? null : await blocked(app, host) }
  },
  async run(ctx, { id, version, secret, ...channel }, { reason }) {
    const before = await one(ctx, id)
    const columns = columnsOf(before.type, channel)
    if (before.type === 'WEBHOOK') refuse('url', reason)
    const changed = await ctx.db
      .updateTable('alert_channels')
      .set((eb) => ({ ...columns, version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst()
    if (!changed.numUpdatedRows) throw new Refusal(common.stale)
    await keepSecret(ctx, id, secret)
    // switched off: what waits is not sent later, when nobody expects it
    if (!channel.enabled)
      await sql`update alert_outbox set state = 'DROPPED', next_at = null where channel_id = ${id} and state = 'WAITING' and event <> 'TEST'`.execute(ctx.db)
    const after = shown(ctx, await one(ctx, id))
    ctx.audit({ id, name: after.name, before: shown(ctx, before), after: { ...after, secretChanged: secret !== undefined } })
    ctx.touch('alert-channels')
    return after
  },
})

const removeChannel: Handlers<Contract>['removeChannel'] = async (ctx, { id, version }) => {
  const before = await one(ctx, id)
  if (before.type === 'IN_APP') throw new Refusal(channelErrors.inAppStays)
  const gone = await ctx.db.deleteFrom('alert_channels').where('id', '=', id).where('version', '=', version).executeTakeFirst()
  if (!gone.numDeletedRows) throw new Refusal(common.stale)
  // a rule that told this channel alone tells nobody, not everybody
  await sql`update alert_rules set channel_ids = array_remove(channel_ids, ${id}::bigint), version = version + 1 where org_id = ${ctx.actor.orgId} and ${id} = any(channel_ids)`.execute(
    ctx.db,
  )
  ctx.audit({ id, name: before.name, before: shown(ctx, before) })
  ctx.touch('alert-channels')
  return { ok: true as const }
}

const testChannel: Handlers<Contract>['testChannel'] = async (ctx, { id }) => {
  const channel = await one(ctx, id)
  if (channel.type === 'EMAIL' && (await mailServer(ctx)).source === 'NONE') throw new Refusal(channelErrors.noMailServer)
  await ctx.db.insertInto('alert_outbox').values({ org_id: ctx.actor.orgId, channel_id: id, event: 'TEST', next_at: ctx.now, created_at: ctx.now }).execute()
  ctx.afterCommit(() => ctx.app.jobs.poke(sendLoop))
  ctx.audit({ id, name: channel.name })
  ctx.touch('alert-channels')
  return { ok: true as const }
}

type ServerRow = { host: string; port: number; security: MailServer['security']; username: string; has_password: boolean; sender: string; version: number }

async function mailServer(ctx: Ctx): Promise<MailServer> {
  const { rows: own } = await sql<ServerRow>`
    select host, port, security, username, password is not null as has_password, sender, version from alert_mail_servers where org_id = ${ctx.actor.orgId}`.execute(
    ctx.db,
  )
  const server = own[0]
  if (server) {
    const { has_password, ...rest } = server
    return { source: 'OWN', ...rest, hasPassword: has_password }
  }
  const { rows: above } = await sql<{ org: number | null }>`select app_mail_server(${ctx.actor.orgId}) as org`.execute(ctx.db)
  return { source: above[0]?.org ? 'ABOVE' : 'NONE', host: '', port: 465, security: 'TLS', username: '', hasPassword: false, sender: '', version: 0 }
}

const saveMailServer = prepared<Contract['saveMailServer'], { reason: string | null }>({
  prepare: async (app, input) => ({ reason: await blocked(app, input.host) }),
  async run(ctx, { version, password, ...server }, { reason }) {
    refuse('host', reason)
    const before = await mailServer(ctx)
    const orgId = ctx.actor.orgId
    // a password belongs to its server: for another host or user it is given anew
    const moved = before.source === 'OWN' && (before.host !== server.host || before.username !== server.username)
    const sealed = password ? seal(ctx.app.config, `alert_mail_servers.password|${orgId}`, password) : null
    const keeps = password === undefined && !moved
    const changed =
      version === 0
        ? await ctx.db
            .insertInto('alert_mail_servers')
            .values({ org_id: orgId, ...server, password: sealed, updated_at: ctx.now })
            .onConflict((oc) => oc.doNothing())
            .executeTakeFirst()
        : await ctx.db
            .updateTable('alert_mail_servers')
            .set((eb) => ({ ...server, ...(keeps ? {} : { password: sealed }), version: eb('version', '+', 1), updated_at: ctx.now }))
            .where('org_id', '=', orgId)
            .where('version', '=', version)
            .executeTakeFirst()
    const rowsChanged = 'numUpdatedRows' in changed ? changed.numUpdatedRows : changed.numInsertedOrUpdatedRows
    if (!rowsChanged) throw new Refusal(common.stale)
    const after = await mailServer(ctx)
    ctx.audit({ id: orgId, name: server.host, before, after: { ...after, passwordChanged: !keeps } })
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
  mailServer: (ctx) => mailServer(ctx),
  saveMailServer,
}
