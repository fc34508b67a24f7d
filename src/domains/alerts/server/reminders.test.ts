import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runDue } from '../../../server/work.ts'
import { people } from '../../devices/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { sendKind } from './deliver.ts'
import { sweepAlerts } from './sweep.ts'
import { listenHttp, minute, openWorld, type World } from './testWorld.ts'

let world: World
let hook: Awaited<ReturnType<typeof listenHttp>>
const noon = Date.parse('2026-11-22T04:00:00Z')

beforeAll(async () => {
  world = await openWorld()
  hook = await listenHttp()
})
afterAll(async () => {
  hook.close()
  await world.close()
})
beforeEach(async () => {
  for (const table of ['device_faults', 'alerts', 'alert_outbox', 'messages'])
    await world.rows(`delete from ${table}`)
  await world.rows(`delete from alert_channels where type <> 'IN_APP'`)
  await world.online(Array.from({ length: 42 }, (_, i) => i + 1))
  await world.pass(noon - world.clock.now)
  await every('m30')
  hook.heard.length = 0
  hook.state.status = 200
})

async function every(choice: string) {
  await world.rows(
    `insert into settings (org_id, key, value) values (3, 'alarm.repeat', to_jsonb($1::text))
      on conflict (org_id, key) do update set value = excluded.value`,
    [choice],
  )
  settingsChanged(world.app)
}
const channel = (more: Record<string, unknown> = {}) =>
  world.send(people.operator, 'POST', '/alert-channels', {
    type: 'WEBHOOK',
    name: 'A',
    url: hook.url,
    ...more,
  })
