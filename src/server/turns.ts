import { common, Refusal } from '../shared/errors.ts'

/**
 * Reads that scan (lists, sums, figures) take turns, so that they never fill the database that machines and money need.
 * Of those that wait, the organisation with the fewest at work goes first; who waits too long is told to come again.
 */
export type Turns = { take<T>(orgId: number, work: () => Promise<T>): Promise<T> }
export type TurnLimits = { readonly atOnce: number; readonly waiting: number; readonly waitMs: number }

type Waiting = { readonly orgId: number; readonly go: () => void }

export function openTurns(limits: TurnLimits): Turns {
  const atWork = new Map<number, number>()
  const queue: Waiting[] = []
  let running = 0

  const ofOrg = (orgId: number): number => atWork.get(orgId) ?? 0
  function begin(orgId: number): void {
    running += 1
    atWork.set(orgId, ofOrg(orgId) + 1)
  }
  function end(orgId: number): void {
    running -= 1
    if (ofOrg(orgId) > 1) atWork.set(orgId, ofOrg(orgId) - 1)
    else atWork.delete(orgId)
    let next = queue[0]
    for (const one of queue) if (next && ofOrg(one.orgId) < ofOrg(next.orgId)) next = one
    next?.go()
  }
  function wait(orgId: number): Promise<void> {
    if (queue.length >= limits.waiting) throw new Refusal(common.busy)
    return new Promise((resolve, reject) => {
      const leave = () => queue.splice(queue.indexOf(entry), 1)
      const timer = setTimeout(() => {
        leave()
        reject(new Refusal(common.busy))
      }, limits.waitMs)
      const entry: Waiting = {
        orgId,
        go() {
          clearTimeout(timer)
          leave()
          begin(orgId)
          resolve()
        },
      }
      queue.push(entry)
    })
  }

  return {
    async take(orgId, work) {
      if (running < limits.atOnce) begin(orgId)
      else await wait(orgId)
      try {
        return await work()
      } finally {
        end(orgId)
      }
    },
  }
}
