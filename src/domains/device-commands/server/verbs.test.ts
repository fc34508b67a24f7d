import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { checkInvariants } from '../../../server/invariants.ts'
import { bySystem } from '../../../server/run.ts'
import { addDevice, now, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { createHandlers } from '../../orders/server/create.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import { moveStock } from '../../stock/server/move.ts'
import { recordControls, sweepControls, takeControls } from './gateway.ts'

let world: World
const lane = 70
beforeAll(async () => {
  world = await openWorld()
  for (const code of [
    'device:reboot',
    'device:lock',
    'device:open-door',
    'device:test',
    'order:read',
    'order:refund',
  ]) {
    await world.rows(
      `insert into permissions values ($1, 'device', 'x', 'x', 1) on conflict do nothing`,
      [code],
    )
    for (const user of [1, 2, 3, 4, 5])
      await world.rows(`insert into role_permissions values ($1, $2) on conflict do nothing`, [
        900 + user,
        code,
      ])
  }
  await addDevice(world, 1, 3)
  await addDevice(world, 2, 3, { online: false })
  await addDevice(world, 3, 5)
  await addDevice(world, 4, 3, { lifecycle: 'SCRAPPED' })
  await addDevice(world, 5, 3)
  await world.rows(
    `insert into lane_floors (id, org_id, device_id, level, name) values (60, 3, 1, 1, '1')`,
  )
  for (const [id, product] of [
    [lane, 1],
    [lane + 1, 1],
    [lane + 2, null],
  ] as const)
    await world.rows(
      `insert into lanes (id, org_id, device_id, floor_id, road_index, col, motor_no, product_id,
        capacity, retail_price, price) values ($1, 3, 1, 60, $5, $2, $5, $3, 10, $4, $4)`,
      [id, id - lane + 1, product, product && 300, id],
    )
  await bySystem(world.app, (ctx) =>
    moveStock(ctx, [
      {
        laneId: lane,
        flow: {
          change: 8,
          type: 'MERCHANT_REPLENISH',
          reason: 'REFILL',
          occurredAt: ctx.now,
          actorKind: 'USER',
          actorId: null,
        },
      },
    ]),
  )
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.rows(`update device_commands set state = 'DONE', finished_at = now()`)
  await world.rows(`update devices set locked = false`)
})

const tell = (id: number, what: string, user: number = people.operator) =>
  world.send(user, 'POST', `/devices/${id}/commands/${what}`, {})
const commandOf = (cmdId: string) =>
  world.one<{ state: string; reason: string; sends: number }>(
    `select state, reason, sends from device_commands where cmd_id = $1`,
    [cmdId],
  )
const locked = async (id: number) =>
  (await world.one<{ locked: boolean }>('select locked from devices where id = $1', [id])).locked
const hears = (
  deviceId: number,
  cmdId: string,
  word: Parameters<typeof recordControls>[1][number]['word'],
) => bySystem(world.app, (ctx) => recordControls(ctx, [{ deviceId, cmdId, word }]))
const accepted = { kind: 'ack', ack: 'ACCEPTED' } as const
const done = { kind: 'result', ok: true, reason: '' } as const
const back = (cmdId: string, seconds: number) =>
  world.rows(
    `update device_commands set issued_at = issued_at - make_interval(secs => $2),
      expire_at = expire_at - make_interval(secs => $2),
      sent_at = sent_at - make_interval(secs => $2),
      acked_at = acked_at - make_interval(secs => $2) where cmd_id = $1`,
    [cmdId, seconds],
  )

it('a command goes to a connected machine, is accepted and done, and everybody sees it', async () => {
  const { body } = await tell(1, 'reboot')
  expect(body).toMatchObject({ deviceId: 1, type: 'REBOOT', state: 'WAITING', issuedBy: '员工3' })
  expect(new Date(body.expireAt).getTime() - now.getTime()).toBe(60_000)
  expect((await tell(1, 'reboot')).body.error).toBe('deviceCommands.running')
  expect(await takeControls(world.app, [2, 5])).toEqual([])
  const [out] = await takeControls(world.app, [1, 2])
  expect(out).toMatchObject({ deviceId: 1, cmdId: body.cmdId, type: 'REBOOT' })
  expect(await takeControls(world.app, [1])).toEqual([])
  await hears(1, body.cmdId, accepted)
  expect(
    (await world.send(people.operator, 'GET', `/device-commands/${body.cmdId}`)).body,
  ).toMatchObject({ state: 'ACKED', finishedAt: null })
  await hears(1, body.cmdId, done)
  await hears(1, body.cmdId, accepted)
  const list = await world.send(people.agent, 'GET', '/devices/1/commands?type=REBOOT')
  expect(list.body.list[0]).toMatchObject({ cmdId: body.cmdId, state: 'DONE' })
  const events = await world.rows(
    `select kind, data->>'state' as state, actor from device_events where data->>'cmdId' = $1
      order by id`,
    [body.cmdId],
  )
  expect(events).toEqual([
    { kind: 'COMMAND', state: null, actor: 'test3' },
    { kind: 'COMMAND_END', state: 'DONE', actor: '' },
  ])
})

it.each([
  [2, 'offline', '设备离线，无法执行'],
  [4, 'closed', '设备已外售或报废，不能操作'],
] as const)('machine %i refuses: %s', async (id, error, message) => {
  for (const what of ['reboot', 'lock', 'unlock', 'query', 'door'])
    expect((await tell(id, what)).body).toMatchObject({ error: `deviceCommands.${error}`, message })
})
it('foreign machines and commands are missing, readers may not', async () => {
  expect((await tell(3, 'lock')).status).toBe(404)
  const { body } = await tell(1, 'query')
  expect((await world.send(people.stranger, 'GET', `/device-commands/${body.cmdId}`)).status).toBe(
    404,
  )
  expect((await tell(1, 'lock', people.reader)).status).toBe(403)
})

it('a lock stops sales at once and stays until the machine says that it is unlocked, unless somebody locked it again', async () => {
  const items = [{ roadIndex: lane, count: 1, price: 300 }]
  const order = () =>
    bySystem(world.app, (ctx) =>
      createHandlers.mobileOrder(ctx, {
        rtuNumber: 'HD000001',
        items,
        payType: 'WECHAT',
        clientId: randomUUID(),
        consumer: 'c',
      }),
    ).then(
      () => 'sold',
      (error: { def?: { name: string } }) => error.def?.name,
    )
  expect(await order()).toBe('sold')
  const lock = (await tell(1, 'lock')).body
  expect(await locked(1)).toBe(true)
  expect(await order()).toBe('orders.deviceNotSelling')
  await hears(1, lock.cmdId, { kind: 'result', ok: false, reason: 'UNSUPPORTED' })
  expect([await locked(1), await commandOf(lock.cmdId)]).toEqual([
    true,
    { state: 'FAILED', reason: 'UNSUPPORTED', sends: 0 },
  ])
  const unlock = (await tell(1, 'unlock')).body
  expect(await locked(1)).toBe(true)
  await back(unlock.cmdId, 5)
  const again = (await tell(1, 'lock')).body
  await hears(1, unlock.cmdId, done)
  expect(await locked(1)).toBe(true)
  await hears(1, again.cmdId, done)
  await back(again.cmdId, 5)
  const last = (await tell(1, 'unlock')).body
  await hears(5, last.cmdId, done)
  expect(await locked(1)).toBe(true)
  await hears(1, last.cmdId, done)
  expect(await locked(1)).toBe(false)
  expect(await order()).toBe('sold')
})

it('the clock ends what nobody took, answered or finished; a late word of the machine still counts', async () => {
  const ids = {
    waiting: (await tell(1, 'lock')).body.cmdId,
    sent: (await tell(1, 'query')).body.cmdId,
    acked: (await tell(1, 'reboot')).body.cmdId,
    fresh: (await tell(1, 'door')).body.cmdId,
  }
  await takeControls(world.app, [1])
  await world.rows(
    `update device_commands set state = 'WAITING', sends = 0, sent_at = null where cmd_id = $1`,
    [ids.waiting],
  )
  await hears(1, ids.acked, accepted)
  for (const id of [ids.waiting, ids.sent]) await back(id, 31)
  await back(ids.acked, 299)
  await sweepControls(world.app)
  expect((await commandOf(ids.acked)).state).toBe('ACKED')
  await back(ids.acked, 1)
  await sweepControls(world.app)
  expect(await commandOf(ids.waiting)).toEqual({ state: 'EXPIRED', reason: 'NOT_SENT', sends: 0 })
  expect(await commandOf(ids.sent)).toEqual({ state: 'EXPIRED', reason: 'NO_ANSWER', sends: 1 })
  expect(await commandOf(ids.acked)).toEqual({ state: 'EXPIRED', reason: 'NO_RESULT', sends: 1 })
  expect((await commandOf(ids.fresh)).state).toBe('SENT')
  expect(await takeControls(world.app, [1])).toEqual([])
  await hears(1, ids.acked, done)
  expect(await commandOf(ids.acked)).toEqual({ state: 'DONE', reason: '', sends: 1 })
})

it('an unanswered command is sent again with its id, three times at most', async () => {
  const { cmdId } = (await tell(1, 'door')).body
  const takes = async () => {
    const out = await takeControls(world.app, [1])
    await world.rows(
      `update device_commands set sent_at = sent_at - interval '11 s' where cmd_id = $1`,
      [cmdId],
    )
    return out.map((command) => command.cmdId)
  }
  expect([await takes(), await takes(), await takes(), await takes()]).toEqual([
    [cmdId],
    [cmdId],
    [cmdId],
    [],
  ])
})

it('the clock was set back: what was sent and accepted before ends by its time from now on', async () => {
  const { body: sent } = await tell(1, 'reboot')
  const { body: taken } = await tell(5, 'reboot')
  await takeControls(world.app, [1, 5])
  await hears(5, taken.cmdId, accepted)
  for (const { cmdId } of [sent, taken]) await back(cmdId, -3600)
  await world.app.jobs.setRight()
  await back(taken.cmdId, 301)
  await back(sent.cmdId, 2)
  await sweepControls(world.app)
  expect([await commandOf(sent.cmdId), await commandOf(taken.cmdId)]).toMatchObject([
    { state: 'EXPIRED', reason: 'NO_ANSWER' },
    { state: 'EXPIRED', reason: 'NO_RESULT' },
  ])
  expect((await tell(1, 'reboot')).status).toBe(200)
})

it('a batch of restarts names who cannot', async () => {
  const preview = await world.send(people.operator, 'GET', '/device-commands/reboots?ids=1,2,4,5')
  const reasons = ['', '设备离线，无法执行', '设备已外售或报废，不能操作', '']
  expect(preview.body).toMatchObject({
    done: 2,
    skipped: 2,
    results: reasons.map((reason) => ({ reason, cmdId: null })),
  })
  const { body } = await world.send(people.operator, 'POST', '/device-commands/reboots', {
    ids: [1, 2, 4, 5],
  })
  expect(body).toMatchObject({
    done: 2,
    skipped: 2,
    results: reasons.map((reason) => ({ reason, ok: reason === '' })),
  })
  expect((await takeControls(world.app, [1, 5])).map((out) => out.deviceId).sort()).toEqual([1, 5])
  expect(
    (await world.send(people.operator, 'POST', '/device-commands/reboots', { ids: [1, 3] })).status,
  ).toBe(404)
  expect(
    (await world.send(people.operator, 'POST', '/device-commands/reboots', { ids: [] })).body
      .message,
  ).toBe('请至少选择一台设备')
  expect(
    (
      await world.send(people.operator, 'POST', '/device-commands/reboots', {
        ids: Array.from({ length: 51 }, (_, i) => i + 1),
      })
    ).status,
  ).toBe(400)
})

const test = (laneId: number, more: object = {}) =>
  world.send(people.operator, 'POST', `/devices/1/lanes/${laneId}/test-vend`, more)
const result = async (result: 'OK' | 'MOTOR_NOT_MOVE') => {
  const [out] = await takeCommands(world.app, [1])
  await bySystem(world.app, (ctx) =>
    recordVend(ctx, [
      {
        kind: 'result',
        deviceId: 1,
        cmdId: out?.cmdId as string,
        result,
        dropDetected: result === 'OK',
        durationMs: 900,
        at: ctx.now,
      },
    ]),
  )
}
const lanes = () =>
  world.one(`select quantity, reserved, failed_hold, status from lanes where id = $1`, [lane])

it('a test vend goes the ordinary way, sells nothing and takes one piece', async () => {
  await world.rows(
    `update orders set pay_state = 'CLOSED', order_status = 'CLOSED' where order_type <> 'TEST'`,
  )
  await world.rows(`update order_units set hold = 'RELEASED'`)
  await world.rows(`update lanes set reserved = 0`)
  expect((await test(lane + 2)).body.error).toBe('deviceCommands.laneGone')
  expect((await test(lane + 1)).body.error).toBe('deviceCommands.laneEmpty')
  expect((await world.send(people.operator, 'GET', `/devices/1/test-vend`)).body).toEqual({
    latest: null,
  })
  const sent = (await test(lane)).body
  expect(sent).toMatchObject({ road: lane, state: 'WAIT', productName: '商品1' })
  expect((await test(lane)).body.error).toBe('deviceCommands.machineBusy')
  expect(await lanes()).toMatchObject({ quantity: 8, reserved: 1 })
  await result('OK')
  expect(
    (await world.send(people.operator, 'GET', `/devices/1/test-vend`)).body.latest,
  ).toMatchObject({
    orderNum: sent.orderNum,
    state: 'SUCCESS',
    dropConfirmed: true,
  })
  expect((await world.send(people.stranger, 'GET', `/devices/1/test-vend`)).status).toBe(404)
  expect(await lanes()).toEqual({ quantity: 7, reserved: 0, failed_hold: 0, status: 'ENABLED' })
  expect(
    await world.rows(`select type, reason, change_total from stock_flows where order_num = $1`, [
      sent.orderNum,
    ]),
  ).toEqual([{ type: 'MERCHANT_WITHDRAW', reason: 'TEST_VEND', change_total: -1 }])
  expect(
    await world.one(
      `select order_type, pay_state, order_status, paid_amount::int, total_amount::int,
        cost_amount::int, final_at is not null as final from orders where order_num = $1`,
      [sent.orderNum],
    ),
  ).toEqual({
    order_type: 'TEST',
    pay_state: 'PAID',
    order_status: 'SUCCESS',
    paid_amount: 0,
    total_amount: 0,
    cost_amount: 0,
    final: true,
  })
  expect(await world.rows(`select * from sales_rollups where cost > 0 or orders > 0`)).toEqual([])
  expect(
    (
      await world.send(people.operator, 'POST', `/orders/${sent.orderNum}/refunds`, {
        all: true,
        reason: 'OTHER',
        remark: '测试',
      })
    ).body.error,
  ).toBe('orders.nothingToRefund')
})

it('a test that fails gives nothing back and stops its lane; a repairer’s test that works frees it', async () => {
  const failed = (await test(lane)).body
  await result('MOTOR_NOT_MOVE')
  expect(await lanes()).toEqual({ quantity: 7, reserved: 0, failed_hold: 0, status: 'FAULT' })
  expect(
    await world.one(
      `select order_status, final_at is not null as final from orders where order_num = $1`,
      [failed.orderNum],
    ),
  ).toEqual({
    order_status: 'ABNORMAL',
    final: true,
  })
  expect(await world.rows(`select 1 from refunds where order_num = $1`, [failed.orderNum])).toEqual(
    [],
  )
  expect((await test(lane)).body.error).toBe('deviceCommands.laneFault')
  await test(lane, { repair: true })
  await result('OK')
  expect(await lanes()).toEqual({ quantity: 6, reserved: 0, failed_hold: 0, status: 'ENABLED' })
  expect(await world.rows(`select 1 from device_faults where closed_at is null`)).toEqual([])
  await world.rows(
    `update lanes set status = 'LOCKED', lock_reason = 'TEMPERATURE' where id = $1`,
    [lane],
  )
  expect((await test(lane, { repair: true })).body.error).toBe('deviceCommands.laneLocked')
  await world.rows(`update device_states set online = false where device_id = 1`)
  expect((await test(lane)).body.error).toBe('deviceCommands.offline')
  expect(
    (await world.send(people.stranger, 'POST', `/devices/1/lanes/${lane}/test-vend`, {})).status,
  ).toBe(404)
})

it('after everything above the books agree', async () => {
  const broken = await checkInvariants(world.app.config.databaseUrl as string)
  expect(broken.filter(({ name }) => !name.includes('month has its partition'))).toEqual([])
})
