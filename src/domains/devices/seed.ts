import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { createRandom } from '../../seed/random.ts'
import { type DemoDevice, devices, deviceTypes, staff } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { columns } from '../../server/shapes.ts'
import type { BusinessWindow } from '../../shared/hours.ts'
import { dayMs } from '../../shared/instants.ts'
import { signalOf } from '../machines/rules.ts'
import { secretColumns } from '../machines/server/secret.ts'

type SeedIds = {
  org: ReadonlyMap<string, number>
  user: ReadonlyMap<string, number>
  product: ReadonlyMap<string, number>
}

/**
 * Secret of a demo machine, so that the simulated fleet can sign in without reading the database.
 */
export const demoSecret = (secretKey: string, rtuNumber: string): string =>
  createHmac('sha256', secretKey).update(`machine:${rtuNumber}`).digest('hex')

const age = 75
const perPerson = 15

/**
 * Types, machines, their last words and who serves them; ids follow the order of the lists. Answers
 * the id of each machine number.
 */
export async function seedDevices(
  db: Db,
  ids: SeedIds,
  now: Date,
  secretKey: string,
): Promise<Map<string, number>> {
  const since = new Date(now.getTime() - age * dayMs)
  await db
    .insertInto('device_types')
    .values(
      deviceTypes.map(({ key: _, ...type }, i) => ({
        ...columns('device_types', type),
        id: i + 1,
        org_id: idOf(ids.org, 'platform'),
        created_at: since,
      })),
    )
    .execute()
  await db
    .insertInto('devices')
    .values(
      devices.map((d, i) =>
        deviceRow(
          d,
          i,
          idOf(ids.org, d.orgKey),
          new Date(since.getTime() + i * 3_600_000),
          secretKey,
        ),
      ),
    )
    .execute()
  await db
    .insertInto('device_states')
    .values(devices.map((d, i) => stateRow(d, i + 1, idOf(ids.org, d.orgKey), now)))
    .execute()
  await db.insertInto('device_assignments').values(assignments(ids, since)).execute()
  await passIds(db, 'device_types', deviceTypes.length)
  await passIds(db, 'devices', devices.length)
  return new Map(devices.map((d, i) => [d.rtuNumber, i + 1]))
}

const everyDay = [1, 2, 3, 4, 5, 6, 7]
/** Most follow their organisation; others stand in offices, hospitals and bars. */
const hours: readonly (readonly BusinessWindow[])[] = [
  [],
  [],
  [
    { days: [1, 2, 3, 4, 5], from: '07:30', to: '21:00' },
    { days: [6, 7], from: '09:00', to: '18:00' },
  ],
  [],
  [{ days: everyDay, from: '00:00', to: '23:59' }],
  [],
  [{ days: everyDay, from: '17:00', to: '03:00' }],
]

function deviceRow(
  d: DemoDevice,
  index: number,
  orgId: number,
  createdAt: Date,
  secretKey: string,
) {
  const type = deviceTypes.findIndex((t) => t.key === d.typeKey)
  const { rtuNumber, address, lng, lat, kind, lifecycle, dispensingMode } = d
  const fitted = lifecycle === 'OPERATING' || lifecycle === 'PAUSED'
  return {
    id: index + 1,
    org_id: orgId,
    nickname: d.name,
    type_id: type + 1,
    ...columns('devices', {
      rtuNumber,
      address,
      lng,
      lat,
      kind,
      lifecycle,
      dispensingMode,
      licenceNo: d.licenceNo ?? '',
      licenceAddress: d.licenceAddress ?? '',
    }),
    board_no: fitted ? `BD3F-${2200 + (index % 40)}-${String(8000 + index)}` : null,
    card: fitted ? `898604${String(22_010_000_000_000 + index * 7919)}` : null,
    province: d.province.code,
    city: d.city.code,
    county: d.county.code,
    drop_sensor: deviceTypes[type]?.dropSensor ?? true,
    business_hours: JSON.stringify(hours[index % hours.length]),
    online_mall: fitted && index % 3 === 0,
    ...secretColumns(demoSecret(secretKey, d.rtuNumber)),
    created_at: createdAt,
  }
}

const causes = ['TIMEOUT', 'LAST_WILL', 'POWER_FAIL'] as const
/** Most machines are online and well; one in twelve has lost its network or power, a few are too warm. */
function stateRow(d: DemoDevice, id: number, orgId: number, now: Date) {
  const random = createRandom(`state/${d.rtuNumber}`)
  const type = deviceTypes.find((t) => t.key === d.typeKey)
  const fitted = d.lifecycle === 'OPERATING' || d.lifecycle === 'PAUSED'
  const online = fitted && !random.chance(0.08)
  const seen = fitted
    ? new Date(now.getTime() - (online ? random.int(5, 55) * 1000 : random.int(1, 30) * 3_600_000))
    : null
  const rsrp = -random.int(72, 106)
  const warm = online && type?.refrigeration === true && random.chance(0.03)
  const temperature = type?.refrigeration
    ? (warm ? random.int(100, 125) : random.int(35, 60)) / 10
    : random.int(230, 265) / 10
  return {
    device_id: id,
    org_id: orgId,
    online,
    last_seen_at: seen,
    offline_since: online ? null : seen,
    offline_cause:
      fitted && !online ? (causes[id % causes.length] as (typeof causes)[number]) : null,
    temp_alarm: warm,
    ...(fitted
      ? {
          ...{ signal: signalOf(rsrp), rsrp, temperature, humidity: random.int(380, 620) / 10 },
          fw: `2.4.${random.int(0, 3)}`,
          apk: type?.screen ? `5.1${random.int(0, 2)}.0` : null,
        }
      : {}),
  }
}

/**
 * Each replenisher and repairer serves fifteen machines of his organisation, starting at his share
 * of the list.
 */
function assignments(ids: SeedIds, since: Date) {
  const kinds = [
    ['ROLE_RTU_REPLENISHER', 'REPLENISHER'],
    ['ROLE_RTU_REPAIRER', 'REPAIRER'],
  ] as const
  return kinds.flatMap(([role, kind]) =>
    staff
      .filter((person) => person.role === role)
      .flatMap((person) => {
        const colleagues = staff.filter(
          (other) => other.role === role && other.orgKey === person.orgKey,
        )
        const own = devices.flatMap((d, i) =>
          d.orgKey === person.orgKey && (d.lifecycle === 'OPERATING' || d.lifecycle === 'PAUSED')
            ? [i + 1]
            : [],
        )
        const start = Math.floor((own.length * colleagues.indexOf(person)) / colleagues.length)
        return own
          .map((_, i) => own[(start + i) % own.length] as number)
          .slice(0, perPerson)
          .map((deviceId) => ({
            org_id: idOf(ids.org, person.orgKey),
            device_id: deviceId,
            user_id: idOf(ids.user, person.username),
            kind,
            from_at: since,
          }))
      }),
  )
}

function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`the demo data names ${key}, which is not there`)
  return id
}

/**
 * Draws from the identity sequence until it is past `last`: the application role may use a sequence
 * but not set it.
 */
async function passIds(db: Db, table: 'device_types' | 'devices', last: number): Promise<void> {
  const rows = await rowsOf<{ n: number }>(
    db,
  )`select nextval(pg_get_serial_sequence(${table}, 'id')) as n`
  const missing = last - (rows[0]?.n ?? 0)
  if (missing > 0)
    await sql`select count(nextval(pg_get_serial_sequence(${table}, 'id')))
      from generate_series(1, ${missing}::int)`.execute(db)
}
