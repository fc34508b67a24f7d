import { type Ctx, found } from '../../../server/context.ts'
import { common, type ErrorDef, Refusal } from '../../../shared/errors.ts'
import { regionPath } from '../../../shared/regions.ts'
import { type BatchDevices, type CreateDevice, deviceErrors, type EditDevice } from '../contract.ts'
import { licenceRule, typeRule } from '../rules.ts'
import * as q from './queries.ts'

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

export const fieldRefusal = (def: ErrorDef, field: string) => new Refusal(def, {}, [{ field, text: def.text }])

/** Only drug machines carry a licence and a way of dispensing. */
export const licenceOf = (input: { kind: string; dispensingMode: string | null; licenceNo: string; licenceAddress: string }) =>
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
export async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const taken = {
      devices_rtu_number_key: [deviceErrors.numberTaken, 'rtuNumber'],
      devices_board: [deviceErrors.boardTaken, 'boardNo'],
      devices_card: [deviceErrors.cardTaken, 'card'],
      main_boards_iccid: [deviceErrors.cardTaken, 'card'],
    } as const
    const hit = taken[(error as { constraint?: keyof typeof taken }).constraint as keyof typeof taken]
    if (hit) throw fieldRefusal(...(hit as [ErrorDef, string]))
    throw error
  }
}
