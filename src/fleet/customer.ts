import { createHmac, randomUUID } from 'node:crypto'
import type { Random } from '../seed/random.ts'

/** A customer at a machine: looks, orders, pays; only by the public calls. */
export type Http = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) => Promise<{ status: number; body: unknown }>
type CustomerOptions = {
  readonly http: Http
  readonly random: Random
  readonly payKey: string
  readonly walkAway: number
  now(): number
  pause(ms: number): Promise<void>
  /** The provider took the money and the platform has said what it made of it. */
  paid(payment: { orderNum: string; outTradeNo: string; amount: number; result: string }): void
}
type Outcome = 'bought' | 'walked' | 'nothing' | 'refused' | 'failed'

type Lane = { roadIndex: number; price: number; available: boolean; restriction: number }
type Ordered = { orderNum: string; payableAmount: number; outTradeNo: string }

export async function shop(options: CustomerOptions, rtuNumber: string): Promise<Outcome> {
  const { http, random } = options
  const shelf = await http('GET', `/mobile/devices/${rtuNumber}/lanes`)
  if (shelf.status !== 200)
    return shelf.status >= 500 || shelf.status === 429 ? 'failed' : 'refused'
  const items = choose(random, (shelf.body as { list: Lane[] }).list)
  if (items.length === 0) return 'nothing'
  const order = {
    rtuNumber,
    items,
    payType: random.chance(0.6) ? 'WECHAT' : 'ALIPAY',
    clientId: randomUUID(),
    consumer: `wx_${random.int(100_000, 999_999)}`,
  }
  const made = await insist(options, 4, () => http('POST', '/mobile/orders', order))
  if (made.status !== 200) return made.status >= 500 || made.status === 429 ? 'failed' : 'refused'
  await options.pause(1000 + random.int(0, 4000))
  if (random.chance(options.walkAway)) return 'walked'
  return (await pay(options, made.body as Ordered)) ? 'bought' : 'failed'
}

/** One to three pieces of what can be bought. */
function choose(
  random: Random,
  list: readonly Lane[],
): { roadIndex: number; count: number; price: number }[] {
  const sellable = list.filter((lane) => lane.available)
  if (sellable.length === 0) return []
  const chosen = new Map<Lane, number>()
  for (let pieces = random.chance(0.7) ? 1 : random.int(2, 3); pieces > 0; pieces -= 1) {
    const lane = random.pick(sellable)
    const count = chosen.get(lane) ?? 0
    if (lane.restriction === 0 || count < lane.restriction) chosen.set(lane, count + 1)
  }
  return [...chosen].map(([lane, count]) => ({
    roadIndex: lane.roadIndex,
    count,
    price: lane.price,
  }))
}

/** What the provider does: tells the platform, with the same ids until it is understood. */
async function pay(
  options: CustomerOptions,
  { orderNum, outTradeNo, payableAmount }: Ordered,
): Promise<boolean> {
  const { payKey } = options
  const eventId = randomUUID()
  const tradeNo = `SIM${eventId.replaceAll('-', '').slice(0, 24)}`
  const paidAt = new Date(options.now()).toISOString()
  const sign = createHmac('sha256', payKey)
    .update(`${eventId}|${outTradeNo}|${tradeNo}|${payableAmount}|${paidAt}`)
    .digest('hex')
  const told = await insist(options, 40, () =>
    options.http('POST', '/pay/simulator/notify', {
      eventId,
      outTradeNo,
      tradeNo,
      amount: payableAmount,
      paidAt,
      sign,
    }),
  )
  if (told.status !== 200) return false
  options.paid({
    orderNum,
    outTradeNo,
    amount: payableAmount,
    result: (told.body as { result: string }).result,
  })
  return true
}

/** Repeats while nobody answers or the platform is busy; the calls carry their own ids. */
async function insist(
  options: CustomerOptions,
  tries: number,
  call: () => Promise<{ status: number; body: unknown }>,
): Promise<{ status: number; body: unknown }> {
  for (let n = 1; ; n += 1) {
    const answer = await call().catch(() => ({ status: 599, body: null }))
    if ((answer.status < 500 && answer.status !== 429) || n >= tries) return answer
    await options.pause(Math.min(1000 * 2 ** (n - 1), 15_000))
  }
}
