import { randomInt } from 'node:crypto'
import {
  hashOf,
  sealReceiver,
} from '../../../src/domains/payment-channels/server/sealedReceivers.ts'
import { place, rowId, type World } from '../../support/world.ts'
import { byRow, type DomainSamples, missingId } from './kit.ts'

const account = () => String(1_900_000_000 + randomInt(1e8))
/** One more, at the simulator of OWN. */
async function made(world: World) {
  const number = account()
  const at = { orgId: place.OWN, configId: null, partyId: place.PARENT }
  await world.sql(`delete from split_receivers where org_id = $1 and party_org_id = $2`, [
    ...[place.OWN, place.PARENT],
  ])
  const [row] = await world.sql<{ id: number }>(
    `insert into split_receivers (org_id, party_org_id, party_name, provider, kind, account,
      account_hash, account_no, holder, holder_shown, relation)
    values ($1, $2, '方', 'SIMULATOR', 'MERCHANT_ID', $3, $4, '****0001', $5, '公**', 'PARTNER')
    returning id::int`,
    [
      ...[place.OWN, place.PARENT, sealReceiver(world.app, at, number)],
      ...[hashOf(world.app, number), sealReceiver(world.app, at, '公司')],
    ],
  )
  return { id: row?.id as number, version: 1 }
}

export const splitReceivers: DomainSamples = {
  rows: (where) => ({
    split_receivers: {
      ...{ id: rowId(where, 1), org_id: place[where], party_org_id: place[where] },
      ...{ party_name: `方${where}`, provider: 'SIMULATOR', kind: 'MERCHANT_ID' },
      ...{ account: Buffer.from('00', 'hex'), account_hash: Buffer.from('00', 'hex') },
      ...{ account_no: '****0101', holder: Buffer.from('00', 'hex'), holder_shown: '公**' },
      ...{ relation: 'PARTNER', state: 'REGISTERED', created_at: '2026-11-02T00:00:00Z' },
    },
    simulated_splits: { no: `RCV ${where}`, org_id: place[where], kind: 'RECEIVER', body: '{}' },
  }),
  pathIds: { receivers: byRow },
  fieldIds: {
    // parties stand above too, and are named to whoever may pay them
    'receivers partyId': { own: (where) => place[where], none: missingId, shared: true },
    'receivers configId': { ...byRow, shared: true },
  },
  samples: {
    'splitReceivers.create': async (world) => {
      await world.sql(`delete from split_receivers where party_org_id = $1`, [place.PARENT])
      const [party] = await world.sql<{ name: string }>(
        'select name from organisations where id = $1',
        [place.PARENT],
      )
      return {
        ...{ partyId: place.PARENT, kind: 'MERCHANT_ID', account: account() },
        ...{ relation: 'PARTNER', holderName: party?.name },
      }
    },
    'splitReceivers.update': async (world) => ({
      ...(await made(world)),
      ...{ relation: 'SUPPLIER', holderName: '方' },
    }),
    'splitReceivers.remove': made,
  },
}
