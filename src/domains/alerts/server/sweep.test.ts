import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { found } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { lockMachine } from '../../boards/server/binding.ts'
import { people } from '../../devices/server/testWorld.ts'
import { target, transferMachine } from '../../distribution/server/transfer.ts'
import { sendKind } from './deliver.ts'
import { sweepAlerts } from './sweep.ts'
import { listenHttp, minute, openWorld, type World } from './testWorld.ts'
import { signatureOf } from './webhook.ts'

let world: World
let hook: Awaited<ReturnType<typeof listenHttp>>
const secret = 'sixteen-letters-and-more'
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
const sweep = () => sweepAlerts(world.app)
const send = () => runDue(world.app, sendKind(world.app))

beforeAll(async () => {
  world = await openWorld()
  hook = await listenHttp()
  const made = await world.send(people.operator, 'POST', '/alert-channels', {
    type: 'WEBHOOK',
    name: '值班',
    url: hook.url,
    secret,
  })
  expect(made.status).toBe(200)
})
afterAll(async () => {
  hook.close()
  await world.close()
})
beforeEach(async () => {
  await world.online(range(1, 42))
  await world.rows('delete from device_faults')
  await world.rows('delete from alerts')
  await world.rows('delete from messages')
  hook.heard.length = 0
  await world.pass(60 * minute)
  // in business hours, whatever the tests before took
  if (
    new Date(world.clock.now + 8 * 60 * minute).getUTCHours() >= 20 ||
    new Date(world.clock.now + 8 * 60 * minute).getUTCHours() < 7
  )
    await world.pass(12 * 60 * minute)
})

test('forty machines that drop together are one alert and one message; late ones join; it is over when all are back', async () => {
  await world.offline(range(1, 20), 'LAST_WILL')
  await world.pass(minute)
  await world.offline(range(21, 39), 'TIMEOUT')
  await sweep()
  expect(await world.alerts()).toEqual([])
  await world.pass(3 * minute)
  await world.offline([41])
  for (let i = 0; i < 3; i++) {
    await sweep()
    await send()
  }
  expect(await world.alerts()).toMatchObject([
    { kind: 'AREA_OFFLINE', device_id: null, subject: '440305', state: 'OPEN', times: 1 },
  ])
  await world.offline([40])
  await world.pass(20 * minute)
  await sweep()
  await send()
  const [area, ...others] = await world.alerts()
  // machine 41 belongs to somebody else and is alone
  expect(others).toMatchObject([{ kind: 'OFFLINE', device_id: 41 }])
  expect(hook.heard).toHaveLength(1)
  const [message] = hook.heard
  expect(message?.body.events).toMatchObject([
    { event: 'OPENED', alert: { kind: 'AREA_OFFLINE', machines: { count: 39 } } },
  ])
  expect(message?.body.events[0].title.zh).toBe('南山区 39 台设备同时离线')
  expect(message?.body.events[0].alert.machines.rtuNumbers).toHaveLength(39)
  const stamp = String(message?.headers['x-huodao-signature'])
  expect(stamp).toBe(signatureOf(secret, Number(/t=(\d+)/.exec(stamp)?.[1]), message?.raw ?? ''))
  const inApp = await world.rows(
    'select user_id::int, title_en, link from messages order by user_id',
  )
  expect(inApp).toEqual([903, 904].map((user_id) => expect.objectContaining({ user_id })))
  expect(inApp[0]).toMatchObject({
    title_en: '39 machines in 南山区 went offline together',
    link: `/device/alerts?detail=${area?.id}`,
  })

  const detail = await world.send(people.operator, 'GET', `/alerts/${area?.id}`)
  expect(detail.body).toMatchObject({
    deviceCount: 40,
    awayCount: 40,
    content: '南山区 40 台设备同时离线',
  })
  expect(detail.body.members).toHaveLength(40)
  await world.online(range(1, 39))
  await sweep()
  expect((await world.send(people.operator, 'GET', `/alerts/${area?.id}`)).body).toMatchObject({
    state: 'OPEN',
    awayCount: 1,
  })
  await world.online([40])
  await sweep()
  await send()
  expect((await world.send(people.operator, 'GET', `/alerts/${area?.id}`)).body).toMatchObject({
    state: 'CLOSED',
    closeReason: 'RECOVERED',
    awayCount: 0,
  })
  expect(hook.heard).toHaveLength(1)
  await world.pass(11 * minute)
  await send()
  expect(hook.heard).toHaveLength(2)
  expect(hook.heard[1]?.body.events).toMatchObject([
    { event: 'CLOSED', alert: { state: 'CLOSED' } },
  ])
})

