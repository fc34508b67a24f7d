import { sql } from 'kysely'
import { type App, iso } from '../../../server/context.ts'
import { type Db, isHeld, lockTimeout, systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { shortestWait } from '../../settings/usual.ts'
import { bootText, limits, placeText, type Signal, signalOf } from '../rules.ts'
import { noteDevice } from './events.ts'
import type { Fact } from './facts.ts'
import type { Machine } from './identity.ts'

type Heard = {
  machine: Machine
  at: Date
  boot: number
  seq: number
  fw: string | null
  apk: string | null
  rsrp: number | null
  signal: Signal | null
}
export type Bye = {
  readonly machine: Machine
  readonly at: Date
  readonly cause:
    | 'LAST_WILL'
    | 'POWER_FAIL' /** Where the connection began; null when nobody knows. */
  readonly session: { boot: number; seq: number } | null
}

export type Presence = {
  /** A message came in; written with those of all machines in one statement. */
  hear(message: Fact): void
  /** Writes what was heard; the 1 s loop and whoever needs it now call this. */
  flush(): Promise<void>
  leave(byes: readonly Bye[]): Promise<void>
  /** Marks machines offline that were not heard for as long as their organisation waits (180 s). */
  sweep(): Promise<void>
}

/**
 * Who is online. Times are the server's, so that the order in which they are written does not
 * matter: a machine whose row somebody holds is written with the next turn, and nobody waits for
 * it.
 */
export function openPresence(app: App): Presence {
  let heard = new Map<number, Heard>()
  let byes = new Map<number, Bye>()
  let writing: Promise<void> = Promise.resolve()
  // machines could not be heard before this process was there
  let listeningSince = app.now().getTime()

  async function write(): Promise<void> {
    const rows = [...heard.values()].sort((a, b) => a.machine.id - b.machine.id)
    heard = new Map()
    if (rows.length) await writeRows(rows)
    if (byes.size) await writeLeaving()
  }

  async function writeLeaving(): Promise<void> {
    const rows = [...byes.values()].sort((a, b) => a.machine.id - b.machine.id)
    const { orgs, held } = await writeByes(app, rows)
    // a later one may have come meanwhile
    byes = new Map([...byes].filter(([id, bye]) => held.has(id) || !rows.includes(bye)))
    publish(app, orgs)
  }

  const again = (row: Heard): void =>
    void heard.set(row.machine.id, merge(row, heard.get(row.machine.id)))

  async function writeRows(rows: readonly Heard[]): Promise<void> {
    try {
      const { orgs, held } = await writeHeard(app, rows)
      for (const row of rows) if (held.has(row.machine.id)) again(row)
      publish(app, orgs)
    } catch (error) {
      if (isHeld(error) && rows.length === 1) return rows.forEach(again)
      if (!isBad(error) && !isHeld(error)) {
        rows.forEach(again)
        listeningSince = app.now().getTime()
        throw error
      }
      if (rows.length === 1)
        return app.log.error(
          { err: error, rtu: rows[0]?.machine.rtu },
          'a machine cannot be written as heard',
        )
      // one of them is bad: halves, so that the others are not held up
      const half = Math.ceil(rows.length / 2)
      await writeRows(rows.slice(0, half))
      await writeRows(rows.slice(half))
    }
  }

  /**
   * The server's clock was set back: times that have not come yet would keep machines as they are
   * for as long.
   */
  async function setBack(): Promise<void> {
    const now = iso(app.now())
    listeningSince = Math.min(listeningSince, app.now().getTime())
    await app.database.transact(systemScope, (db) =>
      sql`update device_states
        set last_seen_at = least(last_seen_at, ${now}),
          offline_since = least(offline_since, ${now}), temp_since = least(temp_since, ${now}),
          door_since = least(door_since, ${now})
        where device_id in (select device_id from device_states
          where last_seen_at > ${now}::timestamptz + interval '5 s'
            or offline_since > ${now}::timestamptz + interval '5 s' order by device_id
            for update skip locked)`.execute(db),
    )
  }

  const presence: Presence = {
    hear({ machine, up, at }) {
      const rsrp = up.kind === 'heartbeat' ? ((up.body.rsrp as number | undefined) ?? null) : null
      const told = up.kind === 'heartbeat' ? ((up.body.signal as Signal | undefined) ?? null) : null
      const fresh: Heard = {
        machine,
        at,
        boot: up.boot,
        seq: up.seq,
        fw: up.fw,
        apk: up.apk,
        rsrp,
        signal: rsrp === null ? told : signalOf(rsrp),
      }
      heard.set(machine.id, merge(fresh, heard.get(machine.id)))
    },
    flush() {
      writing = writing.then(write, write)
      return writing
    },
    async leave(leaving) {
      for (const bye of leaving) byes.set(bye.machine.id, bye)
      await presence.flush()
    },
    async sweep() {
      await setBack()
      const now = app.now().getTime()
      const silent = await app.database.readSame(
        systemScope,
        (db) => rowsOf<{ orgId: number }>(db)`
          select distinct org_id as "orgId" from device_states
          where online and (last_seen_at is null
            or last_seen_at < ${iso(new Date(now - shortestWait * 1000))}::timestamptz)`,
      )
      const orgs = silent.map((row) => row.orgId)
      const waits = await cachedFor(app, orgs, ['device.offlineSeconds'])
      // machines could not be heard longer than this process listens: who waits longer has to wait
      // for the rest
      const due = orgs
        .map((org) => ({ org, limit: now - waits(org)['device.offlineSeconds'] * 1000 }))
        .filter(({ limit }) => listeningSince <= limit)
      if (due.length === 0) return
      publish(
        app,
        await app.database.transact(systemScope, async (db) => {
          const rows = await rowsOf<Moved>(db)`
          update device_states set online = false, offline_since = ${iso(app.now())},
            offline_cause = 'TIMEOUT'
          where device_id in (
            select s.device_id from device_states s
            join unnest(${due.map((d) => d.org)}::bigint[],
              ${due.map((d) => iso(new Date(d.limit)))}::timestamptz[]) as w(org_id, before_at)
              using (org_id)
            where s.online and (s.last_seen_at is null or s.last_seen_at < w.before_at)
            order by s.device_id for update of s skip locked)
          returning device_id as "deviceId", org_id as "orgId", offline_cause as cause`
          return told({ db, now: app.now() }, rows)
        }),
      )
    },
  }
  return presence
}

/** What the database will not take however often it is said. */
const isBad = (error: unknown): boolean => /^2[23]/.test((error as { code?: string }).code ?? '')

/**
 * One row for two: heard last, and the versions of the newer place. A heartbeat's signal beats
 * none.
 */
function merge(a: Heard, b: Heard | undefined): Heard {
  if (!b) return a
  const [of, than] = [bootText(a.boot, a.machine.epoch), bootText(b.boot, b.machine.epoch)]
  const [old, young] =
    of < than || (of === than && (a.seq < b.seq || (a.seq === b.seq && a.at < b.at)))
      ? [a, b]
      : [b, a]
  const withSignal = young.signal ? young : old
  return {
    ...young,
    at: new Date(Math.max(a.at.getTime(), b.at.getTime())),
    fw: young.fw ?? old.fw,
    apk: young.apk ?? old.apk,
    rsrp: withSignal.rsrp,
    signal: withSignal.signal,
  }
}

type Moved = { deviceId: number; orgId: number; cause: string | null }

/** Who came and who went, in the transaction that marks it. */
async function told(ctx: { db: Db; now: Date }, rows: readonly Moved[]): Promise<number[]> {
  await noteDevice(
    ctx,
    rows.map(({ cause, ...machine }) =>
      cause ? { ...machine, kind: 'OFFLINE', data: { cause } } : { ...machine, kind: 'ONLINE' },
    ),
  )
  return rows.map(({ orgId }) => orgId)
}

function publish(app: App, orgs: readonly number[]): void {
  for (const org of new Set(orgs)) app.live.publish(['devices'], org)
}

/** What was written, and machines whose row somebody holds. */
type Written = { readonly orgs: readonly number[]; readonly held: ReadonlySet<number> }

/** The rows that are free, held until the transaction ends; and machines whose row is not. */
async function lockFree(
  db: Db,
  machines: readonly Machine[],
): Promise<{ online: ReadonlyMap<number, boolean>; held: ReadonlySet<number> }> {
  const ids = machines.map((machine) => machine.id)
  const { rows } = await sql<{ device_id: number; online: boolean }>`
    select device_id, online from device_states where device_id = any(${ids}::bigint[])
    order by device_id for update skip locked`.execute(db)
  const online = new Map(rows.map((row) => [row.device_id, row.online]))
  if (rows.length === ids.length) return { online, held: new Set() }
  const { rows: known } = await sql<{
    device_id: number
  }>`select device_id from device_states where device_id = any(${ids}::bigint[])`.execute(db)
  return {
    online,
    held: new Set(known.map((row) => row.device_id)).difference(new Set(online.keys())),
  }
}

/**
 * Organisations whose machines came online. Versions and signal only from the newest place of the
 * machine.
 */
async function writeHeard(app: App, all: readonly Heard[]): Promise<Written> {
  return app.database.transact(systemScope, async (db, later) => {
    later(lockTimeout(limits.lockMs))
    // read first, in a statement of its own: joined to what is written, the planner compares every
    // machine with every other
    const { online: before, held } = await lockFree(
      db,
      all.map((row) => row.machine),
    )
    const rows = all.filter((row) => !held.has(row.machine.id))
    const written = await rowsOf<{ deviceId: number; orgId: number; online: boolean }>(db)`
      insert into device_states as s (device_id, org_id, online, last_seen_at, boot, fw, apk, rsrp,
        signal)
      select u.device_id, u.org_id, true, u.at, n.boot, n.fw, n.apk, n.rsrp, n.signal
      from unnest(${rows.map((r) => r.machine.id)}::bigint[],
        ${rows.map((r) => r.machine.orgId)}::bigint[], ${rows.map((r) => iso(r.at))}::timestamptz[],
        ${rows.map((r) => bootText(r.boot, r.machine.epoch))}::text[],
        ${rows.map((r) => r.seq)}::bigint[],
        ${rows.map((r) => r.fw)}::text[], ${rows.map((r) => r.apk)}::text[],
        ${rows.map((r) => r.rsrp)}::int[], ${rows.map((r) => r.signal)}::text[]) as u (device_id,
        org_id, at, boot, seq, fw, apk, rsrp, signal)
      -- nothing of a place that is not the machine's newest, or of a start without a fact that was taken
      left join lateral (select u.boot, u.fw, u.apk, u.rsrp, u.signal
        where not exists (select from device_message_keys k
          where k.device_id = u.device_id and (k.boot, k.seq) > (u.boot, u.seq))
          and exists (select from device_message_keys k
            where k.device_id = u.device_id and k.boot = u.boot)) n on true
      where exists (select from devices d where d.id = u.device_id) order by u.device_id
      on conflict (device_id) do update set
        last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
        online = s.online or s.offline_since is null or excluded.last_seen_at > s.offline_since,
        offline_since = case when excluded.last_seen_at > s.offline_since then null
          else s.offline_since end,
        offline_cause = case when excluded.last_seen_at > s.offline_since then null
          else s.offline_cause end,
        boot = coalesce(excluded.boot, s.boot),
        fw = coalesce(excluded.fw, s.fw),
        apk = coalesce(excluded.apk, s.apk),
        rsrp = case when excluded.signal is null then s.rsrp else excluded.rsrp end,
        signal = coalesce(excluded.signal, s.signal)
      returning device_id as "deviceId", org_id as "orgId", online`
    const came = written.flatMap(({ deviceId, orgId, online }) =>
      online && !before.get(deviceId) ? [{ deviceId, orgId, cause: null }] : [],
    )
    return { orgs: await told({ db, now: app.now() }, came), held }
  })
}

/** A bye counts unless the machine was heard after it or has begun another connection since. */
async function writeByes(app: App, all: readonly Bye[]): Promise<Written> {
  return app.database.transact(systemScope, async (db) => {
    const { held } = await lockFree(
      db,
      all.map((bye) => bye.machine),
    )
    const rows = all.filter((bye) => !held.has(bye.machine.id))
    const changed = await rowsOf<Moved>(db)`
      update device_states s set online = false, offline_since = x.at, offline_cause = x.cause
      from unnest(${rows.map((r) => r.machine.id)}::bigint[],
        ${rows.map((r) => iso(r.at))}::timestamptz[], ${rows.map((r) => r.cause)}::text[],
        ${rows.map((r) => (r.session ? placeText(bootText(r.session.boot, r.machine.epoch), r.session.seq) : null))}::text[]) as x (device_id, at, cause, place)
      where s.device_id = x.device_id and s.online
        and (s.last_seen_at is null or s.last_seen_at <= x.at)
        and (x.place is null or coalesce(s.places->>'hello', '') <= x.place)
      returning s.device_id as "deviceId", s.org_id as "orgId", s.offline_cause as cause`
    return { orgs: await told({ db, now: app.now() }, changed), held }
  })
}
