import { place, rowId, type World, worldNow } from '../../support/world.ts'
import { type DomainSamples, fresh, missingId, type Source, versionOf } from './kit.ts'

const at = worldNow.toISOString()
/** Of whoever may do everything there. */
const made = async (world: World, state = 'ACTIVE'): Promise<number> => {
  const id = await fresh(
    world,
    `insert into subscriptions (org_id, user_id, kind, name, endpoint, columns, every, on_day, at_hour,
        period, in_app, by_mail, lang, state, since, created_at)
      select org_id, id, 'LIST', '每日商品', '/api/products', '{name}', 'DAY', 1, 8, 'NONE', true, false,
        'zh-CN', '${state}', '${at}', '${at}' from users where username = 'ROLE_FULL'`,
  )
  await world.sql(
    `insert into subscription_people (subscription_id, org_id, user_id)
      select id, org_id, user_id from subscriptions where id = $1`,
    [id],
  )
  return id
}
/** Somebody else's, who sends it to whoever may do everything. */
const given = async (world: World): Promise<number> => {
  const id = await made(world)
  await world.sql(
    `update subscriptions set user_id = (select id from users where username = 'ROLE_CLERK')
      where id = $1`,
    [id],
  )
  return id
}
const one =
  (make: (world: World) => Promise<number>) =>
  async (world: World): Promise<{ id: number; version: number }> => {
    const id = await make(world)
    return { id, version: await versionOf(world, 'subscriptions', id) }
  }
const none = (world: World) => world.sql('delete from subscriptions where id >= 100000')
const subscription: Source = { own: (where) => rowId(where, 1), none: missingId }

export const subscriptions: DomainSamples = {
  rows: (where) => ({
    subscriptions: {
      ...{ id: rowId(where, 1), org_id: place[where], user_id: rowId(where, 1) },
      ...{ kind: 'LIST', name: `订${where}`, endpoint: '/api/products', columns: ['name'] },
      ...{ every: 'DAY', on_day: 1, at_hour: 8, period: 'NONE', in_app: true, by_mail: false },
      ...{ lang: 'zh-CN', state: 'PAUSED', since: worldNow, created_at: worldNow },
    },
    subscription_people: {
      ...{ subscription_id: rowId(where, 1), org_id: place[where], user_id: rowId(where, 1) },
    },
    subscription_runs: {
      ...{ id: rowId(where, 1), org_id: place[where], subscription_id: rowId(where, 1) },
      ...{ user_id: rowId(where, 1), due_day: '2026-11-21', whole_at: worldNow, state: 'DONE' },
      ...{ created_at: worldNow, finished_at: worldNow },
    },
    mail_addresses: {
      ...{ user_id: rowId(where, 1), org_id: place[where], address: `${where}@example.com` },
      changed_at: worldNow,
    },
  }),
  pathIds: { 'subscriptions id': subscription },
  fieldIds: { subjectId: { own: (where) => place[where], none: missingId } },
  samples: {
    'subscriptions.create': async (world) => {
      await none(world)
      return { endpoint: '/api/products', query: {}, columns: ['name'], name: '每日商品' }
    },
    'subscriptions.createStatements': async (world) => {
      await none(world)
      return { subjectId: place.OWN, byMail: true }
    },
    'subscriptions.update': async (world) => ({
      ...(await one(made)(world)),
      ...{ name: '每周商品', every: 'WEEK', onDay: 1 },
    }),
    'subscriptions.pause': one(made),
    'subscriptions.resume': one((world) => made(world, 'PAUSED')),
    'subscriptions.remove': one(made),
    'subscriptions.run': async (world) => {
      await none(world)
      return { id: await made(world) }
    },
    'subscriptions.leave': async (world) => {
      const id = await given(world)
      return { id }
    },
    'subscriptions.setAddress': async () => ({ address: 'me@example.com' }),
  },
}
