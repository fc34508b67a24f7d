import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../../server/context.ts'
import { isHeld, lockTimeout } from '../../../server/database.ts'
import { bySystem, databaseRefusal } from '../../../server/run.ts'
import { readUp, type UpKind } from '../protocol.ts'
import {
  askFor,
  type Bucket,
  freshBucket,
  freshSeen,
  type Limits,
  markSeen,
  markTail,
  type Seen,
  take,
} from '../rules.ts'
import { bootOf, lastBoots, openBoots } from './boots.ts'
import { bootJump, openDoubts } from './doubts.ts'
import { noteDevice } from './events.ts'
import { applyFacts, type Fact, isAnswer, parkFact, type Recorders } from './facts.ts'
import { openHabits } from './habits.ts'
import { openHeld } from './held.ts'
import type { Machine } from './identity.ts'
import { openLines } from './lines.ts'
import type { Link, LinkEvents, Refused } from './link.ts'
import { type Bye, openPresence } from './presence.ts'

export type Intake = LinkEvents & {
  isBanned(rtu: string): boolean
  /** Where acknowledgements go; set once the link is open. */
  answerOver(link: Link & { shutOut?: (rtu: string) => void }): void
  /** Every second: presence, holes in the numbers, figures. */
  tick(): Promise<void>
  sweep(): Promise<void>
  /** Takes nothing more in and waits until everything is written and acknowledged, at most `ms`. */
  drain(ms: number): Promise<void>
  /** How long the oldest message waits that is not written yet, in milliseconds. */
  behind(): number
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Heartbeats wait their turn too: what a machine said before them must be stored before they count
 * as its last word.
 */
type Item = { readonly size: number; readonly at: Date } & (
  | { readonly fact: Fact }
  | { readonly beat: Fact }
  | { readonly bye: Bye }
)

/**
 * Takes messages of all machines in, a few milliseconds' worth at a time; says so to the machine
 * after the commit.
 */
export function openIntake(app: App, limits: Limits, record: Recorders): Intake {
  const presence = openPresence(app)
  const boots = openBoots(app)
  const doubts = openDoubts(app)
  const habits = openHabits(app, limits, doubts)
  const buckets = new Map<string, Bucket>()
  /**
   * When each machine may connect again without waiting, in the sense of a bucket that leaks one
   * connection every `connectMs`.
   */
  const connects = new Map<string, number>()
  /** When each machine's second connection was last written down. */
  const takeovers = new Map<string, number>()
  const seen = new Map<number, Seen & { machine: Machine }>()
  /** Where the last connection began that each machine opened here. */
  const hellos = new Map<number, { boot: number; seq: number; epoch: number }>()
  const counts: Record<string, number> = { stored: 0, repeated: 0, parked: 0 }
  const lines = openLines<Item>(limits.lines)
  const held = openHeld(app, limits, (facts) =>
    storeBoth(facts, (some) => keep(some, limits.heldTryMs)),
  )
  let running: Promise<void> | undefined
  let link: (Link & { shutOut?: (rtu: string) => void }) | undefined
  let closing = false
  /** Open screens read measurements again every few seconds, not with every message. */
  const screens = { changed: new Set<number>(), toldAt: 0 }
  let gaveUp = false

  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }

  async function add({ orgId }: Machine, item: Item): Promise<void> {
    const added = lines.add(orgId, item)
    running ??= run()
    await added
  }

  async function run(): Promise<void> {
    await sleep(limits.gatherMs)
    while (lines.size && !gaveUp) {
      try {
        await write(lines.take(limits.batch, app.now().getTime()))
      } catch (error) {
        if (!gaveUp)
          app.log.error(
            { err: error },
            'a batch of messages was not written; machines send it again',
          )
      }
      lines.settle()
    }
    running = undefined
  }

  async function write(batch: readonly Item[]): Promise<void> {
    const { fine: facts, jumped } = await believed(
      batch.flatMap((item) => ('fact' in item ? [item.fact] : [])),
    )
    await storeBoth(facts, (some) => store(some))
    // a machine whose counter was lost upwards hears where it is
    const astray = jumped.filter((fact) => fact.up.kind === 'hello')
    if (astray.length) await welcome(astray)
    for (const item of batch) if ('beat' in item) presence.hear(item.beat)
    const byes = batch.flatMap((item) => ('bye' in item ? [item.bye] : []))
    if (byes.length) await insist(() => presence.leave(byes))
  }

  /**
   * Without those whose counters jump: neither stored nor acknowledged, so that no later message is
   * older than they are.
   */
  async function believed(facts: readonly Fact[]): Promise<{ fine: Fact[]; jumped: Fact[] }> {
    let judged = { fine: [] as Fact[], jumped: [] as Fact[] }
    if (facts.length === 0) return judged
    await insist(async () => {
      judged = await boots.judge(facts)
    })
    for (const { machine, up } of judged.jumped) {
      count('jumped')
      app.log.warn(
        { rtu: machine.rtu, boot: up.boot, seq: up.seq, kind: up.kind },
        'the counters of a machine jump',
      )
    }
    doubts.note(judged.jumped.map(bootJump))
    return judged
  }

  /**
   * Tries again as long as the database is away or busy; a conflict that does not pass is no reason
   * to hold everybody's messages.
   */
  async function insist(work: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const pause = Math.min(25 * 2 ** tries, 3000)
      try {
        return await work()
      } catch (error) {
        const refusal = databaseRefusal(error)?.def
        const passes =
          (refusal?.status === 503 && !isHeld(error)) ||
          (refusal?.name === 'common.stale' && tries < limits.conflictTries)
        if (!passes || gaveUp) throw error
        app.log.warn({ err: error }, 'the database does not take messages, holding them')
        await sleep(pause)
      }
    }
  }

  /** Answers to commands, then what machines say of themselves. */
  async function storeBoth(
    facts: readonly Fact[],
    write: (facts: readonly Fact[]) => Promise<void>,
  ): Promise<void> {
    await write(facts.filter(isAnswer))
    await write(facts.filter((fact) => !isAnswer(fact)))
  }

  /** Nobody waits for a row that an act holds but the machine it belongs to. */
  async function store(all: readonly Fact[], lockMs = limits.lockMs): Promise<void> {
    const facts = all.filter((fact) => !held.joins(fact))
    try {
      await keep(facts, lockMs)
    } catch (error) {
      if (!isHeld(error) || gaveUp) throw error
      count('held')
      const free = await held.sift(facts)
      if (free.length < facts.length) return store(free)
      // some other row of theirs: halves, of organisations first
      const machines = [...Map.groupBy(facts, ({ machine }) => machine.id).values()].sort(
        ([a], [b]) => (a?.machine.orgId ?? 0) - (b?.machine.orgId ?? 0),
      )
      if (machines.length === 1) return held.putAside(facts)
      const half = Math.ceil(machines.length / 2)
      await store(machines.slice(0, half).flat(), limits.heldTryMs)
      await store(machines.slice(half).flat(), limits.heldTryMs)
    }
  }

  /** Stores and acknowledges; throws when a row of theirs is held so long. */
  async function keep(facts: readonly Fact[], lockMs: number): Promise<void> {
    if (facts.length === 0) return
    try {
      await insist(async () => {
        const fresh = await bySystem(app, async (ctx) => {
          ctx.later(lockTimeout(lockMs))
          const { fresh, doubts: found } = await applyFacts(ctx, facts, record)
          await doubts.raise(ctx, found)
          return fresh
        })
        counts.stored = (counts.stored ?? 0) + fresh.length
        for (const fact of fresh) if (!isAnswer(fact)) screens.changed.add(fact.machine.orgId)
        counts.repeated = (counts.repeated ?? 0) + facts.length - fresh.length
      })
    } catch (error) {
      if (gaveUp || isHeld(error)) throw error
      if (facts.length > 1) {
        // one of them is bad: halves, so that the others are not held up
        const half = Math.ceil(facts.length / 2)
        await keep(facts.slice(0, half), lockMs)
        return keep(facts.slice(half), lockMs)
      }
      await park(facts[0] as Fact, error, lockMs)
    }
    await acknowledge(facts)
  }

  async function park(fact: Fact, cause: unknown, lockMs: number): Promise<void> {
    count('parked')
    app.log.error(
      {
        err: cause,
        rtu: fact.machine.rtu,
        boot: fact.up.boot,
        seq: fact.up.seq,
        kind: fact.up.kind,
      },
      'a message has no effect',
    )
    const reason = cause instanceof Error ? cause.message.slice(0, 120) : 'unknown'
    const kept = () =>
      bySystem(app, (ctx) => {
        ctx.later(lockTimeout(lockMs))
        return parkFact(ctx, fact, reason)
      })
    await insist(kept).catch((error: unknown) => {
      if (isHeld(error)) throw error
      app.log.error({ err: error }, 'a message cannot be kept')
    })
  }

  async function acknowledge(facts: readonly Fact[]): Promise<void> {
    const groups = Map.groupBy(facts, (fact) => `${fact.machine.id}/${bootOf(fact)}`)
    for (const [first, ...rest] of groups.values()) {
      if (!first) continue
      const all = [first, ...rest]
      for (const fact of all) {
        const { machine, up, at } = fact
        presence.hear(fact)
        const numbers = track(machine, up.boot, up.seq, at)
        if (numbers) markSeen(numbers, up.seq, at.getTime())
      }
      link?.send(first.machine, 'ack', {
        boot: first.up.boot,
        seqs: all.map((fact) => fact.up.seq),
      })
    }
    const hellos = facts.filter((fact) => fact.up.kind === 'hello')
    if (hellos.length) await welcome(hellos)
  }

  async function welcome(hellos: readonly Fact[]): Promise<void> {
    try {
      await presence.flush()
      const last = await lastBoots(
        app,
        hellos.map((fact) => fact.machine),
      )
      for (const { machine, up } of hellos)
        link?.send(machine, 'welcome', { boot: up.boot, lastBoot: last.get(machine.id) ?? 1 })
    } catch (error) {
      app.log.warn({ err: error }, 'welcome') // the machine says hello again
    }
  }

  function track(machine: Machine, boot: number, first: number, at: Date): Seen | null {
    const known = seen.get(machine.id)
    if (known && known.machine.epoch > machine.epoch) return null
    if (known && known.machine.epoch === machine.epoch && known.boot >= boot)
      return known.boot === boot ? known : null
    const numbers = { ...freshSeen(boot, first - 1, at.getTime()), machine }
    seen.set(machine.id, numbers)
    return numbers
  }

  /** Said again, an earlier hello begins nothing. */
  function began({ id, epoch }: Machine, { boot, seq }: { boot: number; seq: number }): void {
    const last = hellos.get(id)
    if (last?.epoch === epoch && (last.boot > boot || (last.boot === boot && last.seq > seq)))
      return
    hellos.set(id, { boot, seq, epoch })
  }

  function allowed(machine: Machine, cost: number): boolean {
    const { rtu } = machine
    const now = performance.now()
    const bucket = buckets.get(rtu) ?? freshBucket(limits, now)
    buckets.set(rtu, bucket)
    const verdict = take(limits, bucket, now, cost)
    if (verdict === 'pass') return true
    count(verdict === 'ban' ? 'banned' : 'rate')
    if (verdict === 'ban') {
      flooded(machine)
      link?.shutOut?.(rtu)
    }
    return false
  }

  const flooded = (machine: Machine): void =>
    doubts.note([{ machine, kind: 'MACHINE_FLOOD', detail: {} }])

  return {
    counts,
    behind: () => lines.behind(app.now().getTime()),
    flooded,
    strayed: habits.strayed,
    mistaken: habits.mistaken,
    answerOver(opened) {
      link = opened
    },
    isBanned: (rtu) => (buckets.get(rtu)?.bannedUntil ?? 0) > performance.now(),
    refused: (reason: Refused) => count(reason),
    isFull: ({ orgId }) => lines.isFull(orgId),
    admits(machine) {
      const now = performance.now()
      const debt = Math.max(now, connects.get(machine.rtu) ?? 0) + limits.connectMs
      if (debt - now > limits.connects * limits.connectMs) {
        count('flapping')
        return false
      }
      connects.set(machine.rtu, debt)
      return true
    },
    takenOver(machine) {
      count('takeover')
      // two boards of one identity drive each other out for ever: once a minute says as much
      const now = app.now().getTime()
      if (
        Math.abs(now - (takeovers.get(machine.rtu) ?? Number.NEGATIVE_INFINITY)) < limits.takeoverMs
      )
        return
      takeovers.set(machine.rtu, now)
      app.log.info({ rtu: machine.rtu }, 'a second connection of a machine replaces the first')
      const event = { deviceId: machine.id, orgId: machine.orgId, kind: 'SECOND_CONNECTION' }
      bySystem(app, (ctx) => noteDevice(ctx, [event])).catch((error: unknown) =>
        app.log.warn({ err: error }, 'second connection'),
      )
    },
    async receive(machine: Machine, kind: UpKind | null, payload: Uint8Array) {
      if (closing) return
      habits.spoke(machine)
      if (!allowed(machine, 1)) return
      const up = readUp(kind, payload)
      if (typeof up === 'string') {
        count('unreadable')
        habits.unreadable(machine, kind, up)
        allowed(machine, limits.badCost - 1)
        app.log.debug({ rtu: machine.rtu, kind, reason: up }, 'a message cannot be read')
        return
      }
      const at = app.now()
      if (kind === 'hello') began(machine, up)
      if (kind === 'heartbeat') {
        if (boots.isAstray(machine, up.boot)) return count('jumped')
        const numbers = boots.isCurrent(machine, up.boot)
          ? track(machine, up.boot, up.seq + 1, at)
          : null
        if (numbers) markTail(numbers, up.seq, at.getTime())
        return add(machine, { size: payload.byteLength, at, beat: { machine, up, at } })
      }
      if (kind === 'bye') {
        const cause = (up.body.cause as Bye['cause'] | undefined) ?? 'LAST_WILL'
        await add(machine, {
          size: 64,
          at,
          bye: { machine, at, cause, session: { boot: up.boot, seq: up.body.session as number } },
        })
      } else await add(machine, { size: payload.byteLength, at, fact: { machine, up, at } })
    },
    lost(machine) {
      if (closing) return
      const at = app.now()
      // another gateway may have heard a later hello: this connection is not the machine's last one
      // then
      const last = hellos.get(machine.id)
      const session = last?.epoch === machine.epoch ? last : null
      void add(machine, { size: 64, at, bye: { machine, at, cause: 'LAST_WILL', session } })
    },
    async tick() {
      const now = app.now().getTime()
      for (const numbers of seen.values()) {
        const range = askFor(numbers, now)
        if (range) link?.send(numbers.machine, 'resend', { boot: numbers.boot, ...range })
      }
      for (const [rtu, bucket] of buckets)
        if (performance.now() - bucket.at > 60_000 && bucket.bannedUntil < performance.now())
          buckets.delete(rtu)
      for (const [rtu, debt] of connects) if (debt < performance.now()) connects.delete(rtu)
      for (const [rtu, at] of takeovers)
        if (Math.abs(now - at) >= limits.takeoverMs) takeovers.delete(rtu)
      habits.tick()
      if (screens.changed.size && Math.abs(now - screens.toldAt) >= limits.screensMs) {
        app.live.publish(['devices'], screens.changed)
        Object.assign(screens, { changed: new Set(), toldAt: now })
      }
      await presence.flush()
      await doubts.flush()
    },
    sweep: () => presence.sweep(),
    async drain(ms) {
      closing = true
      const deadline = performance.now() + ms
      while (running && performance.now() < deadline) await Promise.race([running, sleep(100)])
      if (running)
        app.log.warn(
          { waiting: lines.size },
          'stopping with messages that the database did not take; machines keep them',
        )
      gaveUp = true
      await held.close()
      await presence.flush().catch(() => {})
      await doubts.flush()
    },
  }
}
