import { startOfDay } from '../../../shared/instants.ts'
import type { BillLine, FundLine, SplitLine } from '../../payment-channels/server/channels.ts'

/** What the simulated channel says wrongly of one thing in its next bills. */
type BillFault =
  | 'LOCAL_ONLY'
  | 'CHANNEL_ONLY'
  | 'AMOUNT'
  | 'STATUS'
  | 'FEE'
  | 'DUPLICATE'
  | 'BALANCE'
  /** Paid to another receiver. */
  | 'SPLIT'
/**
 * By its number, of a payment or of a refund; what only the channel knows, and what is missing of its
 * balance, by the day of the bill.
 */
export const billFaults = new Map<string, BillFault>()

/** A line of its bill as it says it; without a line, what it adds to that day. */
export function damaged(line: BillLine | null, day = ''): BillLine[] {
  const fault = billFaults.get(line?.refundNo ?? line?.tradeNo ?? day)
  if (!line)
    return fault === 'CHANNEL_ONLY'
      ? [
          {
            ...{ kind: 'PAY', tradeNo: `STRAY${day}`, outTradeNo: `HDSTRAY${day}`, refundNo: null },
            ...{ amount: 1250, fee: 8, at: startOfDay(day), state: 'SUCCESS' },
          },
        ]
      : []
  switch (fault) {
    case 'LOCAL_ONLY':
      return []
    case 'AMOUNT':
      return [{ ...line, amount: line.amount + 1 }]
    case 'STATUS':
      return [{ ...line, state: 'FAILED' }]
    case 'FEE':
      return [{ ...line, fee: line.fee + 2 }]
    case 'DUPLICATE':
      return [line, line]
    default:
      return [line]
  }
}

/** A share that only the channel knows: by the day of its bill, of which of its trades. */
export const strayShares = new Map<string, string>()
export function damagedShares(line: SplitLine | null, day = ''): SplitLine[] {
  if (!line) {
    const tradeNo = strayShares.get(day)
    return tradeNo === undefined
      ? []
      : [
          {
            ...{ kind: 'SPLIT', tradeNo, requestNo: `STRAY${day}`, channelNo: '', detailNo: '' },
            ...{ receiver: 'nobody', amount: 99, at: startOfDay(day), state: 'SUCCESS' },
          },
        ]
  }
  switch (billFaults.get(line.requestNo)) {
    case 'LOCAL_ONLY':
      return []
    case 'AMOUNT':
      return [{ ...line, amount: line.amount + 1 }]
    case 'STATUS':
      return [{ ...line, state: 'FAILED' }]
    case 'SPLIT':
      return [{ ...line, receiver: `not-${line.receiver}` }]
    case 'DUPLICATE':
      return [line, line]
    default:
      return [line]
  }
}

/** Money that left the account and nobody says why. */
export const missingFunds = (day: string): Omit<FundLine, 'balance'>[] =>
  billFaults.get(day) === 'BALANCE'
    ? [
        {
          ...{ kind: 'OTHER', flowNo: `GONE${day}`, tradeNo: '', outNo: '', amount: -100 },
          at: startOfDay(day),
        },
      ]
    : []
