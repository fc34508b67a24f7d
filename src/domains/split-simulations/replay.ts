import { feeOf } from '../ledger/rules.ts'
import {
  type Division,
  divide,
  type FeeMode,
  feesOf,
  type Terms,
  withoutDivision,
} from '../splits/rules.ts'

/**
 * What was sold, divided twice: by what counts, and by what is asked about. The computation of a
 * piece is that of the live split; both sides begin without carries. What was refunded is taken back
 * at the end of the day of its refund.
 */
export type SideParty = {
  readonly orgId: number
  readonly name: string
  readonly ratioBp: number
  readonly isCollector: boolean
  /** A channel that gave it its share cannot take it back. */
  readonly keeps: boolean
}
export type Side = {
  readonly parties: readonly SideParty[]
  readonly feeMode: FeeMode
  readonly capBp: number | null
  readonly feeBp: number
}
/** What is otherwise than it was, on the asked side alone; null: as it was. */
export type WhatIf = {
  readonly feeBp: number | null
  readonly refundBp: number | null
  readonly priceBp: number
}
export type Sold = {
  readonly id: number
  readonly deviceId: number
  readonly paid: number
  /** It left the machine; what did not is refunded and never divided. */
  readonly vended: boolean
  /** Of the scope; others of its order only bear their part of the fee. */
  readonly counts: boolean
  /** The day of its refund; null: none. */
  readonly refundedOn: string | null
}
export type SoldOrder = { readonly orderNum: string; readonly units: readonly Sold[] }

const parts = 10_000
/** Edges of the roundings of a share, in hundredths of a fen. */
export const roundingEdges = [-100, -75, -50, -25, 0, 25, 50, 75, 100] as const
const listed = 200
const ranked = 20

type Given = { fee: number; paid: number; deviceId: number; made: Division }
type Sums = { orders: number; units: number; paid: number; refunded: number; fee: number }
const nothing = (): Sums => ({ orders: 0, units: 0, paid: 0, refunded: 0, fee: 0 })

/** One side of the replay. */
function sideOf(side: Side, ours: number, whatIf: WhatIf) {
  const terms: Terms = side
  const zeros = () => side.parties.map(() => 0)
  const collector = side.parties.findIndex(({ isCollector }) => isCollector)
  const mine = side.parties.findIndex(({ orgId }) => orgId === ours)
  const owner = mine < 0 ? collector : mine
  const sums = nothing()
  const given = zeros()
  const least = side.parties.map(() => ({ amount: 0, day: '' }))
  const days = new Map<string, { paid: number; gives: number[] }>()
  const devices = new Map<number, number>()
  const waiting = new Map<string, Given[]>()
  const roundings = Array.from({ length: roundingEdges.length + 1 }, () => 0)
  const over: { orderNum: string; amount: number }[] = []
  let carries: readonly number[] = zeros()
  let [overCount, kept] = [0, 0]

  const dayOf = (day: string) => {
    const known = days.get(day)
    if (known) return known
    const made = { paid: 0, gives: zeros() }
    days.set(day, made)
    return made
  }
  /** What the parties have of a piece: the fee is the collector's where he bears it. */
  function book(day: string, { fee, deviceId, made }: Given, sign: 1 | -1): void {
    const { gives } = dayOf(day)
    for (let i = 0; i < made.gives.length; i += 1) {
      const borne = i === collector && side.feeMode === 'AFTER' ? fee : 0
      const net = sign * ((made.gives[i] ?? 0) - borne)
      given[i] = (given[i] ?? 0) + net
      gives[i] = (gives[i] ?? 0) + net
      if (i === owner) devices.set(deviceId, (devices.get(deviceId) ?? 0) + net)
    }
  }
  function takeBack(day: string, piece: Given): void {
    carries = withoutDivision(piece.made, carries)
    book(day, piece, -1)
    sums.refunded += piece.paid
    sums.fee -= piece.fee
    for (let i = 0; i < piece.made.gives.length; i += 1)
      if (side.parties[i]?.keeps) kept += piece.made.gives[i] ?? 0
  }
  function round({ entitled, gives }: Division): void {
    for (let i = 0; i < gives.length; i += 1) {
      const hundredths = ((gives[i] ?? 0) * parts - (entitled[i] ?? 0)) / 100
      let at = 0
      while (at < roundingEdges.length && hundredths >= (roundingEdges[at] ?? 0)) at += 1
      roundings[at] = (roundings[at] ?? 0) + 1
    }
  }

  return {
    sell(day: string, { orderNum, units }: SoldOrder): void {
      const paid = units.map((unit) => priced(unit.paid, whatIf.priceBp))
      const total = paid.reduce((sum, one) => sum + one, 0)
      const fees = feesOf(feeOf(total, whatIf.feeBp ?? side.feeBp), paid)
      let [sold, above] = [false, 0]
      units.forEach((unit, n) => {
        if (!unit.vended || !unit.counts) return
        sold = true
        const [fee, price] = [fees[n] ?? 0, paid[n] ?? 0]
        const made = divide({ paid: price, fee }, terms, carries)
        carries = made.carries
        const piece = { fee, paid: price, deviceId: unit.deviceId, made }
        sums.units += 1
        sums.paid += price
        sums.fee += fee
        dayOf(day).paid += price
        book(day, piece, 1)
        round(made)
        // a whole fen that is owed is one the cap kept back
        const most = made.carries.reduce(
          (a, carry, i) => (i === collector ? a : a + wholeFen(carry)),
          0,
        )
        if (side.capBp !== null) above += most
        const back = refundDay(unit, day, whatIf.refundBp)
        if (back === null) return
        const queue = waiting.get(back)
        if (queue) queue.push(piece)
        else waiting.set(back, [piece])
      })
      if (sold) sums.orders += 1
      if (above === 0) return
      overCount += 1
      if (over.length < listed) over.push({ orderNum, amount: above })
    },
    /** Takes back what was refunded on the day, and looks who has less than nothing of it. */
    endDay(day: string): void {
      for (const piece of waiting.get(day) ?? []) takeBack(day, piece)
      waiting.delete(day)
      const gives = days.get(day)?.gives
      gives?.forEach((give, i) => {
        const low = least[i]
        if (low && give < low.amount) Object.assign(low, { amount: give, day })
      })
    },
    /** Refunds after the last day of the range. */
    later: (): string[] => [...waiting.keys()].sort(),
    result: () => ({
      sums,
      given,
      least,
      days,
      devices,
      roundings,
      carries,
      over,
      overCount,
      kept,
    }),
  }
}
const wholeFen = (carry: number): number => Math.floor(Math.max(0, carry) / parts)

