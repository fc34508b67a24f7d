import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { isHeld, systemScope } from '../../../server/database.ts'
import type { Limits } from '../rules.ts'
import type { Fact } from './facts.ts'

/**
 * Machines whose rows a person's act holds (their owner changes, their lanes are drawn), and what
 * they said meanwhile: they wait beside all the others, and each no longer than its own rows are
 * held.
 */
export type Held = {
  /**
   * True when the machine waits already, and with it this fact; what there is no room for the
   * machine says again.
   */
  joins(fact: Fact): boolean
  /** Puts those aside whose rows are held now; answers the others. */
  sift(facts: readonly Fact[]): Promise<readonly Fact[]>
  putAside(facts: readonly Fact[]): void
  close(): Promise<void>
  readonly size: number
}

/** `write`: all of one machine, in its turn; throws while a row is held. */
export function openHeld(
  app: App,
  limits: Limits,
  write: (facts: readonly Fact[]) => Promise<void>,
): Held {
  const waiting = new Map<number, Fact[]>()
  let size = 0
  let trying: Promise<void> | undefined
  let closed = false

  function push(own: Fact[], fact: Fact): void {
    if (own.length >= limits.heldOfOne || size >= limits.heldMost) return
    own.push(fact)
    size += 1
  }

  function putAside(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const own = waiting.get(fact.machine.id) ?? []
      waiting.set(fact.machine.id, own)
      push(own, fact)
    }
    begin()
  }

  function begin(): void {
    if (waiting.size && !closed)
      trying ??= tryAll().finally(() => {
        trying = undefined
        begin()
      })
  }

  async function tryAll(): Promise<void> {
    while (waiting.size && !closed) {
      await sleep(limits.heldMs)
      try {
        const held = await heldAmong(app, [...waiting.keys()])
        for (const id of [...waiting.keys()]) if (!held.has(id) && !closed) await tryOne(id)
      } catch (error) {
        app.log.warn({ err: error }, 'machines that wait for their rows')
      }
    }
  }

  async function tryOne(id: number): Promise<void> {
    const own = waiting.get(id) ?? []
    const count = own.length
    try {
      if (count) await write([...own])
    } catch (error) {
      if (isHeld(error)) return
      throw error
    }
    own.splice(0, count)
    size -= count
    if (own.length === 0) waiting.delete(id)
  }

  return {
    joins(fact) {
      const own = waiting.get(fact.machine.id)
      if (own) push(own, fact)
      return own !== undefined
    },
    async sift(facts) {
      const held = await heldAmong(app, [...new Set(facts.map((fact) => fact.machine.id))])
      putAside(facts.filter((fact) => held.has(fact.machine.id)))
      return facts.filter((fact) => !held.has(fact.machine.id))
    },
    putAside,
    async close() {
      closed = true
      await trying
    },
    get size() {
      return size
    },
  }
}

/** Of these machines those of which somebody holds a row that their words are written to. */
async function heldAmong(app: App, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const of = sql`device_id = any(${ids}::bigint[])`
  const { rows } = await app.database.read(systemScope, (db) =>
    sql<{ id: number }>`
      with owners as materialized (select o.id from organisations o
        where o.id in (select org_id from devices
          where id = any(${ids}::bigint[])) for key share skip locked),
        machines as (select d.id as device_id from devices d
          where d.id = any(${ids}::bigint[]) and d.org_id in (select id
            from owners) for key share of d skip locked),
        states as (select device_id from device_states where ${of} for no key update skip locked),
        drawn as (select device_id from lanes
          where ${of} and archived_at is null for no key update skip locked),
        shadows as (select device_id from device_shadows where ${of} for no key update skip locked),
        free as (select 'd' as kind, device_id from machines union all select 's', device_id
          from states
          union all select 'l', device_id from drawn union all select 'w', device_id from shadows),
        there as (select 'd' as kind, id as device_id from devices where id = any(${ids}::bigint[])
          union all select 's', device_id from device_states where ${of}
          union all select 'l', device_id from lanes where ${of} and archived_at is null union all
          select 'w', device_id from device_shadows where ${of})
      select distinct device_id as id
      from (select kind, device_id, count(*) from there group by 1, 2 except
        select kind, device_id, count(*) from free group by 1, 2) x`.execute(db),
  )
  return new Set(rows.map((row) => row.id))
}
