import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '../../../server/context.ts'
import { Blocked, bodyOf, type Call, callOut, reasonOf } from '../../../server/outbound.ts'
import type { Failed, Retry } from '../../../server/work.ts'
import type { ReceiverKind, Relation } from '../rules.ts'

/** A merchant at a channel, with its keys open. */
export type Merchant = {
  readonly id: number
  readonly orgId: number
  readonly provider: 'WECHAT' | 'ALIPAY'
  readonly mchId: string
  readonly appId: string
  readonly certSerial: string
  readonly feeBp: number
  /** Signs what we ask; the other one opens notices of WeChat Pay. */
  readonly privateKey: string
  readonly apiV3Key: string
  /** What the channel signs with, by serial. */
  readonly keys: ChannelKeys
}
export type ChannelKeys = Readonly<Record<string, { pem: string; until: string | null }>>

export type Fault = Retry | Failed
export const retry = (reason: string): Retry => ({ state: 'RETRY', reason: reason.slice(0, 200) })
export const failed = (reason: string): Failed => ({
  state: 'FAILED',
  reason: reason.slice(0, 200),
})

/** That money arrived, as a channel says it in a notice, an answer or a bill. */
export type Notice = {
  eventId: string
  outTradeNo: string
  tradeNo: string
  amount: number
  paidAt?: string | undefined
  currency?: string | undefined
  merchant?: string | undefined
}
export type Asked = {
  outTradeNo: string
  amount: number
  subject: string
  expireAt: Date
  openid?: string | undefined
  /** Its money waits at the channel until it is split. */
  splits: boolean
}
/** What the buyer's phone needs: a code to show, or the parameters of the page that pays. */
export type PayWith =
  | { kind: 'CODE'; code: string }
  | { kind: 'PAGE'; params: Record<string, string> }
/** What may be kept of it for the next call. */
export type Prepaid = { code?: string; prepayId?: string; openid?: string }

export type Fact =
  | { state: 'PAID'; notice: Notice }
  | { state: 'OPEN' | 'ABSENT' | 'CLOSED' }
  | Fault
/** What a notice is about: money, a refund that moved, or nothing of interest. */
export type Heard =
  | { kind: 'PAID'; notice: Notice }
  | { kind: 'REFUND'; refundNo: string }
  | { kind: 'TRANSFER'; transferNo: string }
  | { kind: 'OTHER' }
/** What a provider says of one payment or refund of a day. */
export type BillLine = {
  kind: 'PAY' | 'REFUND'
  /** The provider's number, of the payment or of the refund. */
  tradeNo: string
  outTradeNo: string
  /** Ours; of a refund alone. */
  refundNo: string | null
  amount: number
  /** What the provider kept; of a refund, what it gave back of that. */
  fee: number
  at: Date
  state: 'SUCCESS' | 'PROCESSING' | 'FAILED'
}
/** A line that says nothing we understand, by its number in the file. */
export type BadLine = { kind: 'BAD'; line: number; why: string }
export type BillRows = AsyncIterable<BillLine | BadLine>
/** Rows of a day, whole and of this merchant, or that it is not there yet; an empty day has none. */
export type Bill = { state: 'READY'; rows: BillRows } | Fault

/** What moved on a merchant's account: what it is about, by the channel's number and by ours. */
export type FundLine = {
  kind:
    | ('PAY' | 'FEE' | 'REFUND' | 'FEE_BACK' | 'SPLIT' | 'SPLIT_BACK')
    | ('TRANSFER' | 'SETTLE' | 'OTHER')
  flowNo: string
  tradeNo: string
  outNo: string
  /** Negative: it left. */
  amount: number
  /** What lay there afterwards. */
  balance: number
  at: Date
}
export type FundRows = AsyncIterable<FundLine | BadLine>
export type FundBill = { state: 'READY'; rows: FundRows } | Fault

/** A share that was paid on to a receiver, or came back from one, under our number of it. */
export type SplitLine = {
  kind: 'SPLIT' | 'RETURN'
  /** The channel's number of the payment. */
  tradeNo: string
  requestNo: string
  channelNo: string
  detailNo: string
  receiver: string
  amount: number
  at: Date
  state: 'SUCCESS' | 'PROCESSING' | 'FAILED'
}
export type SplitRows = AsyncIterable<SplitLine | BadLine>
export type SplitBill = { state: 'READY'; rows: SplitRows } | Fault
export const billTypes = ['TRADE', 'FUND', 'SPLIT'] as const
export type BillType = (typeof billTypes)[number]

/** What a refund asks of a payment channel, and what the channel answers. */
export type RefundAnswer =
  | { state: 'SUCCESS'; providerRefundNo: string }
  /** Taken, result comes later; asked again with the same number. */
  | { state: 'PROCESSING' }
  | { state: 'RETRY'; reason: string }
  | { state: 'FAILED'; reason: string }

export type RefundRequest = {
  refundNo: string
  outTradeNo: string
  /** The channel's own number of the payment. */
  tradeNo: string
  amount: number
  total: number
  /** The merchant that was paid; null: the simulator. */
  configId: number | null
  /** Shares that were paid of it, for a channel that takes them back with the refund. */
  backs?: SplitRequest['parts']
}

