import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lanes } from '../../src/domains/lanes/contract.ts'
import { partyOf } from '../../src/domains/ledger/rules.ts'
import { post } from '../../src/domains/ledger/server/post.ts'
import { refreshDeviceCounters } from '../../src/domains/machines/server/counters.ts'
import type { VendFact, VendOut } from '../../src/domains/machines/server/vending.ts'
import { orders } from '../../src/domains/orders/contract.ts'
import { type Providers, refundKind } from '../../src/domains/orders/server/refunds.ts'
import { closeUnpaid, sweepCommands } from '../../src/domains/orders/server/timers.ts'
import { recordVend, takeCommands } from '../../src/domains/orders/server/vend.ts'
import { payments } from '../../src/domains/payments/contract.ts'
import { simulatorSign } from '../../src/domains/payments/server/verbs.ts'
import { verifyDay } from '../../src/domains/reconciliation/server/run.ts'
import { replenishment } from '../../src/domains/replenishment/contract.ts'
import { accrue, settleDue } from '../../src/domains/splits/server/accrue.ts'
import { moveStock } from '../../src/domains/stock/server/move.ts'
import { createRandom, type Random } from '../../src/seed/random.ts'
import type { Ctx } from '../../src/server/context.ts'
import { isHeld } from '../../src/server/database.ts'
import { checkInvariants } from '../../src/server/invariants.ts'
import { bySystem } from '../../src/server/run.ts'
import { runDue } from '../../src/server/work.ts'
import type { Endpoint, Output } from '../../src/shared/contract.ts'
import { addDays, shanghaiDay } from '../../src/shared/instants.ts'
import { splitSales } from '../support/splitSales.ts'
import { openWorld, place, type World, widenLimits, worldNow } from '../support/world.ts'

/**
 * T1a: customers, machines, staff and clocks act on few hot lanes at once, through the HTTP API
 * where there is one. A driver outside keeps what was acknowledged; at the end the books must agree
 * with it to the fen and to the piece.
 */
const operations = Number(process.env.MODEL_OPERATIONS ?? 20_000)
/** A night has so many minutes for them; all of them without. */
const minutes = Number(process.env.MODEL_MINUTES ?? Number.POSITIVE_INFINITY)
const workers = 32
const seed = process.env.MODEL_SEED ?? String(Date.now() % 1_000_000)

let world: World
let token: string
let now = worldNow.getTime()
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  token = await world.login('ROLE_RTU_SP')
  machines = (
    await world.sql<{ id: string; rtu_number: string }>(
      `select d.id, d.rtu_number from devices d join device_states s on s.device_id = d.id
        where d.lifecycle = 'OPERATING' and s.online and exists (select 1 from lanes l
          where l.device_id = d.id and l.product_id is not null) order by d.id`,
    )
  ).map((row) => ({ id: Number(row.id), rtuNumber: row.rtu_number }))
  await widenLimits(world)
  await world.sql('delete from split_debts')
  // sales of OWN give a referrer of its own and one of its agent their shares
  const people = await world.sql<{ id: number }>(`insert into referrers (org_id, referrer_name,
      mobile, mobile_hash, mobile_shown, receive_kind)
    select org, '荐', '\\x00', decode(md5(org::text), 'hex'), '139****0000', 'LEDGER'
    from unnest(array[${place.OWN}, ${place.PARENT}]) org returning id::int`)
  const referrers = people.map(({ id }) => id)
  parties.push(...referrers.map((id) => partyOf({ referrerId: id })))
  await splitSales(world, 'OWN', 'HALF_HOUR', referrers)
  await splitSales(world, 'CHILD', 'HALF_HOUR')
  // what failed on machines of the child waits for somebody, who may vend it again
  await world.sql('update devices set auto_refund = false where org_id = $1', [place.CHILD])
  await world.sql('update lanes set capacity = 199, warn_qty = 0 where product_id is not null')
  await world.sql(`insert into batches (org_id, product_id, supplier_id, batch_no, produced_on,
    expires_on) select org_id, product_id, supplier_id, batch_no || n, produced_on, expires_on
    from batches cross join generate_series(2, 3) n`)
  await system(async (ctx) =>
    refreshDeviceCounters(
      ctx,
      machines.map((m) => m.id),
    ),
  )
})
afterAll(async () => world.close())

