import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openWorld,
  restock,
  rowId,
  type World,
  widenLimits,
  worldNow,
} from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import type { VendFact } from '../../machines/server/vending.ts'
import type { RefundAnswer } from '../../payment-channels/server/channels.ts'
import { providers } from '../../payments/server/providers.ts'
import { orders } from '../contract.ts'
import { refundKind } from './refunds.ts'
import { sweepCommands } from './timers.ts'
import { recordVend, takeCommands } from './vend.ts'

/** What a person puts right: vended again, found out by hand, given back together. */
let world: World
let token: string
let now = worldNow
const device = rowId('OWN', 1)
beforeAll(async () => {
  world = await openWorld({ now: () => now })
  token = await world.login('ROLE_RTU_SP')
  await widenLimits(world)
  await world.sql('update lanes set restriction = 0 where device_id = $1', [device])
})
beforeEach(async () => {
  await restock(world, device, 100)
  await world.sql('update devices set auto_refund = false where id = $1', [device])
  await world.sql(`update lanes set status = 'ENABLED', lock_reason = null where device_id = $1`, [
    device,
  ])
})
afterAll(() => world.close())

type Result = Extract<VendFact, { kind: 'result' }>['result']
const take = async () => (await takeCommands(world.app, [device]))[0]?.cmdId as string
const say = (cmdId: string, result: Result) =>
  world.system((ctx) =>
    recordVend(ctx, [
      {
        ...{ kind: 'result', deviceId: device, cmdId, result },
        ...{ dropDetected: result === 'OK', durationMs: 900, at: now },
      },
    ]),
  )
const ask = (
  endpoint: Parameters<World['call']>[0],
  input: Record<string, unknown>,
  key: string = randomUUID(),
) => world.call(endpoint, input, { token, headers: { 'idempotency-key': key } })
const unitOf = async (orderNum: string) =>
  Number(
    (
      await world.sql<{ id: number }>(
        'select id from order_units where order_num = $1 order by unit_no limit 1',
        [orderNum],
      )
    )[0]?.id,
  )
const again = async (orderNum: string, more: object = {}, key?: string) =>
  ask(orders.vend, { orderNum, unitId: await unitOf(orderNum), ...more }, key)
async function state(orderNum: string) {
  const [row] = await world.sql<Record<string, unknown>>(
    `select o.order_status as label, u.vend_state as vend, u.refund_state as refund, u.attempt,
      l.road_index as road, l.quantity - $2::int as q, l.reserved as r, l.failed_hold as h,
      (select count(*)::int from vend_commands c where c.unit_id = u.id) as commands
    from order_units u join orders o on o.id = u.order_id join lanes l on l.id = u.lane_id
    where u.order_num = $1 order by u.unit_no limit 1`,
    [orderNum, 0],
  )
  return row
}
const cases = (orderNum: string) =>
  world
    .sql<{ s: string }>(
      `select kind || ' ' || state || ' ' || amount as s from order_cases where order_num = $1
        order by id`,
      [orderNum],
    )
    .then((rows) => rows.map((row) => row.s))
const refunds = (...answers: RefundAnswer[]) => {
  const give = {
    refund: async () => answers.shift() ?? ({ state: 'SUCCESS', providerRefundNo: 'x' } as const),
  }
  return runDue(world.app, refundKind(world.app, { SIMULATOR: give, WECHAT: give, ALIPAY: give }))
}
const crowd = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))

