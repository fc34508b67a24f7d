import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { releaseRepairedLanes } from '../../lanes/server/repaired.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import {
  contradicts,
  type Effect,
  type Happening,
  happen,
  mayHaveLeft,
  type VendState,
} from '../rules.ts'
import { openUnsent } from './cases.ts'
import { openRefunds } from './refunds.ts'
import { addFigures, type ProductDelta, type SalesDelta } from './rollups.ts'
import {
  insertEvents,
  liesAt,
  lockOrders,
  type Order,
  type OrderEvent,
  relabel,
  type Unit,
  writeEvents,
} from './rows.ts'

/**
 * One command and what happened to it. `deviceId`: of the machine that says so, which may speak
 * about its own commands only.
 */
export type Fact = {
  cmdId: string
  what: Happening
  at: Date
  deviceId?: number
  /** When the piece was seen to be gone, where that is not when it is booked. */
  movedAt?: Date
}

type Command = {
  cmdId: string
  orgId: number
  deviceId: number
  orderId: number
  orderAt: Date
  unitId: number
  attempt: number
  state: VendState
  resultCode: string | null
  laneId: number
  /** What this attempt may still have taken out of its lane, after another began. */
  hold: string | null
  /** Whose the machine is now: it may have changed hands since. */
  ownerId: number
  dropSensor: boolean
  autoRefund: boolean
}
/** Whose the commands are, and those whose machine said another end before. */
export type Settled = { owners: ReadonlyMap<string, number>; contradicted: ReadonlySet<string> }

/**
 * Settles what machines and clocks say about commands: pieces, stock, refunds, order labels and
 * figures in one transaction, set-based, idempotent and in any order. Locks: orders, units, lanes,
 * rollups.
 */
export async function settle(ctx: Ctx, facts: readonly Fact[]): Promise<Settled> {
  const contradicted = new Set<string>()
  if (!facts.length) return { owners: new Map(), contradicted }
  const found = await rowsOf<Command>(ctx.db)`
    select c.cmd_id as "cmdId", c.org_id as "orgId", c.device_id as "deviceId",
      c.order_id as "orderId", c.order_at as "orderAt", c.unit_id as "unitId",
      c.attempt, c.state, c.result_code as "resultCode", c.lane_id as "laneId", c.hold, d.org_id as "ownerId",
      d.drop_sensor as "dropSensor", d.auto_refund as "autoRefund"
    from vend_commands c join devices d on d.id = c.device_id
    where c.cmd_id = any(${[...new Set(facts.map((f) => f.cmdId))]}::uuid[])`
  const commandOf = new Map(found.map((command) => [command.cmdId, command]))
  const owners = new Map(found.map((command) => [command.cmdId, command.deviceId]))
  const own = facts.filter(
    ({ cmdId, deviceId }) => deviceId === undefined || deviceId === owners.get(cmdId),
  )
  const commands = [...new Set(own.flatMap((fact) => commandOf.get(fact.cmdId) ?? []))]
  if (!commands.length) return { owners, contradicted }
  const keys = commands.map((c) => ({ orgId: c.orgId, at: c.orderAt, id: c.orderId }))
  const { orders, units } = await lockOrders(ctx, keys)
  const unitOf = new Map(units.map((unit) => [unit.id, unit]))
  const orderOf = new Map(orders.map((order) => [order.id, order]))
  const work = newWork()
  await rereadHolds(ctx, commands, unitOf)
  for (const fact of own) {
    const command = commandOf.get(fact.cmdId)
    const unit = command && unitOf.get(command.unitId)
    const order = unit && orderOf.get(unit.orderId)
    if (!command || !unit || !order) continue
    const said = work.commands.get(fact.cmdId)
    if (contradicts(said?.state ?? command.state, said?.result ?? command.resultCode, fact.what))
      contradicted.add(fact.cmdId)
    if (command.attempt !== unit.attempt) {
      superseded(work, unit, command, fact.what)
      continue
    }
    const effect = happen(unit, command.dropSensor, fact.what)
    if (effect) apply(work, order, unit, command, effect, fact)
  }
  await write(ctx, work, orders, units)
  return { owners, contradicted }
}