const fault = (device = 1) =>
  world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at)
      values (3, $1, 'MOTOR_NOT_MOVE', 'ERROR', $2)`,
    [device, new Date(world.clock.now)],
  )
/** Time goes by in steps, in which sweep and sender run as their loops do. */
async function live(minutes: number, step = 1) {
  for (let gone = 0; gone < minutes; gone += step) {
    await world.pass(step * minute)
    await sweepAlerts(world.app)
    await runDue(world.app, sendKind(world.app))
  }
}
const heard = () =>
  hook.heard.flatMap(({ body }) => body.events.map((event: { event: string }) => event.event))
const inApp = () =>
  world.rows<{ title: string }>(
    'select title_zh as title from messages where user_id = 903 order by id',
  )
const handle = async (verb: 'acknowledge' | 'close') =>
  world.send(people.operator, 'POST', `/alerts/${verb}`, {
    ids: (await world.alerts()).map((alert) => alert.id),
    remark: 'x',
  })

test('an alert nobody takes on reminds every interval through its channels, and says how often', async () => {
  await channel()
  await fault()
  await live(1)
  await live(28, 4)
  expect(heard()).toEqual(['OPENED'])
  await live(4, 2)
  expect(heard()).toEqual(['OPENED', 'REMINDER'])
  await live(26, 2)
  expect(heard()).toEqual(['OPENED', 'REMINDER'])
  await live(4, 2)
  expect(heard()).toEqual(['OPENED', 'REMINDER', 'REMINDER'])
  expect(hook.heard.at(-1)?.body.events[0]).toMatchObject({
    alert: { reminders: 2, state: 'OPEN' },
    title: { en: expect.stringMatching(/^Still open: /) },
  })
  expect((await inApp()).map(({ title }) => title.startsWith('仍未处理'))).toEqual([
    false,
    true,
    true,
  ])
  const [alert] = await world.alerts()
  const { body } = await world.send(people.operator, 'GET', `/alerts/${alert?.id}`)
  expect(body).toMatchObject({ reminders: 2, remindTime: expect.any(String), times: 1 })
  expect(body.deliveries[0]).toMatchObject({ event: 'REMINDER', state: 'SENT' })
})

test.each(['acknowledge', 'close'] as const)('%s: nobody is reminded any more', async (verb) => {
  await channel()
  await fault()
  await live(35, 5)
  expect((await handle(verb)).status).toBe(200)
  await live(70, 5)
  expect(heard()).toEqual(['OPENED', 'REMINDER'])
})

test('what is over does not remind', async () => {
  await channel({ tellClosed: false })
  await fault()
  await live(5)
  await world.rows('update device_faults set closed_at = now()')
  await live(70, 5)
  expect(heard()).toEqual(['OPENED'])
})

test('a machine that comes and goes says nothing at every turn, but reminds every interval', async () => {
  await channel({ tellClosed: false })
  await fault()
  await live(1)
  for (let turn = 0; turn < 9; turn++) {
    await world.rows('update device_faults set closed_at = now()')
    await live(3, 3)
    await world.rows('delete from device_faults')
    await fault()
    await live(4, 2)
  }
  expect(await world.alerts()).toMatchObject([{ state: 'OPEN', times: 10 }])
  expect(heard()).toEqual(['OPENED', 'REMINDER', 'REMINDER'])
})

test('two workers at once, before and after a restart: one reminder', async () => {
  await channel()
  await fault()
  await live(1)
  await world.pass(31 * minute)
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 4 }, () => sweepAlerts(world.app)))
    await Promise.all(Array.from({ length: 4 }, () => runDue(world.app, sendKind(world.app))))
  }
  expect(heard()).toEqual(['OPENED', 'REMINDER'])
  expect(await world.rows(`select 1 from alert_outbox where event = 'REMINDER'`)).toHaveLength(2)
})

test('many alerts are one reminder; those of other organisations follow their own setting', async () => {
  await channel()
  for (const device of [1, 2, 3]) {
    await fault(device)
    await live(2)
  }
  await live(28, 2)
  expect(
    hook.heard.map(({ body }) => body.events.map((event: { event: string }) => event.event)).at(-1),
  ).toEqual(['REMINDER', 'REMINDER', 'REMINDER'])
  hook.heard.length = 0
  await every('off')
  await live(90, 5)
  expect(heard()).toEqual([])
  await every('m1')
  await live(3)
  expect(heard().filter((event) => event === 'REMINDER').length).toBeGreaterThanOrEqual(6)
})

test('never in a quiet time, not even of an urgent alert, nor when it is sent late', async () => {
  await channel({ quietFrom: '12:20', quietTo: '14:10', urgentThrough: true })
  await fault()
  await live(15, 5)
  await world.rows('update alerts set urgent = true')
  await live(100, 5)
  expect(heard()).toEqual(['OPENED'])
  // the other channel has no quiet time
  expect((await inApp()).length).toBeGreaterThanOrEqual(3)
  await live(50, 5)
  expect(new Set(heard().slice(1))).toEqual(new Set(['REMINDER']))
  const before = heard().length
  hook.state.status = 503
  while (
    !(
      await world.rows(
        `select 1 from alert_outbox
          where event = 'REMINDER' and state = 'WAITING' and attempts > 0`,
      )
    ).length
  )
    await live(1)
  await world.rows(
    `update alert_channels set quiet_from = '00:00', quiet_to = '23:59' where type = 'WEBHOOK'`,
  )
  hook.state.status = 200
  const tried = hook.heard.length
  await live(10)
  expect([hook.heard.length, before > 0]).toEqual([tried, true])
  expect(
    await world.rows(
      `select 1 from alert_outbox o join alert_channels c on c.id = o.channel_id
        where c.type = 'WEBHOOK' and o.next_at is not null`,
    ),
  ).toEqual([])
})

test('a channel that takes nothing gathers no heap of reminders, and one that waits is dropped when somebody takes the alert on', async () => {
  await channel()
  await every('m1')
  hook.state.status = 503
  await fault()
  await live(60, 3)
  const waiting = await world.rows(`select event from alert_outbox where next_at is not null`)
  expect(waiting.length).toBeLessThanOrEqual(1)
  await live(1)
  while (
    !(
      await world.rows(
        `select 1 from alert_outbox
          where event = 'REMINDER' and state = 'WAITING' and attempts > 0`,
      )
    ).length
  )
    await live(1)
  await handle('acknowledge')
  hook.state.status = 200
  hook.heard.length = 0
  await live(60, 5)
  expect(heard()).toEqual([])
})

test('machines that are away remind in business hours only', async () => {
  await channel()
  await world.rows(
    `insert into settings (org_id, key, value)
      values (3, 'device.businessHours', '{"from": "06:00", "to": "13:00"}')
      on conflict (org_id, key) do update set value = excluded.value`,
  )
  settingsChanged(world.app)
  await world.offline([1])
  await live(54, 3)
  expect(heard()).toEqual(['OPENED', 'REMINDER'])
  await live(120, 5)
  expect(heard()).toEqual(['OPENED', 'REMINDER'])
  await world.rows(`delete from settings where key = 'device.businessHours'`)
  settingsChanged(world.app)
  await live(5)
  expect(heard()).toEqual(['OPENED', 'REMINDER', 'REMINDER'])
})
