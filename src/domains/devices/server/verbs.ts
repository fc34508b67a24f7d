import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, visible } from '../../../server/context.ts'
import { common, type ErrorDef, Refusal, reject } from '../../../shared/errors.ts'
import { sequentialNumbers } from '../../../shared/ids.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { placeName, regionPath } from '../../../shared/regions.ts'
import { boardErrors } from '../../boards/contract.ts'
import { hasOpenOrder, lockMachine, putBoard, takeBoard } from '../../boards/server/binding.ts'
import { mirrorFlags } from '../../device-settings/server/verbs.ts'
import { canPlace } from '../../lanes/rules.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type BatchDevices, type CreateDevice, type DeviceDetail, type DeviceRow, deviceErrors, type devices, type EditDevice } from '../contract.ts'
import { editable, forbiddenFields, isClosed, licenceMatches, licenceRule, lifecycleStates, mayRestore, readyRule, typeChange, typeRule } from '../rules.ts'
import { faults, handleFault, telemetry, timeline } from './history.ts'
import { pauseMany, previewPauses, restore, retire, said } from './lifecycle.ts'
import * as q from './queries.ts'
import { newSecret, secretHash } from './secret.ts'

export { conditions as deviceConditions } from './queries.ts'

type Contract = typeof devices

const regionNames = (county: string): string[] => regionPath(county).map((region) => region.name)

function row(ctx: Ctx, d: q.Row): DeviceRow {
  const change = may(ctx, 'device:update') && editable(d) === null
  return {
    id: d.id,
    rtuNumber: d.rtu_number,
    nickname: d.nickname,
    typeId: d.type_id,
    typeName: d.type_name,
    kind: d.kind,
    orgId: d.org_id,
    ownedUserName: d.org_name,
    storeName: d.store_name ?? '',
    regionName: placeName(d.county),
    address: d.address,
    lng: d.lng,
    lat: d.lat,
    boardNo: d.board_no ?? '',
    card: d.card ?? '',
    lifecycle: d.lifecycle,
    locked: d.locked,
    status: d.online ? 'online' : 'offline',
    lastSeenAt: isoOrNull(d.last_seen_at),
    offlineSince: isoOrNull(d.offline_since),
    signal: d.signal,
    temperature: d.temperature,
    humidity: d.humidity,
    tempAlarm: d.temp_alarm,
    faultCount: d.fault_count,
    fw: d.fw ?? '',
    apk: d.apk ?? '',
    stock: d.stock,
    capacity: d.capacity,
    free: d.lanes_free,
    soldOut: d.lanes_sold_out,
    low: d.lanes_low,
    lanes: d.lanes_total,
    todayOrders: d.orders ?? 0,
    todayTurnover: may(ctx, 'dashboard:money') ? (d.turnover ?? 0) : null,
    createTime: iso(d.created_at),
    can: {
      update: change,
      pause: change && allowedFrom(lifecycleStates, 'PAUSED').includes(d.lifecycle),
      operate: change && allowedFrom(lifecycleStates, 'OPERATING').includes(d.lifecycle),
      retire: may(ctx, 'device:delete') && allowedFrom(lifecycleStates, 'SCRAPPED').includes(d.lifecycle),
      restore: may(ctx, 'device:delete') && mayRestore(ctx.actor.role) && isClosed(d.lifecycle),
    },
  }
}

const matchesLicence = (d: q.Detail) => licenceMatches({ kind: d.kind, licenceAddress: d.licence_address }, regionNames(d.county))

async function detailOf(ctx: Ctx, id: number): Promise<{ raw: q.Detail; shown: DeviceDetail }> {
  const d = found(await q.detailRow(ctx, id))
  const shown = {
    ...row(ctx, d),
    country: '中国',
    province: d.province,
    city: d.city,
    county: d.county,
    storeId: d.store_id,
    pattern: d.pattern,
    refrigeration: d.refrigeration,
    dispensingMode: d.dispensing_mode,
    licenceNo: d.licence_no,
    licenceAddress: d.licence_address,
    dropSensor: d.drop_sensor,
    autoRefund: d.auto_refund,
    remark: d.remark,
    doorOpen: d.door_open,
    rsrp: d.rsrp,
    planogramVersion: d.planogram_version,
    replenishers: d.replenishers,
    repairers: d.repairers,
    licenceMatches: matchesLicence(d),
    version: d.version,
  }
  return { raw: d, shown }
}

const list: Handlers<Contract>['list'] = async (ctx, input) => {
  // sorting by a hidden figure would tell its order
  if (input.sort.endsWith('todayTurnover') && !may(ctx, 'dashboard:money')) throw new Refusal(common.forbidden)
  const { rows, total } = await q.listRows(ctx, input)
  return { list: rows.map((d) => row(ctx, d)), total, sums: await q.sums(ctx, input) }
}

