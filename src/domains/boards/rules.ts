import type { ErrorDef } from '../../shared/errors.ts'
import { addDays } from '../../shared/instants.ts'
import { boardErrors } from './contract.ts'

export const activationHours = 72
export const expiryDays = 30

type Board = { readonly deviceId: number | null; readonly disabled: boolean }
/** A flag and a fact, said as one state: disabled counts first. */
export const statusOf = (board: Board): 'UNBOUND' | 'BOUND' | 'DISABLED' => (board.disabled ? 'DISABLED' : board.deviceId === null ? 'UNBOUND' : 'BOUND')

/** Of a SIM on a Shanghai day; its last day still counts as good. */
export function simState(expiresOn: string | null, today: string): 'FINE' | 'SOON' | 'EXPIRED' | null {
  if (expiresOn === null) return null
  return expiresOn < today ? 'EXPIRED' : expiresOn <= addDays(today, expiryDays) ? 'SOON' : 'FINE'
}

const closed: ReadonlySet<string> = new Set(['SOLD', 'SCRAPPED'])
/** Whether a board may go into a machine. Who stands above the owner hands his boards down. */
export function bindRule(board: Board, device: { readonly id: number; readonly lifecycle: string }, handedDown: boolean): ErrorDef | null {
  if (closed.has(device.lifecycle)) return boardErrors.deviceClosed
  if (board.disabled) return boardErrors.boardDisabled
  if (board.deviceId !== null && board.deviceId !== device.id) return boardErrors.boardTaken
  return handedDown ? null : boardErrors.elsewhere
}
export const codeRule = (device: { readonly lifecycle: string }): ErrorDef | null => (closed.has(device.lifecycle) ? boardErrors.deviceClosed : null)

type Code = { readonly usedAt: Date | null; readonly revokedAt: Date | null; readonly expiresAt: Date }
/** One answer for every reason: whoever guesses learns nothing. */
export const useRule = (found: Code | undefined, now: Date): ErrorDef | null =>
  found && !found.usedAt && !found.revokedAt && found.expiresAt > now ? null : boardErrors.codeInvalid

const owners: ReadonlySet<string> = new Set(['PLATFORM', 'AGENT', 'OPERATOR'])
export const ownerRule = (kind: string): ErrorDef | null => (owners.has(kind) ? null : boardErrors.ownerKind)

/** Four groups that people can compare by voice. */
export const fingerprint = (hash: Buffer | null): string => (hash && hash.length >= 8 ? (hash.toString('hex').slice(0, 16).match(/.{4}/g) ?? []).join(' ') : '')
