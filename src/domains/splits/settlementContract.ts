import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { DayType } from '../settings/contract.ts'
import { modes, splitStateNames } from './rules.ts'
import { standings, steps } from './timeline.ts'

/** So many days are shown, with today. */
export const calendarDays = 14

const expected = {
  /** Of shares that are due on it: settled by the ledger, and through the channel. */
  ledger: f.signedFen,
  channel: f.signedFen,
  /** What of the channel's comes to the bank on it. */
  arrives: f.signedFen,
}
export const Calendar = z.strictObject({
  days: z.array(z.strictObject({ day: f.day, type: DayType, name: z.string(), ...expected })),
  /** Due before today, and not settled. */
  overdue: f.signedFen,
  /** Settled when somebody says so. */
  manual: f.signedFen,
  day: f.day,
  /** Parties of the day, those who get most first. */
  parties: z.array(z.strictObject({ orgId: f.id, name: z.string(), ...expected })),
  /** There are more parties than are shown. */
  more: z.boolean(),
})
export type Calendar = z.infer<typeof Calendar>

const Step = z.strictObject({
  key: z.enum(steps),
  at: f.instant.nullable(),
  /** When it should be: not yet. */
  expected: f.instant.nullable(),
  amount: f.fen.nullable(),
})
export const Settlement = z.strictObject({
  orderNum: z.string(),
  rtuNumber: z.string(),
  orgName: z.string(),
  paid: f.fen,
  refunded: f.fen,
  splits: z.array(
    z.strictObject({
      id: f.id,
      splitNo: z.string(),
      strategyName: z.string(),
      versionNo: z.number().int(),
      mode: z.enum(modes),
      state: z.enum(splitStateNames),
      steps: z.array(Step),
      /** Why it stands still; null: it does not. */
      standing: z.enum(standings).nullable(),
      shares: z.array(
        z.strictObject({
          /** One of the two. */
          orgId: f.id.nullable(),
          referrerId: f.id.nullable(),
          name: z.string(),
          isCollector: z.boolean(),
          given: f.fen,
          returned: f.fen,
          netted: f.fen,
          /** What is left of its debts of this order. */
          debt: f.fen,
        }),
      ),
    }),
  ),
})
export type Settlement = z.infer<typeof Settlement>

export const settlementEndpoints = {
  calendar: read('settlement:read', {
    path: '/finance/settlement-calendar',
    summary: 'What is to be settled in the next 14 days, and for which parties on one of them',
    input: z.strictObject({ orgId: f.id.optional(), day: f.day.optional() }),
    output: Calendar,
  }),
  settlement: read('settlement:read', {
    path: '/orders/{orderNum}/settlement-timeline',
    summary: 'The way of the money of an order to its parties',
    input: z.strictObject({ orderNum: f.orderNum }),
    output: Settlement,
  }),
}