const options: Handlers<Contract>['options'] = async (ctx, input) => ({
  list: (await q.options(ctx, input)).map(({ online, ...d }) => ({ ...d, status: online ? ('online' as const) : ('offline' as const) })),
})

/** What single, batch and edit check alike, on the merged record; answers the region's three codes. */
export async function checkedPlace(ctx: Ctx, input: Omit<CreateDevice | BatchDevices | EditDevice, 'id'>, orgId: number) {
  const [province, city, county] = regionPath(input.county)
  if (!province || !city || !county) throw fieldRefusal(deviceErrors.unknownRegion, 'county')
  const type = await q.usableType(ctx, input.typeId, orgId)
  if (!type) throw fieldRefusal(common.notFound, 'typeId')
  const plain = { pattern: type.pattern, maxLevels: type.max_levels, maxRoads: type.max_roads, kind: type.kind }
  const mismatch = typeRule(input, plain)
  if (mismatch) throw fieldRefusal(mismatch, 'kind')
  if (licenceRule(input))
    throw fieldRefusal(deviceErrors.licenceMissing, !input.dispensingMode ? 'dispensingMode' : input.licenceNo ? 'licenceAddress' : 'licenceNo')
  return { type: plain, province: province.code, city: city.code, county: county.code }
}

const fieldRefusal = (def: ErrorDef, field: string) => new Refusal(def, {}, [{ field, text: def.text }])

/** Only drug machines carry a licence and a way of dispensing. */
const licenceOf = (input: { kind: string; dispensingMode: string | null; licenceNo: string; licenceAddress: string }) =>
  input.kind === 'DRUG'
    ? { dispensingMode: input.dispensingMode, licenceNo: input.licenceNo, licenceAddress: input.licenceAddress }
    : { dispensingMode: null, licenceNo: '', licenceAddress: '' }

const owners = new Set(['PLATFORM', 'AGENT', 'OPERATOR'])
export async function checkedOwner(ctx: Ctx, orgId: number): Promise<number> {
  const org = found(await q.owner(ctx, orgId))
  if (!owners.has(org.kind)) throw fieldRefusal(deviceErrors.ownerKind, 'orgId')
  return org.id
}

/** Unique columns are the database's to guard: rows of other organisations are invisible to a check before. */
async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const taken = {
      devices_rtu_number_key: [deviceErrors.numberTaken, 'rtuNumber'],
      devices_board: [deviceErrors.boardTaken, 'boardNo'],
      devices_card: [deviceErrors.cardTaken, 'card'],
    } as const
    const hit = taken[(error as { constraint?: keyof typeof taken }).constraint as keyof typeof taken]
    if (hit) throw fieldRefusal(...(hit as [ErrorDef, string]))
    throw error
  }
}

export async function addAll(ctx: Ctx, orgId: number, entries: readonly Omit<q.NewDevice, 'secretHash' | 'orgId'>[]) {
  const secrets = new Map(entries.map((entry) => [entry.rtuNumber, newSecret()]))
  const added = await unique(
    q.addDevices(
      ctx,
      entries.map((entry) => ({ ...entry, orgId, secretHash: secretHash(secrets.get(entry.rtuNumber) as string) })),
    ),
  )
  if (ctx.actor.scope.devices !== null && ctx.actor.userId !== null)
    await q.assignTo(
      ctx,
      ctx.actor.userId,
      orgId,
      added.map((d) => d.id),
    )
  ctx.touch('devices')
  return added
    .map((d) => ({ id: d.id, rtuNumber: d.rtu_number, secret: secrets.get(d.rtu_number) as string }))
    .sort((a, b) => (a.rtuNumber < b.rtuNumber ? -1 : 1))
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const orgId = await checkedOwner(ctx, input.orgId ?? ctx.actor.orgId)
  const { type: _, ...place } = await checkedPlace(ctx, input, orgId)
  const [added] = await addAll(ctx, orgId, [{ ...input, ...place, ...licenceOf(input) }])
  const device = found(added)
  ctx.audit({ id: device.id, name: input.rtuNumber, after: { ...input, ...place, orgId }, orgId })
  return device
}

/** The numbers from `start` on and those that exist; with `skip` the sequence goes on until the count is met. */
async function chooseNumbers(ctx: Ctx, start: string, count: number, skip: boolean): Promise<{ numbers: string[]; conflicts: string[] }> {
  const free: string[] = []
  const conflicts: string[] = []
  let next: string | undefined = start
  while (free.length < count) {
    const window: string[] | null = next === undefined ? null : sequentialNumbers(next, count - free.length)
    if (!window || conflicts.length > 10_000) throw fieldRefusal(deviceErrors.widthOverflow, 'start')
    const taken = await q.takenNumbers(ctx, window)
    free.push(...window.filter((number) => !taken.has(number)))
    conflicts.push(...window.filter((number) => taken.has(number)))
    if (!skip) break
    next = sequentialNumbers(window.at(-1) as string, 2)?.[1]
  }
  return { numbers: skip ? free : [...free, ...conflicts].sort(), conflicts }
}

