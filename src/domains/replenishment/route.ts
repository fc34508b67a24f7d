/**
 * In which order machines are visited: what a visit is worth for each minute that it takes. A pure
 * function of its input; sixty stops take some ten milliseconds.
 */

export type Place = { readonly lng: number; readonly lat: number }
export type Stop = {
  readonly id: number
  readonly at: Place | null
  /** Fen that the visit saves. */
  readonly worth: number
  /** Recalled goods lie there: nothing is worth more. */
  readonly recall: boolean
  /** Minutes of the day between which it is open. */
  readonly opens: readonly (readonly [from: number, to: number])[]
  /** How long the visit takes. */
  readonly minutes: number
}
export type Start = { readonly at: Place | null; readonly minute: number }
export type Planned = {
  readonly order: number[]
  /** Stops that are not reached while they are open: they come last. */
  readonly closed: ReadonlySet<number>
}

/** Roads are longer than the straight line. */
const detour = 1.4
const kmPerMinute = 25 / 60
/** Between places one of which is not known. */
const unknownMinutes = 20
const visitMinutes = 10
const piecesPerMinute = 8
/** A recall counts more than all sales of a day. */
const recallWorth = 1000
/** Every machine is worth something: nobody drives past it twice. */
const leastWorth = 0.05
const mostPasses = 6

const radians = (degrees: number): number => (degrees * Math.PI) / 180
/** As one drives, when nobody knows the roads. */
export function kmBetween(a: Place | null, b: Place | null): number | null {
  if (!a || !b) return null
  const lat = radians(b.lat - a.lat) / 2
  const lng = radians(b.lng - a.lng) / 2
  const half =
    Math.sin(lat) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(lng) ** 2
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(half))) * detour
}
export const minutesFor = (pieces: number): number => visitMinutes + pieces / piecesPerMinute

/** When it can be begun by somebody who is there at that minute; null: not today any more. */
const beginsAt = (minute: number, { opens }: Stop): number | null => {
  const later = opens.filter(([, to]) => minute < to).map(([from]) => Math.max(from, minute))
  return later.length ? Math.min(...later) : null
}

/**
 * Stop after stop where it costs least, those first that are worth most for a minute; then stretches
 * are turned round while that helps. What counts is how long each waits, weighed by its worth.
 */
export function plan(stops: readonly Stop[], start: Start): Planned {
  const all = [...stops].sort((a, b) => a.id - b.id)
  const most = Math.max(1, ...all.map((stop) => stop.worth))
  const weight = all.map((stop) => leastWorth + stop.worth / most + (stop.recall ? recallWorth : 0))
  const places = [...all.map((stop) => stop.at), start.at]
  const legs = places.map((a) =>
    places.map((b) => {
      const km = kmBetween(a, b)
      return km === null ? unknownMinutes : km / kmPerMinute
    }),
  )
  const home = all.length
  /** Waiting times weighed, and when all is done; null: one of them is closed by then. */
  const judge = (tour: readonly number[]): { cost: number; end: number } | null => {
    let minute = start.minute
    let cost = 0
    let before = home
    for (const i of tour) {
      const arrived = minute + (start.at || before !== home ? (legs[before]?.[i] as number) : 0)
      const begun = beginsAt(arrived, all[i] as Stop)
      if (begun === null) return null
      cost += (weight[i] as number) * (begun - start.minute)
      minute = begun + (all[i] as Stop).minutes
      before = i
    }
    return { cost, end: minute }
  }
  let tour: number[] = []
  let now = { cost: 0, end: start.minute }
  const left = new Set(all.keys())
  for (;;) {
    let best: { i: number; tour: number[]; found: { cost: number; end: number } } | null = null
    let bestWorth = -1
    for (const i of left) {
      const put = cheapest(tour, i)
      if (!put) continue
      const worth = (weight[i] as number) / (1 + Math.max(0, put.found.end - now.end))
      if (worth > bestWorth) {
        best = { i, ...put }
        bestWorth = worth
      }
    }
    if (!best) break
    tour = best.tour
    now = best.found
    left.delete(best.i)
  }
  for (let pass = 0; pass < mostPasses && turned(); pass++);
  const closed = [...left].sort((a, b) => (weight[b] as number) - (weight[a] as number))
  const ids = (some: readonly number[]) => some.map((i) => (all[i] as Stop).id)
  return { order: ids([...tour, ...closed]), closed: new Set(ids(closed)) }

  function cheapest(among: readonly number[], i: number) {
    let best: { tour: number[]; found: { cost: number; end: number } } | null = null
    for (let at = 0; at <= among.length; at++) {
      const tried = among.toSpliced(at, 0, i)
      const found = judge(tried)
      if (found && (!best || found.cost < best.found.cost)) best = { tour: tried, found }
    }
    return best
  }
  function turned(): boolean {
    let better = false
    for (let from = 0; from < tour.length - 1; from++)
      for (let to = from + 1; to < tour.length; to++) {
        const tried = [
          ...tour.slice(0, from),
          ...tour.slice(from, to + 1).reverse(),
          ...tour.slice(to + 1),
        ]
        const found = judge(tried)
        if (found && found.cost < now.cost - 1e-6) {
          tour = tried
          now = found
          better = true
        }
      }
    return better
  }
}

/** His own order first; machines he did not place follow as suggested. */
export function ownOrder(own: readonly number[], suggested: readonly number[]): number[] {
  const there = own.filter((id) => suggested.includes(id))
  return [...there, ...suggested.filter((id) => !own.includes(id))]
}

export type Want = { laneId: number; productId: number; pieces: number; worth: number }
/** What goes into which lane when there is less of a product than all want: where it is worth most. */
export function allot(
  wants: readonly Want[],
  loaded: ReadonlyMap<number, number>,
): Map<number, number> {
  const left = new Map(loaded)
  const planned = new Map<number, number>()
  for (const { laneId, productId, pieces } of [...wants].sort(
    (a, b) => b.worth - a.worth || a.laneId - b.laneId,
  )) {
    const room = left.get(productId)
    const some = room === undefined ? pieces : Math.min(pieces, room)
    planned.set(laneId, some)
    if (room !== undefined) left.set(productId, room - some)
  }
  return planned
}
