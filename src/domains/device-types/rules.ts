import type { ErrorDef } from '../../shared/errors.ts'
import { deviceTypeErrors, type NewType } from './contract.ts'

/** A screen has a size. */
export const screenRule = (type: Pick<NewType, 'screen' | 'screenSize'>): ErrorDef | null =>
  type.screen && type.screenSize === '' ? deviceTypeErrors.screenSize : null

type Used = { deviceCount: number; levels: number; roads: number }

/**
 * What machines of the type already have, they keep: dispensing stays, limits do not fall below
 * drawn lanes.
 */
export function changeRule(
  before: Pick<NewType, 'pattern'>,
  after: Pick<NewType, 'pattern' | 'maxLevels' | 'maxRoads'>,
  used: Used,
): ErrorDef | null {
  if (used.deviceCount > 0 && before.pattern !== after.pattern) return deviceTypeErrors.patternFixed
  return after.maxLevels < used.levels || after.maxRoads < used.roads
    ? deviceTypeErrors.tooSmall
    : null
}
export const removable = (used: Pick<Used, 'deviceCount'>): ErrorDef | null =>
  used.deviceCount > 0 ? deviceTypeErrors.inUse : null
