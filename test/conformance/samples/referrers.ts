import { createHash, randomBytes } from 'node:crypto'
import { place, rowId, type World } from '../../support/world.ts'
import { type DomainSamples, fresh, own, versionOf } from './kit.ts'

const mobile = () => `139${String(randomBytes(4).readUInt32BE() % 100_000_000).padStart(8, '0')}`
const person = () => ({ referrerName: '荐', receiveKind: 'LEDGER', mobile: mobile() })
const column = (text: string) => createHash('sha256').update(text).digest('hex')
const made = (world: World, kind = 'LEDGER') => {
  const word = randomBytes(8).toString('hex')
  return fresh(
    world,
    `insert into referrers (org_id, referrer_name, mobile, mobile_hash, mobile_shown, receive_kind)
      values (${place.OWN}, '荐', '\\x00', decode('${column(word)}', 'hex'), '139****0000', '${kind}')`,
  )
}
/** A code as it would be in somebody's hand, of a personal referrer. */
const code = async (world: World) => {
  const { seal } = await import('../../../src/domains/referrers/server/queries.ts')
  const [text, id] = [randomBytes(32).toString('base64url'), await made(world)]
  const name = seal(world.app, 'id_name', place.OWN, '张三').toString('hex')
  await world.sql(
    `update referrers set receive_kind = 'PERSONAL', id_name = decode($2, 'hex') where id = $1`,
    [id, name],
  )
  await world.sql(
    `insert into referrer_codes (code_hash, org_id, referrer_id, expires_at)
      values (decode($1, 'hex'), ${place.OWN}, $2, '2030-01-01')`,
    [column(text), id],
  )
  return { code: text, id }
}

export const referrers: DomainSamples = {
  rows: (where) => ({
    referrers: {
      id: rowId(where, 1),
      org_id: place[where],
      referrer_name: `荐${where}`,
      mobile: Buffer.from('x'),
      mobile_hash: createHash('sha256').update(where).digest(),
      mobile_shown: '138****0000',
      receive_kind: 'LEDGER',
    },
    referrer_devices: {
      ...{ org_id: place[where], referrer_id: rowId(where, 1), device_id: rowId(where, 1) },
    },
    referrer_dues: {
      ...{ org_id: place[where], referrer_id: rowId(where, 1), done: true, day: '2026-11-20' },
      amount: 0,
    },
    referrer_months: {
      ...{ org_id: place[where], month: '2026-11-01', amount: 0 },
      payee: createHash('sha256').update(where).digest(),
    },
  }),
  fieldIds: {
    linkedOrgId: { own: (where) => place[where], none: 987_654_321 },
  },
  samples: {
    'referrers.create': async () => ({ ...person(), linkedOrgId: place.CHILD }),
    'referrers.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'referrers', own),
      ...person(),
    }),
    'referrers.setStatus': async (world) => ({
      id: await made(world),
      ...{ version: 1, status: 'DISABLED' },
    }),
    'referrers.remove': async (world) => ({ id: await made(world), version: 1 }),
    'referrers.bindQrcode': async (world) => ({ id: (await code(world)).id }),
    'referrers.look': async (world) => ({ code: (await code(world)).code }),
    'referrers.bind': async (world) => ({ code: (await code(world)).code }),
  },
}
