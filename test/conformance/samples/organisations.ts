import { randomUUID } from 'node:crypto'
import { type Place, picture, place, type World } from '../../support/world.ts'
import { type DomainSamples, missingId, type Source, versionOf } from './kit.ts'

const byPlace: Source = { own: (where: Place) => place[where], none: missingId }
const fields = () => ({
  name: `构${randomUUID().slice(0, 8)}`,
  realName: '王五',
  phone: '13800138000',
  consumerPhone: '400-830-1866',
  address: '科技路1号',
  avatar: picture('OWN'),
})
const below = async (world: World) => ({
  id: place.CHILD,
  version: await versionOf(world, 'organisations', place.CHILD),
})
let next = 500
const sponsor = async (world: World): Promise<{ id: number; version: number }> => {
  next += 1
  await world.sql(
    `insert into organisations (id, parent_id, path, kind, name) values ($1, 3, $2, 'SPONSOR', $3)`,
    [next, `1.2.3.${next}`, `赞${next}`],
  )
  return { id: next, version: 1 }
}

export const organisations: DomainSamples = {
  pathIds: { 'organisations id': byPlace },
  fieldIds: { 'organisations parentId': byPlace, 'organisations items.id': byPlace },
  samples: {
    'organisations.create': async (world) => ({
      ...fields(),
      parentId: place.OWN,
      kind: 'SPONSOR',
      username: `u-${randomUUID().slice(0, 8)}`,
      password: 'Zebra-crossing7',
      repeat: 'Zebra-crossing7',
      roleIds: [
        Number(
          (await world.sql<{ id: number }>(`select id from roles where code = 'ROLE_NOTHING'`))[0]
            ?.id,
        ),
      ],
    }),
    'organisations.update': async (world) => ({ ...fields(), ...(await below(world)) }),
    'organisations.setStatus': async (world) => ({ ...(await below(world)), status: 'ENABLED' }),
    'organisations.setStatuses': async (world) => ({
      items: [await below(world), await sponsor(world)],
      status: 'ENABLED',
    }),
    'organisations.move': async (world) => ({ ...(await sponsor(world)), parentId: place.CHILD }),
    'organisations.remove': sponsor,
  },
}
