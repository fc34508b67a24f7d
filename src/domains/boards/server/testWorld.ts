import { addPermissions, grant } from '../../../../test/factories/things.ts'
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

/**
 * The world of the devices domain, whose people hold the codes of boards, stores and distribution
 * too; the repairer (7) reads and binds.
 */
export async function openBoardWorld(): Promise<World> {
  const world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
  await grant(world.sql, [907], ['main-board:read', 'main-board:bind'])
  return world
}
