import type { Ctx } from '../../../server/context.ts'
import { columns, guarding } from '../../../server/shapes.ts'
import { common, fieldRefusal } from '../../../shared/errors.ts'
import { regionPath } from '../../../shared/regions.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { ownsMachines } from '../../machines/rules.ts'
import { deviceErrors } from '../errors.ts'
import type { CreateDevice, EditDevice } from '../formContract.ts'
import { licenceRule, typeRule } from '../rules.ts'
import * as q from './queries.ts'

/** What a single machine, a batch and an edit say of it alike. */
type Described = Omit<EditDevice, 'id' | 'version' | 'storeId' | keyof Single>
type Single = Pick<CreateDevice, 'nickname' | 'boardNo' | 'card'>

/**
 * What single, batch and edit check alike, on the merged record; answers the region's three codes.
 */
export async function checkedPlace(ctx: Ctx, input: Described, orgId: number) {
  const [province, city, county] = regionPath(input.county)
  if (!province || !city || !county) throw fieldRefusal(deviceErrors.unknownRegion, 'county')
  const type = await q.usableType(ctx, input.typeId, orgId)
  if (!type) throw fieldRefusal(common.notFound, 'typeId')
  const mismatch = typeRule(input, type)
  if (mismatch) throw fieldRefusal(mismatch, 'kind')
  if (licenceRule(input))
    throw fieldRefusal(
      deviceErrors.licenceMissing,
      !input.dispensingMode ? 'dispensingMode' : input.licenceNo ? 'licenceAddress' : 'licenceNo',
    )
  return { type, place: { province: province.code, city: city.code, county: county.code } }
}

/** As the table keeps it. Only drug machines carry a licence and a way of dispensing. */
export function written(
  input: Omit<Single, 'boardNo'> & Described,
  place: { province: string; city: string; county: string },
) {
  const { nickname, card, typeId, kind, address, lng, lat, ...more } = input
  const { dropSensor, autoRefund, onlineMall, remark, dispensingMode, ...licence } = more
  const drug = kind === 'DRUG'
  return columns('devices', {
    ...{ nickname, card, typeId, kind, ...place, address, lng, lat },
    ...{ dropSensor, autoRefund, onlineMall, remark },
    dispensingMode: drug ? dispensingMode : null,
    licenceNo: drug ? licence.licenceNo : '',
    licenceAddress: drug ? licence.licenceAddress : '',
    licenceUntil: drug ? licence.licenceUntil : null,
    businessHours: JSON.stringify(input.businessHours),
  })
}

export async function checkedOwner(ctx: Ctx, orgId: number): Promise<number> {
  const org = await newOwner(ctx, orgId)
  if (!ownsMachines(org.kind)) throw fieldRefusal(deviceErrors.ownerKind, 'orgId')
  return org.id
}

/**
 * The database guards what is unique: rows of other organisations are invisible to a check before.
 */
export const unique = guarding({
  devices_rtu_number_key: [deviceErrors.numberTaken, 'rtuNumber'],
  devices_board: [deviceErrors.boardTaken, 'boardNo'],
  devices_card: [deviceErrors.cardTaken, 'card'],
  main_boards_iccid: [deviceErrors.cardTaken, 'card'],
})
