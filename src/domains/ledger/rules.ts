/** Vouchers of management.md's table. Amounts are fen; debit positive, credit negative. */

export type AccountCode =
  | '1001'
  | '1003'
  | '1101'
  | '1102'
  | '2001'
  | '2002'
  | '2003'
  | '2004'
  | '2005'
  | '2101'
  | '2102'
  | '2201'
  | '2202'
  | '2301'
  | '2302'
  | '2901'
/**
 * A party as one number: an organisation is its id, a referrer his id below nothing. His money lies
 * at his organisation on accounts of his own, so that it is never taken for hers.
 */
type PartyIds = {
  readonly orgId?: number | null | undefined
  readonly referrerId?: number | null | undefined
}
export const partyOf = ({ orgId, referrerId }: PartyIds): number =>
  referrerId ? -referrerId : (orgId ?? 0)
export const isReferrer = (party: number): boolean => party < 0
const ofReferrers: Partial<Record<AccountCode, AccountCode>> = {
  '1101': '1102',
  '2002': '2004',
  '2003': '2005',
}
/** The same three accounts of a referrer. */
export const referrersAccount = (account: AccountCode): AccountCode =>
  ofReferrers[account] ?? account

/** Of the organisation of its voucher unless `orgId` names the party whose money it is. */
export type Entry = { account: AccountCode; amount: number; orgId?: number }
export type VoucherType =
  | `V${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13}`
  | 'V1b'
  | 'V1c'
  | 'V6b'
  | 'V6c'
  | 'V7b'
  | 'V7c'
export type Voucher = {
  /** The fact it books; a second booking of the same fact finds this key and changes nothing. */
  key: string
  type: VoucherType
  orgId: number
  orderId: number | null
  orderNum: string | null
  /** The merchant's configuration at which channel money and suspense lie; null: the simulator. */
  configId: number | null
  /** Of a fact of a day that is over: that day. It is booked today. */
  factDay?: string
  entries: readonly Entry[]
}
export type Of = Pick<Voucher, 'orgId' | 'orderId' | 'orderNum' | 'configId'>

/** Accounts that belong to a merchant's configuration. */
export const ofMerchant: readonly AccountCode[] = ['1001', '2901']

/** Money arrived for an order: channel money / pending split. */
export const orderIn = (paymentId: number, amount: number, of: Of): Voucher => ({
  ...of,
  key: `in:${paymentId}`,
  type: 'V1',
  entries: [
    { account: '1001', amount },
    { account: '2001', amount: -amount },
  ],
})

/** The channel's fee. */
export const fee = (paymentId: number, amount: number, of: Of): Voucher => ({
  ...of,
  key: `fee:${paymentId}`,
  type: 'V2',
  entries: [
    { account: '2001', amount },
    { account: '1001', amount: -amount },
  ],
})

/** A bill says that the channel kept so much more than V2 has; `from` is whose money it is now. */
export const feeFixed = (
  { paymentId, fixId, day }: { paymentId: number; fixId: number; day: string },
  amount: number,
  from: Entry,
  of: Of,
): Voucher => ({
  ...of,
  key: `fee:${paymentId}:${fixId}`,
  type: 'V2',
  factDay: day,
  entries: [
    { ...from, amount },
    { account: '1001', amount: -amount },
  ],
})

/**
 * A refund; the channel gives back `feeShare` of its fee, so pending split and channel money shrink
 * by the rest.
 */
export const refundOut = (refundNo: string, amount: number, feeShare: number, of: Of): Voucher => ({
  ...of,
  key: `rf:${refundNo}`,
  type: 'V6',
  entries: [
    { account: '2001', amount: amount - feeShare },
    { account: '1001', amount: -(amount - feeShare) },
  ],
})

/**
 * Money without an order (late, double, of another amount; of an unknown order by its trade): into
 * suspense, and out again by refund.
 */
export const suspenseIn = (paymentId: number | string, amount: number, of: Of): Voucher => ({
  ...of,
  key: `sus:${paymentId}`,
  type: 'V11',
  entries: [
    { account: '1001', amount },
    { account: '2901', amount: -amount },
  ],
})
export const suspenseOut = (refundNo: string, amount: number, of: Of): Voucher => ({
  ...of,
  key: `susr:${refundNo}`,
  type: 'V11',
  entries: [
    { account: '2901', amount },
    { account: '1001', amount: -amount },
  ],
})

