import {
  debtNetted,
  type Entry,
  type Of,
  splitAlloc,
  splitReturn,
  type Voucher,
} from '../ledger/rules.ts'
import {
  type Division,
  divide,
  dueOf,
  type FailReason,
  feesOf,
  type NoReturn,
  nettedOf,
  type Party,
  type SplitState,
  soonestSeconds,
  type Terms,
  withoutDivision,
} from './rules.ts'

/**
 * What happens to the shares of one order, computed from its facts: pieces are shared out when all
 * of them are final, and what was given is taken back when a refund succeeded. Pure; orders of an
 * organisation are planned one after the other over the same `Book`.
 */
export type Version = {
  readonly id: number
  readonly strategyId: number
  readonly collector: number
  /** `orgId`: the party as one number, see `partyOf`. */
  readonly parties: readonly (Party & { readonly orgId: number })[]
  readonly terms: Terms
  readonly timing: Parameters<typeof dueOf>[0]
  readonly timingNumber: number | null
}
/** One of an order, for each version that its pieces were sold under; the first comes first. */
export type Split = {
  readonly id: number
  readonly splitNo: string
  readonly state: SplitState
  readonly version: Version
  /** What the channel paid, by party. */
  readonly outs?: readonly Out[]
  /** Something of it is on its way back. */
  readonly returning?: boolean
}
/** A share that went out: what of it nobody wanted back yet, and why it cannot come back. */
export type Out = { readonly partyNo: number; left: number; readonly why: NoReturn | null }
export type NewReturn = {
  facts: Pick<Facts, 'orgId' | 'deviceId' | 'configId'>
  splitId: number
  partyNo: number
  party: number
  refundNo: string
  amount: number
  why: NoReturn | null
}
export type Facts = {
  readonly orgId: number
  readonly deviceId: number
  readonly orderId: number
  readonly orderAt: Date
  readonly orderNum: string
  readonly configId: number | null
  readonly paidAt: Date
  /** Null: something of it is still open. */
  readonly finalAt: Date | null
  /** What 2001 holds of it: negative when refunds took more than was left there. */
  readonly held: number
  /** What a bill took more of its collector after it was shared out. */
  readonly feeFixed?: number
  readonly splits: readonly Split[]
  readonly units: readonly Unit[]
  readonly shared: readonly Shared[]
}
/** `back`: the refund that succeeded. */
export type Unit = {
  readonly id: number
  readonly no: number
  readonly paid: number
  readonly sold: boolean
  readonly back: string | null
  readonly versionId: number | null
}
export type Shared = {
  readonly splitId: number
  readonly unitId: number
  readonly fee: number
  readonly base: number
  readonly gives: readonly number[]
  /** No strategy was for it: it changed no carry. */
  readonly whole: boolean
  readonly isBack: boolean
}
export type Debt = {
  /** Null: made in this act. */
  readonly id: number | null
  readonly collector: number
  readonly party: number
  rest: number
}
export type NewDebt = Debt & {
  readonly facts: Pick<Facts, 'orgId' | 'deviceId' | 'orderNum'>
  readonly splitId: number
  readonly refundNo: string | null
  amount: number
}
/** What one order leaves for the next one: changed in place. */
export type Book = {
  /** By `carryKey`. */
  readonly carries: Map<string, number>
  /** What 2002 of a party holds. */
  readonly owed: Map<number, number>
  /** Open ones, the oldest first. */
  readonly debts: Debt[]
  readonly debtShareBp: number
}
export type NewUnit = Omit<Shared, 'isBack'> & {
  unitNo: number
  paid: number
  carries: readonly number[]
}
export type Share = { partyNo: number; given: number; returned: number; netted: number }
export type PlannedSplit = {
  readonly split: Split
  readonly state: SplitState
  /** Of one that is shared out now. */
  readonly dueAt: Date | null
  readonly shares: readonly Share[]
}
export type Planned = {
  readonly failReason: FailReason | null
  readonly splits: readonly PlannedSplit[]
  readonly units: readonly NewUnit[]
  readonly backs: readonly number[]
  readonly debts: readonly NewDebt[]
  readonly returns: readonly NewReturn[]
  readonly vouchers: readonly Voucher[]
  /** What 2001 gave, by split: less what came back. */
  readonly given: ReadonlyMap<number, number>
}
type Carrying = Pick<Version, 'strategyId' | 'collector'>
export const carryKey = ({ strategyId, collector }: Carrying, party: number): string =>
  `${strategyId} ${collector} ${party}`

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
const add = <K>(map: Map<K, number>, key: K, by: number) => map.set(key, (map.get(key) ?? 0) + by)
const asTheyAre = ({ splits }: Facts): PlannedSplit[] =>
  splits.map((split) => ({ split, state: split.state, dueAt: null, shares: [] }))
const nothing = (facts: Facts, failReason: FailReason | null = null): Planned => ({
  ...{ failReason, splits: asTheyAre(facts), units: [], backs: [], debts: [] },
  ...{ returns: [], vouchers: [] },
  given: new Map(),
})

