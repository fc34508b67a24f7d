import { randomUUID } from 'node:crypto'
import { picture, place, type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, missingId, own } from './kit.ts'

const notice = () => ({
  title: `告${randomUUID().slice(0, 8)}`,
  content: '<p>今晚升级</p>',
  images: [picture('OWN')],
  toAll: false,
  orgIds: [place.OWN],
  roleIds: [own],
  userIds: [own],
})
const freshNotice = async (world: World, state: 'DRAFT' | 'PUBLISHED'): Promise<number> => {
  const at = state === 'DRAFT' ? 'null' : `'${worldNow.toISOString()}'::timestamptz`
  const id = await fresh(
    world,
    `insert into notices (org_id, title, content, excerpt, state, publish_at, published_at)
      values (3, 'x', 'x', 'x', '${state}', ${at}, ${at})`,
  )
  await world.sql('insert into notice_targets (org_id, notice_id, everyone) values (3, $1, true)', [
    id,
  ])
  if (state === 'PUBLISHED')
    await world.sql(
      `insert into announcements (notice_id, org_id, sender, content, images, popup, must_confirm,
        pinned) values ($1, 3, 'x', 'x', '{}', false, true, false)`,
      [id],
    )
  return id
}
const freshMessage = async (world: World): Promise<number> => {
  const id = await freshNotice(world, 'PUBLISHED')
  await world.sql('update notices set target_count = 1 where id = $1', [id])
  return fresh(
    world,
    `insert into messages (org_id, user_id, kind, title_zh, title_en, notice_id)
      select 3, u.id, 'ANNOUNCEMENT', 'x', 'x', ${id} from users u where u.username = 'ROLE_FULL'`,
  )
}

export const notices: DomainSamples = {
  pathIds: { 'notices id': byRow, 'messages id': byRow },
  fieldIds: {
    'notices orgIds': { own: (where) => place[where], none: missingId },
    'notices roleIds': { ...byRow, shared: true },
    'notices ids': { ...byRow, shared: true },
    'notices userIds': byRow,
  },
  samples: {
    'notices.create': async () => notice(),
    'notices.update': async (world) => ({
      ...notice(),
      id: await freshNotice(world, 'DRAFT'),
      version: 1,
    }),
    'notices.remove': async (world) => ({ id: await freshNotice(world, 'DRAFT'), version: 1 }),
    'notices.publish': async (world) => ({ id: await freshNotice(world, 'DRAFT'), version: 1 }),
    'notices.withdraw': async (world) => ({ id: await freshNotice(world, 'PUBLISHED') }),
    'notices.pin': async (world) => ({ id: await freshNotice(world, 'DRAFT'), pinned: true }),
    'notices.remind': async (world) => ({ id: await freshNotice(world, 'PUBLISHED') }),
    'notices.markRead': async () => ({ ids: [own] }),
    'notices.confirm': async (world) => ({ id: await freshMessage(world) }),
    'notices.hide': async (world) => ({
      id: await fresh(
        world,
        `insert into messages (org_id, user_id, kind, title_zh, title_en)
          select 3, id, 'SYSTEM', 'x', 'x' from users where username = 'ROLE_FULL'`,
      ),
    }),
  },
}
