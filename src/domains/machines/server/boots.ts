import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { bootNumber, bootText, isBelievable, type Place, placeText } from '../rules.ts'
import type { Fact } from './facts.ts'
import type { Machine } from './identity.ts'

/**
 * Where the counters of machines stand, so that nobody moves them on to where no later message
 * counts.
 */
export type Boots = {
  /**
   * Asks the database only about machines whose counters are not known here, or would jump: another
   * gateway may know more.
   */
  judge(facts: readonly Fact[]): Promise<{ fine: Fact[]; jumped: Fact[] }>
  /** Whether a heartbeat names the start that facts come from. */
  isCurrent(machine: Machine, boot: number): boolean
  /** Whether it names one that would not be taken: such a machine is not heard. */
  isAstray(machine: Machine, boot: number): boolean
}

export const bootOf = ({ machine, up }: Fact): string => bootText(up.boot, machine.epoch)
export const placeOf = (fact: Fact): string => placeText(bootOf(fact), fact.up.seq)
export const isAfter = (a: Fact, b: Fact): boolean =>
  bootOf(a) > bootOf(b) || (bootOf(a) === bootOf(b) && a.up.seq > b.up.seq)

const keyOf = ({ id, epoch }: Machine): string => `${id}/${epoch}`

export function openBoots(app: App): Boots {
  const known = new Map<string, Place>()
  /**
   * The last number taken of starts before the newest one, of those that facts came from lately.
   */
  const earlier = new Map<string, number>()
  const startOf = ({ machine, up }: Fact): string => `${keyOf(machine)}/${up.boot}`

  /** In the order of the numbers: a few starts at once are each one step. */
  function sift(facts: readonly Fact[]): { fine: Fact[]; jumped: Fact[] } {
    const now = app.now().getTime()
    const fine: Fact[] = []
    const jumped: Fact[] = []
    for (const fact of facts.toSorted((a, b) => a.up.boot - b.up.boot || a.up.seq - b.up.seq)) {
      const key = keyOf(fact.machine)
      const last = known.get(key)
      if (!isBelievable(last ?? null, fact.up, now, earlier.get(startOf(fact)))) {
        jumped.push(fact)
        continue
      }
      fine.push(fact)
      if (last && fact.up.boot < last.boot) reached(startOf(fact), fact.up.seq)
      if (
        !last ||
        fact.up.boot > last.boot ||
        (fact.up.boot === last.boot && fact.up.seq > last.seq)
      )
        known.set(key, { boot: fact.up.boot, seq: fact.up.seq })
    }
    return { fine, jumped }
  }

  function reached(start: string, seq: number): void {
    if (earlier.size > 10_000) earlier.clear()
    earlier.set(start, Math.max(seq, earlier.get(start) ?? 0))
  }

  async function learn(facts: readonly Fact[]): Promise<void> {
    const machines = [...new Map(facts.map(({ machine }) => [keyOf(machine), machine])).values()]
    for (const [key, place] of await lastPlaces(app, machines)) known.set(key, place)
  }
  /** What was taken of the starts of these facts, where they are not the newest. */
  async function learnEarlier(facts: readonly Fact[]): Promise<void> {
    const asked = [
      ...new Map(
        facts
          .filter(({ machine, up }) => up.boot < (known.get(keyOf(machine))?.boot ?? 0))
          .map((fact) => [startOf(fact), fact]),
      ).values(),
    ]
    if (asked.length === 0) return
    const found = await newest(
      app,
      asked.map((fact) => ({ id: fact.machine.id, low: bootOf(fact), high: bootOf(fact) })),
    )
    for (const [n, { seq }] of found) reached(startOf(asked[n] as Fact), seq)
  }

  return {
    async judge(facts) {
      const strange = facts.filter(({ machine }) => !known.has(keyOf(machine)))
      if (strange.length) await learn(strange)
      const first = sift(facts)
      if (first.jumped.length === 0) return { fine: [...facts], jumped: [] }
      await learn(first.jumped)
      await learnEarlier(first.jumped)
      const again = sift(first.jumped)
      const gone = new Set(again.jumped)
      return { fine: facts.filter((fact) => !gone.has(fact)), jumped: again.jumped }
    },
    isCurrent: (machine, boot) => known.get(keyOf(machine))?.boot === boot,
    isAstray: (machine, boot) =>
      !isBelievable(known.get(keyOf(machine)) ?? null, { boot, seq: 0 }, app.now().getTime()),
  }
}

type Range = { readonly id: number; readonly low: string; readonly high: string }
/**
 * The newest (boot, seq) of a machine within each range of its starts, by the range's place in the
 * list; empty ones are missing.
 */
async function newest(app: App, ranges: readonly Range[]): Promise<Map<number, Place>> {
  const { rows } = await app.database.read(systemScope, (db) =>
    sql<{ n: number; boot: string; seq: number }>`
    select x.n, k.boot, k.seq
    from unnest(${ranges.map(({ id }) => id)}::bigint[], ${ranges.map(({ low }) => low)}::text[],
      ${ranges.map(({ high }) => high)}::text[]) with ordinality as x (id, low, high, n)
    cross join lateral (select k.boot, k.seq from device_message_keys k
      where k.device_id = x.id and k.boot between x.low and x.high
      order by k.boot desc, k.seq desc limit 1) k`.execute(db),
  )
  return new Map(rows.map(({ n, boot, seq }) => [n - 1, { boot: bootNumber(boot), seq }]))
}

/** The newest place of each machine in its epoch; machines that said nothing in it are missing. */
async function lastPlaces(app: App, machines: readonly Machine[]): Promise<Map<string, Place>> {
  const found = await newest(
    app,
    machines.map(({ id, epoch }) => ({
      id,
      low: bootText(0, epoch),
      high: bootText(999_999_999_999, epoch),
    })),
  )
  return new Map([...found].map(([n, place]) => [keyOf(machines[n] as Machine), place]))
}

/** The highest start of each machine that was taken, by the machine's id; for its welcome. */
export async function lastBoots(
  app: App,
  machines: readonly Machine[],
): Promise<Map<number, number>> {
  const places = await lastPlaces(app, machines)
  return new Map(
    machines.flatMap((machine) =>
      places.has(keyOf(machine)) ? [[machine.id, (places.get(keyOf(machine)) as Place).boot]] : [],
    ),
  )
}