type Driver = {
  paid: number
  /** How often each piece dropped, by order and number. */
  drops: Map<string, number>
  orders: number
  refundsAsked: Set<string>
  statuses: Map<number, number>
}
const driver: Driver = {
  paid: 0,
  drops: new Map(),
  orders: 0,
  refundsAsked: new Set(),
  statuses: new Map(),
}
/** What was tried, and how often it came to something: an act that is always refused proves nothing. */
const acts = new Map<string, { done: number; refused: number }>()
const everyAct = [
  ...['order', 'pay', 'drop a piece', 'close unpaid', 'sweep commands', 'pay back', 'reprice'],
  ...['orders.refund', 'orders.vend', 'begin a visit', 'save a visit', 'replenishment.submit'],
  ...['join lanes', 'share out', 'settle', 'take out'],
].sort()
function note(act: string, done: boolean): void {
  const so = acts.get(act) ?? { done: 0, refused: 0 }
  so[done ? 'done' : 'refused'] += 1
  acts.set(act, so)
}

/** What machines did and keep saying: a result per command, as a machine's memory holds it. */
const memory = new Map<string, VendFact>()
const open: { orderNum: string; outTradeNo: string; payableAmount: number }[] = []
const known: string[] = []

/** Whoever finds a row held too long comes again, as the gateway and the worker do. */
const system = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  bySystem(world.app, work).catch((error: unknown) => {
    if (isHeld(error)) return system(work)
    throw error
  })
/** A few hot machines; staff of OWN may act on its own and its child's. */
let machines: { id: number; rtuNumber: string }[] = []
type Machine = (typeof machines)[number]