const priced = (paid: number, bp: number): number =>
  bp === 0 ? paid : Math.floor((paid * (parts + bp) + parts / 2) / parts)

/** As it was; or so many of them, always the same ones. */
function refundDay({ id, refundedOn }: Sold, day: string, refundBp: number | null): string | null {
  if (refundBp === null) return refundedOn
  const pick = Math.imul(id ^ (id >>> 16), 0x45d9f3b) >>> 0
  return pick % parts < refundBp ? day : null
}

export type Replay = ReturnType<typeof replay>
/** `owner`: whose machines they are. */
export function replay(before: Side, after: Side, owner: number, whatIf: WhatIf) {
  const asItWas = { feeBp: null, refundBp: null, priceBp: 0 }
  const both = [sideOf(before, owner, asItWas), sideOf(after, owner, whatIf)] as const
  let today = ''
  const closeUntil = (day: string) => {
    if (today && today !== day) {
      for (const side of both) side.endDay(today)
      // days without sales have refunds, too
      for (const side of both)
        for (const late of side.later().filter((one) => one < day)) side.endDay(late)
    }
    today = day
  }
  return {
    /** Orders come by their time. */
    sell(day: string, order: SoldOrder): void {
      closeUntil(day)
      for (const side of both) side.sell(day, order)
    },
    result(names: ReadonlyMap<number, string>) {
      closeUntil('')
      for (const side of both) for (const late of side.later()) side.endDay(late)
      return resultOf(before, after, [both[0].result(), both[1].result()], names)
    },
  }
}

type Half = ReturnType<ReturnType<typeof sideOf>['result']>
function resultOf(
  before: Side,
  after: Side,
  [was, is]: readonly [Half, Half],
  names: ReadonlyMap<number, string>,
) {
  const ids = [...new Set([...after.parties, ...before.parties].map(({ orgId }) => orgId))]
  const at = (side: Side, orgId: number) => side.parties.findIndex((one) => one.orgId === orgId)
  const of = (side: Side, values: readonly number[], orgId: number) => values[at(side, orgId)] ?? 0
  const parties = ids.map((orgId) => ({
    orgId,
    name: [...after.parties, ...before.parties].find((one) => one.orgId === orgId)?.name ?? '',
    ...{ before: of(before, was.given, orgId), after: of(after, is.given, orgId) },
    carry: of(after, is.carries, orgId),
    negative: least(is.least[at(after, orgId)]),
  }))
  const days = [...new Set([...was.days.keys(), ...is.days.keys()])].sort().map((day) => ({
    day,
    paid: is.days.get(day)?.paid ?? 0,
    before: ids.map((orgId) => of(before, was.days.get(day)?.gives ?? [], orgId)),
    after: ids.map((orgId) => of(after, is.days.get(day)?.gives ?? [], orgId)),
  }))
  const devices = [...new Set([...was.devices.keys(), ...is.devices.keys()])]
    .map((id) => ({
      id,
      name: names.get(id) ?? '',
      ...{ before: was.devices.get(id) ?? 0, after: is.devices.get(id) ?? 0 },
    }))
    .sort((a, b) => b.after - b.before - (a.after - a.before) || a.id - b.id)
  return {
    before: was.sums,
    after: is.sums,
    parties,
    days,
    winners: devices.filter((one) => one.after > one.before).slice(0, ranked),
    losers: devices
      .filter((one) => one.after < one.before)
      .slice(-ranked)
      .reverse(),
    overCap: { count: is.overCount, list: is.over },
    kept: is.kept,
    roundings: is.roundings,
  }
}
const least = (low: { amount: number; day: string } | undefined) =>
  low && low.amount < 0 ? low : null
