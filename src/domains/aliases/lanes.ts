import { type Alias, type Given, idOf, pick } from '../../server/alias.ts'
import type { CallOn } from '../../server/bind.ts'
import type { CallInput } from '../../shared/contract.ts'
import { common, Refusal } from '../../shared/errors.ts'
import { LanePatch, lanes, type Planogram, type Road } from '../lanes/contract.ts'

export const roadOf = (road: Road) =>
  pick(
    road,
    'roadIndex',
    'productId',
    'roadCapacity',
    'productStock',
    'productName',
    'productImg',
    'price',
    'retailPrice',
    'restriction',
    'status',
  )
export const floorsOf = (plan: Planogram) =>
  plan.floors.map((floor) => ({
    ...pick(floor, 'level', 'id', 'name'),
    roads: floor.roads.map(roadOf),
  }))

/** A list travels in a body as it is, in an address as JSON. */
function listOf(value: unknown): Given[] {
  let list = value
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value)
    } catch {
      throw new Refusal(common.invalid)
    }
  }
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'object' && item !== null))
    throw new Refusal(common.invalid)
  return list as Given[]
}

type Patch = CallInput<typeof lanes.update>['lanes'] extends (infer P)[] | undefined ? P : never
const settable = [
  'productId',
  'roadCapacity',
  'price',
  'retailPrice',
  'restriction',
  'status',
] as const
const number = (value: unknown) =>
  typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value

/**
 * What a road of the sample changes; fields that are so already, and those nobody may set on an
 * empty lane, are left out.
 */
function patchOf(road: Road, given: Given): Patch | null {
  const wanted = settable.flatMap((key): [string, unknown][] => {
    const value = key === 'status' ? given[key] : number(given[key])
    return value === undefined ||
      value === '' ||
      value === road[key] ||
      (value === null && key !== 'productId')
      ? []
      : [[key, value]]
  })
  if (wanted.length === 0) return null
  const patch = LanePatch.safeParse({ id: road.id, ...Object.fromEntries(wanted) })
  return patch.success ? patch.data : ({ id: road.id, ...Object.fromEntries(wanted) } as Patch)
}

async function saveFloors(call: CallOn, given: Given): Promise<unknown> {
  const deviceId = idOf(given)
  const plan = await call(lanes.plan, { deviceId })
  const roads = new Map(
    plan.floors.flatMap((floor) => floor.roads).map((road) => [road.roadIndex, road]),
  )
  const floors = listOf(given.floors)
  const names = floors.flatMap((floor) => {
    const known = plan.floors.find(
      (one) => one.id === number(floor.id) || one.level === number(floor.level),
    )
    return known && typeof floor.name === 'string' && floor.name !== known.name
      ? [{ id: known.id, name: floor.name }]
      : []
  })
  const patches = floors.flatMap((floor) =>
    listOf(floor.roads ?? []).flatMap((road) => {
      const known = roads.get(Number(road.roadIndex))
      if (!known) throw new Refusal(common.notFound)
      return patchOf(known, road) ?? []
    }),
  )
  if (patches.length + names.length === 0) return { floors: floorsOf(plan) }
  return {
    floors: floorsOf(
      await call(lanes.update, { deviceId, version: plan.version, lanes: patches, floors: names }),
    ),
  }
}

async function reset(call: CallOn, given: Given): Promise<unknown> {
  const deviceId = idOf(given)
  const plan = await call(lanes.plan, { deviceId })
  // without levels the machine gets what its type has
  const { maxLevels, maxRoads } = plan.device
  const usual = Array.from({ length: maxLevels }, () => ({ columns: maxRoads }))
  const levels = (given.levels === undefined ? usual : listOf(given.levels)) as CallInput<
    typeof lanes.create
  >['levels']
  const base = { deviceId, version: plan.version, levels }
  // the confirmation may be left out; one that is given must be right
  const confirmNumber =
    given.confirmNumber === undefined ? plan.device.rtuNumber : String(given.confirmNumber)
  return {
    floors: floorsOf(
      plan.floors.length
        ? await call(lanes.rebuild, { ...base, confirmNumber })
        : await call(lanes.create, base),
    ),
  }
}

async function setRoad(call: CallOn, given: Given): Promise<unknown> {
  const laneId = idOf(given, given.laneId === undefined ? 'id' : 'laneId')
  const { deviceId, version, road } = await call(lanes.one, { laneId })
  const patch = patchOf(road, given)
  if (patch) await call(lanes.update, { deviceId, version, lanes: [patch] })
  return roadOf((await call(lanes.one, { laneId })).road)
}

type Parts = CallInput<typeof lanes.copy>['parts']
const everything: Parts = ['product', 'price', 'capacity', 'warnQty', 'restriction']

async function copyTo(call: CallOn, given: Given): Promise<unknown> {
  const list = (value: unknown): unknown[] =>
    Array.isArray(value)
      ? value
      : String(value ?? '')
          .split(',')
          .filter(Boolean)
  const parts = list(given.parts) as Parts
  const input = {
    deviceId: idOf(given),
    targetIds: list(given.targets).map(Number),
    parts: parts.length ? parts : everything,
  }
  const { targets } = await call(lanes.copyPlan, input)
  const { id } = await call(lanes.copy, input)
  return { jobId: id, results: targets }
}

export const laneAliases: readonly Alias[] = [
  { method: 'GET', path: '/reset-road', writes: true, answer: reset },
  { method: 'GET', path: '/setting-goods-track', writes: true, answer: setRoad },
  { method: 'GET', path: '/copy-to-machine', writes: true, answer: copyTo },
  { method: 'GET', path: '/save-cargo-road', writes: true, answer: saveFloors },
]