test(`T1a ${operations} operations by ${workers} workers, seed ${seed}`, {
  timeout: Math.max(600_000, operations * 50),
}, async () => {
  let left = operations
  const until = performance.now() + minutes * 60_000
  await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      const random = createRandom(`${seed} ${n}`)
      while (left > 0 && performance.now() < until) {
        left -= 1
        await step(random)
      }
    }),
  )
  await drain()
  // what parties took out before buyers got it back is a debt, whatever the dice said
  await accrue(world.app)
  for (const orgId of parties) await takeOut(orgId, await owedTo(orgId))
  for (const orderNum of known.slice(-20)) await askBack(orderNum, { all: true })
  await drain()
  expect(
    [...driver.statuses.keys()].filter((status) => status >= 500),
    'no answer of 500',
  ).toEqual([])
  const counts = [...acts].map(([act, { done, refused }]) => `${act} ${done}/${done + refused}`)
  process.stdout.write(`T1a done of tried: ${counts.join(', ')}\n`)
  expect(
    [...acts].filter(([, { done, refused }]) => done === 0 && refused > 200),
    'each act comes to something',
  ).toEqual([])
  expect(everyAct.filter((act) => !acts.has(act))).toEqual([])
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  for (let day = shanghaiDay(worldNow); day <= shanghaiDay(new Date(now)); day = addDays(day, 1))
    expect(await verifyDay(world.app, day), `the books of ${day}`).toEqual([])
  const [paid] = await world.sql<{ sum: string }>(
    `select coalesce(sum(amount), 0) as sum from ledger_entries
      where voucher_type = 'V1' and amount > 0 and order_num = any($1)`,
    [known],
  )
  expect(Number(paid?.sum), 'every acknowledged fen is booked once').toBe(driver.paid)
  // a piece leaves the books once; what an earlier attempt gave besides is a case that a person sees
  const keys = async (query: string) =>
    new Set((await world.sql<{ key: string }>(query, [known])).map((row) => row.key))
  const taken = await keys(`select u.order_num || ' ' || u.unit_no as key from stock_flows f
    join order_units u on u.id = f.unit_id
    where f.type = 'CUSTOMER_TAKE' and f.order_num = any($1)`)
  const doubtful = await keys(`select u.order_num || ' ' || u.unit_no as key from order_cases c
    join order_units u on u.id = c.unit_id
    where c.kind in ('DOUBLE_SHIPPED','UNKNOWN_RESULT') and c.order_num = any($1)`)
  const dropped = [...driver.drops]
  expect(
    [...taken].filter((key) => !driver.drops.has(key)),
    'nothing left unseen',
  ).toEqual([])
  expect(
    dropped.filter(([key, times]) => (times > 1 || !taken.has(key)) && !doubtful.has(key)),
    'every piece that dropped left the books, or is a case',
  ).toEqual([])
  // who was split: nothing waits that is over, each party has its ratio, and there were debts
  const [split] = await world.sql<Record<'waits' | 'done' | 'back' | 'debts', number>>(
    `select count(*) filter (where s.touched_at is not null
        or s.state = 'WAIT' and o.final_at is not null)::int as waits,
      count(*) filter (where s.state in ('READY','DONE'))::int as done,
      count(*) filter (where s.state in ('CLOSED','RETURNED'))::int as back,
      (select count(*)::int from split_debts) as debts
    from split_orders s join orders o on o.id = s.order_id where s.order_num = any($1)`,
    [known],
  )
  expect(split?.waits, 'no order that is over waits for its share').toBe(0)
  for (const some of ['done', 'back', 'debts'] as const)
    expect(split?.[some], some).toBeGreaterThan(0)
  const ratios = await world.sql<{ off: string }>(
    `select sum(g.fen * 10000 - u.base * p.ratio_bp) + max(c.carry) as off
    from split_units u join split_orders s on s.id = u.split_id
    cross join unnest(u.gives) with ordinality as g(fen, no)
    join split_parties p on p.version_id = s.version_id and p.party_no = g.no
    join split_carries c on c.strategy_id = s.strategy_id
      and coalesce(c.party_org_id, -c.referrer_id) = coalesce(p.party_org_id, -p.referrer_id)
    where u.back_at is null and not u.whole and s.org_id in (3, 7) and s.order_num = any($1)
    group by s.strategy_id, p.party_no`,
    [known],
  )
  expect(ratios.length).toBe(8)
  for (const { off } of ratios) expect(Number(off), 'each party has its ratio').toBe(0)
  expect(driver.orders).toBeGreaterThan((operations - left) / 20)
  const [boxes] = await world.sql<{ count: string }>(
    `select count(*) from trace_codes where state = 'SOLD'`,
  )
  expect(Number(boxes?.count), 'boxes with a code are sold').toBeGreaterThan(0)
})

async function step(random: Random): Promise<void> {
  const machine = random.pick(machines)
  const dice = random.next()
  now += random.int(0, 400)
  if (dice < 0.3) return order(random, machine)
  if (dice < 0.55) return pay(random)
  if (dice < 0.8) return vend(random, machine)
  if (dice < 0.85) return refund(random)
  if (dice < 0.87) return again(random)
  if (dice < 0.895) return visit(random, machine)
  if (dice < 0.91) return replenish(random, machine)
  if (dice < 0.925) return reprice(random, machine)
  if (dice < 0.935) return join(random, machine)
  if (dice < 0.94) return repair(machine)
  if (dice < 0.955) note('close unpaid', (await closeUnpaid(world.app)) > 0)
  else if (dice < 0.965) note('sweep commands', (await sweepCommands(world.app)) > 0)
  else if (dice < 0.973) await share(random)
  else if (dice < 0.98) await withdraw(random)
  else note('pay back', (await runDue(world.app, refundKind(world.app, moody(random)))) > 0)
}

