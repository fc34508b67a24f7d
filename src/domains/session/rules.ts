import type { ErrorDef } from '../../shared/errors.ts'
import { sessionErrors } from './contract.ts'

/** Lockout of quality.md T8: five failures within 15 minutes lock the name for 15 minutes. */
export const lockout = { failures: 5, minutes: 15 }

export const lockedUntil = (failuresBefore: number, now: Date): Date | null =>
  failuresBefore + 1 >= lockout.failures ? new Date(now.getTime() + lockout.minutes * 60_000) : null

/** What a new password must not be; shape and length are the contract's. `common` is the list of 3,000 most used ones. */
export function passwordRule(password: string, username: string, common: ReadonlySet<string>): ErrorDef | null {
  if (username.length >= 3 && password.toLowerCase().includes(username.toLowerCase())) return sessionErrors.passwordHasName
  if (common.has(password.toLowerCase())) return sessionErrors.passwordCommon
  return null
}
