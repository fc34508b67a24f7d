import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { admissionOf } from '../../../server/admission.ts'
import { systemActor } from '../../../server/context.ts'
import { act, bySystem, systemCaller } from '../../../server/run.ts'
import { openSecret } from '../../../server/secretBox.ts'
import { runDue } from '../../../server/work.ts'
import type { Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { providers } from '../../payments/server/providers.ts'
import { handlers as payments, simulatorSign } from '../../payments/server/verbs.ts'
import {
  addDevice,
  addLane,
  openWorld,
  people,
  type World,
} from '../../products/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { MobileOrder } from '../contract.ts'
import { createHandlers } from './create.ts'
import { refundKind } from './refunds.ts'
import { makeRoom } from './room.ts'
import { closeUnpaid } from './timers.ts'
import { recordVend, takeCommands } from './vend.ts'

/** Packs of special compounds: who buys them says who he is, and has two a day. */
const start = new Date('2026-11-21T06:00:00Z')
let now = start
let world: World
const special = 4
const plain = 5
const cards = ['11010519491231002X', '440524188001010014'] as const
const anna = { name: '安娜', idCard: cards[0] }
const boris = { name: '鲍里斯', idCard: cards[1] }
beforeAll(async () => {
  world = await openWorld(start)
  Object.assign(world.app, { now: () => now })
  // a busy machine must not look like a held one
  Object.assign(admissionOf(world.app), { lockMs: () => 10_000 })
  await addPermissions(world.sql, ['order:vend', 'order:read', 'order:refund'])
  await grant(world.sql, [903, 904], ['order:vend', 'order:read', 'order:refund'])
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  const drug = { org_id: 1, drug_class: 'OTC_B', trace_required: false } as const
  await add(world.sql, 'products', { id: special, ...drug, special_compound: true })
  await add(world.sql, 'products', { id: plain, ...drug })
  for (const org of [3, 4]) {
    await add(world.sql, 'stores', { id: 500 + org, org_id: org, store_name: `店${org}` })
    await world.rows(
      `insert into pharmacists (user_id, org_id, licence_no, valid_until)
        values ($1, $2, 'PH0000000001', '2100-01-01')`,
      [900 + org, org],
    )
    await add(world.sql, 'pharmacist_duties', {
      org_id: org,
      store_id: 500 + org,
      user_id: 900 + org,
      place: 'REMOTE',
      store_name: `店${org}`,
      name: '药师',
      licence_no: 'PH0000000001',
      began_at: start,
      seen_at: start,
    })
  }
})
afterAll(() => world.close())

let machine = 100
/** A machine with special packs in its first lane, others in the second, and a pharmacist. */
async function addMachine(org = 3): Promise<number> {
  machine += 1
  await addDevice(world, machine, org, 'DRUG', 'PHARMACIST')
  await world.rows('update devices set store_id = $2, auto_refund = false where id = $1', [
    machine,
    500 + org,
  ])
  await add(world.sql, 'device_states', { device_id: machine, org_id: org, online: true })
  await addLane(world, machine, org, 1, special, 300)
  await addLane(world, machine, org, 2, plain, 300)
  return machine
}
let device = 0
beforeEach(async () => {
  now = start
  await world.rows('update pharmacist_duties set seen_at = $1', [now])
  await world.rows('delete from special_purchases')
  device = await addMachine()
})
const numberOf = async (id: number) =>
  (await world.one<{ n: string }>('select rtu_number as n from devices where id = $1', [id])).n

type Asked = Partial<Record<'road' | 'count' | 'at' | 'price', number>> & {
  looks?: boolean
  ip?: string
}
/** As a phone does, past the door: the payment's number, or the words of the refusal. */
async function buy(
  identity: object | undefined,
  {
    road = 1,
    count = 1,
    at = device,
    price = 300,
    looks = true,
    ip = `10.0.2.${device % 250}`,
  }: Asked = {},
): Promise<string> {
  const input = MobileOrder.parse({
    rtuNumber: await numberOf(at),
    items: [{ roadIndex: road, count, price }],
    payType: 'WECHAT',
    clientId: randomUUID(),
    identity,
  })
  const caller = { ...systemCaller(systemActor), ip }
  const words = (error: Refusal) => say(error.def?.text ?? String(error), 'zh-CN')
  return admissionOf(world.app)
    .enter(input.rtuNumber, ip, async () => {
      const seen = looks ? await makeRoom(world.app, input, { ip }) : undefined
      return act(world.app, caller, { audit: null, scope: 'system' }, (ctx) =>
        createHandlers.mobileOrder(ctx, input, seen),
      )
    })
    .then(({ outTradeNo }) => outTradeNo, words)
}
const sale = expect.stringMatching(/^HD\d{20}$/)
const tooMany = '超过特殊药品限购数量'
const unsaid = '购买该药品须登记购买人身份信息'
async function pay(outTradeNo: string, amount = 300): Promise<void> {
  const notice = {
    eventId: randomUUID(),
    outTradeNo,
    tradeNo: randomUUID(),
    amount,
    paidAt: now.toISOString(),
  }
  const input = { ...notice, sign: simulatorSign(world.app.config.simPayKey, notice) }
  const { run } = payments.simulatorNotify as unknown as {
    run(ctx: unknown, input: unknown): Promise<{ result: string }>
  }
  const { result } = await bySystem(world.app, (ctx) => run(ctx, input))
  expect(result).toBe('APPLIED')
}
/** Lets the machine answer the next command; what it was asked for. */
async function vend(result: 'OK' | 'MOTOR_NOT_MOVE'): Promise<string[]> {
  const out = await takeCommands(world.app, [device])
  await bySystem(world.app, (ctx) =>
    recordVend(
      ctx,
      out.map(({ cmdId, deviceId }) => ({
        ...{ kind: 'result', cmdId, deviceId, result, at: now },
        ...{ dropDetected: result === 'OK', durationMs: 900 },
      })),
    ),
  )
  await world.rows(`update lanes set status = 'ENABLED', lock_reason = null where device_id = $1`, [
    device,
  ])
  return out.map(({ orderNum }) => `HD${orderNum}`)
}
const refusals = (at = device) =>
  world.rows(
    `select act, key, road from drug_guard_refusals where device_id = $1 order by act, key`,
    [at],
  )
const vendAgain = async (outTradeNo: string, user = people.operator) => {
  const orderNum = outTradeNo.slice(2)
  const { id } = await world.one<{ id: string }>(
    `select id from order_units where order_num = $1 and vend_state in ('FAILED', 'VOID')`,
    [orderNum],
  )
  const { status, body } = await world.send(user, 'POST', `/orders/${orderNum}/units/${id}/vend`)
  return status === 200 ? 'vended' : body.message
}

test('whether somebody bought is said last, and to an address a few times', async () => {
  await pay(await buy(anna))
  await pay(await buy(anna))
  const ip = '10.9.9.9'
  for (const looks of [true, false])
    expect(await buy(anna, { price: 299, looks, ip })).toBe('价格已更新，请刷新')
  await world.rows('update lanes set quantity = reserved where device_id = $1', [device])
  const empty = await buy(anna, { looks: false, ip })
  expect(empty).not.toBe(tooMany)
  await world.rows('update lanes set quantity = capacity where device_id = $1', [device])
  for (let i = 0; i < 12; i += 1) expect(await buy(anna, { looks: i % 2 === 0, ip })).toBe(tooMany)
  for (const looks of [true, false])
    expect(await buy(boris, { looks, ip })).toBe('操作过于频繁，请稍后再试')
  // nobody else is kept from anything
  expect(await buy(boris)).toEqual(sale)
  expect(await buy(undefined, { road: 2, ip })).toEqual(sale)
})

test('who buys says who he is; two packs a day, wherever he buys them', async () => {
  const shelf = await bySystem(world.app, async (ctx) =>
    createHandlers.mobileLanes(ctx, { rtuNumber: await numberOf(device) }),
  )
  expect(shelf.list.map((lane) => [lane.roadIndex, lane.needsIdentity, lane.restriction])).toEqual([
    [1, true, 2],
    [2, false, 0],
  ])
  expect(await buy(undefined)).toBe(unsaid)
  expect(await buy(anna, { count: 3 })).toBe(tooMany)
  expect(await buy(anna)).toEqual(sale)
  const elsewhere = await addMachine(4)
  expect(await buy(anna, { at: elsewhere, count: 2 })).toBe(tooMany)
  expect(await buy(anna, { at: elsewhere })).toEqual(sale)
  expect(await buy(anna)).toBe(tooMany)
  // other drugs, and others
  expect(await buy(anna, { road: 2 })).toEqual(sale)
  expect(await buy(boris, { count: 2 })).toEqual(sale)
  expect(await refusals()).toEqual([
    { act: 'CHECKOUT', key: 'identityMissing', road: 1 },
    { act: 'CHECKOUT', key: 'specialLimit', road: 1 },
  ])
  // the next day, in Shanghai
  now = new Date('2026-11-21T16:00:00Z')
  await world.rows('update pharmacist_duties set seen_at = $1', [now])
  expect(await buy(anna)).toEqual(sale)
})

test('what is refused behind the locks is in the list of refusals, too', async () => {
  expect(await buy(anna, { count: 2, looks: false })).toEqual(sale)
  expect(await buy(anna, { looks: false })).toBe(tooMany)
  await vi.waitFor(
    async () =>
      expect(await refusals()).toEqual([{ act: 'CHECKOUT', key: 'specialLimit', road: 1 }]),
    10_000,
  )
})

test('a name and a number that is one are asked for; nobody reads them in the tables', async () => {
  const wrong = (identity: object) =>
    MobileOrder.shape.identity.safeParse(identity).error?.issues[0]
  expect(say(wrong({ ...anna, idCard: '110105194912310021' })?.message ?? '', 'zh-CN')).toBe(
    '身份证号格式不正确',
  )
  expect(say(wrong({ ...anna, name: ' ' })?.message ?? '', 'zh-CN')).toBe('请填写购买人姓名')
  await buy({ ...anna, idCard: cards[0].toLowerCase() })
  await buy(anna, { road: 2 })
  const rows = await world.rows<{ order_id: number; sealed: Buffer }>(
    'select * from special_purchases',
  )
  expect(rows).toMatchObject([
    { unit_no: 1, org_id: 3, device_id: device, buyer: '安*', card: '110***********002X' },
  ])
  const [row] = rows
  const text = JSON.stringify({ ...row, sealed: row?.sealed.toString('latin1') })
  for (const said of [anna.name, anna.idCard]) expect(text).not.toContain(said)
  const place = `special_purchases ${row?.order_id}`
  const opened = openSecret(world.app.config, 'special-purchases', place, row?.sealed as Buffer)
  expect(JSON.parse(opened)).toEqual(anna)
})

test('what was not paid, did not leave or was paid back is given back', async () => {
  await buy(anna, { count: 2 })
  expect(await buy(anna)).toBe(tooMany)
  now = new Date(start.getTime() + 170_000)
  await closeUnpaid(world.app)
  expect(await buy(anna)).toBe(tooMany)
  await world.rows(`update orders set expire_at = created_at where pay_state = 'UNPAID'`)
  await world.rows('update payments set next_at = null')
  await closeUnpaid(world.app)
  const first = await buy(anna)
  expect(first).toEqual(sale)
  await pay(first)
  const second = await buy(anna)
  await pay(second)
  expect(await buy(anna)).toBe(tooMany)
  expect(await vend('MOTOR_NOT_MOVE')).toEqual([first])
  const third = await buy(anna)
  expect(third).toEqual(sale)
  expect(await buy(anna)).toBe(tooMany)
  await pay(third)
  expect(await vend('OK')).toEqual([second])
  expect(await vend('OK')).toEqual([third])
  expect(await buy(anna)).toBe(tooMany)
  const path = `/orders/${third.slice(2)}/refunds`
  const body = { all: true, reason: 'QUALITY' }
  expect((await world.send(people.operator, 'POST', path, body)).status).toBe(200)
  expect(await buy(anna)).toBe(tooMany)
  await runDue(world.app, refundKind(world.app, providers(world.app)))
  expect(await buy(anna)).toEqual(sale)
})

test('vended again is taken again, of what other organisations sold, too', async () => {
  const first = await buy(anna)
  await pay(first)
  await vend('MOTOR_NOT_MOVE')
  const elsewhere = await addMachine(4)
  const other = await buy(anna, { at: elsewhere, count: 2 })
  expect(other).toEqual(sale)
  expect(await vendAgain(first)).toBe(tooMany)
  await world.rows(`update orders set expire_at = created_at where pay_state = 'UNPAID'`)
  await world.rows('update payments set next_at = null')
  await closeUnpaid(world.app)
  expect(await vendAgain(first)).toBe('vended')
  expect(await buy(anna, { count: 2 })).toBe(tooMany)
  expect(await vend('OK')).toEqual([first])
})

test('what is vended again on another day counts for that day', async () => {
  const first = await buy(anna)
  await pay(first)
  await vend('MOTOR_NOT_MOVE')
  now = new Date('2026-11-21T16:00:00Z')
  await world.rows('update pharmacist_duties set seen_at = $1', [now])
  await world.rows(`update sessions set last_seen_at = $1, expires_at = '2100-01-01'`, [now])
  expect(await vendAgain(first)).toBe('vended')
  expect(await buy(anna, { count: 2 })).toBe(tooMany)
  expect(await buy(anna)).toEqual(sale)
})

test('before it leaves: of whom nobody knows who he is, nothing does', async () => {
  const [known, unknown] = [await buy(anna), await buy(boris)]
  await pay(known)
  await pay(unknown)
  // as of an order that was made before the product was said to be one of these
  await world.rows(`delete from special_purchases where card like '440%'`)
  expect(await vend('OK')).toEqual([known])
  expect(await vend('OK')).toEqual([])
  const state = `select u.vend_state as state from order_units u where u.order_num = $1`
  expect(await world.rows(state, [unknown.slice(2)])).toEqual([{ state: 'VOID' }])
  expect(await refusals()).toEqual([{ act: 'VEND', key: 'identityMissing', road: 1 }])
  // nor when the pharmacist has left
  const late = await buy(boris)
  await pay(late)
  now = new Date(start.getTime() + 181_000)
  expect(await vend('OK')).toEqual([])
  expect(await world.rows(state, [late.slice(2)])).toEqual([{ state: 'VOID' }])
})

test('an organisation may allow one', async () => {
  await world.rows(`insert into settings (org_id, key, value) values (3, 'drug.specialPacks', '1')`)
  settingsChanged(world.app)
  expect(await buy(anna, { count: 2 })).toBe(tooMany)
  expect(await buy(anna)).toEqual(sale)
  await world.rows(`delete from settings where key = 'drug.specialPacks'`)
  settingsChanged(world.app)
  expect(await buy(anna)).toEqual(sale)
})

/**
 * Whoever counts goes on, whoever writes waits, until so many stand there: all of them have counted,
 * or wait for their turn to. At one lane they would take turns anyway, and elsewhere few would meet
 * by chance: a test without this stays green without the lock.
 */
async function atOnce<T>(waiting: number, work: () => Promise<T>): Promise<T> {
  const other = new pg.Client({ connectionString: world.ownerUrl })
  await other.connect()
  await other.query('begin; lock table special_purchases in exclusive mode')
  const done = work()
  const stand = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(() => world.one(stand), { timeout: 10_000 }).toEqual({ n: waiting })
  await other.query('commit')
  await other.end()
  return done
}

test('fifty at once want the last pack, each at another machine: one has it', async () => {
  await buy(anna)
  const machines: number[] = []
  for (let n = 0; n < 50; n += 1) machines.push(await addMachine(n % 2 ? 3 : 4))
  // as many as may order at once
  const answers = await atOnce(7, () =>
    Promise.all(machines.map((at, n) => buy(anna, { at, looks: false, ip: `10.0.1.${n}` }))),
  )
  expect(answers.filter((answer) => answer.startsWith('HD'))).toHaveLength(1)
  expect(new Set(answers.filter((answer) => !answer.startsWith('HD')))).toEqual(new Set([tooMany]))
  expect(await world.one('select count(*)::int as n from special_purchases')).toEqual({ n: 2 })
}, 60_000)

test('two that did not leave, vended again at once with one pack left: one leaves', async () => {
  const failed: string[] = []
  for (let n = 0; n < 2; n += 1) {
    device = await addMachine()
    const order = await buy(anna)
    await pay(order)
    await vend('MOTOR_NOT_MOVE')
    failed.push(order)
  }
  expect(await buy(anna)).toEqual(sale)
  const answers = await atOnce(2, () => Promise.all(failed.map((order) => vendAgain(order))))
  expect(answers.toSorted()).toEqual(['vended', tooMany].toSorted())
})
