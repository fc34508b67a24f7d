import { common, type ErrorDef, Refusal } from '../shared/errors.ts'

/**
 * Reads that scan (lists, sums, figures) and files of people take turns, so that they never fill
 * what machines and money need. Organisations are served one after the other, however much each
 * asks; who waits too long, or finds the places of his organisation taken, is told to come again.
 */
export type FairQueue = { take<T>(of: Asker, work: () => Promise<T>): Promise<T> }
/** An organisation; where nobody is signed in, an address. */
type Asker = number | string
/**
 * `each`: at once of one organisation; `waiting`: its places in the queue; `full`: what it is told
 * when they are taken.
 */
export type FairQueueLimits = {
  readonly atOnce: number
  readonly each?: number
  readonly waiting: number
  readonly waitMs: number
  readonly full?: ErrorDef
}

export function openFairQueue(limits: FairQueueLimits): FairQueue {
  // the first organisation is the one whose turn it is; a queue that is empty is not there
  const queues = new Map<Asker, (() => void)[]>()
  const inside = new Map<Asker, number>()
  let running = 0
  const hasRoom = (of: Asker) =>
    running < limits.atOnce && (inside.get(of) ?? 0) < (limits.each ?? limits.atOnce)

  function enter(of: Asker): void {
    running += 1
    inside.set(of, (inside.get(of) ?? 0) + 1)
  }

  function leave(of: Asker, go: () => void): void {
    const queue = queues.get(of)?.filter((one) => one !== go) ?? []
    if (queue.length) queues.set(of, queue)
    else queues.delete(of)
  }
  function end(ended: Asker): void {
    running -= 1
    const left = (inside.get(ended) ?? 1) - 1
    if (left) inside.set(ended, left)
    else inside.delete(ended)
    // whoever came while it had its turn is before what else it wants
    const more = queues.get(ended)
    if (more) {
      queues.delete(ended)
      queues.set(ended, more)
    }
    const next = queues.entries().find(([of]) => hasRoom(of))
    if (!next) return
    const [of, [go, ...rest]] = next
    queues.delete(of)
    if (rest.length) queues.set(of, rest)
    enter(of)
    go?.()
  }
  function wait(of: Asker): Promise<void> {
    const queue = queues.get(of) ?? []
    if (queue.length >= limits.waiting) throw new Refusal(limits.full ?? common.busy)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        leave(of, go)
        reject(new Refusal(common.busy))
      }, limits.waitMs)
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      queues.set(of, [...queue, go])
    })
  }

  return {
    async take(of, work) {
      if (hasRoom(of)) enter(of)
      else await wait(of)
      try {
        return await work()
      } finally {
        end(of)
      }
    },
  }
}