describe('vended again', () => {
  test('nothing dropped: the same lane gives another, the first piece stays held until a count', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    const before = await state(orderNum)
    expect(before).toMatchObject({ label: 'ABNORMAL', vend: 'FAILED', refund: null })
    expect(await cases(orderNum)).toEqual(['PAID_NOT_SENT OPEN 250'])
    const { status, body } = await again(orderNum)
    expect([status, body.orderStatus], JSON.stringify(body)).toEqual([200, 'PAID'])
    expect(await cases(orderNum)).toEqual(['PAID_NOT_SENT HANDLING 250'])
    expect((await state(orderNum))?.h).toBe(before?.h)
    await say(await take(), 'OK')
    expect(await state(orderNum)).toMatchObject({
      ...{ label: 'SUCCESS', vend: 'SUCCESS', attempt: 2, commands: 2 },
      ...{ road: before?.road, q: Number(before?.q) - 1, h: before?.h },
    })
    expect(await cases(orderNum)).toEqual(['PAID_NOT_SENT DONE 250'])
    expect((await again(orderNum)).body.error).toBe('orders.alreadyVended')
  })
  test('what the first attempt says later: a second piece is a case, nothing left frees its hold, once', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    const [first] = await world.sql<{ cmd_id: string }>(
      'select cmd_id from vend_commands where order_num = $1',
      [orderNum],
    )
    await again(orderNum)
    const held = Number((await state(orderNum))?.h)
    await crowd(3, () => say(first?.cmd_id as string, 'BUSY'))
    expect((await state(orderNum))?.h).toBe(held - 1)
    await say(first?.cmd_id as string, 'OK')
    expect(await cases(orderNum)).toContain('DOUBLE_SHIPPED OPEN 250')
    await say(await take(), 'OK')
    expect(await checkInvariants(world.ownerUrl)).toEqual([])
  })
  test('a broken lane: another with the same product gives; a chosen one that cannot is refused', async () => {
    const orderNum = await world.sell('OWN', ['MOTOR_NOT_MOVE'])
    const unitId = await unitOf(orderNum)
    const { body: offered } = await world.call(orders.vendLanes, { orderNum, unitId }, { token })
    expect(offered.list[0]).toMatchObject({ same: true })
    expect(offered.list[0].refusal).not.toBeNull()
    const other = offered.list.find((lane: { refusal: unknown }) => lane.refusal === null)
    expect((await again(orderNum, { laneId: offered.list[0].id })).body.error).toBe('orders.noLane')
    expect((await again(orderNum, { laneId: rowId('SIBLING', 1) })).body.error).toBe(
      'orders.noLane',
    )
    if (other) {
      expect((await again(orderNum)).status).toBe(200)
      expect((await state(orderNum))?.road).toBe(other.road)
      await say(await take(), 'OK')
    } else expect((await again(orderNum)).body.error).toBe('orders.noLane')
  })
  test('a refund that failed is given up; one under way is not; a failure goes back under the same number', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    expect(
      (await ask(orders.refund, { orderNum, all: true, reason: 'NOT_DISPENSED' })).status,
    ).toBe(200)
    expect((await again(orderNum)).body.error).toBe('orders.alreadyRefunded')
    await refunds({ state: 'FAILED', reason: 'no' })
    expect(await cases(orderNum)).toContain('REFUND_FAILED OPEN 250')
    expect((await again(orderNum)).status).toBe(200)
    expect(await state(orderNum)).toMatchObject({ vend: 'WAIT', refund: 'CANCELLED' })
    await world.sql('update devices set auto_refund = true where id = $1', [device])
    await say(await take(), 'NO_DROP')
    expect(await state(orderNum)).toMatchObject({ vend: 'FAILED', refund: 'PENDING' })
    await refunds()
    expect(await state(orderNum)).toMatchObject({ label: 'REFUNDED', refund: 'SUCCESS' })
    expect(await cases(orderNum)).toEqual(['PAID_NOT_SENT DONE 250', 'REFUND_FAILED DONE 250'])
    expect(await world.sql('select 1 from refunds where order_num = $1', [orderNum])).toHaveLength(
      1,
    )
  })
  test('a machine that is offline, locked or sold on gives nothing', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    await world.sql('update device_states set online = false where device_id = $1', [device])
    expect((await again(orderNum)).body.error).toBe('orders.deviceOffline')
    await world.sql('update device_states set online = true where device_id = $1', [device])
    await world.sql('update devices set locked = true where id = $1', [device])
    expect((await again(orderNum)).body.error).toBe('orders.deviceNotSelling')
    await world.sql('update devices set locked = false where id = $1', [device])
    expect((await state(orderNum))?.commands).toBe(1)
  })
  test.each(['the same key', 'different keys'])(
    'many at once with %s: one command, one piece reserved',
    async (kind) => {
      for (const n of [2, 10, 50]) {
        const orderNum = await world.sell('OWN', ['NO_DROP'])
        const reserved = Number((await state(orderNum))?.r)
        const key = randomUUID()
        const answers = await crowd(n, () =>
          again(orderNum, {}, kind === 'the same key' ? key : randomUUID()),
        )
        const fine = answers.filter(({ status }) => status === 200)
        if (kind === 'different keys') expect(fine).toHaveLength(1)
        else expect(fine.length).toBeGreaterThan(0)
        expect(
          new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code)),
        ).toEqual(new Set(n === fine.length ? [] : [kind === 'the same key' ? 409005 : 409001]))
        expect(await state(orderNum)).toMatchObject({ commands: 2, r: reserved + 1 })
        await say(await take(), 'OK')
      }
    },
  )
  test('vended again and refunded at once: one of the two', async () => {
    for (let round = 0; round < 5; round += 1) {
      const orderNum = await world.sell('OWN', ['NO_DROP'])
      const answers = await Promise.all([
        again(orderNum),
        ask(orders.refund, { orderNum, all: true, reason: 'NOT_DISPENSED' }),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      if (answers[0]?.status === 200) await say(await take(), 'OK')
      while (await refunds());
    }
  })
})