export function planOrder(facts: Facts, book: Book): Planned {
  // those of an order are shared out together
  if (facts.splits.some(({ state }) => state !== 'WAIT')) return takeBack(facts, book)
  return facts.finalAt === null ? nothing(facts) : shareOut(facts, book, facts.finalAt)
}

const ofOrder = ({ orgId, orderId, orderNum, configId }: Facts): Of => ({
  ...{ orgId, orderId, orderNum, configId },
})
const carriesOf = (version: Version, { carries }: Book) =>
  version.parties.map(({ orgId }) => carries.get(carryKey(version, orgId)) ?? 0)
const keepCarries = (version: Version, { carries }: Book, after: readonly number[]) => {
  for (const [i, { orgId }] of version.parties.entries())
    carries.set(carryKey(version, orgId), after[i] ?? 0)
}

/** All of it is its collector's. */
function wholly({ terms, parties }: Version, paid: number, fee: number, book: readonly number[]) {
  const base = terms.feeMode === 'BEFORE' ? paid - fee : paid
  const gives = parties.map(({ isCollector }) => (isCollector ? base : 0))
  return { base, gives, carries: book } satisfies Omit<Division, 'entitled'>
}

function shareOut(facts: Facts, book: Book, finalAt: Date): Planned {
  const sold = facts.units.filter((unit) => unit.sold && unit.back === null && unit.paid > 0)
  const paid = sold.map((unit) => unit.paid)
  // a fee whose refunds the channel took back in shares: what is left of it lies on what was sold
  const fee = sum(paid) - facts.held
  if (fee < 0 || fee > sum(paid)) return nothing(facts, 'PENDING_MISMATCH')
  const of = ofOrder(facts)
  const made: Made = { facts, book, debts: [] }
  const units: NewUnit[] = []
  const vouchers: Voucher[] = []
  const given = new Map<number, number>()
  /** What each party of a split is credited. */
  const credits = new Map(facts.splits.map(({ id }) => [id, new Map<number, number>()]))
  for (const [n, unitFee] of feesOf(fee, paid).entries()) {
    const unit = sold[n] as Unit
    const own = facts.splits.find(({ version }) => version.id === unit.versionId)
    const { id: splitId, version } = own ?? (facts.splits[0] as Split)
    const carried = carriesOf(version, book)
    const { base, gives, carries } = own
      ? divide({ paid: unit.paid, fee: unitFee }, version.terms, carried)
      : wholly(version, unit.paid, unitFee, carried)
    keepCarries(version, book, carries)
    const what = { paid: unit.paid, fee: unitFee, base, gives, carries, whole: !own }
    units.push({ splitId, unitId: unit.id, unitNo: unit.no, ...what })
    const entries: Entry[] = [{ account: '2001', amount: unit.paid - unitFee }]
    for (const [i, { orgId, isCollector }] of version.parties.entries()) {
      const bears = isCollector && version.terms.feeMode === 'AFTER' ? unitFee : 0
      const gets = (gives[i] ?? 0) - bears
      add(credits.get(splitId) as Map<number, number>, orgId, Math.max(0, gets))
      add(book.owed, orgId, Math.max(0, gets))
      // a fee beyond what its collector has of the piece
      if (gets < 0) owe(made, { splitId, version, party: orgId, refundNo: null, amount: -gets })
      entries.push({ account: gets < 0 ? '1101' : '2002', amount: -gets, orgId })
    }
    vouchers.push(splitAlloc(unit.no, entries, of))
    add(given, splitId, unit.paid - unitFee)
  }
  const soonest = facts.paidAt.getTime() + 1000 * soonestSeconds
  const splits = facts.splits.map((split): PlannedSplit => {
    const { version } = split
    const own = units.filter(({ splitId }) => splitId === split.id)
    if (!own.length) return { split, state: 'CLOSED', dueAt: null, shares: [] }
    const due = dueOf(version.timing, version.timingNumber, finalAt)
    const shares = version.parties.map(({ orgId }, i) => {
      const netted = net(book, version, orgId, credits.get(split.id)?.get(orgId) ?? 0)
      if (netted > 0) vouchers.push(debtNetted(split.splitNo, orgId, netted, of))
      const given = sum(own.map(({ gives }) => gives[i] ?? 0))
      return { partyNo: i + 1, given, returned: 0, netted }
    })
    const dueAt = due && new Date(Math.max(due.getTime(), soonest))
    return { split, state: 'READY', dueAt, shares }
  })
  return {
    ...{ failReason: null, splits, units, backs: [], debts: made.debts, returns: [] },
    ...{ vouchers, given },
  }
}

