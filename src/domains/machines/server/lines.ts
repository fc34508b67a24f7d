/** Bounds on what waits: in all, and of one organisation. */
export type LineLimits = {
  readonly most: number
  readonly mostBytes: number
  readonly mostOfOne: number
  readonly mostBytesOfOne: number
}
type Waiting = { readonly size: number; readonly at: Date }
type Line<T> = {
  readonly orgId: number
  items: T[]
  inHand: number
  bytes: number
  readonly held: { readonly item: T; go(): void }[]
  spokeAt: number
}

export type Lines<T> = {
  /** Holds the sender back while too much waits, of his organisation or in all. */
  add(orgId: number, item: T): Promise<void>
  /** Whether it has as much waiting as one organisation may. */
  isFull(orgId: number): boolean
  /**
   * The next ones, one of each organisation in turn; they count as waiting until they are settled.
   */
  take(count: number, now: number): readonly T[]
  settle(): void
  readonly size: number
  /**
   * How late the platform is, in milliseconds: how long the batch takes that is in hand, or the
   * oldest waits. An organisation that waits longer than all others is late by its own doing.
   */
  behind(now: number): number
}

const quietMs = 60_000

/**
 * A line for each organisation, in the order of arrival: who says much waits behind himself, not
 * before others.
 */
export function openLines<T extends Waiting>(limits: LineLimits): Lines<T> {
  const lines = new Map<number, Line<T>>()
  let inHand: [Line<T>, T][] = []
  let takenAt = 0
  let size = 0
  let bytes = 0

  const ownFull = (line: Line<T>): boolean =>
    line.items.length + line.inHand >= limits.mostOfOne || line.bytes >= limits.mostBytesOfOne
  const full = (line: Line<T>): boolean =>
    size >= limits.most || bytes >= limits.mostBytes || ownFull(line)
  function push(line: Line<T>, item: T): void {
    line.items.push(item)
    line.bytes += item.size
    size += 1
    bytes += item.size
  }

  return {
    async add(orgId, item) {
      const line = lines.get(orgId) ?? {
        orgId,
        items: [],
        inHand: 0,
        bytes: 0,
        held: [],
        spokeAt: 0,
      }
      lines.set(orgId, line)
      line.spokeAt = item.at.getTime()
      if (line.held.length === 0 && !full(line)) return push(line, item)
      await new Promise<void>((go) => line.held.push({ item, go }))
    },
    isFull(orgId) {
      const line = lines.get(orgId)
      return line !== undefined && ownFull(line)
    },
    take(count, now) {
      takenAt = now
      let open = [...lines.values()].filter((line) => line.items.length)
      while (inHand.length < count && open.length) {
        for (const line of open.slice(0, count - inHand.length)) {
          inHand.push([line, line.items.shift() as T])
          line.inHand += 1
          // served, so last in the next batch
          lines.delete(line.orgId)
          lines.set(line.orgId, line)
        }
        open = open.filter((line) => line.items.length)
      }
      return inHand.map(([, item]) => item)
    },
    settle() {
      for (const [line, item] of inHand) {
        line.inHand -= 1
        line.bytes -= item.size
        bytes -= item.size
      }
      size -= inHand.length
      inHand = []
      for (let open = [...lines.values()]; open.length; ) {
        open = open.filter((line) => line.held.length && !full(line))
        for (const line of open) {
          const next = full(line) ? undefined : line.held.shift()
          if (!next) continue
          push(line, next.item)
          next.go()
        }
      }
    },
    get size() {
      return size
    },
    behind(now) {
      for (const [org, line] of lines)
        if (
          line.items.length + line.inHand + line.held.length === 0 &&
          now - line.spokeAt > quietMs
        )
          lines.delete(org)
      const taken = new Map(inHand.toReversed())
      const waits = [...lines.values()].map((line) => {
        const first = taken.get(line) ?? line.items[0]
        return first ? Math.max(0, now - first.at.getTime()) : 0
      })
      const [longest = 0, next] = waits.sort((a, b) => b - a)
      return Math.max(next ?? longest, inHand.length ? now - takenAt : 0)
    },
  }
}
