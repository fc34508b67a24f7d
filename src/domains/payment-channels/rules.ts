/** Of a merchant that receives money. */
export const providers = ['SIMULATOR', 'WECHAT', 'ALIPAY', 'AGGREGATOR'] as const
export type Provider = (typeof providers)[number]
export const merchantStates = ['UNTESTED', 'ACTIVE', 'DISABLED', 'ERROR'] as const
export type MerchantState = (typeof merchantStates)[number]

/** Who gets a share of a merchant's payments: a company by its number, or a person. */
export const receiverKinds = ['MERCHANT_ID', 'PERSONAL_OPENID'] as const
export type ReceiverKind = (typeof receiverKinds)[number]
/** What he is to the merchant. */
export const relations = [
  'SERVICE_PROVIDER',
  'DISTRIBUTOR',
  'SUPPLIER',
  'PARTNER',
  'HEADQUARTER',
  'PLATFORM',
  'OTHER',
] as const
export type Relation = (typeof relations)[number]

/** What a channel's refusal means for whoever asked. */
export type Meaning =
  /** Asked again later, under the same number. */
  | 'RETRY'
  /** Never: a person has to look. */
  | 'FAILED'
  | 'PAID'
  | 'CLOSED'
  | 'ABSENT'

/** Codes of WeChat Pay v3 (`code` of an answer that is not 2xx). What stands nowhere is in doubt. */
const wechatCodes: Readonly<Record<string, Meaning>> = {
  SYSTEM_ERROR: 'RETRY',
  SYSTEMERROR: 'RETRY',
  BANK_ERROR: 'RETRY',
  FREQUENCY_LIMITED: 'RETRY',
  FREQUENCY_LIMIT_EXCEED: 'RETRY',
  RATELIMIT_EXCEEDED: 'RETRY',
  // the merchant's account is short: the same number again when there is money
  NOT_ENOUGH: 'RETRY',
  // our key or time is wrong: nothing was done
  SIGN_ERROR: 'RETRY',
  NO_STATEMENT_EXIST: 'ABSENT',
  STATEMENT_CREATING: 'RETRY',
  ORDERPAID: 'PAID',
  ORDER_PAID: 'PAID',
  ORDER_CLOSED: 'CLOSED',
  ORDERCLOSED: 'CLOSED',
  TRADE_CLOSED: 'CLOSED',
  ORDER_NOT_EXIST: 'ABSENT',
  ORDERNOTEXIST: 'ABSENT',
  RESOURCE_NOT_EXISTS: 'ABSENT',
  NOT_FOUND: 'ABSENT',
  PARAM_ERROR: 'FAILED',
  INVALID_REQUEST: 'FAILED',
  OUT_TRADE_NO_USED: 'FAILED',
  NO_AUTH: 'FAILED',
  MCH_NOT_EXISTS: 'FAILED',
  APPID_MCHID_NOT_MATCH: 'FAILED',
  OPENID_MISMATCH: 'FAILED',
  USER_ACCOUNT_ABNORMAL: 'FAILED',
  ACCOUNT_ERROR: 'FAILED',
  TRADE_ERROR: 'FAILED',
  // of shares: more than the merchant may let go, or a receiver it does not know
  RULE_LIMIT: 'FAILED',
  USER_NOT_EXIST: 'FAILED',
}

