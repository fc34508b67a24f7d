import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem, eachFree } from '../../../server/run.ts'
import { within } from '../../../server/within.ts'
import {
  anyBuyer,
  canPlace,
  type Goods,
  type Place,
  type Queue,
  registeredBuyer,
  stoppingLocks,
} from '../../drug-guard/rules.ts'
import { asSite, drugOf, queueOf, type RawSite, siteOf } from '../../drug-guard/server/facts.ts'
import { type GuardRefusal, writeRefusals } from '../../drug-guard/server/refusals.ts'
import type { RecordVends, VendOut } from '../../machines/server/vending.ts'
import { timers } from '../rules.ts'
import { type Fact, settle } from './settle.ts'

/** The gateway's two doors: what machines say about commands, and which commands leave now. */

/**
 * Inside the transaction that stored the messages. A machine may only speak about its own commands.
 */
export const recordVend: RecordVends = async (ctx, facts) => {
  if (!facts.length) return { own: new Set(), contradicted: new Set() }
  // money and rollups use the server's clock; the machine's own time stays in the raw message
  const { owners, contradicted } = await settle(
    ctx,
    facts.map(
      (fact): Fact => ({
        cmdId: fact.cmdId,
        deviceId: fact.deviceId,
        at: ctx.now,
        what:
          fact.kind === 'ack'
            ? { kind: 'ack', ack: fact.ack }
            : {
                kind: 'result',
                result: fact.result,
                dropDetected: fact.dropDetected,
                durationMs: fact.durationMs,
              },
      }),
    ),
  )
  const named = (cmdIds: Iterable<string>) =>
    new Set([...cmdIds].map((cmdId) => `${owners.get(cmdId)}/${cmdId}`))
  return { own: named(owners.keys()), contradicted: named(contradicted) }
}

/**
 * Marks what leaves now for connected machines and returns it: the next waiting command of a
 * machine without a live one, an unanswered one again (same id, at most three times), a question
 * about a result that did not come, then a void.
 */
export async function takeCommands(app: App, deviceIds: readonly number[]): Promise<VendOut[]> {
  if (!deviceIds.length) return []
  // most turns find nothing: one look, without locks; what is paid after it pokes the next turn
  const { rows } = await app.database.readSame(systemScope, (db) =>
    sql<Waiting>`select v.device_id, min(v.order_at) as first, max(v.order_at) as last,
        bool_or(d.kind = 'DRUG' or coalesce((select p.trace_required from lanes l
          join products p on p.id = l.product_id where l.id = v.lane_id), false)) as guarded
      from vend_commands v join devices d on d.id = v.device_id
      where v.state in ('WAIT','SENT','UNKNOWN') group by v.device_id`.execute(db),
  )
  const asked = new Set(deviceIds)
  const waiting = rows.filter((row) => asked.has(row.device_id))
  if (!waiting.length) return []
  const { out, stopped, guarded } = await bySystem(app, (ctx) => takeDue(ctx, waiting))
  // nothing leaves a broken lane: those who paid for it have their money back without waiting for
  // the motor to say so
  await eachFree(app, stopped, (ctx, some) =>
    settle(
      ctx,
      some.map((row): Fact => ({ cmdId: row.cmdId, at: ctx.now, what: { kind: 'stopped' } })),
    ),
  )
  await writeRefusals(app, guarded)
  return out
}

/** `unsaid`: it leaves for those who said who they are, whose packs were counted by their orders. */
type Guarded = GuardRefusal & { laneId: number; unsaid: boolean }

/** Lanes of these machines whose goods must not leave now, as the guard says. */
async function guardedLanes(ctx: Ctx, deviceIds: readonly number[]): Promise<Guarded[]> {
  if (!deviceIds.length) return []
  type Asked = Omit<Place, 'site'> & { site: RawSite; queue: Queue }
  type Row = Goods & Asked & Omit<GuardRefusal, 'verdict' | 'act'>
  const rows = await rowsOf<Row & { laneId: number; unsaid: boolean }>(ctx.db)`
    select distinct on (l.id) l.id as "laneId", l.org_id as "orgId", l.device_id as "deviceId",
      l.road_index as road, p.id as "productId", p.drug_class as "drugClass", ${drugOf} as drug,
      ${queueOf} as queue,
      d.kind, d.dispensing_mode as "dispensingMode", ${siteOf(ctx)} as site,
      p.special_compound and exists (select from vend_commands w where w.lane_id = l.id
        and w.state = 'WAIT' and not ${isSaid('w')}) as unsaid
    from vend_commands c join lanes l on l.id = c.lane_id join products p on p.id = l.product_id
    join devices d on d.id = l.device_id
    where c.device_id = any(${[...deviceIds]}::bigint[]) and c.state = 'WAIT'
      and (p.drug_class <> 'NONE' or p.trace_required)`
  return rows.flatMap((row) => {
    const { laneId, orgId, deviceId, road, productId } = row
    const place = { ...row, site: asSite(row.site) }
    const anyones = canPlace(row, place, { sale: registeredBuyer, queue: row.queue })
    const unsaid = anyones.ok && row.unsaid
    const verdict = unsaid ? canPlace(row, place, { sale: anyBuyer }) : anyones
    const refusal = { laneId, orgId, deviceId, road, productId, verdict, act: 'VEND' as const }
    return verdict.ok ? [] : [{ ...refusal, unsaid }]
  })
}

