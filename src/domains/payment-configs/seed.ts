import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'
import type { Provider, MerchantState as State } from '../payment-channels/rules.ts'
import { type Secrets, sealKeys } from '../payment-channels/server/configs.ts'
import { tailOf } from './rules.ts'

/** Owner, company, system number, user, channel, fee, cap, state, days until its certificate ends. */
// biome-ignore format: a table
const rows = [
  ['platform', '货道科技有限公司', 'HD-0001', 'huodao', 'SIMULATOR', 60, 3000, 'ACTIVE', null],
  ['op-xianda', '深圳鲜达零售有限公司', 'XD-1001', 'xianda', 'SIMULATOR', 60, 3000, 'ACTIVE', null],
  ['op-xianda', '鲜达（微信商户）', 'XD-1002', 'xianda', 'WECHAT', 60, 3000, 'UNTESTED', 24],
  ['op-huikang', '惠康大药房连锁有限公司', 'HK-2001', 'huikang', 'AGGREGATOR', 38, 2000, 'ACTIVE', null],
  ['op-xiaoyuan', '武汉小园商贸有限公司', 'XY-3001', 'xiaoyuan', 'SIMULATOR', 60, 3000, 'ACTIVE', null],
  ['op-huaqiang', '华强便利（微信商户）', 'HQ-4001', 'huaqiang', 'WECHAT', 54, 3000, 'UNTESTED', 5],
  ['op-nanshan', '南山文旅发展有限公司', 'NS-5001', 'nanshan', 'AGGREGATOR', 45, 1500, 'DISABLED', null],
  ['op-kouan', '口岸商业管理有限公司', 'KA-6001', 'kouan', 'SIMULATOR', 60, 3000, 'UNTESTED', null],
] as const

const aes = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

/** Companies of the demo: none of them at a real channel, so that its sales go to the simulator. */
export async function seedPaymentConfigs(
  db: Db,
  config: Config,
  org: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const app = { config }
  const values = rows.map((row, i) => {
    const [of, merchant_name, system_id, user_name, provider, fee_bp, split_cap_bp] = row
    const [state, days] = [row[7] as State, row[8]]
    const wechat = (provider as Provider) === 'WECHAT'
    const place = wechat
      ? { provider, mchId: `19000${i}7001`, appId: `wx5e1a0c${i}b7d2f40` }
      : { provider, mchId: '', appId: '', systemId: system_id }
    const none = { privateKey: '', apiV3Key: '' }
    const [desKey, saltMd5Key] = [aes(`des ${system_id}`, 24), aes(`salt ${system_id}`, 32)]
    const secrets: Secrets = wechat
      ? { privateKey: pem, apiV3Key: aes(`v3 ${system_id}`, 32) }
      : { ...none, desKey, saltMd5Key }
    const made = new Date(now.getTime() - (50 - i * 4) * dayMs)
    const tail = (name: string, secret: string) => ({
      [name]: { tail: tailOf(secret), at: made.toISOString() },
    })
    const passed = state === 'ACTIVE' || state === 'DISABLED'
    const steps = provider === 'AGGREGATOR' ? ['CIPHER', 'KEYS'] : ['ORDER', 'QUERY', 'REFUND']
    return {
      ...{ org_id: org.get(of) as number, provider, merchant_name, system_id, user_name },
      ...{ fee_bp, split_cap_bp, state, mch_id: place.mchId, app_id: place.appId },
      collector_kind: of === 'platform' ? ('PLATFORM_MERCHANT' as const) : undefined,
      secrets: sealKeys(app, place, secrets),
      secret_tails: JSON.stringify(
        wechat
          ? { ...tail('apiV3Key', secrets.apiV3Key), ...tail('privateKey', aes(system_id, 16)) }
          : { ...tail('desKey', desKey), ...tail('saltMd5Key', saltMd5Key) },
      ),
      cert_serial: wechat ? `5157F09EFDC096D${i}` : '',
      cert_until: days === null ? null : new Date(now.getTime() + days * dayMs),
      verified_at: passed ? made : null,
      tested_at: passed ? new Date(now.getTime() - (i + 1) * 3 * 3_600_000) : null,
      test_steps: JSON.stringify(passed ? steps.map((step) => ({ step, ok: true, note: '' })) : []),
      settle_bank: '招商银行',
      settle_holder: merchant_name,
      created_at: made,
    }
  })
  const made = await db
    .insertInto('payment_configs')
    .values(values)
    .returning(['id', 'org_id', 'provider'])
    .execute()
  for (const { id, org_id, provider } of made)
    if (provider === 'SIMULATOR' || provider === 'AGGREGATOR')
      await db
        .updateTable('stores')
        .set({ payment_config_id: id })
        .where('org_id', '=', org_id)
        .execute()
}
