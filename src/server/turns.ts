import { common, type ErrorDef, Refusal } from '../shared/errors.ts'

/**
 * Reads that scan (lists, sums, figures) and files of people take turns, so that they never fill what machines and money need.
 * Organisations are served one after the other, however much each asks; who waits too long, or finds the places of his
 * organisation taken, is told to come again.
 */
export type Turns = { take<T>(of: Asker, work: () => Promise<T>): Promise<T> }
/** An organisation; where nobody is signed in, an address. */
type Asker = number | string
/** `waiting`: places of one organisation; `full`: what it is told when they are taken. */
export type TurnLimits = { readonly atOnce: number; readonly waiting: number; readonly waitMs: number; readonly full?: ErrorDef }

export function openTurns(limits: TurnLimits): Turns {
  // the first organisation is the one whose turn it is; a queue that is empty is not there
  const queues = new Map<Asker, (() => void)[]>()
  let running = 0

  function leave(of: Asker, go: () => void): void {
    const queue = queues.get(of)?.filter((one) => one !== go) ?? []
    if (queue.length) queues.set(of, queue)
    else queues.delete(of)
  }
  function end(): void {
    running -= 1
    const [next] = queues
    if (!next) return
    const [of, [go, ...rest]] = next
    queues.delete(of)
    if (rest.length) queues.set(of, rest)
    running += 1
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
      if (running < limits.atOnce) running += 1
      else await wait(of)
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
