import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'
import { alipay } from './alipay.ts'
import type { Channel, ChannelKeys, Merchant } from './channels.ts'
import { wechat } from './wechat.ts'

/** How old may be what is known of a merchant. */
const knownMs = 5000
const mostKnown = 10_000

/** Keys of merchants at rest, bound to channel and merchant: whoever changes these seals anew. */
type Place = { provider: string; mchId: string; appId: string; systemId?: string | null }
const placeOf = ({ provider, mchId, appId, systemId }: Place) =>
  `payment_configs.secrets|${provider}|${mchId || systemId}|${appId}`
/** What a channel does not have is empty. */
export type Secrets = {
  privateKey: string
  apiV3Key: string
  desKey?: string
  saltMd5Key?: string
}
export const keysUse = 'payments.merchants'
export const sealKeys = (app: Pick<App, 'config'>, place: Place, secrets: Secrets): Buffer =>
  sealSecret(app.config, keysUse, placeOf(place), JSON.stringify(secrets))
export const openKeys = (app: Pick<App, 'config'>, place: Place, secrets: Buffer): Secrets =>
  JSON.parse(openSecret(app.config, keysUse, placeOf(place), secrets)) as Secrets

/**
 * The merchant that was paid, active or not: refunds and late notices still are its own. `unproven`:
 * also with keys of which the channel has not shown that they are its.
 */
async function merchantById(
  app: App,
  db: Db,
  id: number,
  unproven = false,
): Promise<Merchant | null> {
  const row = await rowOf<Omit<Merchant, keyof Secrets> & { secrets: Buffer }>(db)`
    select id, org_id as "orgId", provider, mch_id as "mchId", app_id as "appId",
      cert_serial as "certSerial", fee_bp as "feeBp", secrets, channel_keys as keys
    from payment_configs where id = ${id} and mch_id <> ''
      and (${unproven} or verified_at is not null)`
  if (!row) return null
  const { secrets, ...merchant } = row
  const { privateKey, apiV3Key } = openKeys(app, row, secrets)
  return { ...merchant, privateKey, apiV3Key }
}

export type Connected = { readonly merchant: Merchant; readonly channel: Channel }
type Open = { at: number; connected: Promise<Connected | null> }
const openOf = perApp(() => new Map<number, Open>())

/**
 * A merchant and its channel, while its keys are verified: what others sign is worth nothing, and
 * what is under way waits. Kept for seconds: a flood of forged notices reads no row and opens no key
 * each.
 */
export function connectedTo(app: App, id: number): Promise<Connected | null> {
  const open = openOf(app)
  const kept = open.get(id)
  if (kept && performance.now() - kept.at < knownMs) return kept.connected
  if (open.size >= mostKnown) open.clear()
  const connected = app.database.aside(async (db) => {
    const merchant = await merchantById(app, db, id)
    return merchant && { merchant, channel: channelOf(app, merchant) }
  })
  open.set(id, { at: performance.now(), connected })
  connected.catch(() => open.delete(id))
  return connected
}

/** A channel of its own, with the keys of this moment, for whoever finds out what they are worth. */
export const tryingOut = (app: App, id: number): Promise<Connected | null> =>
  app.database.aside(async (db) => {
    const merchant = await merchantById(app, db, id, true)
    return merchant && { merchant, channel: channelOf(app, merchant, true) }
  })

/** Where a channel tells us what happened. */
const notifyUrl = (app: App, { provider, id }: Pick<Merchant, 'provider' | 'id'>): string =>
  publicLink(app.config, `/pay/${provider.toLowerCase()}/notify/${id}`)

function channelOf(app: App, merchant: Merchant, trial = false): Channel {
  const url = notifyUrl(app, merchant)
  if (merchant.provider === 'ALIPAY') return alipay(app, merchant, url)
  const saveKeys = (keys: ChannelKeys) =>
    bySystem(app, async (ctx) => {
      await sql`update payment_configs set channel_keys = ${JSON.stringify(keys)}::jsonb
        where id = ${merchant.id}`.execute(ctx.db)
    })
  return wechat(app, merchant, url, saveKeys, trial)
}

/** Whom a sale is paid to. */
export type Payee = { provider: 'SIMULATOR' | 'WECHAT' | 'ALIPAY'; configId: number | null }
const simulator: Payee = { provider: 'SIMULATOR', configId: null }
/** Null: its merchant takes no money now. */
type Known = { at: number; payee: Promise<Payee | null> }
const knownOf = perApp(() => new Map<string, Known>())

/**
 * The merchant of the machine's store, else that of the organisation or of the nearest above it;
 * without one the simulator. One that was stopped stops its machines: what they sell must not go to
 * somebody else.
 */
export function payeeOf(
  app: App,
  { orgId, storeId }: { readonly orgId: number; readonly storeId?: number | null },
  provider: 'WECHAT' | 'ALIPAY',
): Promise<Payee | null> {
  const known = knownOf(app)
  const key = `${orgId} ${storeId ?? ''} ${provider}`
  const kept = known.get(key)
  if (kept && performance.now() - kept.at < knownMs) return kept.payee
  if (known.size >= mostKnown) known.clear()
  const payee = app.database.aside(async (db) => {
    const row = await rowOf<{ id: number; state: string }>(db)`
      select c.id, c.state from organisations o
      join organisations above on above.path @> o.path
      join payment_configs c on c.org_id = above.id and c.provider = ${provider}
        and c.state <> 'UNTESTED' and c.removed_at is null
      left join stores s on s.id = ${storeId ?? null}::bigint and s.payment_config_id = c.id
      where o.id = ${orgId}
      order by s.id is null, nlevel(above.path) desc, c.state = 'ACTIVE' desc, c.id limit 1`
    if (!row) return simulator
    return row.state === 'ACTIVE' ? { provider, configId: row.id } : null
  })
  known.set(key, { at: performance.now(), payee })
  payee.catch(() => known.delete(key))
  return payee
}
/** For tests and whoever changed one. */
export function configsChanged(app: App): void {
  knownOf(app).clear()
  openOf(app).clear()
}
