import { randomInt } from 'node:crypto'
import { place, rowId, type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own } from './kit.ts'

/** A drug machine beside the one of the world. */
const drugMachine = (world: World) =>
  fresh(
    world,
    `insert into devices (org_id, rtu_number, nickname, type_id, province, city, county, address,
      kind, lifecycle, dispensing_mode, licence_no, licence_address, drop_sensor, secret_hash)
    select org_id, 'YP' || ${randomInt(100_000, 999_999)}, '药', type_id, province, city, county,
      address, 'DRUG', 'OPERATING', 'UNATTENDED', '粤1', '广东省', true, secret_hash
    from devices where id = ${own}`,
  )
/** An empty lane of it that is stopped. */
async function stoppedLane(world: World): Promise<number> {
  const device = await drugMachine(world)
  const floor = await fresh(
    world,
    `insert into lane_floors (org_id, device_id, level, name) values (3, ${device}, 1, '1')`,
  )
  return fresh(
    world,
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, status, lock_reason)
    values (3, ${device}, ${floor}, 1, 1, 1, 'LOCKED', 'TRACE_CODE')`,
  )
}
const excursion = (world: World) =>
  fresh(
    world,
    `insert into temperature_excursions (org_id, device_id, kind, from_at, to_at, sampled_at,
      locked_at) values (3, ${own}, 'OUTSIDE', '2026-11-20', '2026-11-21', '2026-11-21',
      '2026-11-21')`,
  )
/** A store of the caller's organisation; he is a pharmacist there. */
async function storeOfPharmacist(world: World): Promise<number> {
  await world.sql(`insert into pharmacists (user_id, org_id, licence_no, valid_until)
    select id, org_id, 'PH' || id || '0000000000', '2100-01-01' from users
    where username = 'ROLE_FULL' on conflict do nothing`)
  const name = `药店${randomInt(100_000, 999_999)}`
  return fresh(world, `insert into stores (org_id, store_name) values (3, '${name}')`)
}
const duty = async (world: World) =>
  fresh(
    world,
    `insert into pharmacist_duties (org_id, store_id, user_id, place, store_name, name, licence_no,
      began_at, seen_at) select org_id, ${await storeOfPharmacist(world)}, id, 'REMOTE', '店', '药',
      'PH1', now(), now() from users where username = 'ROLE_FULL'`,
  )
const someUser = `(select u.id from users u where u.org_id = 1 order by u.id limit 1)`

export const drugControl: DomainSamples = {
  rows: (where) => ({
    stores: { id: rowId(where, 2), org_id: place[where], store_name: `药店${where}` },
    // far from the region that somebody of this world watches: there no machine of it sells drugs
    devices: {
      id: rowId(where, 8),
      org_id: place[where],
      type_id: rowId(where, 1),
      nickname: `药机${where}`,
      province: '310000',
      city: '310100',
      county: '310101',
      kind: 'DRUG',
      dispensing_mode: 'PHARMACIST',
      store_id: rowId(where, 2),
    },
    lane_floors: { id: rowId(where, 8), org_id: place[where], device_id: rowId(where, 8) },
    lanes: {
      id: rowId(where, 8),
      org_id: place[where],
      device_id: rowId(where, 8),
      floor_id: rowId(where, 8),
      road_index: 1,
      status: 'LOCKED',
      lock_reason: 'TRACE_CODE',
      locked_at: worldNow,
    },
    pharmacists: {
      user_id: rowId(where, 1),
      org_id: place[where],
      licence_no: `PHARMACIST${where}`,
      valid_until: '2100-01-01',
    },
    pharmacist_duties: {
      id: rowId(where, 1),
      org_id: place[where],
      store_id: rowId(where, 2),
      user_id: rowId(where, 1),
      place: 'REMOTE',
      store_name: `药店${where}`,
      name: `药师${where}`,
      licence_no: 'PH1',
      began_at: '2026-11-20T00:00:00Z',
      seen_at: '2026-11-20T00:00:00Z',
    },
    temperature_excursions: {
      id: rowId(where, 1),
      org_id: place[where],
      device_id: rowId(where, 1),
      kind: 'OUTSIDE',
      from_at: '2026-11-20T00:00:00Z',
      to_at: '2026-11-20T01:00:00Z',
      sampled_at: '2026-11-20T01:00:00Z',
      locked_at: '2026-11-20T00:30:00Z',
      lanes: JSON.stringify([
        { id: rowId(where, 1), road: 1, product: `偏${where}`, drugClass: 'NONE', qty: 1 },
      ]),
    },
    drug_guard_refusals: {
      id: rowId(where, 1),
      org_id: place[where],
      device_id: rowId(where, 1),
      product_name: `拒${where}`,
      drug_class: 'RX',
      rule: 2,
      key: 'rxRefused',
      act: 'CHECKOUT',
      span: '2026-11-20T00:00:00Z',
      first_at: '2026-11-20T00:00:00Z',
      last_at: '2026-11-20T00:00:00Z',
    },
  }),
  pathIds: {
    'drug-locks id': byRow,
    'temperature-excursions id': byRow,
    'dispensing-mode-changes id': byRow,
    'pharmacist-duties id': byRow,
  },
  samples: {
    'drugControl.goOnDuty': async (world) => ({
      storeId: await storeOfPharmacist(world),
      place: 'REMOTE',
    }),
    'drugControl.beat': async () => ({}),
    'drugControl.goOffDuty': async (world) => ({ id: await duty(world) }),
    'drugControl.decideLock': async (world) => ({
      id: await stoppedLane(world),
      was: 'TRACE_CODE',
      choice: 'RELEASE',
      reason: '已核对',
    }),
    'drugControl.decideExcursion': async (world) => ({
      id: await excursion(world),
      choice: 'RELEASE',
      reason: '短时',
    }),
    'drugControl.askMode': async (world) => ({
      deviceId: await drugMachine(world),
      to: 'MEDICAL',
      reason: '取得许可',
    }),
    'drugControl.decideMode': async (world) => ({
      id: await fresh(
        world,
        `insert into dispensing_mode_changes (org_id, device_id, mode_from, mode_to, reason,
          asked_by, asked_at) values (3, ${await drugMachine(world)}, 'UNATTENDED', 'MEDICAL', 'x',
          ${someUser}, '2026-11-20')`,
      ),
      agree: true,
    }),
  },
}
