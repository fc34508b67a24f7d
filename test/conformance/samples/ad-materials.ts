import { randomBytes, randomUUID } from 'node:crypto'
import { place, rowId, type World } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const hex = () => randomBytes(32).toString('hex')
const name = () => `名${randomUUID().slice(0, 8)}`
const picture = (sha = hex()) => `'IMAGE', 'files/${randomUUID()}.png', '${sha}', 10, 600, 400`
const made = (state = 'APPROVED') =>
  `insert into ad_materials (org_id, name, state, kind, file, sha256, bytes, width, height)
    values (3, '${name()}', '${state}', ${picture()})`
/** A measured file of whoever may do everything. */
async function media(world: World): Promise<string> {
  const url = `files/${randomUUID()}.png`
  await world.sql(
    `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url, width, height)
      select org_id, id, 'IMAGE', 'image/png', 10, $2, $1, 600, 400 from users
      where username = 'ROLE_FULL'`,
    [url, hex()],
  )
  return url
}

export const adMaterials: DomainSamples = {
  rows: (where) => ({
    ad_materials: {
      ...{ id: rowId(where, 1), org_id: place[where], name: `名${where}`, kind: 'IMAGE' },
      file: `files/00000000-0000-4000-8000-${String(rowId(where, 1)).padStart(12, '0')}.png`,
      ...{ sha256: '0'.repeat(64), bytes: 10, width: 600, height: 400, state: 'APPROVED' },
    },
    ad_creatives: {
      ...{ id: rowId(where, 1), org_id: place[where], material_id: rowId(where, 1) },
      ...{ title: `创意${where}`, seconds: 10 },
    },
  }),
  pathIds: { 'ad-materials id': byRow, 'ad-creatives id': byRow },
  fieldIds: { materialId: byRow },
  samples: {
    'adMaterials.create': async (world) => ({ name: name(), file: await media(world) }),
    'adMaterials.update': async (world) => ({
      ...{ id: own, version: await versionOf(world, 'ad_materials', own) },
      ...{ name: name(), tags: ['DRUG'], licenceNo: '批文1' },
    }),
    'adMaterials.review': async (world) => ({
      id: await fresh(world, made('PENDING')),
      ...{ version: 1, approve: false, reason: '不清楚' },
    }),
    'adMaterials.replace': async (world) => ({
      ...{ id: await fresh(world, made()), version: 1, file: await media(world) },
    }),
    'adMaterials.remove': async (world) => ({ id: await fresh(world, made()), version: 1 }),
    'adMaterials.createCreative': async () => ({ materialId: own, title: name(), seconds: 8 }),
    'adMaterials.updateCreative': async (world) => ({
      ...{ id: own, version: await versionOf(world, 'ad_creatives', own) },
      ...{ title: name(), seconds: 9, qrUrl: 'https://example.com/a' },
    }),
    'adMaterials.removeCreative': async (world) => ({
      id: await fresh(
        world,
        `insert into ad_creatives (org_id, material_id, title, seconds)
          values (3, ${own}, '${name()}', 5)`,
      ),
      version: 1,
    }),
  },
}
