import { addDays, shanghaiDay, startOfDay } from '../shared/instants.ts'
import type { FlowRow, OrderRow, SeedDevice, SeedLane, UnitRow } from './history.ts'
import { createRandom, type Random } from './random.ts'
import { DEMO_DAYS } from './rhythm.ts'

export type Sale = { unit: UnitRow; order: OrderRow }
type Back = Omit<FlowRow, 'id' | 'seq'>

/**
 * What explains every lane: pieces that were sold, and visits of replenishers who filled several
 * lanes at a time.
 */
export function flowsOf(
  devices: readonly SeedDevice[],
  sold: readonly Sale[],
  now: Date,
): FlowRow[] {
  const sales = Map.groupBy(sold, ({ order }) => order.device.id)
  const flows: FlowRow[] = []
  for (const device of devices) {
    const seqs = new Map<SeedLane, number>()
    for (const flow of backwards(device, sales.get(device.id) ?? [], now).reverse()) {
      const seq = (seqs.get(flow.lane) ?? 0) + 1
      seqs.set(flow.lane, seq)
      const id = flows.length + 1
      if (flow.unit) flow.unit.flow_id = id
      flows.push({ ...flow, id, seq })
    }
  }
  return flows
}

/**
 * Found backwards from what the lanes hold today: a sale puts one back. Where the sales of a day
 * would overflow a lane, somebody must have been there at the end of it, and filled whatever was
 * rather empty. The first visit filled the empty machine.
 */
function backwards(device: SeedDevice, unsorted: readonly Sale[], now: Date): Back[] {
  const random = createRandom(`flows ${device.demo.rtuNumber}`)
  const sales = unsorted.toSorted((a, b) => a.unit.finished.getTime() - b.unit.finished.getTime())
  const held = new Map(device.lanes.map((lane) => [lane, lane.quantity]))
  const fullOf = (lane: SeedLane) => held.get(lane) ?? 0
  const back: Back[] = []
  const next = () => (back.at(-1)?.at ?? now).getTime()
  /** Lane after lane, and away before the next sale. */
  const visit = (at: number, addedTo: (lane: SeedLane, full: number) => number) => {
    const by = (random.chance(0.8) ? device.replenishers[0] : device.replenishers.at(-1)) ?? null
    const step = Math.min(20_000, (next() - at) / (device.lanes.length + 1))
    for (const [n, lane] of [...device.lanes.entries()].reverse()) {
      const full = fullOf(lane)
      const added = Math.min(full, addedTo(lane, full))
      if (added === 0) continue
      held.set(lane, full - added)
      back.push({
        lane,
        at: new Date(Math.round(at + n * step)),
        change: added,
        before: full - added,
        unit: null,
        order: null,
        by,
      })
    }
  }
  /** What is rather full was filled, and so much that what was sold before fits in again. */
  const filled = (lane: SeedLane, full: number, sold: number) =>
    Math.max(
      0,
      full + sold - lane.capacity,
      full >= lane.capacity * 0.6 ? portion(full, random) : 0,
    )
  const undo = ({ unit, order }: Sale) => {
    const { lane, finished: at } = unit
    // more than the lane holds was sold between two visits: there was one more
    if (fullOf(lane) + 1 > lane.capacity)
      visit((at.getTime() * 2 + next()) / 3, (one, full) => filled(one, full, one === lane ? 1 : 0))
    held.set(lane, fullOf(lane) + 1)
    back.push({ lane, at, change: -1, before: fullOf(lane), unit, order, by: null })
  }
  for (const [at, before] of comings(now, random)) {
    while (sales.length && (sales.at(-1) as Sale).unit.finished.getTime() > at)
      undo(sales.pop() as Sale)
    if (before === null) visit(at, (_, full) => full)
    const day = Map.groupBy(
      sales.filter(({ unit }) => before !== null && unit.finished.getTime() > before),
      ({ unit }) => unit.lane,
    )
    const sold = (lane: SeedLane) => day.get(lane)?.length ?? 0
    if (device.lanes.some((lane) => fullOf(lane) + sold(lane) > lane.capacity))
      visit(at, (lane, full) => filled(lane, full, sold(lane)))
  }
  return back
}

/**
 * When somebody might have come, the latest first, each with the time before it: once a day at the
 * machine's own hour.
 */
function comings(now: Date, random: Random): [at: number, before: number | null][] {
  const hour = random.int(8, 16)
  const times = Array.from(
    { length: DEMO_DAYS + 1 },
    (_, n) =>
      startOfDay(addDays(shanghaiDay(now), -n)).getTime() +
      hour * 3_600_000 +
      random.int(0, 3_599_999),
  )
  times[0] = Math.min(times[0] as number, now.getTime() - random.int(10, 50) * 60_000)
  return times.map((at, n) => [at, times[n + 1] ?? null])
}

/** Of what is in the lane, the part that was put in last. */
const portion = (full: number, random: Random): number =>
  Math.max(1, Math.round(full * (0.55 + random.next() * 0.45)))