describe('found out by hand', () => {
  const resolve = async (orderNum: string, input: object, key?: string) =>
    ask(orders.resolve, { orderNum, unitId: await unitOf(orderNum), ...input }, key)
  /** A command that left and of which the machine, now silent, says nothing. */
  async function silent(seconds = 181): Promise<string> {
    const orderNum = await world.sell('OWN', ['wait'])
    await take()
    await world.sql('update device_states set online = false where device_id = $1', [device])
    now = new Date(now.getTime() + 61_000)
    await sweepCommands(world.app)
    now = new Date(now.getTime() + seconds * 1000)
    return orderNum
  }
  const wake = () =>
    world.sql('update device_states set online = true where device_id = $1', [device])
  test('dispensed: as if the machine had said so, marked as said by a person', async () => {
    const orderNum = await silent()
    const before = await state(orderNum)
    expect(before).toMatchObject({ vend: 'UNKNOWN' })
    expect((await resolve(orderNum, { dispensed: true })).body.code).toBe(400001)
    const { body } = await resolve(orderNum, { dispensed: true, evidence: '监控已查看' })
    expect(body.units[0]).toMatchObject({
      ...{ vendState: 'SUCCESS', manual: true },
      resolution: { dispensed: true, evidence: '监控已查看', by: 'ROLE_RTU_SP' },
    })
    expect(await state(orderNum)).toMatchObject({ q: Number(before?.q) - 1, r: 0 })
    expect((await resolve(orderNum, { dispensed: false, evidence: 'x' })).body.code).toBe(409001)
    await wake()
  })
  test('not dispensed: the stock is free; a late word of the machine waits for a count', async () => {
    const orderNum = await silent()
    const before = await state(orderNum)
    expect((await resolve(orderNum, { dispensed: false, evidence: '货还在' })).status).toBe(200)
    expect(await state(orderNum)).toMatchObject({ vend: 'FAILED', q: before?.q, r: 0 })
    expect(await cases(orderNum)).toEqual(['PAID_NOT_SENT OPEN 250'])
    const [command] = await world.sql<{ cmd_id: string }>(
      'select cmd_id from vend_commands where order_num = $1',
      [orderNum],
    )
    await wake()
    await say(command?.cmd_id as string, 'OK')
    expect(await cases(orderNum)).toContain('UNKNOWN_RESULT OPEN 250')
  })
  test('too early, or with the picture of somebody else: refused', async () => {
    const orderNum = await silent(60)
    const refused = await resolve(orderNum, { dispensed: true, evidence: 'x' })
    expect(refused.body.error).toBe('orders.notSilent')
    now = new Date(now.getTime() + 130_000)
    const image = 'files/11111111-1111-4111-8111-111111111111.png'
    expect((await resolve(orderNum, { dispensed: true, images: [image] })).status).toBe(404)
    const answers = await crowd(10, (i) =>
      resolve(orderNum, { dispensed: i % 2 === 0, evidence: 'x' }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      await world.sql('select 1 from vend_resolutions where order_num = $1', [orderNum]),
    ).toHaveLength(1)
    await wake()
  })
})

describe('given back together', () => {
  const batch = (orderNums: string[], more: object = {}, key?: string) =>
    ask(orders.batchRefund, { orderNums, reason: 'NOT_DISPENSED', ...more }, key)
  test('counted first, then as it was confirmed; what left stays', async () => {
    const [one, two] = [
      await world.sell('OWN', ['OK', 'NO_DROP']),
      await world.sell('OWN', ['NO_DROP', 'NO_DROP']),
    ]
    const { body } = await batch([one, two], { dryRun: true })
    expect(body).toEqual({ orders: 2, pieces: 3, amount: 750 })
    expect((await batch([one, two], { amount: 500 })).body.code).toBe(409001)
    expect((await batch([one, two], { amount: 750 })).body).toEqual(body)
    while (await refunds());
    expect([(await state(one))?.label, (await state(two))?.label]).toEqual(['SUCCESS', 'REFUNDED'])
    expect((await batch([one], { dryRun: true })).body.error).toBe('orders.onlyAbnormal')
  })
  test('of others, or not abnormal: none of them', async () => {
    const one = await world.sell('OWN', ['NO_DROP'])
    expect((await batch([one, world.orderNum('SIBLING')])).status).toBe(404)
    // nobody changed it: it is no order for this, at the first call and at the second
    const sold = await world.sell('OWN', ['OK'])
    for (const more of [{}, { amount: 250 }, { dryRun: true }]) {
      const { status, body } = await batch([one, sold], more)
      expect([status, body.error]).toEqual([422, 'orders.onlyAbnormal'])
      expect(body.errors).toEqual([{ field: `orderNums.${sold}`, message: body.message }])
    }
    expect((await state(one))?.refund).toBeNull()
    expect((await batch(Array.from({ length: 51 }, () => one))).body.code).toBe(400001)
  })
  test('many at once, and each alone beside it: each piece goes back once', async () => {
    for (const n of [2, 10, 50]) {
      const nums = [await world.sell('OWN', ['NO_DROP']), await world.sell('OWN', ['NO_DROP'])]
      const key = randomUUID()
      const answers = await crowd(n, (i) =>
        i % 3 === 2
          ? ask(orders.refund, { orderNum: nums[1], all: true, reason: 'USER_REQUEST' })
          : batch(nums, { amount: 500 }, n === 10 ? key : randomUUID()),
      )
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      if (n !== 10) expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      while (await refunds());
      const rows = await world.sql('select 1 from refunds where order_num = any($1)', [nums])
      expect(rows.length).toBeLessThanOrEqual(2)
    }
  })
})

test('the books agree', async () => {
  for (let cmd = await take(); cmd; cmd = await take()) await say(cmd, 'OK')
  while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