type Answer = { status: number; body: { error?: string } }
/** Who stands at held lanes, or comes when the server is full, is asked to come again. */
const isTurnedAway = ({ body }: Answer) => body.error === 'common.busy'
/** What is over is shared out, and what is due may be withdrawn. */
async function share(random: Random): Promise<void> {
  note('share out', (await accrue(world.app)) > 0)
  if (random.chance(0.5)) now += 120_000
  note('settle', (await settleDue(world.app)) > 0)
}

let withdrawn = 0
/**
 * A party takes what it is owed, so that what goes back of it becomes debt, or some of it, or asks
 * for more than that and gets nothing.
 */
async function withdraw(random: Random): Promise<void> {
  const orgId = random.pick(parties)
  const owed = await owedTo(orgId)
  await takeOut(orgId, random.chance(0.5) ? owed : random.int(1, 2 * owed + 1))
}
/** As numbers: referrers are below nothing. */
const parties: number[] = [place.OWN, place.PARENT, place.PLATFORM, place.CHILD]
async function owedTo(orgId: number): Promise<number> {
  const [has] = await world.sql<{ balance: string }>(
    `select balance from ledger_balances where party = $1 and code in ('2002','2004')`,
    [orgId],
  )
  return Number(has?.balance ?? 0)
}
async function takeOut(orgId: number, amount: number): Promise<void> {
  if (amount === 0) return
  withdrawn += 1
  const of = { orgId, orderId: null, orderNum: null, configId: null }
  const voucher = {
    ...{ ...of, key: `wd:model-${withdrawn}:paid`, type: 'V8' as const },
    entries: [
      { account: '2002' as const, amount },
      { account: '1003' as const, amount: -amount, orgId: place.PLATFORM },
    ],
  }
  const end = await system(async (ctx) => post(ctx, [voucher])).catch((error: unknown) => error)
  note('take out', !end)
  if (end) expect(end).toMatchObject({ code: '23514', table: 'ledger_balances' })
}

/** One of the answers that such an act may get. */
function count(act: string, answer: Answer, allowed?: readonly number[]): void {
  if (isTurnedAway(answer)) return
  note(act, answer.status === 200)
  driver.statuses.set(answer.status, (driver.statuses.get(answer.status) ?? 0) + 1)
  if (allowed) expect(allowed, JSON.stringify(answer.body)).toContain(answer.status)
}

async function order(random: Random, { rtuNumber }: Machine): Promise<void> {
  const { body: shelf } = (await world.call(orders.mobileLanes, { rtuNumber })) as {
    body: Output<typeof orders.mobileLanes>
  }
  if (!shelf.list?.length) return
  const lane = random.pick(shelf.list)
  const input = {
    rtuNumber,
    items: [{ roadIndex: lane.roadIndex, count: random.int(1, 2), price: lane.price }],
    payType: 'WECHAT',
    clientId: randomUUID(),
    consumer: '',
  }
  // a phone that lost its connection asks again with the same id
  const answers = await Promise.all(
    Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => world.call(orders.mobileOrder, input)),
  )
  // a machine that keeps paid goods waiting is meant to turn orders away
  for (const answer of answers)
    if (answer.body.error !== 'orders.deviceBusy') count('order', answer)
  const made = answers
    .filter((answer) => answer.status === 200)
    .map((answer) => answer.body as (typeof open)[number])
  expect(new Set(made.map((m) => m.orderNum)).size).toBeLessThanOrEqual(1)
  if (!made[0]) return
  driver.orders += 1
  open.push(made[0])
  known.push(made[0].orderNum)
}

async function pay(random: Random): Promise<void> {
  const made = open.length ? open.splice(random.int(0, open.length - 1), 1)[0] : undefined
  if (!made || random.chance(0.05)) return
  const notice = {
    eventId: randomUUID(),
    outTradeNo: made.outTradeNo,
    tradeNo: `T${made.outTradeNo}`,
    amount: random.chance(0.02) ? made.payableAmount + 1 : made.payableAmount,
    paidAt: new Date(now).toISOString(),
  }
  const sign = simulatorSign(world.app.config.simPayKey, notice)
  const answers = await Promise.all(
    Array.from({ length: random.chance(0.3) ? 3 : 1 }, () =>
      world.call(payments.simulatorNotify, { ...notice, sign }),
    ),
  )
  for (const answer of answers) count('pay', answer)
  const applied = answers.filter((answer) => answer.body.result === 'APPLIED').length
  expect(applied).toBeLessThanOrEqual(1)
  driver.paid += applied * made.payableAmount
}

