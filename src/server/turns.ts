import { common, Refusal } from '../shared/errors.ts'

/**
 * Reads that scan (lists, sums, figures) take turns, so that they never fill the database that machines and money need.
 * Organisations are served one after the other, however much each asks; who waits too long, or finds the places of his
 * organisation taken, is told to come again.
 */
export type Turns = { take<T>(orgId: number, work: () => Promise<T>): Promise<T> }
/** `waiting`: places of one organisation. */
export type TurnLimits = { readonly atOnce: number; readonly waiting: number; readonly waitMs: number }

export function openTurns(limits: TurnLimits): Turns {
  // the first organisation is the one whose turn it is; a queue that is empty is not there
  const queues = new Map<number, (() => void)[]>()
  let running = 0

  function leave(orgId: number, go: () => void): void {
    const queue = queues.get(orgId)?.filter((one) => one !== go) ?? []
    if (queue.length) queues.set(orgId, queue)
    else queues.delete(orgId)
  }
  function end(): void {
    running -= 1
    const [next] = queues
    if (!next) return
    const [orgId, [go, ...rest]] = next
    queues.delete(orgId)
    if (rest.length) queues.set(orgId, rest)
    running += 1
    go?.()
  }
  function wait(orgId: number): Promise<void> {
    const queue = queues.get(orgId) ?? []
    if (queue.length >= limits.waiting) throw new Refusal(common.busy)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        leave(orgId, go)
        reject(new Refusal(common.busy))
      }, limits.waitMs)
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      queues.set(orgId, [...queue, go])
    })
  }

  return {
    async take(orgId, work) {
      if (running < limits.atOnce) running += 1
      else await wait(orgId)
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
