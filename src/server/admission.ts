import { common, Refusal } from '../shared/errors.ts'
import type { App } from './context.ts'
import { isHeld } from './database.ts'
import { type FairQueue, openFairQueue } from './fairQueue.ts'
import { perApp } from './perApp.ts'

/**
 * New work of strangers is admitted: seven at once, two of them at one machine (whoever waits for
 * its lanes holds a connection), and whoever asks most waits for himself: addresses take turns, and
 * what is over the places of one is refused to that one alone. The other connections are for
 * machines, money and staff.
 *
 * A machine whose lanes somebody's act holds takes no place from the others: who finds it so waits
 * a moment, then the machine is closed for a second, and after that asked again without waiting.
 */
export type Admission = {
  enter<T>(place: string, address: string, work: () => Promise<T>): Promise<T>
  /** So many milliseconds a new order waits for the rows of this machine. */
  lockMs(place: string): number
}
type Room = { readonly turns: FairQueue; inside: number }

const limits = { waiting: 100, waitMs: 5000, full: common.tooMany }
// a commit on a busy disk takes a part of it
const locks = { first: 400, again: 10, forgetMs: 10_000 }

export function openAdmission(atOnce = { all: 7, place: 2 }, closedMs = 1000): Admission {
  const all = openFairQueue({ ...limits, atOnce: atOnce.all })
  const rooms = new Map<string, Room>()
  /** When machines were last found held. */
  const held = new Map<string, number>()
  const heldSince = (place: string) =>
    performance.now() - (held.get(place) ?? Number.NEGATIVE_INFINITY)
  function noteHeld(place: string): void {
    for (const old of held.keys()) if (heldSince(old) > locks.forgetMs) held.delete(old)
    held.set(place, performance.now())
  }
  function refuseClosed(place: string): void {
    if (heldSince(place) < closedMs) throw new Refusal(common.busy)
  }
  async function inside<T>(place: string, work: () => Promise<T>): Promise<T> {
    refuseClosed(place)
    try {
      const done = await work()
      held.delete(place)
      return done
    } catch (error) {
      if (isHeld(error)) noteHeld(place)
      throw error
    }
  }
  return {
    lockMs: (place) => (heldSince(place) < locks.forgetMs ? locks.again : locks.first),
    async enter(place, address, work) {
      refuseClosed(place)
      const room = rooms.get(place) ?? {
        turns: openFairQueue({ ...limits, atOnce: atOnce.place }),
        inside: 0,
      }
      rooms.set(place, room)
      room.inside += 1
      try {
        return await room.turns.take(address, () => {
          refuseClosed(place)
          return all.take(address, () => inside(place, work))
        })
      } finally {
        room.inside -= 1
        if (!room.inside) rooms.delete(place)
      }
    },
  }
}

export const admissionOf: (app: App) => Admission = perApp(() => openAdmission())
