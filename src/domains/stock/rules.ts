import { dayOfOrderNumber } from '../../shared/ids.ts'
import { addDays, shanghaiDay, startOfDay } from '../../shared/instants.ts'

export const flowTypes = ['CUSTOMER_TAKE', 'MERCHANT_REPLENISH', 'MERCHANT_WITHDRAW'] as const
type FlowType = (typeof flowTypes)[number]

/** Reasons by type; the same list stands in the check of stock_flows. */
export const reasonsOf = {
  CUSTOMER_TAKE: ['SALE', 'GIFT', 'PICKUP'],
  MERCHANT_REPLENISH: ['REFILL', 'COUNT_GAIN', 'CORRECTION'],
  MERCHANT_WITHDRAW: [
    'TAKE_BACK',
    'COUNT_LOSS',
    'WASTE',
    'EXPIRED',
    'RECALL',
    'LANE_RESET',
    'TEST_VEND',
    'CORRECTION',
  ],
} as const satisfies Record<FlowType, readonly string[]>

export const flowReasons = [
  'SALE',
  'GIFT',
  'PICKUP',
  'REFILL',
  'COUNT_GAIN',
  'TAKE_BACK',
  'COUNT_LOSS',
  'WASTE',
  'EXPIRED',
  'RECALL',
  'LANE_RESET',
  'TEST_VEND',
  'CORRECTION',
] as const

type Asked = {
  from?: string | undefined
  to?: string | undefined
  wasteNum?: string | undefined
  orderNum?: string | undefined
  traceCode?: string | undefined
}

/** Months a machine may hand in a flow of an order late; a week of days beyond is cheap. */
const lateDays = 31

/**
 * The instants a list of flows covers, at most 366 days: as asked, else around the number's own
 * day, of a box all of them, else the last seven days.
 */
export function flowRange(asked: Asked, now: Date): { from: Date; until: Date } {
  const today = shanghaiDay(now)
  if (asked.from || asked.to) {
    const from = asked.from ?? addDays(asked.to as string, -6)
    const to =
      asked.to ?? ([from, [today, addDays(from, 365)].sort()[0] as string].sort()[1] as string)
    return { from: startOfDay(from), until: startOfDay(addDays(to, 1)) }
  }
  const tomorrow = startOfDay(addDays(today, 1))
  if (asked.traceCode) return { from: startOfDay(addDays(today, -365)), until: tomorrow }
  const day = dayInside(asked)
  if (day) return { from: startOfDay(addDays(day, -1)), until: startOfDay(addDays(day, lateDays)) }
  return { from: startOfDay(addDays(today, -6)), until: tomorrow }
}

function dayInside(asked: Asked): string | null {
  const digits = asked.orderNum ?? /\d{8}/.exec(asked.wasteNum ?? '')?.[0]
  if (!digits) return null
  const day = dayOfOrderNumber(digits)
  const at = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) ||
    at.toISOString().slice(0, 10) !== day ||
    day < '2000' ||
    day > '2100'
    ? null
    : day
}
