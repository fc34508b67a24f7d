import type { ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'
import { adMaterialErrors } from './contract.ts'

/** Whoever has machines, and sponsors, whose advertisements somebody else uploads for them. */
export const ownerRule = (kind: string): ErrorDef | null =>
  ['PLATFORM', 'AGENT', 'OPERATOR', 'SPONSOR'].includes(kind) ? null : adMaterialErrors.ownerKind

export const materialStates = defineStates<'PENDING' | 'APPROVED' | 'REJECTED'>({
  name: 'adMaterials',
  column: 'ad_materials.state',
  start: ['PENDING', 'APPROVED'],
  // other tags or another licence are looked at again
  moves: { PENDING: ['APPROVED', 'REJECTED'], APPROVED: ['PENDING'], REJECTED: ['PENDING'] },
})

/** What the platform shows itself needs nobody's review. */
export const startState = (kind: string): 'PENDING' | 'APPROVED' =>
  kind === 'PLATFORM' ? 'APPROVED' : 'PENDING'

type Words = { tags: readonly string[]; licenceNo: string; validUntil: string | null }

/** What may be said of drugs and devices has been licensed (Advertising Law, article 46). */
export const needsLicence = (tags: readonly string[]): boolean =>
  tags.includes('DRUG') || tags.includes('MEDICAL')

export function wordsFinding(
  { tags, licenceNo, validUntil }: Words,
  today: string,
): { def: ErrorDef; at: string } | null {
  if (needsLicence(tags) && licenceNo === '')
    return { def: adMaterialErrors.licence, at: 'licenceNo' }
  if (validUntil !== null && validUntil < today)
    return { def: adMaterialErrors.past, at: 'validUntil' }
  return null
}

/** What was reviewed: a reviewer has to look at it again when it is another. */
export const reviewedAnew = (before: Words, after: Words): boolean =>
  before.licenceNo !== after.licenceNo ||
  [...before.tags].sort().join() !== [...after.tags].sort().join()

/** A film plays as long as it is, begun seconds included. */
export const secondsOf = (durationMs: number | null, said: number): number =>
  durationMs === null ? said : Math.min(300, Math.max(1, Math.ceil(durationMs / 1000)))

/** Days before its last one on which people are told of a material, and the day after it. */
export const toldDays = 7
