import { createSign, createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * WeChat Pay and Alipay as far as we speak to them, on 127.0.0.1: they check what we sign, sign and
 * seal what they say, and misbehave when told to.
 */
export type Trade = {
  outTradeNo: string
  tradeNo: string
  amount: number
  state: 'OPEN' | 'PAID' | 'CLOSED'
}
/** Money that a merchant sent to somebody. */
export type Transfer = { no: string; amount: number; payee: string; holder: string; state: string }
/** A share of a payment, as it was asked for and what became of it. */
export type Part = { account: string; amount: number; state: 'PENDING' | 'PAID' | 'FAILED' }
/** What stands at the channel about shares, by our numbers. */
export type Shares = {
  receivers: Map<string, { name: string; relation: string }>
  splits: Map<string, { tradeNo: string; parts: Part[] }>
  returns: Map<string, { splitNo: string; account: string; amount: number; state: string }>
  released: Map<string, string>
  /** Payments that were marked at their order. */
  frozen: Set<string>
  /** Who refuses what he is sent, who has nothing to give back, and who does not let anybody. */
  refusing: Set<string>
  broke: Set<string>
  unwilling: Set<string>
  /** New shares and returns wait until they are asked about once more. */
  late: boolean
}
export type Refund = { refundNo: string; tradeNo: string; amount: number; state: string }
export type Fault =
  | { how: 'DIES' } // before it does anything
  | { how: 'DONE_AND_DIES' } // after it did it
  | { how: 'DONE_THEN'; act: () => void } // and whoever asked never hears of it
  | { how: 'HALF' } // an answer that breaks off
  | { how: 'HTTP'; status: number }
  | { how: 'UNSIGNED' | 'WRONG_KEY' | 'OLD' }
  | { how: 'OTHER' } // what it said of another one
  | { how: 'CODE'; code: string } // a refusal, signed
  | { how: 'HUGE' }
  | { how: 'SLOW'; ms: number }
export type Told = { url: string; headers: Record<string, string>; body: string }
export type StandIn = {
  provider: 'WECHAT' | 'ALIPAY'
  base: string
  /** What `enterMerchant` takes. */
  merchant: Record<string, unknown>
  trades: Map<string, Trade>
  refunds: Map<string, Refund>
  transfers: Map<string, Transfer>
  shares: Shares
  /** Names of the calls that were rightly signed; a wrong one is `BAD …`. */
  calls: string[]
  /** The next calls of this name do this. */
  misbehave(call: string, ...faults: Fault[]): void
  /** What a new refund becomes, and a new transfer. */
  refundsAre(state: string): void
  transfersAre(state: string): void
  pay(outTradeNo: string): Trade
  /** Word of a transfer; of WeChat alone. */
  transferNotice?(configId: number, no: string): Told
  /** Word of a payment; `change` says something else than what is. */
  notice(configId: number, trade: Trade, change?: Change): Told
  /** The bill of a day (of any, where none is said), row by row as given. */
  bill: {
    rows: BillLine[]
    /** Its fund flow, and what lay there before; none: nothing moved. */
    flow: FlowLine[]
    opening: number
    /** Its bill of shares; of WeChat alone. */
    shares: ShareLine[]
    day: string
    /** Somebody else's bill. */
    ofMerchant: string
    broken: boolean
    absent: boolean
    elsewhere: string
  }
  close(): void
}
export type Change = {
  amount?: number
  merchant?: string
  app?: string
  eventId?: string
  state?: string
  wrongKey?: boolean
  otherBody?: boolean
  secondsAgo?: number
  serial?: string
  /** Signed by somebody else, who may say that he is `serial`. */
  by?: KeyObject
}
/** What moved on the account, in the order of the file; ways and balances come of it. */
export type FlowLine = {
  name: string
  type: string
  amount: number
  tradeNo?: string
  outNo?: string
  at?: string
}
/** A share of a trade, or what came back of it, under our number. */
export type ShareLine = {
  tradeNo: string
  no: string
  receiver: string
  amount: number
  back?: boolean
  type?: string
  state?: string
  at?: string
}
/** `raw`: stands there as it is. */
export type BillLine = { trade: Trade; refundNo?: string; amount?: number; raw?: string }

export type Reply = { status?: number; body: string | Buffer; headers?: Record<string, string> }
export type Asked = {
  mchid?: string
  appid?: string
  out_trade_no?: string
  out_refund_no?: string
  transaction_id?: string
  notify_url?: string
  out_bill_no?: string
  openid?: string
  user_name?: string
  transfer_amount?: number
  transfer_scene_id?: string
  amount?: { total?: number; refund?: number } | number
  settle_info?: { profit_sharing?: boolean }
  type?: string
  account?: string
  name?: string
  relation_type?: string
  custom_relation?: string
  out_order_no?: string
  out_return_no?: string
  return_mchid?: string
  unfreeze_unsplit?: boolean
  receivers?: { type: string; account: string; amount: number; description: string }[]
}
export const whole = (amount: Asked['amount']) => (typeof amount === 'object' ? amount : {})
type Handle = (
  request: { name: string; request: IncomingMessage; body: string },
  fault: Fault | undefined,
) => Reply

export const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
export const pem = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }) as string
export const sign = (key: KeyObject, text: string) =>
  createSign('RSA-SHA256').update(text, 'utf8').sign(key, 'base64')
