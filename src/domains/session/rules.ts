import type { ErrorDef } from '../../shared/errors.ts'
import { isGuessable } from '../../shared/guessable.ts'
import { defineStates } from '../../shared/moves.ts'
import { sessionErrors } from './contract.ts'

/**
 * What a new password must not be; form and letters are the contract's. `near`: words that stand
 * near the account.
 */
export function passwordRule(
  password: string,
  username: string,
  near: readonly string[],
  minLength = 8,
): ErrorDef | null {
  if ([...password].length < minLength) return sessionErrors.passwordShort
  const contained = [username, ...near.filter((word) => /^1[3-9]\d{9}$/.test(word))].filter(
    (word) => word.length >= 3,
  )
  if (contained.some((word) => password.toLowerCase().includes(word.toLowerCase())))
    return sessionErrors.passwordHasName
  return isGuessable(password, [username, ...near]) ? sessionErrors.passwordCommon : null
}

/**
 * Guards of the sign-in: so many times `login.maxFailures` within so many minutes shut one of them.
 * Who knows the account's browser or sits at one address meets his own; all addresses together shut
 * an account only to strangers. Wrong codes by SMS count for their number over a day, and for the
 * address apart from passwords. Inside sessions and at the second step an account is counted as
 * one, from wherever.
 */
export const guardRules = {
  PAIR: { factor: 1, minutes: 1440 },
  BROWSER: { factor: 1, minutes: 1440 },
  ACCOUNT: { factor: 10, minutes: 60 },
  ADDRESS: { factor: 10, minutes: 60 },
  CODE: { factor: 10, minutes: 60 },
  NUMBER: { factor: 2, minutes: 1440 },
  INSIDE: { factor: 1, minutes: 1440 },
  FACTOR: { factor: 1, minutes: 1440 },
} as const
/** Each time within a day it stays shut twice as long, at most a day. */
export const shutMinutes = (minutes: number, strikes: number): number =>
  Math.min(1440, minutes * 2 ** Math.min(strikes, 10))

/** True when a password is older than the setting allows; 0 days: never. */
export const passwordExpired = (changedAt: Date, maxAgeDays: number, now: Date): boolean =>
  maxAgeDays > 0 && now.getTime() - changedAt.getTime() > maxAgeDays * 86_400_000

export const scanStates = defineStates({
  name: 'scan ticket',
  column: 'scan_tickets.state',
  start: ['WAITING'],
  moves: {
    WAITING: ['SCANNED', 'REFUSED', 'EXPIRED'],
    SCANNED: ['CONFIRMED', 'REFUSED', 'EXPIRED'],
    CONFIRMED: ['EXPIRED'],
    REFUSED: [],
    EXPIRED: [],
  },
})
export const scanSeconds = 120

/**
 * Codes by SMS (product book, "SMS code"). A user sends them to numbers that may be strangers':
 * few, and few to each whoever asks.
 */
export const smsLimits = {
  seconds: 300,
  tries: 5,
  resendSeconds: 60,
  perPhoneHour: 5,
  perPhoneDay: 10,
  perIpHour: 20,
  perIpHourKnown: 100,
  perUserHour: 5,
  perUserDay: 10,
  perTargetDay: 3,
} as const

/**
 * Why no further code goes to this number or from this address now. `first` of a tenant to become
 * somebody's phone: what other tenants had sent to the number bounds its second one, and shuts it
 * for nobody.
 */
export function sendRule(found: {
  phoneHour: number
  phoneDay: number
  ipHour: number
  userHour: number
  userDay: number
  targetDay: number
  waitSeconds: number
  known: boolean
  first: boolean
}): ErrorDef | null {
  if (found.waitSeconds > 0) return sessionErrors.codeTooSoon
  if (
    found.userHour >= smsLimits.perUserHour ||
    found.userDay >= smsLimits.perUserDay ||
    found.targetDay >= smsLimits.perTargetDay
  )
    return sessionErrors.codeLimit
  if (
    found.phoneHour >= smsLimits.perPhoneHour ||
    (found.phoneDay >= smsLimits.perPhoneDay && !found.first)
  )
    return sessionErrors.codeLimit
  // strangers at an address leave those who are known there what is theirs
  return found.ipHour >= (found.known ? smsLimits.perIpHourKnown : smsLimits.perIpHour)
    ? sessionErrors.codeLimit
    : null
}

/** Seconds before a message is tried again: a code lives five minutes. */
export const sendWaits = [5, 20, 60] as const
export const sendStates = { SENT: 'SENT', RETRY: 'PENDING', FAILED: 'FAILED' } as const

export const wayKinds = [
  'PASSWORD',
  'PHONE',
  'WECHAT_BOUND',
  'WECHAT_UNBOUND',
  'FACTOR_ON',
  'FACTOR_OFF',
  'RECOVERY_CODES',
] as const
/** What changed of how somebody signs in. */
export type WayKind = (typeof wayKinds)[number]
/**
 * Messages a day: to a number, and in all those that people of one organisation cause to numbers
 * nobody showed to be his.
 */
export const wayLimits = { undoHours: 72, perPhoneDay: 10, toUnknownDay: 200 } as const

/**
 * A number goes to nobody else within 90 days of being given back, so whoever showed it within them
 * holds it.
 */
export const phoneShownDays = 90

/**
 * Codes of the app: of this half minute, the one before and the one after, because clocks differ.
 */
export const factorLimits = {
  period: 30,
  window: 1,
  ticketSeconds: 300,
  recoveryCodes: 10,
} as const

const systems: readonly [RegExp, string][] = [
  [/MicroMessenger/, 'WeChat'],
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]
const browsers: readonly [RegExp, string][] = [
  [/Edg\w*\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/Firefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/Version\/(\d+).*Safari/, 'Safari'],
]
/**
 * Browser and system in words from a user agent; proper names, the same in both languages. Empty
 * when it says nothing we know.
 */
export function deviceOf(agent: string): string {
  const browser = browsers.flatMap(([pattern, name]) => {
    const version = pattern.exec(agent)?.[1]
    return version ? [`${name} ${version}`] : []
  })[0]
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1]
  return [browser, system].filter(Boolean).join(' · ')
}

/** `138****0001`. */
export const maskPhone = (phone: string): string => phone.replace(/^(\d{3})\d+(\d{4})$/, '$1****$2')
