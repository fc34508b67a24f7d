import { openWorld, type World } from '../../devices/server/testWorld.ts'

const codes = [
  'main-board:read',
  'main-board:create',
  'main-board:update',
  'main-board:bind',
  'store:read',
  'store:create',
  'store:update',
  'store:delete',
  'device:assign',
  'device:transfer',
]

/** The world of the devices domain, whose people hold the codes of boards, stores and distribution too; the repairer (7) reads and binds. */
export async function openBoardWorld(): Promise<World> {
  const world = await openWorld()
  for (const code of codes) await world.rows(`insert into permissions values ($1, 'device', $1, $1, 1) on conflict do nothing`, [code])
  await world.rows(`insert into role_permissions select r, c from unnest(array[901, 902, 903, 904, 905]) r, unnest($1::text[]) c`, [codes])
  await world.rows(`insert into role_permissions values (907, 'main-board:read'), (907, 'main-board:bind')`)
  return world
}
