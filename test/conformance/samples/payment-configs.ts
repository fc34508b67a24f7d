import { randomUUID } from 'node:crypto'
import { picture, place } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh } from './kit.ts'

const number = () => `S${randomUUID().slice(0, 8)}`
const company = () => ({
  splitCapBp: 4000,
  capApproval: picture('OWN'),
  merchantName: '公司',
  systemId: number(),
  userName: '户',
})
const keys = { desKey: 'k'.repeat(24), saltMd5Key: 's'.repeat(16) }
/** One that nobody else of these tests uses, in this state. */
const made = async (
  world: Parameters<typeof fresh>[0],
  { sealKeys }: typeof import('../../../src/domains/payment-channels/server/configs.ts'),
  state = 'UNTESTED',
) => {
  const systemId = number()
  const place_ = { provider: 'SIMULATOR', mchId: '', appId: '', systemId }
  const secrets = sealKeys(world.app, place_, { privateKey: '', apiV3Key: '' }).toString('hex')
  const id = await fresh(
    world,
    `insert into payment_configs (org_id, provider, merchant_name, system_id, user_name, secrets,
      state, verified_at) values (${place.OWN}, 'SIMULATOR', '公司', '${systemId}', '户',
      decode('${secrets}', 'hex'), '${state}', ${state === 'UNTESTED' ? 'null' : 'now()'})`,
  )
  return { id, version: 1 }
}
const channels = () => import('../../../src/domains/payment-channels/server/configs.ts')

export const paymentConfigs: DomainSamples = {
  fieldIds: { 'payment-configs id': byRow, 'payment-uses id': byRow, paymentConfigId: byRow },
  samples: {
    'paymentConfigs.create': async () => ({ orgId: place.OWN, ...company(), ...keys }),
    'paymentConfigs.update': async (world) => ({
      ...(await made(world, await channels())),
      ...company(),
    }),
    'paymentConfigs.secrets': async (world) => ({
      ...(await made(world, await channels())),
      ...keys,
    }),
    'paymentConfigs.test': async (world) => made(world, await channels()),
    'paymentConfigs.stop': async (world) => made(world, await channels(), 'ACTIVE'),
    'paymentConfigs.start': async (world) => made(world, await channels(), 'DISABLED'),
    'paymentConfigs.remove': async (world) => made(world, await channels()),
  },
}
