import type { World } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own } from './kit.ts'

/** An enabled group of OWN whose one creative may play. */
const playable = async (world: World) => {
  await world.sql(`update ad_materials set state = 'APPROVED', reason = '', valid_until = null
    where id = ${own}`)
  const id = await fresh(
    world,
    `insert into program_groups (org_id, name, slot_kind, state)
      values (3, 'g' || gen_random_uuid()::text, 'BANNER', 'ENABLED')`,
  )
  await world.sql(
    `insert into program_group_items (group_id, org_id, position, creative_id, seconds)
      values ($1, 3, 1, ${own}, 5)`,
    [id],
  )
  return id
}
const made = async (world: World, state: string) => {
  const id = await fresh(
    world,
    `insert into ad_bindings (org_id, group_id, slot_kind, date_from, date_to, windows, state)
      values (3, ${await playable(world)}, 'BANNER', '2027-01-01', '2027-01-31', '{[0,60)}',
        '${state}')`,
  )
  return { id, version: 1 }
}
let day = 0
const plan = async (world: World) => {
  day += 1
  const date = new Date(Date.UTC(2027, 1, day)).toISOString().slice(0, 10)
  return { groupId: await playable(world), deviceIds: [own], dateFrom: date, dateTo: date }
}

export const adBindings: DomainSamples = {
  // its rows name groups: they stand after them, in program-groups.ts
  pathIds: { 'ad-bindings id': byRow },
  fieldIds: { 'ad-bindings groupId': byRow },
  samples: {
    'adBindings.create': plan,
    'adBindings.checkConflicts': plan,
    'adBindings.interrupt': async (world) => ({
      ...{ groupId: await playable(world), deviceIds: [own] },
      ...{ startsAt: '2027-03-01T00:00:00Z', endsAt: '2027-03-01T02:00:00Z' },
    }),
    'adBindings.submit': (world) => made(world, 'DRAFT'),
    'adBindings.review': async (world) => ({
      ...(await made(world, 'PENDING')),
      ...{ approve: false, reason: '不清楚' },
    }),
    'adBindings.pause': (world) => made(world, 'RUNNING'),
    'adBindings.resume': (world) => made(world, 'PAUSED'),
    'adBindings.remove': (world) => made(world, 'RUNNING'),
  },
}
