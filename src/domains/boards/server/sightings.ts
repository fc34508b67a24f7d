import { sql } from 'kysely'
import { type App, type Ctx, iso } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { bySystem } from '../../../server/run.ts'
import { dayMs } from '../../../shared/instants.ts'
import { boardNoForm } from '../../machines/rules.ts'
import { placeFor, unknownLimits } from '../rules.ts'

/**
 * A board nobody registered wanted in. Nothing of it is proven, so it costs memory for seconds and
 * one row at most.
 */
export type Sighting = {
  readonly boardNo: string
  readonly via: 'MQTT' | 'ACTIVATION'
  readonly address: string
  readonly model?: string
  readonly hwVersion?: string
  readonly fwVersion?: string
  readonly iccid?: string
}
type Waiting = Sighting & { readonly first: Date; readonly last: Date; readonly tries: number }
export type Sightings = {
  note(sighting: Sighting): void
  /**
   * Writes what waits: one transaction, however many tried; the loop calls it every few seconds.
   */
  flush(): Promise<void>
}

/** Of this process; its loop begins with the first sighting. */
export const sightingsOf = perApp(openSightings)

function openSightings(app: App): Sightings {
  let waiting = new Map<string, Waiting>()
  let looping = false

  function add(given: Waiting): void {
    const before = waiting.get(given.boardNo)
    if (!before && waiting.size >= unknownLimits.waiting) {
      const place = placeFor(waiting, given.address)
      if (place === null) return
      waiting.delete(place)
    }
    waiting.set(
      given.boardNo,
      before
        ? { ...before, ...given, first: before.first, tries: before.tries + given.tries }
        : given,
    )
  }

  const sightings: Sightings = {
    note(sighting) {
      if (!boardNoForm.test(sighting.boardNo)) return
      const now = app.now()
      add({
        ...sighting,
        address: sighting.address.replace(/^::ffff:/, '').slice(0, 64),
        first: now,
        last: now,
        tries: 1,
      })
      if (looping) return
      looping = true
      app.jobs.every('unknown-boards', unknownLimits.flushMs, sightings.flush)
    },
    async flush() {
      if (waiting.size === 0) return
      const batch = waiting
      waiting = new Map()
      try {
        await bySystem(app, (ctx) => write(ctx, [...batch.values()]))
      } catch (error) {
        // the next turn tries again, beside what has come meanwhile
        const since = waiting
        waiting = batch
        for (const one of since.values()) add(one)
        throw error
      }
    },
  }
  return sightings
}

/**
 * Numbers that are registered, as a board or as a machine, are not unknown, whatever tried with
 * them.
 */
export const registered = sql<boolean>`(exists (select from main_boards b
  where b.board_no = u.board_no) or exists (select from devices d where d.rtu_number = u.board_no))`

/** Not seen for long; noise that came once or twice is forgotten the day after. */
export const longAgo = ({ now }: Pick<Ctx, 'now'>) =>
  sql<boolean>`u.last_seen_at < case when u.tries < ${unknownLimits.few}
    and u.ignored_at is null then
      ${new Date(now.getTime() - unknownLimits.fewDays * dayMs)}::timestamptz
    else ${new Date(now.getTime() - unknownLimits.days * dayMs)}::timestamptz end`

async function write(ctx: Ctx, batch: readonly Waiting[]): Promise<void> {
  const rows = batch.map((one) => ({
    board_no: one.boardNo,
    via: one.via,
    address: one.address,
    model: one.model ?? '',
    hw_version: one.hwVersion ?? '',
    fw_version: one.fwVersion ?? '',
    iccid: one.iccid ?? '',
    tries: one.tries,
    first_seen_at: iso(one.first),
    last_seen_at: iso(one.last),
  }))
  await sql`
    insert into unknown_boards as o (board_no, via, address, model, hw_version, fw_version, iccid,
      tries, first_seen_at, last_seen_at)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as u (board_no text, via text,
      address text, model text, hw_version text, fw_version text, iccid text,
      tries int, first_seen_at timestamptz, last_seen_at timestamptz) where not ${registered}
      order by board_no
    on conflict (board_no) do update
    set via = excluded.via, address = excluded.address,
      model = coalesce(nullif(excluded.model, ''), o.model),
      hw_version = coalesce(nullif(excluded.hw_version, ''), o.hw_version),
      fw_version = coalesce(nullif(excluded.fw_version, ''), o.fw_version),
      iccid = coalesce(nullif(excluded.iccid, ''), o.iccid),
      tries = least(o.tries + excluded.tries::bigint, 1000000000)::int,
      last_seen_at = greatest(o.last_seen_at, excluded.last_seen_at)`.execute(ctx.db)
  await forget(ctx)
  ctx.touch('unknown-boards')
}

/**
 * Keeps the table small: addresses in turn, of each those that keep trying, then the latest, so
 * that random numbers push out one another before a board that is really there. What people ignored
 * is counted by itself.
 */
async function forget(ctx: Ctx): Promise<void> {
  const keen = sql`least(u.tries, 5) desc, u.last_seen_at desc, u.id desc`
  await sql`
    delete from unknown_boards u where ${longAgo(ctx)} or ${registered} or u.id in (
      select id from (
        select id, row_number() over (partition by ignored order by turn, ${keen}) as place
        from (select u.*, u.ignored_at is not null as ignored,
          row_number() over (partition by u.address, u.ignored_at is null order by ${keen}) as turn
          from unknown_boards u) u) x
      where place > ${unknownLimits.kept})`.execute(ctx.db)
}
