import { place, rowId, unassigned, type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, missingId, own } from './kit.ts'

const planOf = async ({ sql }: World, id: number): Promise<number> =>
  (await sql<{ v: number }>('select planogram_version as v from devices where id = $1', [id]))[0]
    ?.v ?? 0
const lane = rowId('OWN', 2)

/** A machine without lanes, so that copies of one test do not meet those of another. */
async function bare(world: World): Promise<number> {
  const id = await fresh(
    world,
    `insert into devices (org_id, rtu_number, nickname, type_id, province, city, county, address,
      kind, lifecycle, drop_sensor, secret_hash)
      values (${place.OWN}, 'T${Math.floor(Math.random() * 1e12)}', '空机', ${own}, '440000',
        '440300', '440305', 'x', 'GENERAL', 'STOCK', true, '\\x00')`,
  )
  await world.sql('insert into device_states (device_id, org_id) values ($1, $2)', [id, place.OWN])
  return id
}

export const lanes: DomainSamples = {
  pathIds: {
    'devices target': { own: () => 1, none: missingId },
    'lanes laneId': byRow,
    'lane-copies id': byRow,
    'price-schedules id': byRow,
  },
  fieldIds: {
    targetIds: {
      own: (where) => (where === 'OWN' ? rowId(where, unassigned) : rowId(where, 1)),
      none: missingId,
    },
    laneIds: byRow,
  },
  samples: {
    'lanes.restore': async (world) => {
      await world.sql(
        'update lanes set product_id = $1, retail_price = 300, price = 200 where id = $1',
        [own],
      )
      return { deviceId: own, target: 1, version: await planOf(world, own) }
    },
    'lanes.lock': async (world) => {
      await world.sql(`update lanes set status = 'ENABLED', lock_reason = null where id = $1`, [
        lane,
      ])
      return {
        deviceId: own,
        version: await planOf(world, own),
        laneIds: [lane],
        reason: '包装破损',
      }
    },
    'lanes.unlock': async (world) => {
      await world.sql(
        `update lanes set status = 'LOCKED', lock_reason = 'QUALITY x' where id = $1`,
        [lane],
      )
      return { deviceId: own, version: await planOf(world, own), laneIds: [lane] }
    },
    'lanes.copy': async (world) => ({
      deviceId: own,
      targetIds: [await bare(world)],
      parts: ['product'],
    }),
    'lanes.copyUndo': async (world) => {
      const id = await fresh(
        world,
        `insert into lane_copies (org_id, device_id, user_id, version, doc, parts, layout,
          created_at, finished_at)
          select ${place.OWN}, ${own}, id, 1, '{"floors":[],"lanes":[]}', '{price}', 'SAME',
            '${worldNow.toISOString()}', '${worldNow.toISOString()}' from users
            where username = 'ROLE_FULL'`,
      )
      await world.sql(
        `insert into lane_copy_targets (copy_id, org_id, device_id, state, before_version,
          after_version, written, done_at) values ($1, $2, $3, 'DONE', 1, 2, 1, $4)`,
        [id, place.OWN, await bare(world), worldNow],
      )
      return { id }
    },
    'lanes.prices': async (world) => {
      await world.sql(
        'update lanes set product_id = $1, retail_price = 300, price = 200 where id = $1',
        [own],
      )
      return {
        deviceId: own,
        version: await planOf(world, own),
        laneIds: [own],
        mode: 'SET',
        value: 210 + Math.floor(Math.random() * 80),
      }
    },
    'lanes.cancelSchedule': async (world) => ({
      id: await fresh(
        world,
        `insert into price_schedules (org_id, device_id, user_id, by_name, run_at, next_at, lanes,
          created_at)
          select ${place.OWN}, ${own}, id, 'x', '2027-01-01', '2027-01-01',
            '[{"laneId":${own},"road":1,"productId":${own},"productName":"品OWN","from":250,"price":240,"retailPrice":300}]', '${worldNow.toISOString()}' from users where username = 'ROLE_FULL'`,
      ),
    }),
  },
}
