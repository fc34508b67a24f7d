import type { App } from '../../../server/context.ts'
import type { UpKind } from '../protocol.ts'
import { type Excess, isLoud, type Limits } from '../rules.ts'
import type { Doubt, Doubts } from './doubts.ts'
import type { Machine } from './identity.ts'
import type { LinkEvents } from './link.ts'

export type Habits = Pick<LinkEvents, 'mistaken' | 'strayed'> & {
  /** A message came, whatever becomes of it. */
  spoke(machine: Machine): void
  /** A message was dropped; `why` is the reader's own word. */
  unreadable(machine: Machine, kind: UpKind | null, why: string): void
  /** Forgets what is long ago. */
  tick(): void
}

/**
 * What a machine, or somebody in its name, does again and again: people are told of it, not of each
 * time.
 */
export function openHabits(app: App, limits: Limits, doubts: Doubts): Habits {
  const mistakes = new Map<string, { since: number; times: number }>()
  /** How much more each machine says than a machine has to say. */
  const loud = new Map<string, Excess>()
  const toldAt = new Map<string, number>()

  function noteOnce(
    everyMs: number,
    machine: Machine,
    kind: 'MACHINE_STRAYED' | 'MACHINE_LOUD' | 'MACHINE_UNREADABLE',
    detail: Doubt['detail'],
  ): void {
    const key = `${machine.rtu}/${kind}`
    const now = app.now().getTime()
    if (Math.abs(now - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY)) < everyMs) return
    toldAt.set(key, now)
    doubts.note([{ machine, kind, detail }])
  }

  return {
    mistaken(machine) {
      const now = performance.now()
      const known = mistakes.get(machine.rtu)
      const counted = known && now - known.since < 60_000 ? known : { since: now, times: 0 }
      counted.times += 1
      mistakes.set(machine.rtu, counted)
      if (counted.times >= limits.wrongSecrets)
        doubts.note([{ machine, kind: 'MACHINE_SECRET_GUESSED', detail: { tries: counted.times } }])
    },
    strayed: (machine, what, topic) =>
      noteOnce(limits.toldMs, machine, 'MACHINE_STRAYED', { what, topic }),
    unreadable: (machine, kind, why) =>
      noteOnce(limits.unreadableMs, machine, 'MACHINE_UNREADABLE', {
        ...(kind ? { message: kind } : {}),
        unread: why,
      }),
    /** Within what it may say, and yet without a pause. */
    spoke(machine) {
      const excess = loud.get(machine.rtu) ?? { over: 0, at: performance.now() }
      loud.set(machine.rtu, excess)
      if (isLoud(limits, excess, performance.now()))
        noteOnce(limits.toldMs, machine, 'MACHINE_LOUD', { messages: Math.round(excess.over) })
    },
    tick() {
      const now = performance.now()
      for (const [rtu, { since }] of mistakes) if (now - since > 60_000) mistakes.delete(rtu)
      for (const [rtu, { at }] of loud) if (now - at > 60_000) loud.delete(rtu)
      for (const [key, at] of toldAt)
        if (Math.abs(app.now().getTime() - at) >= limits.toldMs) toldAt.delete(key)
    },
  }
}