test('taking on skips what is closed, and says so when that is all', async () => {
  await world.offline([1, 2])
  await world.pass(11 * minute)
  await sweep()
  const [one, two] = (await world.alerts()).map((alert) => alert.id)
  const handle = async (verb: string, ids: unknown[]) =>
    (await world.send(people.operator, 'POST', `/alerts/${verb}`, { ids, remark: 'x' })).body
  expect(await handle('close', [one])).toEqual({ done: 1, skipped: 0 })
  expect(await handle('acknowledge', [one])).toMatchObject({ code: 409001, error: 'alerts.taken' })
  expect(await handle('acknowledge', [one, two])).toEqual({ done: 1, skipped: 1 })
  expect(await handle('acknowledge', [two])).toMatchObject({ error: 'alerts.taken' })
  expect(await handle('close', [one])).toMatchObject({ error: 'alerts.closed' })
  expect((await world.alerts()).map((alert) => alert.state)).toEqual(['CLOSED', 'ACKNOWLEDGED'])
})

test('one machine: after its minutes, once; flapping counts up and says nothing more; over is told when it stays over', async () => {
  await world.offline([1])
  await world.pass(9 * minute)
  await sweep()
  expect(await world.alerts()).toEqual([])
  await world.pass(2 * minute)
  await sweep()
  await sweep()
  expect(await world.alerts()).toMatchObject([
    { kind: 'OFFLINE', device_id: 1, state: 'OPEN', times: 1 },
  ])
  const id = (await world.alerts())[0]?.id
  expect(
    (await world.send(people.operator, 'POST', '/alerts/acknowledge', { ids: [id] })).body,
  ).toEqual({ done: 1, skipped: 0 })
  for (let i = 0; i < 3; i++) {
    await world.online([1])
    await sweep()
    await send()
    await world.offline([1], 'TIMEOUT', 11 * 60)
    await sweep()
    await send()
  }
  // whoever took it on still has it
  expect(await world.alerts()).toMatchObject([{ state: 'ACKNOWLEDGED', times: 4 }])
  expect(hook.heard).toHaveLength(1)
  await world.online([1])
  await sweep()
  await world.pass(11 * minute)
  await send()
  expect(hook.heard.map((heard) => heard.body.events[0].event)).toEqual(['OPENED', 'CLOSED'])
})

test('outside business hours nothing is said of an offline machine, with the morning it is', async () => {
  await world.pass(((24 + 15 - new Date(world.clock.now).getUTCHours()) % 24) * 60 * minute)
  expect(new Date(world.clock.now).getUTCHours()).toBe(15)
  await world.offline([1])
  await world.pass(60 * minute)
  await sweep()
  expect(await world.alerts()).toEqual([])
  await world.pass(6.1 * 60 * minute)
  await sweep()
  expect(await world.alerts()).toMatchObject([{ kind: 'OFFLINE' }])
})