/** The buyer of this command's piece is registered. */
const isSaid = (command: 'c' | 'w') =>
  sql`exists (select from special_purchases s where s.order_id = ${sql.ref(`${command}.order_id`)}
    and s.unit_no = ${sql.ref(`${command}.unit_no`)})`

/** A machine with live commands, and when the first and the last of their orders were made. */
type Waiting = {
  readonly device_id: number
  readonly first: Date
  readonly last: Date
  /** It sells drugs, or what waits leaves with its trace code. */
  readonly guarded: boolean
}

type Stopped = { readonly cmdId: string; readonly orgId: number }

async function takeDue(
  ctx: Ctx,
  waiting: readonly Waiting[],
): Promise<{ out: VendOut[]; stopped: Stopped[]; guarded: GuardRefusal[] }> {
  const now = ctx.now
  const deviceIds = waiting.map((row) => row.device_id)
  const moments = waiting.flatMap((row) => [row.first, row.last])
  const guarded = await guardedLanes(
    ctx,
    waiting.flatMap((row) => (row.guarded ? row.device_id : [])),
  )
  const lanesThat = (unsaid: boolean) =>
    guarded.filter((row) => row.unsaid === unsaid).map((row) => row.laneId)
  // nor does what must not be sold; a test is how a repairman tries a broken lane
  const isBroken = sql<boolean>`exists (select from lanes l
    where l.id = c.lane_id and (l.status = 'FAULT'
      or l.status = 'LOCKED' and l.lock_reason = any(${[...stoppingLocks]}::text[])
      or l.id = any(${lanesThat(false)}::bigint[])
      or l.id = any(${lanesThat(true)}::bigint[]) and not ${isSaid('c')})) and not exists (
    select from orders o where o.org_id = c.org_id and o.created_at = c.order_at
      and o.id = c.order_id and ${within('o.created_at', moments)} and o.order_type = 'TEST')`
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const taken = rowsOf<VendOut>(ctx.db)`
      with online as (select unnest(${[...deviceIds]}::bigint[]) as device_id),
      next as (
        select distinct on (c.device_id) c.cmd_id, 'vend' as kind, true as first
        from vend_commands c join online using (device_id)
        where c.state = 'WAIT' and ${within('c.order_at', moments)} and not (${isBroken})
          and not exists (select 1 from vend_commands l
            where l.device_id = c.device_id and l.state in ('SENT','ACKED','UNKNOWN'))
        order by c.device_id, c.created_at, c.order_id, c.unit_no
      ), again as (
        select c.cmd_id, 'vend' as kind, false as first from vend_commands c join online
        using (device_id)
        where c.state = 'SENT' and c.sends <= ${timers.resends}
          and c.last_sent_at <= ${ago(timers.ack)} and c.expire_at > ${now}
      ), ask as (
        select c.cmd_id, case when c.unknown_at <= ${ago(timers.voidAfter)} then 'void'
          else 'query' end as kind, false as first from vend_commands c join online
          using (device_id)
        where c.state = 'UNKNOWN' and c.last_sent_at <= ${ago(timers.ack)}
      ), due as (
        -- the order is locked first, as everywhere; one that somebody holds is left for the next turn
        select c.cmd_id, c.state, d.kind, d.first
        from (select * from next union all select * from again union all select * from ask) d
        join vend_commands c on c.cmd_id = d.cmd_id
        join orders o on o.org_id = c.org_id and o.created_at = c.order_at and o.id = c.order_id
        where ${within('o.created_at', moments)} order by o.id for no key update of o skip locked
      ), sent as (
        update vend_commands c set sends = c.sends + 1, last_sent_at = ${now},
          state = case when d.first then 'SENT' else c.state end,
          -- the motor of the lane now: it may have been rewired since the payment; what has left keeps its own
          motor_no = case when d.first then (select l.motor_no from lanes l where l.id = c.lane_id)
            else c.motor_no end,
          issued_at = case when d.first then ${now} else c.issued_at end,
          expire_at = case when d.first then
          ${new Date(now.getTime() + timers.expire * 1000)}::timestamptz else c.expire_at end
        from due d where c.cmd_id = d.cmd_id and c.state = d.state
        returning c.*, d.kind, d.first
      ), moved as (
        update order_units u set vend_state = 'SENT', sent_at = ${now} from sent s
        where s.first and u.org_id = s.org_id and u.created_at = s.order_at and u.id = s.unit_id
          and ${within('u.created_at', moments)} and u.vend_state = 'WAIT'
      ), told as (
        insert into order_events (org_id, created_at, order_id, order_at, device_id, unit_no, kind,
          data)
        select s.org_id, ${now}::timestamptz, s.order_id, s.order_at, s.device_id, s.unit_no,
          'SENT', jsonb_build_object('road', s.road) from sent s where s.first
      )
      select s.device_id as "deviceId", d.rtu_number as "rtuNumber", s.cmd_id as "cmdId",
        s.order_num as "orderNum", s.unit_no as "unitNo", s.road,
        s.motor_no as "motorNo", s.issued_at as "issuedAt", s.expire_at as "expireAt", s.kind
        from sent s join devices d on d.id = s.device_id`
  const broken = rowsOf<Stopped>(
    ctx.db,
  )`select c.cmd_id as "cmdId", c.org_id as "orgId" from vend_commands c
    where c.device_id = any(${[...deviceIds]}::bigint[]) and c.state = 'WAIT'
      and ${within('c.order_at', moments)} and ${isBroken}`
  const [out, stopped] = await Promise.all([taken, broken])
  return { out, stopped, guarded: stopped.length ? guarded : [] }
}
