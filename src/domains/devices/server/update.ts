import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { requireProof } from '../../../server/proof.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { hasOpenOrder, lockMachine, putBoard, takeBoard } from '../../boards/server/binding.ts'
import { mirrorFlags } from '../../device-settings/server/verbs.ts'
import { canPlace, verdictError } from '../../drug-guard/rules.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type DeviceDetail, deviceErrors, type devices } from '../contract.ts'
import type { EditDevice } from '../formContract.ts'
import { editable, forbiddenFields, typeChange } from '../rules.ts'
import { checkedPlace, unique, written } from './checks.ts'
import { noteMove } from './places.ts'
import * as q from './queries.ts'
import { detailOf, licenceFits } from './shown.ts'

type Contract = typeof devices

/**
 * Another board, or none: the machine gets a new secret and its connection ends. Takes the
 * machine's turn before its version is compared.
 */
async function changeBoard(
  ctx: Ctx,
  input: EditDevice,
): Promise<{ changed: boolean; secret: string | null }> {
  const machine = found(await lockMachine(ctx, input.id))
  if (machine.version !== input.version) throw new Refusal(common.stale)
  if (machine.boardNo === input.boardNo) return { changed: false, secret: null }
  await requireProof(ctx.app, ctx.actor)
  if (machine.boardNo !== null && (await hasOpenOrder(ctx, machine.id)))
    throw fieldRefusal(deviceErrors.openOrder, 'boardNo')
  const { boardNo: old } = machine
  const { boardNo } = input
  const [kind, data] =
    boardNo === null
      ? ['BOARD_UNBOUND', { boardNo: old }]
      : old === null
        ? ['BOARD_BOUND', { boardNo }]
        : ['BOARD_REPLACED', { boardNo: old, newBoardNo: boardNo }]
  await noteDevice(ctx, [{ deviceId: machine.id, orgId: machine.orgId, kind, data }])
  if (boardNo === null) {
    await takeBoard(ctx, machine)
    return { changed: true, secret: null }
  }
  if (await q.isDisabledBoard(ctx, boardNo))
    throw fieldRefusal(deviceErrors.boardDisabled, 'boardNo')
  return { changed: true, secret: await putBoard(ctx, machine, boardNo, unique) }
}

export const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const before = await detailOf(ctx, input.id)
  reject(editable(before))
  const changed = (Object.keys(input) as (keyof EditDevice)[]).filter(
    (key) =>
      key !== 'id' &&
      key !== 'version' &&
      !isDeepStrictEqual(input[key] ?? '', before[key as keyof DeviceDetail] ?? ''),
  )
  const forbidden = forbiddenFields(await q.editsBy(ctx), changed)
  if (forbidden.length) throw fieldRefusal(common.forbidden, forbidden)
  const { type, place } = await checkedPlace(ctx, input, before.orgId)
  const lanes = await q.lanesOf(ctx, input.id)
  if (
    input.typeId !== before.typeId &&
    typeChange(await q.typeOf(ctx, before.typeId), type, lanes.lanes)
  )
    throw fieldRefusal(deviceErrors.typeFixed, 'typeId')
  // who may sell which drugs there is agreed by two (drug-control); a machine begins unattended
  const mode = before.kind === 'DRUG' ? before.dispensingMode : 'UNATTENDED'
  if (input.kind === 'DRUG' && input.dispensingMode !== mode)
    throw fieldRefusal(deviceErrors.modeByTwo, 'dispensingMode')
  if (input.kind !== 'DRUG')
    for (const drugClass of lanes.classes)
      reject(verdictError(canPlace({ drugClass, drug: null }, { ...input, site: null })))
  // the store collects for the owner of the machine and belongs to it
  if (
    input.storeId !== null &&
    input.storeId !== before.storeId &&
    !(await q.isStoreOf(ctx, input.storeId, before.orgId))
  )
    throw fieldRefusal(deviceErrors.storeElsewhere, 'storeId')
  const board = await changeBoard(ctx, input)
  // a licence for another place stops sales until it is mended (core.md, edit device)
  const stopped = !licenceFits(input) && before.lifecycle === 'OPERATING' && { lifecycle: 'PAUSED' }
  const version = input.version + (board.changed ? 1 : 0)
  await unique(
    updateVersion(
      ctx,
      'devices',
      { id: input.id, version },
      { ...written(input, place), store_id: input.storeId, ...stopped },
    ),
  )
  await noteMove(ctx, before, input)
  await mirrorFlags(ctx, input.id, { dropSensor: input.dropSensor, autoRefund: input.autoRefund })
  const after = await detailOf(ctx, input.id)
  ctx.audit({ id: input.id, name: before.rtuNumber, before, after, orgId: before.orgId })
  ctx.touch('devices')
  return { ...after, secret: board.secret }
}
