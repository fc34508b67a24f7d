import { createHash } from 'node:crypto'
import type { App, Ctx } from '../../../server/context.ts'
import type { SecurityKind } from '../../security/rules.ts'
import {
  type Facts,
  raiseApart,
  raiseSecurity,
  type SecurityEvent,
} from '../../security/server/raise.ts'
import { isClockWrong } from '../rules.ts'
import type { Fact } from './facts.ts'
import type { Machine } from './identity.ts'

/**
 * Something of a machine that a person must look at: it contradicts itself, or somebody speaks in
 * its name.
 */
export type Doubt = {
  readonly machine: Machine
  readonly kind: SecurityKind
  readonly detail: Facts
}

export type Doubts = {
  /**
   * In the transaction of the messages they are about: none is acknowledged whose doubt could be
   * lost. Repeats of a second only count.
   */
  raise(ctx: Ctx, doubts: readonly Doubt[]): Promise<void>
  note(doubts: readonly Doubt[]): void
  /** Writes what was noted since, one row for each machine and kind however often it happened. */
  flush(): Promise<void>
}

type Noted = Doubt & { readonly times: number }
const eventOf = ({ machine, kind, detail, times }: Noted): SecurityEvent => ({
  orgId: machine.orgId,
  kind,
  subject: machine.rtu,
  deviceId: machine.id,
  detail: { ...detail, times },
})
const addTo = (
  noted: Map<string, Noted>,
  doubts: readonly (Doubt & { readonly times?: number })[],
) => {
  for (const doubt of doubts) {
    const key = `${doubt.machine.id}/${doubt.kind}`
    noted.set(key, { ...doubt, times: (noted.get(key)?.times ?? 0) + (doubt.times ?? 1) })
  }
  return noted
}

/** Gathers in memory, so that a flood of bad messages costs the good ones nothing. */
export function openDoubts(app: App): Doubts {
  let noted = new Map<string, Noted>()
  const raised = new Map<string, number>()
  return {
    note: (doubts) => void addTo(noted, doubts),
    async raise(ctx, doubts) {
      const now = ctx.now.getTime()
      // rows in one order, as two gateways may write those of one machine
      for (const [key, doubt] of [...addTo(new Map(), doubts)].sort(([a], [b]) =>
        a < b ? -1 : 1,
      )) {
        if (Math.abs(now - (raised.get(key) ?? Number.NEGATIVE_INFINITY)) < 1000) {
          ctx.afterCommit(() => void addTo(noted, [doubt]))
          continue
        }
        await raiseSecurity(ctx, eventOf(doubt))
        ctx.afterCommit(() => {
          if (raised.size > 10_000) raised.clear()
          raised.set(key, now)
        })
      }
    },
    async flush() {
      const all = [...noted.values()]
      noted = new Map()
      for (const doubt of all) await raiseApart(app, eventOf(doubt))
    },
  }
}

const place = ({ up }: Fact) => ({ message: up.kind, boot: up.boot, seq: up.seq })
export const contradiction = (fact: Fact, what: string, more: Facts = {}): Doubt => ({
  machine: fact.machine,
  kind: 'MACHINE_CONTRADICTION',
  detail: { what, ...place(fact), ...more },
})
export const foreignCommand = (fact: Fact): Doubt => ({
  machine: fact.machine,
  kind: 'MACHINE_FOREIGN_COMMAND',
  detail: { ...place(fact), cmdId: String(fact.up.body.cmdId) },
})
export const bootJump = (fact: Fact): Doubt => ({
  machine: fact.machine,
  kind: 'MACHINE_BOOT_JUMP',
  detail: place(fact),
})

/**
 * The clocks that cannot be: the platform's own times are its own, but somebody should set the
 * machine's.
 */
export const wrongClocks = (facts: readonly Fact[]): Doubt[] =>
  facts.flatMap((fact) =>
    fact.up.ts !== null && isClockWrong(fact.up.ts, fact.at.getTime())
      ? [
          {
            machine: fact.machine,
            kind: 'MACHINE_CLOCK' as const,
            detail: { ...place(fact), clock: new Date(fact.up.ts).toISOString() },
          },
        ]
      : [],
  )

/**
 * What a number stands for: kind and content; the clock and the versions may be others when it is
 * said again.
 */
export const digestOf = ({ up }: Fact): Buffer =>
  createHash('sha256').update(up.kind).update(JSON.stringify(up.body)).digest().subarray(0, 8)