type Made = { readonly facts: Facts; readonly book: Book; readonly debts: NewDebt[] }
type Owes = Pick<NewDebt, 'splitId' | 'party' | 'refundNo' | 'amount'> & { version: Version }
/** Several fees of one split that are too large are one debt. */
function owe({ facts, book, debts }: Made, { version: { collector }, ...debt }: Owes): void {
  const same = debts.find(
    ({ splitId, party, refundNo }) =>
      splitId === debt.splitId && party === debt.party && refundNo === debt.refundNo,
  )
  if (same) {
    same.amount += debt.amount
    same.rest += debt.amount
    return
  }
  const made: NewDebt = { ...debt, id: null, facts, collector, rest: debt.amount }
  debts.push(made)
  book.debts.push(made)
}

/** What of a share pays debts of its party to this collector, the oldest first. */
function net(book: Book, { collector }: Version, party: number, share: number): number {
  const own = book.debts.filter(
    (debt) => debt.party === party && debt.collector === collector && debt.rest > 0,
  )
  const amount = nettedOf(share, sum(own.map(({ rest }) => rest)), book.debtShareBp)
  let left = amount
  for (const debt of own) {
    const part = Math.min(left, debt.rest)
    debt.rest -= part
    left -= part
  }
  add(book.owed, party, -amount)
  return amount
}

function takeBack(facts: Facts, book: Book): Planned {
  const byId = new Map(facts.units.map((unit) => [unit.id, unit]))
  const back = facts.shared.flatMap((one) => {
    const refundNo = one.isBack ? null : (byId.get(one.unitId)?.back ?? null)
    const split = facts.splits.find(({ id }) => id === one.splitId)
    return refundNo === null || !split ? [] : [{ ...one, refundNo, split }]
  })
  if (!back.length) return nothing(facts)
  const bears = ({ split, fee }: (typeof back)[number]) =>
    split.version.terms.feeMode === 'AFTER' ? fee : 0
  // fees come back in other parts than they were spread: what differs is the collector's
  const differs = -facts.held - sum(back.map((one) => one.base - bears(one)))
  // and so is what a bill said of its fee after the shares were given
  if (Math.abs(differs) > facts.units.length + Math.abs(facts.feeFixed ?? 0))
    return nothing(facts, 'PENDING_MISMATCH')
  const of = ofOrder(facts)
  const made: Made = { facts, book, debts: [] }
  const vouchers: Voucher[] = []
  const given = new Map<number, number>()
  const returns: NewReturn[] = []
  const outKey = (splitId: number, partyNo: number) => `${splitId} ${partyNo}`
  const outs = new Map<string, Out>(
    facts.splits.flatMap(({ id, outs = [] }) =>
      outs.map((out): [string, Out] => [outKey(id, out.partyNo), { ...out }]),
    ),
  )
  for (const [n, one] of back.entries()) {
    const { version } = one.split
    const { parties } = version
    if (!one.whole) {
      const entitled = parties.map(({ ratioBp }) => one.base * ratioBp)
      const { gives } = one
      const after = withoutDivision({ entitled, gives }, carriesOf(version, book))
      keepCarries(version, book, after)
    }
    for (const [i, { orgId, isCollector }] of parties.entries()) {
      const more = n === back.length - 1 ? differs : 0
      const amount = (one.gives[i] ?? 0) - (isCollector ? bears(one) - more : 0)
      const { splitId, refundNo } = one
      const out = outs.get(outKey(splitId, i + 1))
      const through = Math.min(amount, out?.left ?? 0)
      const owed = Math.min(amount - through, Math.max(0, book.owed.get(orgId) ?? 0))
      const debt = amount - owed
      add(book.owed, orgId, -owed)
      if (out && through > 0) {
        out.left -= through
        const { why, partyNo } = out
        returns.push({ facts, splitId, partyNo, party: orgId, refundNo, amount: through, why })
      }
      // what the channel is asked to bring back is nobody's debt until it says that it cannot
      const theirs = debt - (out?.why === null ? through : 0)
      if (theirs > 0) owe(made, { splitId, version, party: orgId, refundNo, amount: theirs })
      vouchers.push(splitReturn(refundNo, orgId, { owed, debt }, of))
      add(given, splitId, -amount)
    }
  }
  const ids = back.map(({ unitId }) => unitId)
  const splits = facts.splits.map((split): PlannedSplit => {
    const own = back.filter(({ splitId }) => splitId === split.id)
    if (!own.length) return { split, state: split.state, dueAt: null, shares: [] }
    const all = facts.shared.filter(({ splitId }) => splitId === split.id)
    const gone = all.every(({ unitId, isBack }) => isBack || ids.includes(unitId))
    const ended = split.state === 'READY' ? 'CLOSED' : 'RETURNED'
    const comes = returns.some(({ splitId, why }) => splitId === split.id && why === null)
    const state = comes || split.returning ? 'RETURNING' : gone ? ended : split.state
    return {
      ...{ split, state, dueAt: null },
      shares: split.version.parties.map((_, i) => ({
        ...{ partyNo: i + 1, given: 0, netted: 0 },
        returned: sum(own.map(({ gives }) => gives[i] ?? 0)),
      })),
    }
  })
  return {
    ...{ failReason: null, splits, units: [], backs: ids, debts: made.debts, returns },
    ...{ vouchers, given },
  }
}