/**
 * The machine takes what is for it, does it once, and says so one to three times, now or later,
 * also in the wrong order.
 */
async function vend(random: Random, machine: Machine): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    const commands = await takeCommands(world.app, [machine.id])
    const heard = commands.flatMap((command) => {
      if (!memory.has(command.cmdId) && command.kind === 'void') {
        memory.set(command.cmdId, {
          kind: 'ack',
          deviceId: command.deviceId,
          cmdId: command.cmdId,
          ack: 'VOIDED',
          at: new Date(now),
        })
      } else if (
        !memory.has(command.cmdId) &&
        command.kind === 'vend' &&
        command.expireAt.getTime() > now
      )
        execute(command, random)
      const said = memory.get(command.cmdId)
      if (!said || random.chance(0.02)) return []
      return [
        {
          kind: 'ack' as const,
          deviceId: command.deviceId,
          cmdId: command.cmdId,
          ack: 'ACCEPTED' as const,
          at: new Date(now),
        },
        said,
      ]
    })
    if (heard.length === 0) break
    await tell(heard)
  }
  const all = [...memory.values()]
  if (all.length && random.chance(0.3))
    await tell(Array.from({ length: random.int(1, 4) }, () => random.pick(all.slice(-30))))
}

function execute(command: VendOut, random: Random): void {
  const dice = random.next()
  const result =
    dice < 0.9
      ? 'OK'
      : dice < 0.94
        ? 'NO_DROP'
        : dice < 0.96
          ? 'MOTOR_NOT_MOVE'
          : dice < 0.98
            ? 'BUSY'
            : 'SENSOR_FAULT'
  memory.set(command.cmdId, {
    kind: 'result',
    deviceId: command.deviceId,
    cmdId: command.cmdId,
    result,
    dropDetected: result === 'OK',
    durationMs: 900,
    at: new Date(now),
  })
  note('drop a piece', result === 'OK')
  const piece = `${command.orderNum} ${command.unitNo}`
  if (result === 'OK') driver.drops.set(piece, (driver.drops.get(piece) ?? 0) + 1)
}

const tell = (facts: VendFact[]) => system((ctx) => recordVend(ctx, facts))

/** Twice at once, each as a person who lost his connection would. */
async function twice(endpoint: Endpoint, input: Record<string, unknown>, allowed: number[]) {
  const headers = { 'idempotency-key': randomUUID() }
  const answers = await Promise.all(
    [1, 2].map(() => world.call(endpoint, input, { token, headers })),
  )
  // who gives back much shows that it is he
  if (answers.some(({ body }) => body.error === 'common.proofNeeded'))
    token = await world.login('ROLE_RTU_SP')
  for (const answer of answers) count(endpoint.audit ?? endpoint.path, answer, [...allowed, 403])
  return answers
}
const pieces = async (orderNum: string) =>
  (
    await world.sql<{ id: string }>('select id from order_units where order_num = $1', [orderNum])
  ).map((row) => Number(row.id))

/** The whole order, or one piece of it. */
async function refund(random: Random): Promise<void> {
  if (!known.length) return
  const orderNum = random.pick(known.slice(-60))
  const which = random.chance(0.5)
    ? { all: true as const }
    : { unitIds: [random.pick(await pieces(orderNum))] }
  await askBack(orderNum, which)
}
async function askBack(
  orderNum: string,
  which: { all: true } | { unitIds: number[] },
): Promise<void> {
  const answers = await twice(
    orders.refund,
    { orderNum, ...which, reason: 'QUALITY' },
    [200, 404, 409, 422],
  )
  if (answers.some((answer) => answer.status === 200)) driver.refundsAsked.add(orderNum)
}