/** Money that a merchant sends to somebody; the number is ours and the same at every attempt. */
export type TransferRequest = {
  transferNo: string
  amount: number
  method: 'WECHAT' | 'ALIPAY'
  /** Openid of WeChat, sign-in name of Alipay; and whose it has to be. */
  account: string
  holder: string
  subject: string
}
/** What became of one. Only `DENIED` proves that nothing was paid and nothing will be. */
export type TransferAnswer =
  | { state: 'SUCCESS'; transferNo: string }
  | { state: 'PROCESSING' }
  /** The payee has to say yes in WeChat; with what his page asks him, where the channel said it. */
  | { state: 'CONFIRM'; package?: string }
  | { state: 'DENIED'; reason: string }
  | Retry
/** `ABSENT`: the channel knows no transfer of this number; it may still be on its way there. */
export type TransferFact = TransferAnswer | { state: 'ABSENT' }
export type Transfers = {
  pay(request: TransferRequest): Promise<TransferAnswer>
  query(request: TransferRequest): Promise<TransferFact>
  /** Takes back what nobody confirmed; whether that was done says the next question. */
  cancel(request: TransferRequest): Promise<void>
}

/** Who is paid of a merchant's payments, as he is known there. */
export type Receiver = {
  /** Ours; the same while what is asked is the same. */
  registerNo: string
  kind: ReceiverKind
  account: string
  holder: string
  relation: Relation
}
export type Denied = { state: 'DENIED'; reason: string }
export type RegisterAnswer =
  /** Null: whether money can be taken back there the channel has not said. */
  { state: 'REGISTERED'; returnConsent: boolean | null } | Denied | Retry
export type SplitRequest = {
  requestNo: string
  tradeNo: string
  subject: string
  parts: readonly { kind: ReceiverKind; account: string; amount: number }[]
}
export type SplitPart = { account: string } & (
  | { state: 'PAID' }
  | { state: 'FAILED'; reason: string }
)
/** `DENIED`: nothing was paid under this number, and will not be. */
export type SplitAnswer =
  | { state: 'FINISHED'; splitNo: string; parts: SplitPart[] }
  | { state: 'PROCESSING' }
  | Denied
  | Retry
export type ReturnRequest = {
  returnNo: string
  /** Under which it was paid. */
  requestNo: string
  /** The buyer's refund that it is for. */
  refundNo: string
  tradeNo: string
  account: string
  amount: number
}
export type ReturnAnswer =
  /** So much came. */
  { state: 'SUCCESS'; amount: number } | { state: 'PROCESSING' } | Denied | Retry
export type ReleaseAnswer = { state: 'RELEASED' } | Denied | Retry
export type Splits = {
  register(receiver: Receiver): Promise<RegisterAnswer>
  unregister(receiver: Receiver): Promise<{ state: 'GONE' } | Retry>
  split(request: SplitRequest): Promise<SplitAnswer>
  /** What became of it, and nothing is done; likewise of a return. */
  find(request: SplitRequest): Promise<SplitAnswer | { state: 'ABSENT' }>
  findReturn(request: ReturnRequest): Promise<ReturnAnswer | { state: 'ABSENT' }>
  /** Takes a share back, of a company alone. */
  giveBack(request: ReturnRequest): Promise<ReturnAnswer>
  /** What is left of the payment is the merchant's. */
  release(request: Pick<SplitRequest, 'requestNo' | 'tradeNo'>): Promise<ReleaseAnswer>
}

/** A driver. Every call may be repeated: numbers are ours, the channel answers what it did. */
export type Channel = {
  prepay(asked: Asked): Promise<{ state: 'READY'; prepaid: Prepaid } | Fault>
  payWith(prepaid: Prepaid): PayWith
  query(outTradeNo: string): Promise<Fact>
  close(outTradeNo: string): Promise<{ state: 'PAID' | 'CLOSED' | 'ABSENT' } | Fault>
  refund(request: RefundRequest): Promise<RefundAnswer>
  /** Throws `Forged` unless the channel signed it, for this merchant, a moment ago. */
  heard(headers: IncomingHttpHeaders, body: Buffer): Promise<Heard>
  bill(day: string, file: string): Promise<Bill>
  /** Keys with which it has signed answers since this was opened. */
  signers(): ChannelKeys
  /** The fund flow of a day. */
  funds(day: string, file: string): Promise<FundBill>
  /** The bill of shares of a day; null: this channel has none of its own. */
  readonly shares: ((day: string, file: string) => Promise<SplitBill>) | null
  readonly transfers: Transfers
  readonly splits: Splits
}

/** A signature that does not fit. */
export class Forged extends Error {}

const timeoutMs = 10_000
const mostBytes = 262_144
export type Answered = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** What came back, or why nothing did: then nobody knows what became of it. */
export async function ask(app: App, call: Omit<Call, 'privateAllowed'>): Promise<Answered | Fault> {
  try {
    const answer = await callOut({
      timeoutMs,
      ...call,
      privateAllowed: !app.config.production,
    })
    const body = await bodyOf(answer, mostBytes)
    return { status: answer.statusCode ?? 0, headers: answer.headers, body }
  } catch (error) {
    if (error instanceof Blocked) return failed(error.message)
    return retry(reasonOf(error))
  }
}

/** A parsed object, or nothing. */
export function objectOf(body: Buffer | string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
