import type { ErrorDef } from '../../shared/errors.ts'
import { addDays } from '../../shared/instants.ts'
import { isClosed, ownsMachines } from '../machines/rules.ts'
import { boardErrors } from './contract.ts'

export const activationHours = 72
export const expiryDays = 30

type Board = { readonly deviceId: number | null; readonly disabled: boolean }
/** A flag and a fact, said as one state: disabled counts first. */
export const statusOf = (board: Board): 'UNBOUND' | 'BOUND' | 'DISABLED' =>
  board.disabled ? 'DISABLED' : board.deviceId === null ? 'UNBOUND' : 'BOUND'

/** Of a SIM on a Shanghai day; its last day still counts as good. */
export function simState(
  expiresOn: string | null,
  today: string,
): 'FINE' | 'SOON' | 'EXPIRED' | null {
  if (expiresOn === null) return null
  return expiresOn < today ? 'EXPIRED' : expiresOn <= addDays(today, expiryDays) ? 'SOON' : 'FINE'
}

/** Whether a board may go into a machine. Who stands above the owner hands his boards down. */
export function bindRule(
  board: Board,
  device: { readonly id: number; readonly lifecycle: string },
  handedDown: boolean,
): ErrorDef | null {
  if (isClosed(device)) return boardErrors.deviceClosed
  if (board.disabled) return boardErrors.boardDisabled
  if (board.deviceId !== null && board.deviceId !== device.id) return boardErrors.boardTaken
  return handedDown ? null : boardErrors.elsewhere
}
export const codeRule = (device: { readonly lifecycle: string }): ErrorDef | null =>
  isClosed(device) ? boardErrors.deviceClosed : null

export type Code = {
  readonly usedAt: Date | null
  readonly revokedAt: Date | null
  readonly expiresAt: Date
}
/** One answer for every reason: whoever guesses learns nothing. */
export const useRule = (found: Code | undefined, now: Date): ErrorDef | null =>
  found && !found.usedAt && !found.revokedAt && found.expiresAt > now
    ? null
    : boardErrors.codeInvalid

/**
 * Unknown boards: how many wait for the next writing, how many are kept (and of the ignored once
 * more), how long, and how long those that tried less than `few` times.
 */
export const unknownLimits = {
  flushMs: 5000,
  waiting: 100,
  kept: 500,
  days: 30,
  few: 3,
  fewDays: 1,
} as const

/**
 * Whose place a newcomer takes when all are taken: one of the address that holds most, so that a
 * flood from one address keeps nobody else out. Null when that address is his own.
 */
export function placeFor(
  waiting: ReadonlyMap<string, { readonly address: string }>,
  address: string,
): string | null {
  const byAddress = Map.groupBy([...waiting], ([, { address: from }]) => from)
  const [most] = [...byAddress.values()].sort((a, b) => b.length - a.length)
  if (!most || most.length <= (byAddress.get(address)?.length ?? 0) + 1) return null
  return most.at(-1)?.[0] ?? null
}

export const ownerRule = (kind: string): ErrorDef | null =>
  ownsMachines(kind) ? null : boardErrors.ownerKind

/** Four groups that people can compare by voice. */
export const fingerprint = (hash: Buffer | null): string =>
  hash && hash.length >= 8 ? (hash.toString('hex').slice(0, 16).match(/.{4}/g) ?? []).join(' ') : ''