/** The commands were read before their orders were locked: what they hold may be over. */
async function rereadHolds(
  ctx: Ctx,
  commands: readonly Command[],
  unitOf: ReadonlyMap<number, Unit>,
): Promise<void> {
  const before = commands.filter(({ unitId, attempt }) => {
    const unit = unitOf.get(unitId)
    return unit !== undefined && unit.attempt !== attempt
  })
  if (!before.length) return
  const rows = await rowsOf<{ cmdId: string; hold: string | null }>(ctx.db)`
    select cmd_id as "cmdId", hold from vend_commands
    where cmd_id = any(${before.map(({ cmdId }) => cmdId)}::uuid[])
    order by cmd_id for no key update`
  for (const command of before)
    command.hold = rows.find(({ cmdId }) => cmdId === command.cmdId)?.hold ?? null
}

/**
 * What the machine says of an attempt after which another began: a second piece left, which a count
 * writes off; or nothing did after all, and the lane has it still.
 */
function superseded(work: Work, unit: Unit, command: Command, what: Happening): void {
  if (what.kind !== 'result') return
  if (what.result === 'OK') {
    work.cases.push({ unit, kind: 'DOUBLE_SHIPPED' })
    return
  }
  if (command.hold !== 'FAILED_HOLD' || mayHaveLeft(what.result)) return
  command.hold = 'RELEASED'
  work.freed.push(command.cmdId)
  work.moves.push({ laneId: command.laneId, failedHold: -1 })
}

/** Of a result that waits for a count, which one and of which lane. */
type Case = { unit: Unit; kind: string; cmdId?: string }
type Work = {
  units: Map<number, Unit & { finished: boolean }>
  commands: Map<
    string,
    { cmdId: string; state: VendState; result: string | null; duration: number | null }
  >
  moves: Move[]
  events: OrderEvent[]
  cases: Case[]
  refunds: Unit[]
  cancels: number[]
  /** Pieces that left after their refund failed: it is not tried by itself any more. */
  rests: number[]
  /** Orders with a piece that did not leave and whose money nobody sends back. */
  waiting: Map<number, Order>
  /** Attempts whose hold ends. */
  freed: string[]
  products: ProductDelta[]
  sales: SalesDelta[]
  faults: { deviceId: number; orgId: number; laneId: number; code: string; at: Date }[]
  /** Lanes of which a test vend has shown that they work. */
  repaired: number[]
}
const newWork = (): Work => ({
  units: new Map(),
  commands: new Map(),
  moves: [],
  events: [],
  cases: [],
  refunds: [],
  cancels: [],
  rests: [],
  waiting: new Map(),
  freed: [],
  products: [],
  sales: [],
  faults: [],
  repaired: [],
})

function apply(
  work: Work,
  order: Order,
  unit: Unit,
  command: Command,
  effect: Effect,
  fact: Fact,
): void {
  const test = order.orderType === 'TEST'
  const result =
    fact.what.kind === 'result' ? fact.what.result : fact.what.kind === 'ack' ? fact.what.ack : null
  if (effect.park) {
    // the machine says a piece left that the books hold as put back: a person counts, as long as
    // the lane is that owner's
    if (command.ownerId === command.orgId)
      work.moves.push({ laneId: unit.laneId, stop: { to: 'LOCKED', reason: 'COUNT_NEEDED' } })
    work.cases.push({ unit, kind: 'UNKNOWN_RESULT', cmdId: command.cmdId })
    work.events.push({ unit, kind: 'LATE_RESULT', at: fact.at, data: { result } })
    return
  }
  work.moves.push(...movesOf(unit, effect, fact.movedAt ?? fact.at, test))
  const { orgId, deviceId, laneId, productId, cost } = unit
  if (effect.laneFault)
    work.faults.push({ deviceId, orgId, laneId, code: effect.failReason ?? 'FAULT', at: fact.at })
  unit.vendState = effect.vendState
  unit.hold = effect.hold
  unit.failReason = effect.failReason ?? (effect.vendState === 'SUCCESS' ? null : unit.failReason)
  unit.dropConfirmed = effect.dropConfirmed
  unit.lateSuccess ||= effect.late
  unit.manual ||= fact.what.kind === 'resolved'
  const ended = ['SUCCESS', 'FAILED', 'VOID'].includes(effect.vendState)
  work.units.set(unit.id, Object.assign(unit, { finished: ended }))
  const ms = fact.what.kind === 'result' ? fact.what.durationMs : undefined
  work.commands.set(command.cmdId, {
    cmdId: command.cmdId,
    state: effect.vendState,
    result,
    duration: ms ?? null,
  })
  work.events.push({
    unit,
    kind: effect.vendState,
    at: fact.at,
    data: {
      ...{ result, late: effect.late, drop: effect.dropConfirmed, ms },
      ...(fact.what.kind === 'resolved' ? { manual: true } : {}),
    },
  })
  // nobody bought a test: no figures, nothing to give back; but the lane works
  if (test) {
    if (effect.take) work.repaired.push(unit.laneId)
  } else if (effect.take) {
    // what is cleaned stands in no figure
    if (!order.excluded) {
      const left = { orgId, deviceId, at: fact.at, vended: 1, cost }
      work.sales.push({ ...left, payType: order.payType })
      work.products.push({ ...left, productId })
    }
    if (unit.refundState === 'PENDING') work.cancels.push(unit.id)
    if (unit.refundState === 'FAILED') work.rests.push(unit.id)
    if (
      unit.refundState === 'PROCESSING' ||
      unit.refundState === 'SUCCESS' ||
      unit.refundState === 'FAILED'
    )
      work.cases.push({ unit, kind: 'SHIPPED_AFTER_REFUND' })
  } else if (ended && (unit.refundState === null || unit.refundState === 'CANCELLED')) {
    if (command.autoRefund) work.refunds.push(unit)
    else work.waiting.set(order.id, order)
  }
}

