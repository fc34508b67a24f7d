import { randomUUID } from 'node:crypto'
import { refreshDeviceCounters } from '../../src/domains/machines/server/counters.ts'
import { simulatorSign } from '../../src/domains/payments/server/verbs.ts'
import { type Endpoint, pathParams } from '../../src/shared/contract.ts'
import { endpointNamed } from '../support/registry.ts'
import { domains } from '../support/samples.ts'
import {
  fullFor,
  missing,
  type Place,
  picture,
  place,
  rowId,
  unassigned,
  type World,
  worldNow,
} from '../support/world.ts'
import { byRow, fresh, type Id, own, type Sample, type Source, versionOf } from './samples/kit.ts'

/**
 * What a new domain adds for its rows to be tested: where the ids of its paths and bodies come
 * from, and one good input per write. Everything else in this folder runs over the registry.
 */
const shared: Source = { ...byRow, shared: true }
const organisation: Source = { own: (where) => place[where], none: missing.id }

/** By the first word of the path and the parameter. */
const pathIds: Readonly<Record<string, Source>> = {
  'devices id': byRow,
  'devices deviceId': byRow,
  'devices laneId': { own: (where) => rowId(where, 4), none: missing.id },
  'device-faults id': byRow,
  'device-types id': shared,
  'products id': shared,
  'product-categories id': shared,
  'orders orderNum': { own: (where, world) => world.orderNum(where), none: missing.orderNum },
  'devices rtuNumber': { own: (where) => `${where}0001`, none: 'NOBODY0001' },
  ...Object.assign({}, ...domains.map((domain) => domain.pathIds)),
}
/**
 * By the name of a field in query or body, after the first word of the path where names mean
 * different rows; `lanes.id` is the id of an item of `lanes`.
 */
const fieldIds: Readonly<Record<string, Source>> = {
  'stock-flows actorId': byRow,
  deviceId: byRow,
  productId: shared,
  typeId: shared,
  categoryId: shared,
  besideId: shared,
  id: shared,
  ids: byRow,
  'lanes.id': byRow,
  'lanes.productId': shared,
  orgId: organisation,
  ownerId: organisation,
  roleId: byRow,
  mainId: { own: (where) => rowId(where, 5), none: missing.id },
  secondaryIds: { own: (where) => rowId(where, 6), none: missing.id },
  // pieces are numbered by the database: those of the agent's order are the first four
  unitIds: { own: (where) => Object.keys(place).indexOf(where) * 2 + 1, none: missing.id },
  ...Object.assign({}, ...domains.map((domain) => domain.fieldIds)),
}

/** What the rows of a path are: its first word, or the second where the first is a whole area. */
const words = ({ path }: Endpoint): string[] => path.split('/').filter(Boolean).slice(1)
const area = (endpoint: Endpoint): string => words(endpoint)[0] ?? ''
export const wordOf = (endpoint: Endpoint): string =>
  (area(endpoint) === 'finance' ? words(endpoint)[1] : undefined) ?? area(endpoint)
export const fieldSource = (endpoint: Endpoint, field: string): Source | undefined =>
  fieldIds[`${wordOf(endpoint)} ${field}`] ?? fieldIds[field]

export function sourcesOf(endpoint: Endpoint): Record<string, Source> {
  const word = wordOf(endpoint)
  return Object.fromEntries(
    pathParams(endpoint.path).map((param) => {
      const source = pathIds[`${word} ${param}`] ?? pathIds[`${area(endpoint)} ${param}`]
      if (!source)
        throw new Error(
          `test/conformance/samples.ts does not say whose row {${param}} of ${endpoint.path} is`,
        )
      return [param, source]
    }),
  )
}
export const params = (endpoint: Endpoint, where: Place | null, world: World): Record<string, Id> =>
  Object.fromEntries(
    Object.entries(sourcesOf(endpoint)).map(([param, source]) => [
      param,
      where ? source.own(where, world) : source.none,
    ]),
  )

/** Fields of this input, path parameters left out, that name a row or a picture. */
export function idFieldsIn(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  world: World,
): string[] {
  const names = new Set<string>()
  swapped(
    endpoint,
    input,
    (name, value) => {
      names.add(name)
      return value
    },
    world,
  )
  return [...names]
}
/** The input with what one field names taken from another place; null is a place nobody has. */
export const withIdOf = (
  endpoint: Endpoint,
  input: Record<string, unknown>,
  field: string,
  where: Place | null,
  world: World,
): Record<string, unknown> =>
  swapped(endpoint, input, (name, value, from) => (name === field ? from(where) : value), world)

function swapped(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  change: (name: string, value: unknown, from: (where: Place | null) => unknown) => unknown,
  world: World,
): Record<string, unknown> {
  const inPath = new Set(pathParams(endpoint.path))
  const walk = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          walk(inner, name ? `${name}.${key}` : key),
        ]),
      )
    if (typeof value === 'string' && value.startsWith('files/'))
      return change(name, value, (where) => (where ? picture(where) : missing.picture))
    const source = inPath.has(name) ? undefined : fieldSource(endpoint, name)
    if (!source || typeof value !== 'number') return value
    return change(name, value, (where) => (where ? source.own(where, world) : source.none))
  }
  return walk(input, '') as Record<string, unknown>
}