test('a machine with hours of its own is missed in these, whatever its organisation says', async () => {
  const hours = (id: number, windows: object[]) =>
    world.rows('update devices set business_hours = $2 where id = $1', [
      id,
      JSON.stringify(windows),
    ])
  const days = [1, 2, 3, 4, 5, 6, 7]
  await hours(1, [{ days, from: '22:30', to: '02:00' }])
  await hours(2, [{ days, from: '08:00', to: '12:00' }])
  // to 23:00 in Shanghai, when the organisation is closed
  await world.pass(((24 + 15 - new Date(world.clock.now).getUTCHours()) % 24) * 60 * minute)
  await world.offline([1, 2, 3])
  await world.pass(60 * minute)
  await sweep()
  expect(await world.alerts()).toMatchObject([{ kind: 'OFFLINE', device_id: 1 }])
  // to 6:10, when it opens; machine 2 does at 8:00
  await world.pass(6.2 * 60 * minute)
  await sweep()
  expect((await world.alerts()).map((alert) => alert.device_id)).toEqual([1, 3])
  await world.pass(2 * 60 * minute)
  await sweep()
  expect((await world.alerts()).map((alert) => alert.device_id)).toEqual([1, 3, 2])
  // many of which most are closed are no outage of the county
  await world.rows('delete from alerts')
  await world.online(range(1, 3))
  await world.rows(`update devices set business_hours = $1 where id between 4 and 9`, [
    JSON.stringify([{ days, from: '01:00', to: '02:00' }]),
  ])
  await world.offline(range(4, 12))
  await world.pass(15 * minute)
  await sweep()
  expect((await world.alerts()).map((alert) => [alert.kind, alert.device_id])).toEqual(
    [10, 11, 12].map((id) => ['OFFLINE', id]),
  )
  await world.rows(`update devices set business_hours = '[]'`)
})

test('faults, temperature, door, a second connection, a SIM: opened by the tables and closed by them', async () => {
  const at = () => new Date(world.clock.now)
  await world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at)
      values (3, 1, 'MOTOR_NOT_MOVE', 'ERROR', $1), (3, 2, 'SENSOR_FAULT', 'WARN', $1),
        (3, 3, 'TEMP_EXCURSION', 'ERROR', $1)`,
    [at()],
  )
  await world.rows(`update device_faults set detail = '12.1 °C (2–8)' where device_id = 3`)
  await world.rows('update device_states set temp_alarm = true where device_id = 3')
  await world.rows(
    'update device_states set door_open = true, door_since = $1 where device_id = 4',
    [new Date(world.clock.now - 9 * minute)],
  )
  // a machine that talks all day must not make the sweep of all slow
  await world.rows('revoke select on device_messages from huodao_app')
  await world.rows(
    `insert into device_events (org_id, created_at, device_id, kind)
      values (3, $1, 5, 'SECOND_CONNECTION')`,
    [at()],
  )
  await world.rows(
    `update main_boards set iccid = '89860400000000000001', sim_expires_on = '2026-12-05'
      where board_no = 'BOARD-6'`,
  )
  await world.rows(
    `update main_boards set sim_expires_on = '2027-06-01' where board_no = 'BOARD-7'`,
  )
  await sweep()
  const lines = async () =>
    (await world.send(people.operator, 'GET', '/alerts?state=active&pageSize=100')).body.list
      .map((a: { deviceId: number; content: string }) => `${a.deviceId} ${a.content}`)
      .sort()
  expect(await lines()).toEqual([
    '1 电机未转动',
    '3 温度超限 12.1 °C (2–8)',
    '5 主板重复连接',
    '6 物联卡将于 2026-12-05 到期（89860400000000000001）',
  ])
  await world.pass(2 * minute)
  await sweep()
  expect(await lines()).toContain('4 柜门长时间未关')
  await world.rows('update device_faults set closed_at = $1', [at()])
  await world.rows('update device_states set temp_alarm = false, door_open = false')
  await world.rows(
    `update main_boards set sim_expires_on = '2027-12-05' where board_no = 'BOARD-6'`,
  )
  await world.pass(31 * minute)
  await sweep()
  expect(await lines()).toEqual([])
  expect((await world.alerts()).map((alert) => alert.close_reason)).toEqual([
    'RECOVERED',
    'RECOVERED',
    'RECOVERED',
    'RECOVERED',
    'RECOVERED',
  ])
  await world.rows('grant select on device_messages to huodao_app')
})

test('closed by hand it stays closed while the trouble lasts; a machine that is sold closes its alert', async () => {
  await world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at)
      values (3, 1, 'MOTOR_NOT_MOVE', 'ERROR', $1), (3, 2, 'MOTOR_NOT_MOVE', 'ERROR', $1)`,
    [new Date(world.clock.now)],
  )
  await sweep()
  const [first, second] = (await world.alerts()).map((alert) => alert.id)
  await world.pass(minute)
  expect(
    (await world.send(people.operator, 'POST', '/alerts/close', { ids: [first] })).status,
  ).toBe(400)
  expect(
    (
      await world.send(people.operator, 'POST', '/alerts/close', {
        ids: [first],
        remark: '换了电机',
      })
    ).body,
  ).toEqual({ done: 1, skipped: 0 })
  expect(
    (await world.send(people.operator, 'POST', '/alerts/close', { ids: [first], remark: '又' }))
      .body,
  ).toMatchObject({
    code: 409001,
    message: '告警已关闭',
  })
  await world.rows(`update devices set lifecycle = 'PAUSED' where id = 2`)
  await world.pass(minute)
  await sweep()
  expect(await world.alerts()).toMatchObject([
    { id: first, state: 'CLOSED', close_reason: 'HANDLED' },
    { id: second, state: 'CLOSED', close_reason: 'DROPPED' },
  ])
  expect((await world.send(people.operator, 'GET', `/alerts/${first}`)).body).toMatchObject({
    closeName: '员工3',
    closeRemark: '换了电机',
  })
  await world.rows(`update devices set lifecycle = 'OPERATING' where id = 2`)
})

