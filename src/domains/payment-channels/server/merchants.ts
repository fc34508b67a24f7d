import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowOf } from '../../../server/rows.ts'
import { sealKeys } from './configs.ts'

const rsa = (key: KeyObject) =>
  key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
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
const publicOf = (pem: string) =>
  pem.includes('CERTIFICATE') ? new X509Certificate(pem).publicKey : createPublicKey(pem)

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

/** Enters a merchant, or other keys and another state of one that is known. */
export async function enterMerchant(
  app: Pick<App, 'config' | 'database'>,
  given: unknown,
): Promise<number> {
  const input = MerchantInput.parse(given)
  const { orgId, provider, merchantName, mchId, appId, feeBp, state, channelKeys } = input
  const keys = Object.fromEntries(
    Object.entries(channelKeys).map(([id, pem]) => [
      id,
      { pem: publicOf(pem).export({ type: 'spki', format: 'pem' }), until: null },
    ]),
  )
  const secrets = sealKeys(
    app,
    { provider, mchId, appId },
    { privateKey: input.privateKey, apiV3Key: provider === 'WECHAT' ? input.apiV3Key : '' },
  )
  const row = await app.database.transact(
    systemScope,
    (db) => rowOf<{ id: number }>(db)`
      insert into payment_configs as c (org_id, provider, merchant_name, mch_id, app_id,
        cert_serial, secrets, channel_keys, fee_bp, state)
      values (${orgId}, ${provider}, ${merchantName}, ${mchId}, ${appId},
        ${provider === 'WECHAT' ? input.certSerial : ''}, ${secrets}, ${JSON.stringify(keys)}::jsonb,
        ${feeBp}, ${state})
      on conflict (provider, mch_id, app_id) do update
        set merchant_name = excluded.merchant_name, cert_serial = excluded.cert_serial,
          secrets = excluded.secrets, channel_keys = excluded.channel_keys,
          fee_bp = excluded.fee_bp, state = excluded.state, version = c.version + 1
        where c.org_id = excluded.org_id
      returning id`,
  )
  if (!row) throw new Error('This merchant belongs to another organisation.')
  return row.id
}
