import type { Op, WithdrawReason } from '../../contract.ts'

/** What somebody did at a lane. A count says what was there before anything was taken or put in. */
export type Said = {
  readonly countedQty: number | null
  readonly countedAt: string | null
  readonly addedQty: number
  readonly withdrawnQty: number
  readonly withdrawReason: WithdrawReason | null
  readonly batchId: number | null
  readonly codes: readonly string[]
}
export const differReasons = ['NO_ROOM', 'SHORT', 'WRONG', 'STOCK_OFF', 'OTHER'] as const
export type DifferReason = (typeof differReasons)[number]

/** A lane of a visit as it stands on the screen; `said`: what operations say of it so far. */
export type Entry = Said & {
  readonly clientId: string
  readonly laneId: number
  readonly productId: number
  readonly doneAt: string
  /** What to add to the phone's clock of that moment, in milliseconds. */
  readonly clockOffset: number
  readonly skipped: boolean
  readonly differReason: DifferReason | null
  readonly said: Said
}
export type Change = Partial<Said & Pick<Entry, 'skipped' | 'differReason'>>

export const nothingSaid: Said = {
  countedQty: null,
  countedAt: null,
  addedQty: 0,
  withdrawnQty: 0,
  withdrawReason: null,
  batchId: null,
  codes: [],
}

/** The entry after a change that was made now. */
export function changed(
  before: Entry | undefined,
  lane: Pick<Entry, 'clientId' | 'laneId' | 'productId'>,
  change: Change,
  at: { now: string; clockOffset: number },
): Entry {
  const entry = before ?? {
    ...lane,
    ...nothingSaid,
    said: nothingSaid,
    skipped: false,
    differReason: null,
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
export const wantsReason = (entry: Entry, planned: number): boolean =>
  says(entry) && Math.abs(entry.addedQty - planned) > mostOff

type Bare = Omit<Op, 'opId' | 'clientSeq'>
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
    ...more,
  })
  const since = (from: Said): Bare[] => {
    const added = entry.addedQty - from.addedQty
    const out = entry.withdrawnQty - from.withdrawnQty
    return [
      ...(entry.countedQty !== null && entry.countedAt !== from.countedAt
        ? [op('COUNT', entry.countedQty, entry.countedAt ?? doneAt)]
        : []),
      ...(out > 0
        ? [op('WITHDRAW', out, doneAt, { reason: entry.withdrawReason ?? 'TAKE_BACK' })]
        : []),
      ...(added > 0
        ? [
            op('ADD', added, doneAt, {
              batchId: entry.batchId,
              codes: entry.codes.filter((code) => !from.codes.includes(code)),
            }),
          ]
        : []),
    ]
  }
  return grew(entry) ? since(said) : [op('CLEAR', 0, doneAt), ...since(nothingSaid)]
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
    said.codes.every((code) => entry.codes.includes(code)) &&
    // codes without a piece more are of pieces that were said already
    (entry.codes.length === said.codes.length || entry.addedQty > said.addedQty)
  )
}

/** What is to be said of it, and was not yet. */
export const isUnsaid = (entry: Entry): boolean => opsOf(entry).length > 0

export const saidNow = ({
  countedQty,
  countedAt,
  addedQty,
  withdrawnQty,
  withdrawReason,
  batchId,
  codes,
}: Entry): Said => ({
  countedQty,
  countedAt,
  addedQty,
  withdrawnQty,
  withdrawReason,
  batchId,
  codes,
})

/** What the visit comes to, as the phone knows the stock. */
export function sumsOf(
  entries: readonly Entry[],
  lanes: readonly { id: number; quantity: number; planned: number }[],
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