/** Money in suspense found its order: it leaves the account and comes in again with `orderIn`. */
export const suspenseApplied = (paymentId: number, amount: number, of: Of): Voucher => ({
  ...of,
  key: `susa:${paymentId}`,
  type: 'V11',
  entries: [
    { account: '2901', amount },
    { account: '1001', amount: -amount },
  ],
})

/** What was pending of an order becomes what its parties are owed: entries of one piece. */
export const splitAlloc = (unitNo: number, entries: readonly Entry[], of: Of): Voucher => ({
  ...of,
  key: `al:${of.orderNum}:${unitNo}`,
  type: 'V3',
  entries,
})

/** A party gives back its share of a refund: of what it is owed, and the rest is its debt. */
export const splitReturn = (
  refundNo: string,
  party: number,
  { owed, debt }: { owed: number; debt: number },
  of: Of,
): Voucher => ({
  ...of,
  key: `sr:${refundNo}:${party}`,
  type: 'V7',
  entries: [
    { account: '2002', amount: owed, orgId: party },
    { account: '1101', amount: debt, orgId: party },
    { account: '2001', amount: -(owed + debt) },
  ],
})

/** The channel paid a party its share; what it was not owed any more it owes. */
export const splitOut = (
  splitNo: string,
  party: number,
  of: Of,
  { owed, debt }: { owed: number; debt: number },
): Voucher => ({
  ...{ orgId: of.orgId, orderId: of.orderId, orderNum: of.orderNum, configId: of.configId },
  key: `so:${splitNo}:${party}`,
  type: 'V4',
  entries: [
    { account: '2002', amount: owed, orgId: party },
    { account: '1101', amount: debt, orgId: party },
    { account: '1001', amount: -(owed + debt) },
  ],
})
/** And what came back of it after a refund. */
export const returnCame = (returnNo: string, party: number, amount: number, of: Of): Voucher => ({
  ...of,
  key: `srr:${returnNo}`,
  type: 'V7b',
  entries: [
    { account: '1001', amount },
    { account: '1101', amount: -amount, orgId: party },
  ],
})

/** A debt is paid by the next share of its party. */
export const debtNetted = (splitNo: string, party: number, amount: number, of: Of): Voucher => ({
  ...of,
  key: `net:${splitNo}:${party}`,
  type: 'V7c',
  entries: [
    { account: '2002', amount, orgId: party },
    { account: '1101', amount: -amount, orgId: party },
  ],
})

/** A debt nobody will pay is borne by another. */
export const debtWrittenOff = (
  debtId: number,
  { party, bearer, amount }: { party: number; bearer: number; amount: number },
  of: Of,
): Voucher => ({
  ...of,
  key: `off:${debtId}`,
  type: 'V12',
  entries: [
    { account: '2002', amount, orgId: bearer },
    { account: '1101', amount: -amount, orgId: party },
  ],
})

/** The channel paid its collector out, to his bank. */
export const bankOut = (
  { settleNo, day }: { settleNo: string; day: string },
  amount: number,
  of: Of,
): Voucher => ({
  ...of,
  key: `st:${of.configId ?? 0}:${settleNo}`,
  type: 'V5',
  factDay: day,
  entries: [
    { account: '2002', amount },
    { account: '1001', amount: -amount },
  ],
})

/**
 * What the channel has beyond our books (less: negative) is money that waits for somebody to find out
 * whose it is.
 */
export const balanceFixed = (
  { differenceId, day }: { differenceId: number; day: string },
  amount: number,
  of: Of,
): Voucher => ({
  ...of,
  key: `adj:RD${differenceId}`,
  type: 'V12',
  factDay: day,
  entries: [
    { account: '1001', amount },
    { account: '2901', amount: -amount },
  ],
})

/** The channel's fee on an amount, rounded half up; `rate` in basis points. */
export const feeOf = (amount: number, rate: number): number =>
  Math.floor((amount * rate + 5000) / 10_000)

/**
 * What the channel returns of its fee by this refund: the shares of all refunds add up to the whole
 * fee.
 */
export const feeShareOf = (
  payment: { amount: number; fee: number; refunded: number },
  refund: number,
): number =>
  Math.floor((payment.fee * (payment.refunded + refund)) / payment.amount) -
  Math.floor((payment.fee * payment.refunded) / payment.amount)