export const fits = (key: KeyObject, text: string, signature: string) =>
  createVerify('RSA-SHA256').update(text, 'utf8').verify(key, signature, 'base64')

export async function listen(
  nameOf: (request: IncomingMessage, body: string) => string,
  handle: Handle,
): Promise<Pick<StandIn, 'base' | 'misbehave' | 'close'>> {
  const faults = new Map<string, Fault[]>()
  const server = createServer(async (request, answer) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    const name = nameOf(request, body)
    const fault = faults.get(name)?.shift()
    if (fault?.how === 'SLOW') await sleep(fault.ms)
    const dies = () => void request.socket.destroy()
    if (fault?.how === 'DIES') return dies()
    if (fault?.how === 'HTTP') return void answer.writeHead(fault.status).end('<html>no</html>')
    if (fault?.how === 'HUGE') return void answer.writeHead(200).end(Buffer.alloc(400_000, 32))
    const reply = handle({ name, request, body }, fault)
    if (fault?.how === 'DONE_AND_DIES') return dies()
    if (fault?.how === 'DONE_THEN') return fault.act()
    const bytes = Buffer.from(reply.body)
    answer.writeHead(reply.status ?? 200, { ...reply.headers, 'content-length': bytes.length })
    if (fault?.how !== 'HALF') return void answer.end(bytes)
    answer.write(bytes.subarray(0, bytes.length / 2))
    setTimeout(dies, 20)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    misbehave: (call, ...more) => faults.set(call, [...(faults.get(call) ?? []), ...more]),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const ofAnother = (text: string): string =>
  text.replace(/"(out_(?:trade|refund|request|bill|biz)_no)":"/g, '"$1":"x')

let numbers = 0
export const store = () => {
  const trades = new Map<string, Trade>()
  const refunds = new Map<string, Refund>()
  const byTrade = (tradeNo: string) => [...trades.values()].find((t) => t.tradeNo === tradeNo)
  const transfers = new Map<string, Transfer>()
  const made = { state: 'SUCCESS', transfer: 'SUCCESS' }
  const open = (outTradeNo: string, amount: number): Trade => {
    const known = trades.get(outTradeNo)
    if (known) return known
    numbers += 1
    const tradeNo = `42000${String(numbers).padStart(10, '0')}${Date.now()}`
    const trade: Trade = { outTradeNo, tradeNo, amount, state: 'OPEN' }
    trades.set(outTradeNo, trade)
    return trade
  }
  const shares: Shares = {
    ...{ receivers: new Map(), splits: new Map(), returns: new Map(), released: new Map() },
    ...{ frozen: new Set(), refusing: new Set(), broke: new Set(), unwilling: new Set() },
    late: false,
  }
  const splitFen = (tradeNo: string) =>
    [...shares.splits.values()]
      .filter((one) => one.tradeNo === tradeNo)
      .flatMap(({ parts }) => parts)
      .reduce((sum, { amount, state }) => sum + (state === 'FAILED' ? 0 : amount), 0)
  return {
    trades,
    refunds,
    open,
    shares,
    /** What of a payment is not split yet, the fee taken off. */
    unsplit: (tradeNo: string): number =>
      shares.released.has(tradeNo)
        ? 0
        : Math.ceil((byTrade(tradeNo)?.amount ?? 0) * 0.994) - splitFen(tradeNo),
    /** The shares of this number, now made or known; a code: why not. */
    split(no: string, tradeNo: string, asked: { account: string; amount: number }[]) {
      const known = shares.splits.get(no)
      if (known)
        return known.tradeNo === tradeNo &&
          JSON.stringify(known.parts.map(({ account, amount }) => ({ account, amount }))) ===
            JSON.stringify(asked)
          ? known
          : 'INVALID_REQUEST'
      const trade = byTrade(tradeNo)
      if (trade?.state !== 'PAID' || !shares.frozen.has(trade.outTradeNo)) return 'INVALID_REQUEST'
      if (asked.some(({ account }) => !shares.receivers.has(account))) return 'NO_AUTH'
      if (asked.reduce((sum, { amount }) => sum + amount, 0) > Math.floor(trade.amount * 0.3))
        return 'RULE_LIMIT'
      if (shares.released.has(tradeNo)) return 'INVALID_REQUEST'
      const made = {
        tradeNo,
        parts: asked.map(
          (part): Part => ({
            ...part,
            state: shares.late ? 'PENDING' : shares.refusing.has(part.account) ? 'FAILED' : 'PAID',
          }),
        ),
      }
      shares.splits.set(no, made)
      return made
    },
    /** Whoever asks a second time hears the end. */
    ended(no: string) {
      const known = shares.splits.get(no)
      for (const part of known?.parts ?? [])
        if (part.state === 'PENDING')
          part.state = shares.refusing.has(part.account) ? 'FAILED' : 'PAID'
      return known
    },
    giveBack(no: string, splitNo: string, account: string, amount: number) {
      const known = shares.returns.get(no)
      if (known) return known.amount === amount && known.account === account ? known : 'PARAM_ERROR'
      const part = shares.splits.get(splitNo)?.parts.find((one) => one.account === account)
      const given = [...shares.returns.values()]
        .filter((one) => one.splitNo === splitNo && one.account === account)
        .reduce((sum, one) => sum + one.amount, 0)
      if (part?.state !== 'PAID' || given + amount > part.amount) return 'INVALID_REQUEST'
      if (shares.unwilling.has(account)) return 'NO_AUTH'
      if (shares.broke.has(account)) return 'NOT_ENOUGH'
      const made = { splitNo, account, amount, state: shares.late ? 'PROCESSING' : 'SUCCESS' }
      shares.returns.set(no, made)
      return made
    },
    bill: {
      ...{ rows: [] as BillLine[], day: '', ofMerchant: '' },
      ...{ flow: [] as FlowLine[], opening: 0, shares: [] as ShareLine[] },
      ...{ broken: false, absent: false, elsewhere: '' },
    },
    refundsAre: (state: string) => {
      made.state = state
    },
    transfers,
    transfersAre: (state: string) => {
      made.transfer = state
    },
    /** The transfer of this number, now made or known; null: known as another. */
    transfer(no: string, amount: number, payee: string, holder: string): Transfer | null {
      const known = transfers.get(no)
      if (known) return known.amount === amount && known.payee === payee ? known : null
      const transfer = { no, amount, payee, holder, state: made.transfer }
      transfers.set(no, transfer)
      return transfer
    },
    pay(outTradeNo: string): Trade {
      const trade = trades.get(outTradeNo)
      if (trade?.state !== 'OPEN') throw new Error(`nobody can pay ${outTradeNo}`)
      trade.state = 'PAID'
      return trade
    },
    /** The refund of this number, now made or known; null: more than was paid. */
    refund(refundNo: string, tradeNo: string, amount: number): Refund | null {
      const known = refunds.get(refundNo)
      if (known) return known
      const paid = byTrade(tradeNo)
      const given = [...refunds.values()]
        .filter((refund) => refund.tradeNo === tradeNo)
        .reduce((sum, refund) => sum + refund.amount, 0)
      if (paid?.state !== 'PAID' || given + amount > paid.amount) return null
      const refund = { refundNo, tradeNo, amount, state: made.state }
      refunds.set(refundNo, refund)
      return refund
    },
  }
}
export const shanghai = (at: Date) =>
  new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
export const yuan = (fen: number) => (fen / 100).toFixed(2)

/** What a file of them says of each: when, its number, what lay there afterwards. */
export const flowLines = (rows: readonly FlowLine[], day: string, opening: number) => {
  let balance = opening
  return rows.map(({ at = `${day} 14:00:00`, tradeNo = '', outNo = '', ...row }, n) => {
    balance += row.amount
    return { ...row, at, tradeNo, outNo, flowNo: `${day.replaceAll('-', '')}${n}`, balance }
  })
}
