import { common } from '../shared/errors.ts'
import type { App } from './context.ts'
import { perApp } from './perApp.ts'
import { openTurns, type Turns } from './turns.ts'

/**
 * New work of strangers, at the door: seven at once, two of them at one machine (whoever waits for
 * its lanes holds a connection), and whoever asks most waits for himself: addresses take turns, and
 * what is over the places of one is refused to that one alone. The other connections are for
 * machines, money and staff.
 */
export type Door = { enter<T>(place: string, address: string, work: () => Promise<T>): Promise<T> }
type Room = { readonly turns: Turns; inside: number }

const limits = { waiting: 100, waitMs: 5000, full: common.tooMany }

export function openDoor(atOnce = { all: 7, place: 2 }): Door {
  const all = openTurns({ ...limits, atOnce: atOnce.all })
  const rooms = new Map<string, Room>()
  return {
    async enter(place, address, work) {
      const room = rooms.get(place) ?? {
        turns: openTurns({ ...limits, atOnce: atOnce.place }),
        inside: 0,
      }
      rooms.set(place, room)
      room.inside += 1
      try {
        return await room.turns.take(address, () => all.take(address, work))
      } finally {
        room.inside -= 1
        if (!room.inside) rooms.delete(place)
      }
    },
  }
}

export const doorOf: (app: App) => Door = perApp(() => openDoor())