const planOf = async ({ sql }: World, id: number): Promise<number> =>
  (await sql<{ v: number }>('select planogram_version as v from devices where id = $1', [id]))[0]
    ?.v ?? 0
const spare = rowId('OWN', unassigned)
const hours = [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '22:00' }]
const site = {
  typeId: own,
  kind: 'GENERAL',
  county: '440305',
  address: '科技路1号',
  dropSensor: true,
  onlineMall: true,
  businessHours: hours,
}
const type = () => ({
  name: `型${randomUUID().slice(0, 8)}`,
  screen: false,
  refrigeration: true,
  pattern: 'spring',
  kind: 'GENERAL',
  dropSensor: true,
})
const goods = () => ({
  name: `品${randomUUID().slice(0, 8)}`,
  categoryId: own,
  drugClass: 'NONE',
  model: '500ml',
  costPrice: 100,
  retailPrice: 300,
  images: [picture('OWN')],
})
const levels = [{ columns: 3 }]
const number = () => `T${Math.floor(Math.random() * 1e12)}`

async function ensured(world: World, name: string, wanted: () => Promise<boolean>): Promise<void> {
  if (await wanted()) return
  const endpoint = endpointNamed(name)
  const done = await world.call(endpoint, await (samples[name] as Sample)(world), {
    token: await world.login(fullFor(endpoint)),
  })
  if (done.status !== 200) throw new Error(`${name}: ${JSON.stringify(done.body)}`)
}
const some = async (world: World, text: string): Promise<boolean> =>
  (await world.sql(text)).length > 0

/**
 * One input per write that the user with all permissions in OWN may send now; it makes its own
 * preparations.
 */