/** A piece that did not leave, once more. */
async function again(random: Random): Promise<void> {
  if (!known.length) return
  const some = random.pick(known.slice(-60))
  const [failed] = await world.sql<{ id: string; order_num: string }>(
    `select id, order_num from order_units where order_num = any($1) and vend_state = 'FAILED'
      and refund_state is null order by random() limit 1`,
    [known.slice(-60)],
  )
  const orderNum = failed?.order_num ?? some
  const unitId = failed ? Number(failed.id) : random.pick(await pieces(some))
  await twice(orders.vend, { orderNum, unitId }, [200, 404, 409, 422])
}

/**
 * Somebody fills lanes, takes out and counts: of what is uncertain half is there, half is gone.
 * Machines sell meanwhile.
 */
async function visit(random: Random, machine: Machine): Promise<void> {
  const started = await world.call(
    replenishment.start,
    { deviceId: machine.id, clientId: randomUUID() },
    { token },
  )
  count('begin a visit', started, [200, 404])
  if (started.status !== 200) return
  const rows = await world.sql<{ id: string; q: number; room: number; held: number }>(
    `select id, quantity as q, capacity - quantity as room, failed_hold as held from lanes
      where device_id = $1 and archived_at is null and product_id is not null order by id`,
    [machine.id],
  )
  const items = rows.map(({ id, q, room, held }) => ({
    laneId: Number(id),
    ...(held ? { countedQty: Math.max(0, q - random.int(0, held)) } : {}),
    ...(room > 60
      ? { addedQty: 30 }
      : random.chance(0.2)
        ? { withdrawnQty: random.int(1, 5), withdrawReason: 'TAKE_BACK' }
        : {}),
  }))
  const saved = await world.call(replenishment.saveItems, { id: started.body.id, items }, { token })
  count('save a visit', saved)
  await twice(replenishment.submit, { id: started.body.id }, [200, 404, 409, 422])
}

/**
 * Goods of unknown batch, of a batch, and of a batch with a code on each box come in; now and then
 * some are taken out again.
 */
async function replenish(random: Random, machine: Machine): Promise<void> {
  await system(async (ctx) => {
    const { rows } = await sql<{
      id: number
      room: number
      free: number
      batches: number[]
    }>`select id, capacity - quantity as room, quantity - reserved - failed_hold as free,
        array(select b.id from batches b where b.product_id = l.product_id order by b.id) as batches
      from lanes l where device_id = ${machine.id} and archived_at is null
        and product_id is not null
      order by id for no key update`.execute(ctx.db)
    const lane = random.pick(rows)
    const flow = { occurredAt: ctx.now, actorKind: 'SYSTEM' } as const
    const taken = random.int(1, 3)
    if (random.chance(0.3) && lane.free >= taken)
      await moveStock(ctx, [
        {
          laneId: lane.id,
          flow: { ...flow, change: -taken, type: 'MERCHANT_WITHDRAW', reason: 'TAKE_BACK' },
        },
      ])
    const batchId = random.chance(0.7) ? random.pick(lane.batches) : null
    const change = random.int(1, 20)
    const codes =
      batchId !== null && random.chance(0.5) ? Array.from({ length: change }, randomUUID) : []
    if (codes.length)
      await sql`insert into trace_codes (code, org_id, batch_id)
        select c, b.org_id, b.id from batches b cross join unnest(${codes}::text[]) c
        where b.id = ${batchId}`.execute(ctx.db)
    if (lane.room > 20)
      await moveStock(ctx, [
        {
          laneId: lane.id,
          flow: { ...flow, change, type: 'MERCHANT_REPLENISH', reason: 'REFILL', batchId, codes },
        },
      ])
    refreshDeviceCounters(ctx, [machine.id])
  })
}

