import { hashOf, sealReceiver } from '../../src/domains/payment-channels/server/sealedReceivers.ts'
import { place, rowId, type World } from './world.ts'

/** Where parties are paid in tests: the platform and the agent. */
export const receivers = { 1: '1900000101', 2: '1900000102' } as const

/**
 * Sales of OWN (`splitSales`) are split by the channel from now on: at a merchant, or the simulator;
 * both parties are registered there.
 */
export async function channelSales(
  world: World,
  {
    configId = null,
    accounts = receivers,
    kind = 'MERCHANT_ID',
    orgId = place.OWN,
  }: {
    configId?: number | null
    accounts?: Readonly<Record<1 | 2, string>>
    kind?: 'MERCHANT_ID' | 'PERSONAL_OPENID'
    orgId?: number
  } = {},
): Promise<void> {
  const id = rowId('OWN', 1)
  await world.sql('alter table split_strategy_versions disable trigger keep')
  await world.sql(
    `update split_strategy_versions set mode = 'CHANNEL', config_id = $2 where id = $1`,
    [id, configId],
  )
  await world.sql('alter table split_strategy_versions enable trigger keep')
  for (const partyId of [1, 2] as const) {
    const at = { orgId, configId, partyId }
    await world.sql(
      `insert into split_receivers (org_id, party_org_id, party_name, config_id, provider, kind,
        account, account_hash, account_no, holder, holder_shown, relation, return_consent, state)
      select $1, $2, '方', $3, coalesce((select provider from payment_configs where id = $3),
        'SIMULATOR'), $4, $5, $6, '****0101', $7, '方**', 'PARTNER',
        case $4 when 'MERCHANT_ID' then null else false end, 'REGISTERED'`,
      [
        ...[orgId, partyId, configId, kind, sealReceiver(world.app, at, accounts[partyId])],
        ...[hashOf(world.app, accounts[partyId]), sealReceiver(world.app, at, '公司')],
      ],
    )
    if (configId === null)
      await world.sql(
        `insert into simulated_splits (no, org_id, kind, body) values ($1, 1, 'RECEIVER', '{}')
          on conflict do nothing`,
        [`RCV ${accounts[partyId]}`],
      )
  }
}