test('two sweeps at once make one alert', async () => {
  await world.offline([1])
  await world.pass(11 * minute)
  await Promise.all([sweep(), sweep(), sweep()])
  await sweep()
  expect(await world.alerts()).toHaveLength(1)
})

test('with its machine an open alert leaves its owner at once, and begins anew with the next; each sees his own', async () => {
  await world.offline([5], 'TIMEOUT')
  await world.pass(60 * minute)
  await sweep()
  const [old] = await world.alerts()
  expect(old).toMatchObject({ kind: 'OFFLINE', device_id: 5, state: 'OPEN' })
  const waiting = () => world.rows(`select state from alert_outbox where alert_id = $1`, [old?.id])
  expect(await waiting()).toContainEqual({ state: 'WAITING' })
  const list = async (who: number) =>
    (await world.send(who, 'GET', '/alerts?state=all')).body.list.map(
      (row: { state: string }) => row.state,
    )
  const give = (orgId: number) =>
    bySystem(world.app, async (ctx) =>
      transferMachine(ctx, found(await lockMachine(ctx, 5)), found(await target(ctx, orgId))),
    )
  await give(4)
  expect(await world.alerts()).toMatchObject([
    { id: old?.id, state: 'CLOSED', close_reason: 'DROPPED' },
  ])
  expect((await waiting()).map((row) => row.state)).not.toContain('WAITING')
  expect([await list(people.operator), await list(people.sibling)]).toEqual([['CLOSED'], []])
  await sweep()
  expect([await list(people.operator), await list(people.sibling)]).toEqual([['CLOSED'], ['OPEN']])
  // what a person of the former owner had handled is not handled for the next, and the other way
  // round
  await world.rows(
    `update alerts set state = 'CLOSED', closed_at = $1, close_reason = 'HANDLED' where org_id = 4`,
    [new Date(world.clock.now)],
  )
  await give(3)
  await sweep()
  expect([await list(people.operator), await list(people.sibling)]).toEqual([
    ['OPEN', 'CLOSED'],
    ['CLOSED'],
  ])
  await give(4)
  await sweep()
  expect(await list(people.sibling)).toEqual(['CLOSED'])
})

test('an alert that is held keeps those of its owner waiting, and of nobody else', async () => {
  for (const id of [6, 41]) await world.offline([id], 'TIMEOUT')
  await world.pass(60 * minute)
  await sweep()
  expect(await world.alerts()).toMatchObject([{ state: 'OPEN' }, { state: 'OPEN' }])
  await world.online([6, 41])
  await world.rows('begin')
  await world.rows('select 1 from alerts where device_id = 6 for update')
  const began = performance.now()
  await sweep()
  expect(performance.now() - began).toBeLessThan(3000)
  const states = async () =>
    (await world.rows('select state from alerts order by device_id')).map(({ state }) => state)
  expect(await states()).toEqual(['OPEN', 'CLOSED'])
  await world.rows('rollback')
  await sweep()
  expect(await states()).toEqual(['CLOSED', 'CLOSED'])
})