/**
 * What the effect does to the lane: the hold ends or changes kind, and the piece leaves with
 * exactly one flow.
 */
function movesOf(unit: Unit, effect: Effect, at: Date, test: boolean): Move[] {
  const was = {
    reserved: unit.hold === 'HELD' ? 1 : 0,
    failedHold: unit.hold === 'FAILED_HOLD' ? 1 : 0,
  }
  const is = {
    reserved: effect.hold === 'HELD' ? 1 : 0,
    failedHold: effect.hold === 'FAILED_HOLD' ? 1 : 0,
  }
  const move: Move = {
    laneId: unit.laneId,
    reserved: is.reserved - was.reserved,
    failedHold: is.failedHold - was.failedHold,
  }
  if (effect.laneFault) move.stop = { to: 'FAULT', reason: effect.failReason ?? 'FAULT' }
  const flow = {
    orderNum: unit.orderNum,
    occurredAt: at,
    actorKind: 'DEVICE',
    actorId: unit.deviceId,
  } as const
  const taken = test
    ? ({ type: 'MERCHANT_WITHDRAW', reason: 'TEST_VEND' } as const)
    : ({ type: 'CUSTOMER_TAKE', reason: 'SALE' } as const)
  const moves: Move[] = []
  if (effect.correct)
    moves.push({
      laneId: unit.laneId,
      flow: { ...flow, change: 1, type: 'MERCHANT_REPLENISH', reason: 'CORRECTION', before: true },
    })
  if (effect.take) move.flow = { ...flow, ...taken, change: -1, unitId: unit.id }
  if (move.flow || move.stop || move.reserved || move.failedHold) moves.push(move)
  return moves
}