export const samples: Readonly<Record<string, Sample>> = {
  'devices.create': async () => ({
    ...site,
    rtuNumber: number(),
    nickname: '新机',
    orgId: place.OWN,
  }),
  'devices.createBatch': async () => ({
    ...site,
    start: `${number()}0001`.slice(0, 18),
    count: 2,
    namePrefix: '批',
    orgId: place.OWN,
  }),
  'devices.update': async (world) => ({
    id: own,
    ...site,
    version: await versionOf(world, 'devices', own),
    nickname: `机${randomUUID().slice(0, 8)}`,
    boardNo: 'BOARD-OWN',
  }),
  'devices.setLifecycle': async (world) => {
    const [row] = await world.sql<{ to: string }>(
      `select case lifecycle when 'OPERATING' then 'PAUSED' else 'OPERATING' end as to from devices
        where id = $1`,
      [own],
    )
    return { id: own, version: await versionOf(world, 'devices', own), to: row?.to, reason: '测试' }
  },
  'devices.handleFault': async (world) => {
    const id = await fresh(
      world,
      `insert into device_faults (org_id, device_id, code, level, opened_at)
        values (3, ${own}, 'T${randomUUID().slice(0, 8)}', 'WARN', '${worldNow.toISOString()}')`,
    )
    await world.system(async (ctx) => refreshDeviceCounters(ctx, [own]))
    return { id, remark: '已修' }
  },
  'deviceTypes.create': async () => ({ ...type(), img: picture('OWN') }),
  'deviceTypes.update': async (world) => ({
    ...type(),
    img: picture('OWN'),
    id: own,
    version: await versionOf(world, 'device_types', own),
  }),
  'deviceTypes.remove': async (world) => ({
    id: await fresh(
      world,
      `insert into device_types (org_id, name, screen, refrigeration, pattern, kind, drop_sensor,
        max_levels, max_roads) values (3, '${randomUUID().slice(0, 8)}', false, true, 'spring',
        'GENERAL', true, 4, 6)`,
    ),
  }),
  'lanes.create': async (world) => {
    const id = await fresh(
      world,
      `insert into devices (org_id, rtu_number, nickname, type_id, province, city, county, address,
        kind, lifecycle, drop_sensor, secret_hash)
        values (3, '${number()}', '空机', ${own}, '440000', '440300', '440305', 'x', 'GENERAL',
          'STOCK', true, '\\x00')`,
    )
    await world.sql('insert into device_states (device_id, org_id) values ($1, 3)', [id])
    return { deviceId: id, version: 0, levels }
  },
  'lanes.update': async (world) => ({
    deviceId: own,
    version: await planOf(world, own),
    lanes: [{ id: own, productId: own, price: 240 + Math.floor(Math.random() * 50) }],
  }),
  'lanes.merge': async (world) => {
    await ensured(world, 'lanes.split', () =>
      some(world, `select 1 from lanes where id = ${rowId('OWN', 6)} and status <> 'MERGED'`),
    )
    return {
      deviceId: own,
      version: await planOf(world, own),
      mainId: rowId('OWN', 5),
      secondaryIds: [rowId('OWN', 6)],
    }
  },
  'lanes.split': async (world) => {
    await ensured(world, 'lanes.merge', () =>
      some(world, `select 1 from lanes where id = ${rowId('OWN', 6)} and status = 'MERGED'`),
    )
    return { deviceId: own, version: await planOf(world, own), mainId: rowId('OWN', 5) }
  },
  'lanes.rebuild': async (world) => {
    if (!(await some(world, `select 1 from lanes where device_id = ${spare}`))) {
      const drawn = await world.call(
        endpointNamed('lanes.create'),
        { deviceId: spare, version: await planOf(world, spare), levels },
        { token: await world.login('ROLE_FULL') },
      )
      if (drawn.status !== 200) throw new Error(JSON.stringify(drawn.body))
    }
    return {
      deviceId: spare,
      version: await planOf(world, spare),
      confirmNumber: 'UNASSIGNED0001',
      levels,
    }
  },
  'lanes.clearFault': async (world) => {
    const lane = rowId('OWN', 4)
    await world.sql(`update lanes set status = 'FAULT' where id = $1`, [lane])
    await world.sql(
      `insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
        values (3, $1, $2, 'MOTOR_NOT_MOVE', 'ERROR', $3) on conflict do nothing`,
      [own, lane, worldNow],
    )
    await world.system(async (ctx) => refreshDeviceCounters(ctx, [own]))
    return { deviceId: own, laneId: lane }
  },
  'orders.refund': async (world) => {
    const orderNum = await world.sell('SIBLING', ['OK']).then(() => world.sell('CHILD', ['OK']))
    const [unit] = await world.sql<{ id: number }>(
      `select id from order_units where order_num = $1`,
      [orderNum],
    )
    return { orderNum, unitIds: [Number(unit?.id)], reason: 'QUALITY' }
  },
  'orders.mobileOrder': async () => ({
    rtuNumber: 'CHILD0001',
    items: [{ roadIndex: 1, count: 1, price: 250 }],
    payType: 'WECHAT',
    clientId: randomUUID(),
  }),
  'payments.simulatorNotify': async (world) => {
    const notice = {
      eventId: randomUUID(),
      outTradeNo: 'HDunknown',
      tradeNo: randomUUID(),
      amount: 100,
      paidAt: worldNow.toISOString(),
    }
    return { ...notice, sign: simulatorSign(world.app.config.simPayKey, notice) }
  },
  'products.create': async () => goods(),
  'products.edit': async (world) => ({
    ...goods(),
    id: own,
    version: await versionOf(world, 'products', own),
  }),
  'products.publish': async (world) => ({
    id: own,
    status: 'ON',
    version: await versionOf(world, 'products', own),
  }),
  'products.batch': async (world) => ({
    items: [{ id: own, version: await versionOf(world, 'products', own) }],
    retailPrice: 320 + Math.floor(Math.random() * 50),
  }),
  'products.remove': async (world) => ({
    id: await fresh(
      world,
      `insert into products (org_id, category_id, name, model, drug_class, cost_price, retail_price,
        images) values (3, ${own}, 'x', 'x', 'NONE', 100, 300, '{files/x}')`,
    ),
    version: 1,
  }),
  'products.createCategory': async () => ({ name: `类${randomUUID().slice(0, 8)}`, sort: 1 }),
  'products.editCategory': async (world) => ({
    id: own,
    name: `类${randomUUID().slice(0, 8)}`,
    version: await versionOf(world, 'product_categories', own),
  }),
  'products.moveCategory': async (world) => ({
    id: own,
    version: await versionOf(world, 'product_categories', own),
    besideId: await fresh(
      world,
      `insert into product_categories (org_id, name) values (3, '${randomUUID().slice(0, 8)}')`,
    ),
    side: 'AFTER',
  }),
  'products.removeCategory': async (world) => ({
    id: await fresh(
      world,
      `insert into product_categories (org_id, name) values (3, '${randomUUID().slice(0, 8)}')`,
    ),
    version: 1,
  }),
  ...Object.assign({}, ...domains.map((domain) => domain.samples)),
}

/** Reads whose choices need one another. */
export const readSamples: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  // roles of tenants come by their name, and by their organisation
  'notices.roles': [{ keyword: 'SIBLING' }],
  'roles.distribution': [{ orgId: place.SIBLING }],
  'reports.deviceMap': [
    { level: 'city', region: '440000' },
    { level: 'point', region: '440300' },
  ],
  'devices.map': [
    { box: [73, 3, 136, 54], zoom: 4 },
    { box: [73, 3, 136, 54], zoom: 22 },
  ],
  'replenishment.batches': [{ deviceId: rowId('SIBLING', 1) }],
  'geo.searchDevices': [{ q: '机' }],
  'geo.searchStores': [{ q: '店' }],
  'roles.explain': ['device', 'product', 'user', 'organisation'].map((resource) => ({
    resource,
    rowId: String(resource === 'organisation' ? place.SIBLING : rowId('SIBLING', 1)),
  })),
}