const previewBatch: Handlers<Contract>['previewBatch'] = async (ctx, input) => {
  const { numbers, conflicts } = await chooseNumbers(ctx, input.start, input.count, input.skipExisting)
  return { first: numbers[0] as string, last: numbers.at(-1) as string, numbers, conflicts: conflicts.slice(0, 200) }
}

const createBatch: Handlers<Contract>['createBatch'] = async (ctx, input) => {
  const orgId = await checkedOwner(ctx, input.orgId ?? ctx.actor.orgId)
  const { type: _, ...place } = await checkedPlace(ctx, input, orgId)
  await q.lockPrefix(ctx, input.start)
  const { numbers, conflicts } = await chooseNumbers(ctx, input.start, input.count, input.skipExisting)
  if (conflicts.length > 0 && !input.skipExisting)
    throw new Refusal(deviceErrors.numbersTaken, { numbers: conflicts.slice(0, 10).join(' ') }, [{ field: 'start', text: deviceErrors.numbersTaken.text }])
  const width = String(numbers.length).length
  const created = await addAll(
    ctx,
    orgId,
    numbers.map((rtuNumber, i) => ({
      ...input,
      ...place,
      ...licenceOf(input),
      rtuNumber,
      nickname: `${input.namePrefix}${String(i + 1).padStart(Math.max(2, width), '0')}`,
      boardNo: null,
      card: null,
    })),
  )
  ctx.audit({ id: created[0]?.id as number, name: `${numbers[0]} × ${numbers.length}`, after: { ...input, numbers }, orgId })
  return { created }
}

/** The store collects for the owner of the machine and belongs to it. */
async function checkStore(ctx: Ctx, storeId: number | null, device: q.Detail): Promise<void> {
  if (storeId === null || storeId === device.store_id) return
  if (!(await q.storeOf(ctx, storeId, device.org_id))) throw fieldRefusal(deviceErrors.storeElsewhere, 'storeId')
}

/** Another board, or none: the machine gets a new secret and its connection ends. Takes the machine's turn before its version is compared. */
async function changeBoard(ctx: Ctx, input: EditDevice): Promise<{ changed: boolean; secret: string | null }> {
  const machine = found(await lockMachine(ctx, input.id))
  if (machine.version !== input.version) throw new Refusal(common.stale)
  if (machine.board_no === input.boardNo) return { changed: false, secret: null }
  if (machine.board_no !== null && (await hasOpenOrder(ctx, machine.id))) throw fieldRefusal(deviceErrors.openOrder, 'boardNo')
  const kind = input.boardNo === null ? 'BOARD_UNBOUND' : machine.board_no === null ? 'BOARD_BOUND' : 'BOARD_REPLACED'
  const data = kind === 'BOARD_REPLACED' ? { boardNo: machine.board_no, newBoardNo: input.boardNo } : { boardNo: input.boardNo ?? machine.board_no }
  await noteDevice(ctx, [{ deviceId: machine.id, orgId: machine.org_id, kind, data }])
  if (input.boardNo === null) {
    await takeBoard(ctx, machine)
    return { changed: true, secret: null }
  }
  if (await q.isDisabledBoard(ctx, input.boardNo)) throw fieldRefusal(deviceErrors.boardDisabled, 'boardNo')
  try {
    return { changed: true, secret: await putBoard(ctx, machine, input.boardNo) }
  } catch (error) {
    if (error instanceof Refusal && error.def === boardErrors.boardTaken) throw fieldRefusal(deviceErrors.boardTaken, 'boardNo')
    if (error instanceof Refusal && error.def === boardErrors.cardTaken) throw fieldRefusal(deviceErrors.cardTaken, 'card')
    throw error
  }
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const { raw, shown: before } = await detailOf(ctx, input.id)
  reject(editable(raw))
  const changed = (Object.keys(input) as (keyof EditDevice)[]).filter(
    (key) => key !== 'id' && key !== 'version' && (input[key] ?? '') !== (before[key as keyof DeviceDetail] ?? ''),
  )
  const forbidden = forbiddenFields(ctx.actor.role, changed)
  if (forbidden.length)
    throw new Refusal(
      common.forbidden,
      {},
      forbidden.map((field) => ({ field, text: common.forbidden.text })),
    )
  const { type, ...place } = await checkedPlace(ctx, input, raw.org_id)
  const lanes = await q.lanesOf(ctx, input.id)
  const known = { pattern: raw.pattern, maxLevels: raw.max_levels, maxRoads: raw.max_roads, kind: raw.type_kind }
  if (input.typeId !== raw.type_id && typeChange(known, type, lanes.lanes)) throw fieldRefusal(deviceErrors.typeFixed, 'typeId')
  for (const drugClass of lanes.classes) reject(canPlace({ drugClass }, input))
  const licence = licenceOf(input)
  // a licence for another place stops sales until it is mended (core.md, edit device)
  const elsewhere = !licenceMatches({ kind: input.kind, licenceAddress: licence.licenceAddress }, regionNames(input.county))
  const stopped = elsewhere && raw.lifecycle === 'OPERATING'
  await checkStore(ctx, input.storeId, raw)
  const board = await changeBoard(ctx, input)
  const result = await unique(
    ctx.db
      .updateTable('devices')
      .set((eb) => ({
        nickname: input.nickname,
        type_id: input.typeId,
        kind: input.kind,
        card: input.card,
        store_id: input.storeId,
        province: place.province,
        city: place.city,
        county: place.county,
        address: input.address,
        lng: input.lng,
        lat: input.lat,
        dispensing_mode: licence.dispensingMode as 'MEDICAL' | null,
        licence_no: licence.licenceNo,
        licence_address: licence.licenceAddress,
        drop_sensor: input.dropSensor,
        auto_refund: input.autoRefund,
        remark: input.remark,
        version: eb('version', '+', 1),
        ...(stopped ? { lifecycle: 'PAUSED' as const } : {}),
      }))
      .where('id', '=', input.id)
      .where('version', '=', input.version + (board.changed ? 1 : 0))
      .executeTakeFirst(),
  )
  if (!result.numUpdatedRows) throw new Refusal(common.stale)
  await mirrorFlags(ctx, input.id, { dropSensor: input.dropSensor, autoRefund: input.autoRefund })
  const { shown: after } = await detailOf(ctx, input.id)
  ctx.audit({ id: input.id, name: raw.rtu_number, before, after, orgId: raw.org_id })
  ctx.touch('devices')
  return { ...after, secret: board.secret }
}

