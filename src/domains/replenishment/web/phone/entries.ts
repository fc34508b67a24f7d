import type { differences, Op, withdrawReasons } from '../../contract.ts'

/** What somebody did at a lane. A count says what was there before anything was taken or put in. */
export type Said = {
  readonly countedQty: number | null
  readonly countedAt: string | null
  readonly addedQty: number
  readonly withdrawnQty: number
  readonly withdrawReason: (typeof withdrawReasons)[number] | null
  readonly batchId: number | null
  readonly codes: readonly string[]
  /** Why less or more was put in than planned. */
  readonly differs: (typeof differences)[number] | null
  /** How the lane is broken; empty: it is not. */
  readonly fault: string
}

/** A lane of a visit as it stands on the screen; `said`: what operations say of it so far. */
export type Entry = Said & {
  readonly clientId: string
  readonly laneId: number
  readonly productId: number
  readonly doneAt: string
  /** What to add to the phone's clock of that moment, in milliseconds. */
  readonly clockOffset: number
  readonly skipped: boolean
  readonly planned: number
  /** The last flow of the lane that the phone knew. */
  readonly baseSeq: number | null
  readonly said: Said
}
/** The lane it is about, as it was taken along. */
export type About = Pick<Entry, 'clientId' | 'laneId' | 'productId' | 'planned' | 'baseSeq'>
export type Change = Partial<Said & Pick<Entry, 'skipped'>>

export const nothingSaid: Said = {
  countedQty: null,
  countedAt: null,
  addedQty: 0,
  withdrawnQty: 0,
  withdrawReason: null,
  batchId: null,
  codes: [],
  differs: null,
  fault: '',
}

/** The entry after a change that was made now. */
export function changed(
  before: Entry | undefined,
  lane: About,
  change: Change,
  at: { now: string; clockOffset: number },
): Entry {
  const entry = before ?? {
    ...lane,
    ...nothingSaid,
    said: nothingSaid,
    skipped: false,
  }
  const counts = change.countedQty !== undefined && change.countedQty !== entry.countedQty
  return {
    ...entry,
    ...change,
    doneAt: at.now,
    clockOffset: at.clockOffset,
    ...(counts ? { countedAt: change.countedQty === null ? null : at.now } : {}),
  }
}

export const says = (entry: Said): boolean =>
  entry.countedQty !== null || entry.addedQty + entry.withdrawnQty > 0

/** Pieces that differ from the plan by more than this want a reason. */
const mostOff = 1
export const isOff = (entry: Entry): boolean =>
  says(entry) && Math.abs(entry.addedQty - entry.planned) > mostOff

export type Bare = Omit<Op, 'opId' | 'clientSeq'>
/**
 * Operations that tell the server what changed since the last ones. What only grew is told by its
 * growth; what was taken back is said anew, each part with its own moment.
 */
export function opsOf(entry: Entry): Bare[] {
  const { said, laneId, productId, doneAt } = entry
  const op = (kind: Op['kind'], qty: number, madeAt: string, more: Partial<Bare> = {}): Bare => ({
    kind,
    laneId,
    productId,
    qty,
    batchId: null,
    codes: [],
    madeAt,
    note: '',
    ...(entry.baseSeq === null ? {} : { baseSeq: entry.baseSeq }),
    ...more,
  })
  const why = {
    planned: entry.planned,
    ...(entry.differs ? { differs: entry.differs } : {}),
  }
  const since = (from: Said): Bare[] => {
    const added = entry.addedQty - from.addedQty
    const out = entry.withdrawnQty - from.withdrawnQty
    return [
      ...(entry.countedQty !== null && entry.countedAt !== from.countedAt
        ? [op('COUNT', entry.countedQty, entry.countedAt ?? doneAt, entry.addedQty ? {} : why)]
        : []),
      ...(out > 0
        ? [op('WITHDRAW', out, doneAt, { reason: entry.withdrawReason ?? 'TAKE_BACK' })]
        : []),
      ...(added > 0
        ? [
            op('ADD', added, doneAt, {
              batchId: entry.batchId,
              codes: entry.codes.filter((code) => !from.codes.includes(code)),
              ...why,
            }),
          ]
        : []),
    ]
  }
  return [
    ...(grew(entry) ? since(said) : [op('CLEAR', 0, doneAt), ...since(nothingSaid)]),
    ...(entry.fault && entry.fault !== said.fault
      ? [op('FAULT', 0, doneAt, { note: entry.fault })]
      : []),
  ]
}

/** Nothing of what was said before became less, or something else. */
function grew(entry: Entry): boolean {
  const { said } = entry
  return (
    (said.countedQty === null || entry.countedQty !== null) &&
    entry.addedQty >= said.addedQty &&
    entry.withdrawnQty >= said.withdrawnQty &&
    (said.addedQty === 0 || entry.batchId === said.batchId) &&
    (said.withdrawnQty === 0 || entry.withdrawReason === said.withdrawReason) &&
    (!says(said) || entry.differs === said.differs) &&
    said.codes.every((code) => entry.codes.includes(code)) &&
    // codes without a piece more are of pieces that were said already
    (entry.codes.length === said.codes.length || entry.addedQty > said.addedQty)
  )
}

/** What is to be said of it, and was not yet. */
export const isUnsaid = (entry: Entry): boolean => opsOf(entry).length > 0

export const saidNow = (entry: Entry): Said =>
  Object.fromEntries(
    Object.keys(nothingSaid).map((key) => [key, entry[key as keyof Said]]),
  ) as unknown as Said

/** What the visit comes to, as the phone knows the stock. */
export function sumsOf(
  entries: readonly Entry[],
  lanes: readonly { readonly id: number; readonly quantity: number; readonly planned: number }[],
) {
  const of = new Map(entries.map((entry) => [entry.laneId, entry]))
  const sum = (each: (entry: Entry) => number) => entries.reduce((all, one) => all + each(one), 0)
  const stock = new Map(lanes.map((lane) => [lane.id, lane.quantity]))
  const plan = lanes.reduce((all, lane) => all + lane.planned, 0)
  const kept = lanes.reduce(
    (all, lane) => all + Math.min(lane.planned, of.get(lane.id)?.addedQty ?? 0),
    0,
  )
  return {
    a: sum((entry) => entry.addedQty),
    b: sum((entry) => entry.withdrawnQty),
    c: sum((entry) =>
      entry.countedQty === null ? 0 : entry.countedQty - (stock.get(entry.laneId) ?? 0),
    ),
    /** Per cent of the plan that was kept. */
    p: plan === 0 ? 100 : Math.round((100 * kept) / plan),
  }
}