/** Two neighbours become one lane, or one becomes two again. */
async function join(random: Random, machine: Machine): Promise<void> {
  const rows = await world.sql<{ id: string; version: number; merged: boolean }>(
    `select l.id, d.planogram_version as version, exists (select from lanes s
        where s.merged_into = l.id) as merged from lanes l join devices d on d.id = l.device_id
      where d.id = $1 and l.archived_at is null and l.status <> 'MERGED' order by l.road_index`,
    [machine.id],
  )
  const at = random.int(0, rows.length - 2)
  const [main, other] = [rows[at], rows[at + 1]]
  if (!main || !other) return
  const of = { deviceId: machine.id, version: main.version, mainId: Number(main.id) }
  const answer = main.merged
    ? await world.call(lanes.split, of, { token })
    : await world.call(lanes.merge, { ...of, secondaryIds: [Number(other.id)] }, { token })
  count('join lanes', answer, [200, 404, 409, 422])
}

async function reprice(random: Random, machine: Machine): Promise<void> {
  const [lane] = await world.sql<{ id: string; device_version: number; retail_price: string }>(
    `select l.id, d.planogram_version as device_version, l.retail_price from lanes l
      join devices d on d.id = l.device_id where l.device_id = $1 and l.product_id is not null
      order by random() limit 1`,
    [machine.id],
  )
  if (!lane) return
  const retailPrice = Number(lane.retail_price)
  const answer = await world.call(
    lanes.update,
    {
      deviceId: machine.id,
      version: lane.device_version,
      lanes: [{ id: Number(lane.id), price: retailPrice - random.int(0, 5) }],
    },
    { token },
  )
  // the machine of another tree is not there for him
  count('reprice', answer, [200, 404, 409, 422])
}

/** A repairman has mended what was broken. */
async function repair(machine: Machine): Promise<void> {
  await system(async (ctx) => {
    await sql`select id from lanes where device_id = ${machine.id}
      order by id for no key update`.execute(ctx.db)
    await sql`update device_faults set closed_at = ${ctx.now}
      where device_id = ${machine.id} and closed_at is null`.execute(ctx.db)
    await sql`update lanes set status = 'ENABLED', lock_reason = null
      where device_id = ${machine.id} and status in ('FAULT','LOCKED')`.execute(ctx.db)
    refreshDeviceCounters(ctx, [machine.id])
  })
}

/** A provider that refuses one in five and answers the same number the same way. */
function moody(random: Random): Providers {
  const give = {
    refund: async ({ refundNo }: { refundNo: string }) =>
      random.chance(0.2)
        ? ({ state: 'RETRY', reason: 'moody' } as const)
        : ({ state: 'SUCCESS', providerRefundNo: refundNo } as const),
  }
  return { SIMULATOR: give, WECHAT: give, ALIPAY: give }
}

/**
 * Everything that waits comes to its end: machines say all they know, clocks run out, refunds go
 * through.
 */
async function drain(): Promise<void> {
  const calm = {
    refund: async ({ refundNo }: { refundNo: string }) =>
      ({ state: 'SUCCESS', providerRefundNo: refundNo }) as const,
  }
  for (let turn = 0; turn < 400; turn += 1) {
    now += 20_000
    const taken = await takeCommands(
      world.app,
      machines.map((m) => m.id),
    )
    const random = createRandom(`${seed} drain ${turn}`)
    for (const command of taken) {
      if (!memory.has(command.cmdId) && command.kind === 'vend' && command.expireAt.getTime() > now)
        execute(command, random)
      const said = memory.get(command.cmdId)
      if (said) await tell([said])
    }
    await closeUnpaid(world.app)
    await sweepCommands(world.app)
    await runDue(world.app, refundKind(world.app, { SIMULATOR: calm, WECHAT: calm, ALIPAY: calm }))
    const [waiting] = await world.sql<{ count: string }>(
      `select (select count(*) from vend_commands
        where state in ('WAIT','SENT','ACKED','UNKNOWN')) + (select count(*) from refunds
        where state in ('PENDING','PROCESSING')) as count`,
    )
    if (Number(waiting?.count) === 0) break
  }
  await tell([...memory.values()])
  while (await accrue(world.app));
}
