import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { requireProof } from '../../../server/proof.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { boardErrors } from '../../boards/contract.ts'
import { hasOpenOrder, lockMachine, putBoard, takeBoard } from '../../boards/server/binding.ts'
import { mirrorFlags } from '../../device-settings/server/verbs.ts'
import { canPlace } from '../../lanes/rules.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type DeviceDetail, deviceErrors, type devices, type EditDevice } from '../contract.ts'
import { editable, forbiddenFields, licenceMatches, typeChange } from '../rules.ts'
import { checkedPlace, fieldRefusal, licenceOf, unique } from './checks.ts'
import { noteMove } from './places.ts'
import * as q from './queries.ts'
import { detailOf, regionNames } from './shown.ts'

type Contract = typeof devices

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
  await requireProof(ctx.app, ctx.actor)
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

export const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const { raw, shown: before } = await detailOf(ctx, input.id)
  reject(editable(raw))
  const changed = (Object.keys(input) as (keyof EditDevice)[]).filter(
    (key) => key !== 'id' && key !== 'version' && !isDeepStrictEqual(input[key] ?? '', before[key as keyof DeviceDetail] ?? ''),
  )
  const forbidden = forbiddenFields(await q.editsBy(ctx), changed)
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
        business_hours: JSON.stringify(input.businessHours),
        online_mall: input.onlineMall,
        remark: input.remark,
        version: eb('version', '+', 1),
        ...(stopped ? { lifecycle: 'PAUSED' as const } : {}),
      }))
      .where('id', '=', input.id)
      .where('version', '=', input.version + (board.changed ? 1 : 0))
      .executeTakeFirst(),
  )
  if (!result.numUpdatedRows) throw new Refusal(common.stale)
  await noteMove(ctx, raw, input)
  await mirrorFlags(ctx, input.id, { dropSensor: input.dropSensor, autoRefund: input.autoRefund })
  const { shown: after } = await detailOf(ctx, input.id)
  ctx.audit({ id: input.id, name: raw.rtu_number, before, after, orgId: raw.org_id })
  ctx.touch('devices')
  return { ...after, secret: board.secret }
}