/** Sub codes of Alipay (`sub_code`). */
const alipayCodes: Readonly<Record<string, Meaning>> = {
  'ACQ.SYSTEM_ERROR': 'RETRY',
  'aop.ACQ.SYSTEM_ERROR': 'RETRY',
  'ACQ.SELLER_BALANCE_NOT_ENOUGH': 'RETRY',
  'ACQ.REASON_TRADE_BEEN_FREEZEN': 'RETRY',
  'isv.app-call-limited': 'RETRY',
  'isv.invalid-signature': 'RETRY',
  'ACQ.TRADE_HAS_SUCCESS': 'PAID',
  'ACQ.TRADE_HAS_CLOSE': 'CLOSED',
  'ACQ.TRADE_NOT_EXIST': 'ABSENT',
  BILL_NOT_EXIST: 'ABSENT',
  // of shares
  'ACQ.TRADE_SETTLE_ERROR': 'RETRY',
  'ACQ.TXN_RESULT_ACCOUNT_BALANCE_NOT_ENOUGH': 'RETRY',
  'ACQ.SETTLE_NOT_EXIST': 'ABSENT',
  'ACQ.TRADE_SETTLE_FINISHED': 'CLOSED',
  'ACQ.ALLOC_AMOUNT_VALIDATE_ERROR': 'FAILED',
  'ACQ.ROYALTY_RECEIVER_INVALID': 'FAILED',
  'ACQ.USER_NOT_MATCH_ERR': 'FAILED',
  USER_NOT_EXIST: 'FAILED',
  RELATION_EXCEED_LIMIT: 'FAILED',
  // of transfers
  ORDER_NOT_EXIST: 'ABSENT',
  SYSTEM_ERROR: 'RETRY',
  PAYER_BALANCE_NOT_ENOUGH: 'RETRY',
  BALANCE_IS_NOT_ENOUGH: 'RETRY',
  INVALID_PARAMETER: 'FAILED',
  PAYEE_NOT_EXIST: 'FAILED',
  PAYEE_USERINFO_ERROR: 'FAILED',
  PAYEE_ACC_OCUPIED: 'FAILED',
  PERMIT_NON_BANK_LIMIT_PAYEE: 'FAILED',
  EXCEED_LIMIT_SM_AMOUNT: 'FAILED',
  NO_ACCOUNT_USER_FORBIDDEN_RECV: 'FAILED',
  'isp.bill_not_exist': 'ABSENT',
  'ACQ.TRADE_STATUS_ERROR': 'FAILED',
  'ACQ.TRADE_HAS_FINISHED': 'FAILED',
  'ACQ.INVALID_PARAMETER': 'FAILED',
  'ACQ.ACCESS_FORBIDDEN': 'FAILED',
  'ACQ.CONTEXT_INCONSISTENT': 'FAILED',
  'ACQ.DISCORDANT_REPEAT_REQUEST': 'FAILED',
  'ACQ.REFUND_AMT_NOT_EQUAL_TOTAL': 'FAILED',
  'ACQ.REASON_TRADE_REFUND_FEE_ERR': 'FAILED',
  'ACQ.REFUND_FEE_ERROR': 'FAILED',
  'ACQ.TRADE_NOT_ALLOW_REFUND': 'FAILED',
  'ACQ.NOT_ALLOW_PARTIAL_REFUND': 'FAILED',
  'ACQ.REFUND_ACCOUNT_NOT_EXIST': 'FAILED',
  'ACQ.BUYER_NOT_EXIST': 'FAILED',
  'ACQ.BUYER_ERROR': 'FAILED',
}

const meaningIn = (codes: Readonly<Record<string, Meaning>>, code: string): Meaning =>
  Object.hasOwn(codes, code) ? (codes[code] as Meaning) : 'RETRY'
export const wechatMeaning = (code: string): Meaning => meaningIn(wechatCodes, code)
export const alipayMeaning = (code: string): Meaning => meaningIn(alipayCodes, code)

/** Fen of an amount in yuan as channels write it, null when it is none: `12.30`, `-0.1`, `5`. */
export function fenOf(yuan: string): number | null {
  const found = /^(-?)(\d{1,11})(?:\.(\d{1,2})0{0,6})?$/.exec(yuan.trim())
  if (!found) return null
  const [, minus, whole, part = ''] = found
  const fen = Number(whole) * 100 + Number(part.padEnd(2, '0'))
  return minus && fen ? -fen : fen
}
export const yuanOf = (fen: number): string =>
  `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, '0')}`

/** What asks after payments; who leaves one to be closed pokes it. */
export const checksName = 'payment-checks'
/** Seconds until a payment is asked after: by how old it is, ever less often. */
export const checkAfter = (ageSeconds: number): number =>
  ageSeconds < 60 ? 15 : ageSeconds < 300 ? 30 : 120
/** Between two tries while its channel does not answer. */
export const checkWaits = [5, 15, 60, 300, 1800, 3600] as const
/** So long an order waits behind its end for the word of its channel. */
export const closeGrace = 60
/** Seconds by which the clock of a channel and ours may differ. */
export const clockWindow = 300
/** A merchant may ask so often in a second for shares. */
export const mostPerSecond = 30