const setLifecycle: Handlers<Contract>['setLifecycle'] = async (ctx, input) => {
  const { raw } = await detailOf(ctx, input.id)
  const allowed = allowedFrom(lifecycleStates, input.to)
  if (!allowed.includes(raw.lifecycle)) throw new Refusal(deviceErrors.wrongMove)
  if (input.to === 'OPERATING') {
    const lanes = await q.lanesOf(ctx, input.id)
    reject(readyRule({ boardNo: raw.board_no, sellingLanes: lanes.selling, licenceMatches: matchesLicence(raw) }))
  }
  const result = await ctx.db
    .updateTable('devices')
    .set((eb) => ({ lifecycle: input.to, version: eb('version', '+', 1) }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where('lifecycle', 'in', allowed)
    .executeTakeFirst()
  if (!result.numUpdatedRows) throw new Refusal(common.stale)
  ctx.audit({
    id: input.id,
    name: raw.rtu_number,
    before: { lifecycle: raw.lifecycle },
    after: { lifecycle: input.to, reason: input.reason },
    orgId: raw.org_id,
  })
  await said(ctx, [{ id: input.id, org_id: raw.org_id, from: raw.lifecycle }], input.to, input.reason)
  ctx.touch('devices')
  return (await detailOf(ctx, input.id)).shown
}

/** Stops the sales of every operating machine of these organisations; who calls writes the log row. Answers their numbers. */
export async function pauseDevicesOf(ctx: Ctx, orgIds: readonly number[]): Promise<string[]> {
  if (!orgIds.length) return []
  const paused = await ctx.db
    .updateTable('devices')
    .set((eb) => ({ lifecycle: 'PAUSED' as const, version: eb('version', '+', 1) }))
    .where('org_id', 'in', [...orgIds])
    .where('lifecycle', 'in', allowedFrom(lifecycleStates, 'PAUSED'))
    .where(visible(ctx, 'devices.org_id', 'devices.id'))
    .returning(['id', 'org_id', 'rtu_number'])
    .execute()
  await said(
    ctx,
    paused.map((device) => ({ ...device, from: 'OPERATING' })),
    'PAUSED',
    '',
  )
  if (paused.length) ctx.touch('devices')
  return paused.map((device) => device.rtu_number).sort()
}

export const handlers: Handlers<Contract> = {
  list,
  counts: (ctx) => q.counts(ctx),
  options,
  detail: async (ctx, input) => (await detailOf(ctx, input.id)).shown,
  create,
  previewBatch,
  createBatch,
  update,
  setLifecycle,
  retire,
  restore,
  previewPauses,
  pauseMany,
  timeline,
  telemetry,
  faults,
  handleFault,
}
