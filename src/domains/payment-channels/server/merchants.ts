import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type App, systemActor } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { writeLog } from '../../../server/logRow.ts'
import type { Product } from '../../../server/product.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import type { ChannelKeys } from './channels.ts'
import { openKeys, sealKeys } from './configs.ts'
import { print, publicOf, rsa, spki } from './keyChecks.ts'

const keyText = (right: (text: string) => boolean, message: string) =>
  z
    .string()
    .max(10_000)
    .refine((text) => {
      try {
        return right(text)
      } catch {
        return false
      }
    }, message)
const privateKey = keyText(
  (pem) => rsa(createPrivateKey(pem)),
  'must be an RSA private key of 2048 bits or more as PEM',
)
const publicKey = keyText(
  (pem) => rsa(publicOf(pem)),
  'must be an RSA public key or a certificate as PEM',
)
const common = {
  orgId: z.int().min(1),
  merchantName: z.string().trim().min(1).max(60),
  mchId: z.string().regex(/^[0-9A-Za-z]{1,32}$/),
  appId: z.string().regex(/^[0-9A-Za-z]{1,32}$/),
  privateKey,
  feeBp: z.int().min(0).max(200).default(60),
  state: z.enum(['ACTIVE', 'DISABLED']).default('ACTIVE'),
}
/** What a merchant of WeChat Pay or Alipay is entered with; the keys are never given back. */
const MerchantInput = z.discriminatedUnion('provider', [
  z.strictObject({
    ...common,
    provider: z.literal('WECHAT'),
    certSerial: z.string().regex(/^[0-9A-F]{8,40}$/),
    apiV3Key: z.string().regex(/^[\x21-\x7e]{32}$/),
    /** `PUB_KEY_ID_…` and its key; without one the certificates of the platform are fetched. */
    channelKeys: z.record(z.string().regex(/^PUB_KEY_ID_\d{10,40}$/), publicKey).default({}),
  }),
  z.strictObject({
    ...common,
    provider: z.literal('ALIPAY'),
    /** Alipay's own public key of the app, not ours. */
    channelKeys: z.strictObject({ ALIPAY: publicKey }),
  }),
])

type Entered = {
  id: number
  orgId: number
  merchantName: string
  certSerial: string
  feeBp: number
  state: string
  secrets: Buffer
  channelKeys: ChannelKeys
}
/** What a log row may say of a merchant: its keys by what everybody may know of them. */
const facts = ({
  merchantName,
  certSerial,
  feeBp,
  state,
  channelKeys,
}: Omit<Entered, 'secrets'>) => ({
  ...{ merchantName, certSerial, feeBp, state },
  channelSigns: Object.entries(channelKeys).map(([id, { pem }]) => `${id} ${print(pem)}`),
})
/**
 * Enters a merchant, or other keys and another state of one that is known, with its log row. Whoever
 * may run a command on this machine is taken at his word: the keys are verified.
 */
export async function enterMerchant(
  app: Pick<App, 'config' | 'database' | 'now'> & { product: Pick<Product, 'auditText'> },
  given: unknown,
): Promise<number> {
  const startedAt = performance.now()
  const input = MerchantInput.parse(given)
  const { orgId, provider, merchantName, mchId, appId, feeBp, state, channelKeys } = input
  const keys = Object.fromEntries(
    Object.entries(channelKeys).map(([id, pem]) => [
      id,
      { pem: publicOf(pem).export({ type: 'spki', format: 'pem' }) as string, until: null },
    ]),
  )
  const place = { provider, mchId, appId }
  const secrets = {
    privateKey: input.privateKey,
    apiV3Key: provider === 'WECHAT' ? input.apiV3Key : '',
  }
  const certSerial = provider === 'WECHAT' ? input.certSerial : ''
  return app.database.transact(systemScope, async (db) => {
    const before = await rowOf<Entered>(db)`
      select id, org_id as "orgId", merchant_name as "merchantName", cert_serial as "certSerial",
        fee_bp as "feeBp", state, secrets, channel_keys as "channelKeys" from payment_configs
      where org_id = ${orgId} and provider = ${provider} and mch_id = ${mchId} and app_id = ${appId}
        and removed_at is null for update`
    const row = await onlyRow<{ id: number }>(db)`
      insert into payment_configs as c (org_id, provider, merchant_name, mch_id, app_id,
        cert_serial, secrets, channel_keys, fee_bp, state, verified_at)
      values (${orgId}, ${provider}, ${merchantName}, ${mchId}, ${appId},
        ${certSerial}, ${sealKeys(app, place, secrets)}, ${JSON.stringify(keys)}::jsonb,
        ${feeBp}, ${state}, ${app.now()})
      on conflict (org_id, provider, mch_id, app_id) where mch_id <> '' and removed_at is null
      do update
        set merchant_name = excluded.merchant_name, cert_serial = excluded.cert_serial,
          secrets = excluded.secrets, secret_tails = '{}', channel_keys = excluded.channel_keys,
          fee_bp = excluded.fee_bp, state = excluded.state, verified_at = excluded.verified_at,
          version = c.version + 1
      returning id`.catch((error: unknown) => {
      const { constraint } = error as { constraint?: string }
      throw constraint === 'payment_configs_verified'
        ? new Error('This merchant belongs to another organisation.')
        : error
    })
    const old = before && openKeys(app, place, before.secrets)
    const renewed = old
      ? (['privateKey', 'apiV3Key'] as const).flatMap((name) =>
          old[name] === secrets[name] ? [] : [name],
        )
      : []
    const signs = (privateKey: string) => print(createPublicKey(privateKey).export(spki) as string)
    const after = { id: row.id, orgId, merchantName, certSerial, feeBp, state, channelKeys: keys }
    await writeLog(
      {
        ...{ app, db, actor: systemActor, now: app.now() },
        ...{ requestId: randomUUID(), ip: '', userAgent: '' },
      },
      'paymentChannels.enter',
      {
        ...{ id: row.id, name: `${provider} ${mchId}`, orgId },
        ...(before && old ? { before: { ...facts(before), weSign: signs(old.privateKey) } } : {}),
        after: {
          ...(before ? {} : place),
          ...{ ...facts(after), weSign: signs(secrets.privateKey), renewed },
        },
      },
      { result: 'SUCCESS', startedAt },
    )
    return row.id
  })
}
