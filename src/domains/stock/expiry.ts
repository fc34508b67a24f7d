import { addDays } from '../../shared/instants.ts'

/**
 * Days before the date of goods on which a lane stops selling them: for drugs at least one and at
 * most thirty.
 */
export const stopDays = (drugClass: string | null, setting: number): number =>
  drugClass === null || drugClass === 'NONE' ? setting : Math.min(30, Math.max(1, setting))

/** Goods of this date are not sold any more, and not loaded. */
export const isPast = (expiresOn: string, today: string, days: number): boolean =>
  expiresOn <= addDays(today, days)
