import { createHash, randomUUID } from 'node:crypto'
import { type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const number = () => `BD-${randomUUID().slice(0, 12)}`
export const freshDevice = async (
  world: World,
  org = 3,
  boardNo: string | null = null,
): Promise<number> => {
  const rtu = `T${Math.floor(Math.random() * 1e12)}0001`
  const id = await fresh(
    world,
    `insert into devices (org_id, rtu_number, nickname, type_id, board_no, province, city, county,
      address, kind, lifecycle, drop_sensor, secret_hash)
      values (${org}, '${rtu}', '机', ${own}, ${boardNo ? `'${boardNo}'` : 'null'}, '440000',
        '440300', '440305', 'x', 'GENERAL', 'STOCK', true, '\\x00')`,
  )
  await world.sql('insert into device_states (device_id, org_id) values ($1, $2)', [id, org])
  return id
}
const unknown = (world: World) =>
  fresh(
    world,
    `insert into unknown_boards (org_id, board_no, via, tries, first_seen_at, last_seen_at)
      values (3, '${number()}', 'MQTT', 1, '${worldNow.toISOString()}',
        '${worldNow.toISOString()}')`,
  )
const spare = (world: World) =>
  fresh(world, `insert into main_boards (org_id, board_no) values (3, '${number()}')`)
/** A board in a machine of its own. */
async function bound(world: World) {
  const boardNo = number()
  await freshDevice(world, 3, boardNo)
  const [board] = await world.sql<{ id: number }>(
    'select id from main_boards where board_no = $1',
    [boardNo],
  )
  return { id: Number(board?.id), version: 1 }
}

export const boards: DomainSamples = {
  pathIds: { 'main-boards id': byRow, 'unknown-boards id': byRow },
  fieldIds: { newBoardId: byRow, deviceIds: byRow },
  samples: {
    'boards.create': async () => ({ boardNo: number() }),
    'boards.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'main_boards', own),
      model: `M${randomUUID().slice(0, 6)}`,
    }),
    'boards.bind': async (world) => ({
      id: await spare(world),
      version: 1,
      deviceId: await freshDevice(world),
    }),
    'boards.replace': async (world) => ({
      ...(await bound(world)),
      newBoardId: await spare(world),
    }),
    'boards.unbind': bound,
    'boards.disable': async (world) => ({ id: await spare(world), version: 1 }),
    'boards.enable': async (world) => ({ id: await spare(world), version: 1 }),
    'boards.rotateSecret': bound,
    'boards.claim': async (world) => ({ id: await unknown(world), orgId: 3 }),
    'boards.ignore': async (world) => ({ id: await unknown(world) }),
    'boards.restore': async (world) => ({ id: await unknown(world) }),
    'boards.activationCode': async (world) => ({ id: await freshDevice(world) }),
    'boards.activationCodes': async (world) => ({ deviceIds: [await freshDevice(world)] }),
    'boards.activate': async (world) => {
      const code = randomUUID().replaceAll('-', '').toUpperCase()
      await world.sql(
        `insert into activation_codes (org_id, device_id, code_hash, created_at, expires_at)
          values (3, $1, $2, $3::timestamptz, $3::timestamptz + interval '1 hour')`,
        [await freshDevice(world), createHash('sha256').update(code).digest(), worldNow],
      )
      return { code, boardNo: number() }
    },
  },
}
