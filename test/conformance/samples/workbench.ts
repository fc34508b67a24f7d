import { createHash, randomBytes } from 'node:crypto'
import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh } from './kit.ts'

const hash = (text: string | Buffer) => createHash('sha256').update(text).digest()

export const workbench: DomainSamples = {
  rows: (where) => ({
    screen_links: {
      id: rowId(where, 1),
      org_id: place[where],
      name: `屏${where}`,
      money: false,
      token_hash: hash(`screen ${where}`),
      created_by: rowId(where, 1),
      created_at: new Date('2026-11-20T06:00:00Z'),
      expires_at: new Date('2026-11-27T06:00:00Z'),
    },
  }),
  pathIds: { 'workbench id': byRow },
  samples: {
    'workbench.createLink': async () => ({ orgId: place.OWN, name: '大厅', money: false }),
    'workbench.revokeLink': async (world) => ({
      id: await fresh(
        world,
        `insert into screen_links (org_id, name, money, token_hash, created_by, created_at, expires_at)
          select ${place.OWN}, '大厅', false, '\\x${hash(randomBytes(8)).toString('hex')}', id,
            '2026-11-20', '2026-11-27' from users where username = 'PLATFORM_FULL'`,
      ),
      version: 1,
    }),
  },
}