async function write(
  ctx: Ctx,
  work: Work,
  orders: readonly Order[],
  units: readonly Unit[],
): Promise<void> {
  const { flowOfUnit, deviceIds } = await moveStock(ctx, work.moves)
  const changed = [...work.units.values()]
  if (changed.length) {
    const json = JSON.stringify(
      changed.map((u) => ({ ...u, flowId: flowOfUnit.get(u.id) ?? null })),
    )
    // commands, pieces and what is told about them in one statement
    ctx.later(sql`with told as (${insertEvents(ctx, work.events)}), commanded as (
      update vend_commands c set state = n.state, result_code = coalesce(n.result, c.result_code),
        duration_ms = coalesce(n.duration, c.duration_ms),
        acked_at = case when n.state = 'ACKED' then ${ctx.now} else c.acked_at end,
        unknown_at = case when n.state = 'UNKNOWN' then ${ctx.now} else c.unknown_at end,
        finished_at = case when n.state in ('SUCCESS','FAILED','VOID') then ${ctx.now}
          else c.finished_at end
      from jsonb_to_recordset(${JSON.stringify([...work.commands.values()])}::jsonb) as
        n("cmdId" uuid, state text, result text, duration int) where c.cmd_id = n."cmdId"
    ) update order_units u set vend_state = n."vendState", hold = n.hold,
    fail_reason = n."failReason",
        drop_confirmed = n."dropConfirmed", late_success = n."lateSuccess", manual = n.manual,
        flow_id = coalesce(n."flowId", u.flow_id), acked_at = case
          when n."vendState" = 'ACKED' then ${ctx.now} else u.acked_at end,
        finished_at = case when n.finished then ${ctx.now} else u.finished_at end
      from jsonb_to_recordset(${json}::jsonb) as n(id bigint, "orgId" bigint,
        "createdAt" timestamptz, "vendState" text, hold text, "failReason" text,
        "dropConfirmed" boolean, "lateSuccess" boolean, manual boolean, "flowId" bigint,
        finished boolean)
      where ${liesAt('u')} and ${within(
        'u.created_at',
        changed.map((unit) => unit.createdAt),
      )}`)
  } else writeEvents(ctx, work.events)
  await writeCases(ctx, work.cases)
  openUnsent(ctx, [...work.waiting.values()], units)
  if (work.freed.length)
    ctx.later(sql`update vend_commands set hold = 'RELEASED'
      where cmd_id = any(${work.freed}::uuid[]) and hold = 'FAILED_HOLD'`)
  if (work.cancels.length) {
    await sql`with gone as (update refunds set state = 'CANCELLED', next_at = null
      where unit_id = any(${work.cancels}::bigint[]) and state = 'PENDING' returning unit_id)
      update order_units u set refund_state = 'CANCELLED' from gone
      where u.id = gone.unit_id and u.order_id = any(${orders.map((o) => o.id)}::bigint[])`.execute(
      ctx.db,
    )
    for (const unit of units) if (work.cancels.includes(unit.id)) unit.refundState = 'CANCELLED'
  }
  if (work.rests.length)
    ctx.later(sql`update refunds set next_at = null
      where unit_id = any(${work.rests}::bigint[]) and state = 'FAILED'`)
  await openRefunds(ctx, work.refunds, {
    reason: 'NOT_DISPENSED',
    remark: '',
    automatic: true,
    userId: null,
  })
  await openFaults(ctx, work.faults)
  await closeFaults(ctx, work.repaired, units)
  relabel(ctx, orders, units)
  refreshDeviceCounters(ctx, deviceIds)
  addFigures(ctx, work.sales, work.products)
  if (changed.length) ctx.touch('orders', changed)
  // the next piece of a finished one may go to its machine
  if (changed.some((u) => u.finished)) ctx.touch('vend')
}

export async function writeCases(ctx: Ctx, cases: readonly Case[]): Promise<void> {
  if (!cases.length) return
  const json = JSON.stringify(
    cases.map(({ unit, kind, cmdId }) => ({
      ...{ ...unit, kind, cmdId },
      laneId: cmdId ? unit.laneId : null,
    })),
  )
  // said again of another attempt it waits again
  await sql`insert into order_cases as o (org_id, device_id, order_id, order_num, unit_id, kind,
    amount, cost, lane_id, cmd_id, created_at)
    select distinct on (kind, id) "orgId", "deviceId", "orderId", "orderNum", id, kind, paid, cost,
      "laneId", "cmdId", ${ctx.now}::timestamptz
    from jsonb_to_recordset(${json}::jsonb)
      as c("orgId" bigint, "deviceId" bigint, "orderId" bigint, "orderNum" text, id bigint,
        kind text, paid bigint, cost bigint, "laneId" bigint, "cmdId" uuid)
    on conflict (kind, unit_id, payment_id) do update set state = 'OPEN', handled_at = null,
      lane_id = excluded.lane_id, cmd_id = excluded.cmd_id, created_at = excluded.created_at
      where o.cmd_id is distinct from excluded.cmd_id`.execute(ctx.db)
}

async function openFaults(ctx: Ctx, faults: Work['faults']): Promise<void> {
  if (!faults.length) return
  // the counters of device_states follow with refreshDeviceCounters
  await sql`insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
    select distinct on ("deviceId", "laneId", code) "orgId", "deviceId", "laneId", code, 'ERROR', at
    from jsonb_to_recordset(${JSON.stringify(faults)}::jsonb) as x("orgId" bigint,
      "deviceId" bigint, "laneId" bigint, code text, at timestamptz)
    on conflict do nothing`.execute(ctx.db)
  ctx.touch('devices', faults)
}

/**
 * A lane that has dispensed in a test has no fault any more and sells again (core.md, lane
 * transitions).
 */
async function closeFaults(
  ctx: Ctx,
  laneIds: readonly number[],
  units: readonly Unit[],
): Promise<void> {
  if (!laneIds.length) return
  await sql`update device_faults set closed_at = greatest(${ctx.now}::timestamptz, opened_at)
    where lane_id = any(${[...laneIds]}::bigint[]) and closed_at is null`.execute(ctx.db)
  await releaseRepairedLanes(ctx, laneIds)
  ctx.touch('devices', units)
}
