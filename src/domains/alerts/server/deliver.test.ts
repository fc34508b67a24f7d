import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { isPublic } from '../../../server/outbound.ts'
import { claim, runDue } from '../../../server/work.ts'
import { people } from '../../devices/server/testWorld.ts'
import { sendKind } from './deliver.ts'
import { recipientKind, recipientToken } from './recipients.ts'
import { sweepAlerts } from './sweep.ts'
import { listenHttp, listenSmtp, minute, openWorld, type World } from './testWorld.ts'

let world: World
let hook: Awaited<ReturnType<typeof listenHttp>>
/** As a worker does, which goes on after a fault. */
const send = () => runDue(world.app, sendKind(world.app)).catch(() => 0)
const make = (body: Record<string, unknown>, user = people.operator) =>
  world.send(user, 'POST', '/alert-channels', body)
const channel = async (id: number) =>
  (await world.send(people.operator, 'GET', '/alert-channels')).body.list.find(
    (row: { id: number }) => row.id === id,
  )
/** As if each had opened the link that he got. */
const confirmed = () =>
  world.rows(`update alert_recipients set confirmed_at = asked_at, state = 'SENT', next_at = null`)
const fault = async (device = 1) => {
  await world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at)
      values (3, $1, 'MOTOR_NOT_MOVE', 'ERROR', $2)`,
    [device, new Date(world.clock.now)],
  )
  await sweepAlerts(world.app)
}

beforeAll(async () => {
  world = await openWorld()
  hook = await listenHttp()
})
afterAll(async () => {
  hook.close()
  await world.close()
})
beforeEach(async () => {
  for (const table of [
    'device_faults',
    'alerts',
    'alert_outbox',
    'messages',
    'alert_rules',
    'alert_mail_servers',
    'alert_mail_days',
    'alert_recipients',
  ])
    await world.rows(`delete from ${table}`)
  await world.rows(`delete from alert_channels where type <> 'IN_APP'`)
  await world.rows(
    `update alert_channels set quiet_from = null, quiet_to = null, enabled = true,
      urgent_through = true`,
  )
  await world.allowPrivate(true)
  hook.heard.length = 0
  hook.state.status = 200
  await world.pass(minute)
})

test('a message that nobody takes is tried after 1, 5 and 30 minutes under the same number, then given up; the channel says so', async () => {
  const { body: made } = await make({ type: 'WEBHOOK', name: 'A', url: hook.url })
  hook.state.status = 503
  await fault()
  for (const wait of [0, 1, 5, 30]) {
    await world.pass(wait * minute)
    await send()
    await send()
  }
  await world.pass(600 * minute)
  await send()
  expect(hook.heard.map((heard) => heard.body.attempt)).toEqual([1, 2, 3, 4])
  expect(new Set(hook.heard.map((heard) => heard.headers['x-huodao-delivery'])).size).toBe(1)
  expect(hook.heard[0]?.headers['x-huodao-signature']).toBeUndefined()
  expect(await channel(made.id)).toMatchObject({
    lastState: 'FAILED',
    lastReason: 'HTTP 503',
    waiting: 0,
  })
  const [alert] = await world.alerts()
  const told = (await world.send(people.operator, 'GET', `/alerts/${alert?.id}`)).body.deliveries
  expect(
    told.map((d: { channelType: string; state: string }) => [d.channelType, d.state]).sort(),
  ).toEqual([
    ['IN_APP', 'SENT'],
    ['WEBHOOK', 'FAILED'],
  ])
})

test('organisations take turns: one with many messages due holds up no other', async () => {
  const due = (org: number, many: number, at: number) =>
    world.rows(
      `with made as (insert into alert_channels (org_id, type, name, url)
        select $1, 'WEBHOOK', 'W' || n, 'https://example.com/' || n
        from generate_series(1, $2::int) n returning id)
       insert into alert_outbox (org_id, channel_id, event, next_at, created_at)
       select $1, id, 'TEST', $3, $3 from made`,
      [org, many, new Date(at)],
    )
  await due(3, 130, world.clock.now - 60_000)
  await due(4, 1, world.clock.now - 1000)
  const taken = await claim(world.app, sendKind(world.app), 20)
  expect(taken.map(({ orgId }) => orgId)).toContain(4)
  expect(taken).toHaveLength(20)
  await due(5, 1, world.clock.now - 1000)
  const served = taken.filter(({ orgId }) => orgId === 3).map(({ turnOf }) => turnOf)
  const [next] = await claim(world.app, sendKind(world.app), 1, served)
  expect(next?.orgId, 'one place that comes free').toBe(5)
})

test('who dies between sending and marking loses nothing: the message goes again under its number', async () => {
  await make({ type: 'WEBHOOK', name: 'A', url: hook.url })
  await fault()
  await world.rows(
    `create function dies() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`,
  )
  await world.rows(
    `create trigger dies before update on alert_outbox for each row when (new.state = 'SENT') execute function dies()`,
  )
  await send()
  expect(hook.heard).toHaveLength(1)
  expect(await world.rows('select 1 from messages')).toEqual([])
  await world.rows('drop trigger dies on alert_outbox')
  await send()
  expect(hook.heard).toHaveLength(1)
  await world.pass(2 * minute)
  await send()
  expect(
    hook.heard.map((heard) => [heard.headers['x-huodao-delivery'], heard.body.attempt]),
  ).toEqual([
    [hook.heard[0]?.body.id, 1],
    [hook.heard[0]?.body.id, 2],
  ])
  expect(await world.rows('select user_id::int as id from messages order by 1')).toEqual([
    { id: 903 },
  ])
  await world.pass(5 * minute)
  await send()
  expect(hook.heard).toHaveLength(2)
})

test('whoever serves single machines hears of those alone', async () => {
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, 8, 907, 'REPAIRER')`,
  )
  await fault(8)
  await fault(9)
  await send()
  expect(
    await world.rows(`select user_id::int as id, title_zh from messages order by user_id`),
  ).toEqual([
    { id: 903, title_zh: '机器8：电机未转动 等 2 条告警消息' },
    { id: 907, title_zh: '机器8：电机未转动' },
  ])
  await world.rows('delete from device_assignments')
})

test('two senders at once send once', async () => {
  await make({ type: 'WEBHOOK', name: 'A', url: hook.url })
  await fault()
  await Promise.all([send(), send(), send()])
  expect(hook.heard).toHaveLength(1)
})

test('in a quiet time messages wait and come as one; urgent ones come at once', async () => {
  const [from, to] = [-60, 60].map((minutes) =>
    new Date(world.clock.now + (8 * 60 + minutes) * minute).toISOString().slice(11, 16),
  )
  const { body: made } = await make({
    type: 'WEBHOOK',
    name: 'A',
    url: hook.url,
    quietFrom: from,
    quietTo: to,
  })
  await fault(1)
  await fault(2)
  await send()
  expect(hook.heard).toHaveLength(0)
  expect(await channel(made.id)).toMatchObject({ waiting: 2, quietFrom: from })
  await world.rows('update device_states set temp_alarm = true where device_id = 3')
  await sweepAlerts(world.app)
  await send()
  expect(hook.heard.map((heard) => heard.body.events[0].alert.kind)).toEqual(['TEMPERATURE'])
  await world.rows('update device_states set temp_alarm = false')
  await world.pass(61 * minute)
  await send()
  expect(hook.heard).toHaveLength(2)
  expect(
    hook.heard[1]?.body.events.map((e: { alert: { rtuNumber: string } }) => e.alert.rtuNumber),
  ).toEqual(['HD000001', 'HD000002'])
})

test('rules choose the channels of a kind, and switch it off', async () => {
  const { body: made } = await make({ type: 'WEBHOOK', name: 'A', url: hook.url })
  const rule = (kind: string, change: Record<string, unknown>) =>
    world.send(people.operator, 'PUT', '/alert-rules', {
      kind,
      version: 0,
      enabled: true,
      threshold: null,
      channelIds: null,
      ...change,
    })
  expect((await rule('FAULT', { channelIds: [] })).status).toBe(200)
  await fault()
  await send()
  expect(hook.heard).toHaveLength(0)
  expect((await rule('FAULT', { channelIds: [made.id] })).body.code).toBe(409001)
  expect(
    (await rule('FAULT', { version: 1, channelIds: [made.id], enabled: false })).body,
  ).toMatchObject({ version: 2, enabled: false, channelIds: [made.id] })
  await sweepAlerts(world.app)
  expect(await world.alerts()).toMatchObject([{ close_reason: 'DROPPED' }])
  expect((await rule('FAULT', { version: 2, threshold: 3 })).body).toMatchObject({
    code: 400001,
    message: '该类告警没有时间条件',
  })
  expect((await rule('OFFLINE', { threshold: 1 })).body.errors).toEqual([
    { field: 'threshold', message: '超出允许范围（2–1440）' },
  ])
  const [foreign] = await world.rows<{ id: number }>(
    'select id from alert_channels where org_id = 5',
  )
  expect((await rule('OFFLINE', { channelIds: [foreign?.id] })).status).toBe(404)
  // a channel that is deleted leaves its rules
  expect(
    (await world.send(people.operator, 'DELETE', `/alert-channels/${made.id}?version=1`)).body,
  ).toEqual({ ok: true })
  expect(
    (await world.send(people.operator, 'GET', '/alert-rules')).body.list.find(
      (r: { kind: string }) => r.kind === 'FAULT',
    ).channelIds,
  ).toEqual([])
})

test('redirects are refused; inner addresses too, when they are written, when they are sent, and behind a name', async () => {
  const { body: made } = await make({ type: 'WEBHOOK', name: 'A', url: hook.url })
  hook.state.status = 302
  expect(
    (await world.send(people.operator, 'POST', `/alert-channels/${made.id}/test`, {})).body,
  ).toEqual({ ok: true })
  await send()
  expect(hook.heard).toHaveLength(1)
  expect((await channel(made.id)).lastReason).toBe('HTTP 302, redirects are not followed')
  await world.allowPrivate(false)
  for (const url of [
    hook.url,
    'http://localhost/',
    'http://2130706433/',
    'http://[::1]:80/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest',
    'https://10.1.2.3/',
  ])
    expect([url, (await make({ type: 'WEBHOOK', name: 'B', url })).body.message]).toEqual([
      url,
      '地址不可用：内部网络地址',
    ])
  const inEnglish = async (url: string) => {
    const body = Buffer.from(JSON.stringify({ type: 'WEBHOOK', name: 'B', url }))
    const headers = { 'content-type': 'application/json', 'accept-language': 'en' }
    const answer = (await world.raw(people.operator, '/alert-channels', body, headers)).body
    return [answer.message, answer.errors[0].message]
  }
  for (const [url, why] of [
    ['https://10.1.2.3/', 'an address of an inner network'],
    ['https://user@8.8.8.8/', 'no user name in it'],
  ] as const)
    expect(await inEnglish(url)).toEqual(Array(2).fill(`This address cannot be used: ${why}`))
  await world.pass(minute)
  await world.send(people.operator, 'POST', `/alert-channels/${made.id}/test`, {})
  await world.pass(1000)
  await send()
  expect(hook.heard).toHaveLength(1)
  expect(await channel(made.id)).toMatchObject({
    lastState: 'FAILED',
    lastReason: 'private address',
  })
  expect((await make({ type: 'WEBHOOK', name: 'B', url: 'http://u:p@example.com/' })).status).toBe(
    422,
  )
  expect((await make({ type: 'WEBHOOK', name: 'B', url: 'ftp://example.com/' })).status).toBe(400)
  const server = { version: 0, host: '127.0.0.1', port: 25, security: 'NONE', sender: 'a@b.cn' }
  expect(
    (await world.send(people.operator, 'PUT', '/alert-mail-server', server)).body.message,
  ).toBe('地址不可用：内部网络地址')
})

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['0.0.0.0', false],
  ['100.64.0.1', false],
  ['172.31.255.255', false],
  ['192.168.0.1', false],
  ['224.0.0.1', false],
  ['::', false],
  ['::1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['::ffff:8.8.8.8', false],
  ['not an address', false],
])('%s is public: %s', (address, expected) => expect(isPublic(address)).toBe(expected))

test('e-mail over SMTP, in the language of the channel; a wrong password is tried again; the server above serves those below', async () => {
  const post = await listenSmtp('geheim')
  try {
    const { body: made } = await make({
      type: 'EMAIL',
      name: '邮件',
      recipients: ['a@example.com', 'b@example.com'],
      lang: 'en',
    })
    await confirmed()
    expect(
      (await world.send(people.operator, 'POST', `/alert-channels/${made.id}/test`, {})).body
        .message,
    ).toBe('请先设置邮件服务器')
    const server = {
      host: '127.0.0.1',
      port: post.port,
      security: 'NONE',
      username: 'robot',
      sender: 'alerts@huodao.example',
    }
    const save = (body: Record<string, unknown>) =>
      world.send(people.agent, 'PUT', '/alert-mail-server', { ...server, ...body })
    await world.rows(
      `insert into role_permissions values (902, 'alarm-rule:read'), (902, 'alarm-rule:update')
        on conflict do nothing`,
    )
    await world.rows('update access_versions set version = version + 1')
    const saved = await save({ version: 0, password: 'falsch' })
    expect(saved.body).toEqual({ source: 'OWN', ...server, hasPassword: true, version: 1 })
    expect((await world.send(people.operator, 'GET', '/alert-mail-server')).body).toMatchObject({
      source: 'ABOVE',
      host: '',
      hasPassword: false,
    })
    await fault()
    await send()
    expect(await channel(made.id)).toMatchObject({ lastState: 'RETRY', lastReason: 'SMTP 535' })
    expect((await save({ version: 1, password: 'geheim' })).body.version).toBe(2)
    // left out it stays
    expect((await save({ version: 2 })).body).toMatchObject({ version: 3, hasPassword: true })
    await world.pass(minute)
    await send()
    expect(post.letters).toHaveLength(1)
    const [letter] = post.letters
    expect(letter?.to).toEqual(['RCPT TO:<a@example.com>', 'RCPT TO:<b@example.com>'])
    expect(letter?.text).toMatch(/Motor did not move|TW90b3IgZGlkIG5vdCBtb3Zl|Motor_did_not_move/)
    expect(await channel(made.id)).toMatchObject({ lastState: 'SENT' })
    // for another host the password is given anew
    expect((await save({ version: 3, host: 'localhost' })).body).toMatchObject({
      hasPassword: false,
    })
  } finally {
    post.close()
  }
})

test('nothing but one question goes to an address until its holder opens the link in it', async () => {
  const post = await listenSmtp('geheim')
  try {
    const server = {
      host: '127.0.0.1',
      port: post.port,
      security: 'NONE',
      username: 'robot',
      sender: 'alerts@huodao.example',
      password: 'geheim',
      version: 0,
    }
    await world.send(people.operator, 'PUT', '/alert-mail-server', server)
    const ask = () => runDue(world.app, recipientKind(world.app))
    const body = { name: '邮件', recipients: ['A@example.com', 'b@example.com'] }
    const { body: made } = await make({ type: 'EMAIL', ...body })
    expect(made.unconfirmed).toEqual(body.recipients)
    await ask()
    expect(post.letters.map(({ to }) => to).sort()).toEqual([
      ['RCPT TO:<a@example.com>'],
      ['RCPT TO:<b@example.com>'],
    ])
    await fault()
    await send()
    expect(await channel(made.id)).toMatchObject({
      lastState: 'FAILED',
      lastReason: 'no recipient confirmed',
    })
    expect(
      (
        await world.send(people.operator, 'PUT', `/alert-channels/${made.id}`, {
          ...body,
          version: 1,
        })
      ).status,
    ).toBe(200)
    expect([await ask(), post.letters.length], 'asked once').toEqual([0, 2])
    const [row] = await world.rows<{ id: number; org_id: number; address: string; asked_at: Date }>(
      `select * from alert_recipients where address = 'a@example.com'`,
    )
    const token = recipientToken(world.app, {
      ...row,
      id: Number(row?.id),
      org_id: Number(row?.org_id),
    } as never)
    const [, text = ''] = (post.letters.find(({ to }) => to[0]?.includes('a@'))?.text ?? '').split(
      '\n\n',
    )
    expect(
      [text.replace(/=\n/g, ''), Buffer.from(text, 'base64').toString()].some((said) =>
        said.includes(token),
      ),
    ).toBe(true)
    const open = (link: string) =>
      world.send(people.operator, 'POST', '/alert-recipients/confirm', { token: link })
    expect((await open(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).status).toBe(422)
    expect((await open(token)).body).toMatchObject({ orgName: expect.any(String) })
    expect((await channel(made.id)).unconfirmed).toEqual(['b@example.com'])
    await fault(2)
    await send()
    expect([post.letters.length, post.letters[2]?.to]).toEqual([3, ['RCPT TO:<A@example.com>']])
    // asked again a day later, when somebody wants to know; the link from before is over
    const [other] = await world.rows<{
      id: number
      org_id: number
      address: string
      asked_at: Date
    }>(`select * from alert_recipients where address = 'b@example.com'`)
    await world.pass(1441 * minute)
    await world.send(people.operator, 'POST', `/alert-channels/${made.id}/test`, {})
    expect([await ask(), post.letters.length]).toEqual([1, 4])
    expect(
      (
        await open(
          recipientToken(world.app, {
            ...other,
            id: Number(other?.id),
            org_id: Number(other?.org_id),
          } as never),
        )
      ).status,
    ).toBe(422)
    // fifty a day of a tenant
    await world.rows('update alert_mail_days set confirmations = 50')
    await make({ type: 'EMAIL', name: '又', recipients: ['c@example.com'] })
    await ask()
    expect(
      await world.rows(
        `select state, last_error from alert_recipients where address = 'c@example.com'`,
      ),
    ).toEqual([{ state: 'FAILED', last_error: 'limit of the day' }])
    await world.rows('update alert_mail_days set confirmations = 0')
    await make({ type: 'EMAIL', name: '再', recipients: ['c@example.com'] })
    expect([await ask(), post.letters.at(-1)?.to], 'it had not left').toEqual([
      1,
      ['RCPT TO:<c@example.com>'],
    ])
  } finally {
    post.close()
  }
})

test('a test a minute for a channel and twenty a day, also of channels made anew; a thousand recipients a day through the server above', async () => {
  const post = await listenSmtp('geheim')
  try {
    const server = {
      host: '127.0.0.1',
      port: post.port,
      security: 'NONE',
      username: 'robot',
      sender: 'alerts@huodao.example',
      password: 'geheim',
    }
    const serve = (user: number) =>
      world.send(user, 'PUT', '/alert-mail-server', { ...server, version: 0 })
    await world.rows(
      `insert into role_permissions values (902, 'alarm-rule:read'), (902, 'alarm-rule:update')
        on conflict do nothing`,
    )
    await world.rows('update access_versions set version = version + 1')
    expect((await serve(people.agent)).body).toMatchObject({ source: 'OWN' })
    const recipients = Array.from({ length: 20 }, (_, i) => `a${i}@example.com`)
    const add = async () => (await make({ type: 'EMAIL', name: '邮件', recipients })).body
    const probe = async (id: number) =>
      (await world.send(people.operator, 'POST', `/alert-channels/${id}/test`, {})).status
    let made = await add()
    expect((await Promise.all([probe(made.id), probe(made.id)])).sort()).toEqual([200, 429])
    for (let i = 1; i < 20; i += 1) {
      await world.rows('delete from alert_channels where id = $1', [made.id])
      made = await add()
      expect(await probe(made.id)).toBe(200)
    }
    await confirmed()
    const last = await add()
    expect(await probe(last.id)).toBe(429)
    await send()
    expect(post.letters).toHaveLength(1)
    await world.rows(`update alert_mail_days set recipients = 981 where org_id = 3`)
    await fault()
    await send()
    expect(await channel(made.id)).toMatchObject({
      lastState: 'FAILED',
      lastReason: 'limit of the day: set a mail server of your own',
    })
    await serve(people.operator)
    await fault(2)
    await send()
    expect(await channel(made.id), 'his own server is his').toMatchObject({ lastState: 'SENT' })
    await world.pass(24 * 60 * minute)
    expect(await probe(last.id)).toBe(200)
  } finally {
    post.close()
  }
})

test('secrets are kept sealed and never shown; channels of others are not there; the in-app one stays', async () => {
  const secret = 'a-secret-of-enough-letters'
  const { body: made } = await make({ type: 'WEBHOOK', name: 'A', url: hook.url, secret })
  expect(JSON.stringify(made)).not.toContain(secret)
  expect(made.hasSecret).toBe(true)
  const [row] = await world.rows<{ secret: Buffer }>(
    'select secret from alert_channels where id = $1',
    [made.id],
  )
  expect(row?.secret.toString('latin1')).not.toContain(secret)
  expect(
    JSON.stringify(await world.rows('select before, after from operation_logs')),
  ).not.toContain(secret)
  const edit = { version: 1, name: 'B', url: hook.url }
  expect((await world.send(people.sibling, 'PUT', `/alert-channels/${made.id}`, edit)).status).toBe(
    404,
  )
  expect(
    (await world.send(people.operator, 'PUT', `/alert-channels/${made.id}`, edit)).body,
  ).toMatchObject({ name: 'B', hasSecret: true, version: 2 })
  expect(
    (await world.send(people.operator, 'PUT', `/alert-channels/${made.id}`, edit)).body.code,
  ).toBe(409001)
  const [inApp] = (await world.send(people.operator, 'GET', '/alert-channels')).body.list
  expect(
    (
      await world.send(
        people.operator,
        'DELETE',
        `/alert-channels/${inApp.id}?version=${inApp.version}`,
      )
    ).body.message,
  ).toBe('站内信渠道不能删除')
  expect((await make({ type: 'EMAIL', name: 'x' })).body.errors[0].field).toBe('recipients')
  expect((await make({ type: 'WEBHOOK', name: 'x' })).body.errors[0].field).toBe('url')
  expect(
    (await make({ type: 'WEBHOOK', name: 'x', url: hook.url, quietFrom: '22:00' })).body.errors[0],
  ).toMatchObject({ field: 'quietTo' })
})

test('alerts are seen by the owner and above, handled by who may, and foreign ones are not there', async () => {
  await fault()
  const [alert] = await world.alerts()
  const id = alert?.id
  expect((await world.send(people.sibling, 'GET', `/alerts/${id}`)).status).toBe(404)
  expect(
    (await world.send(people.sibling, 'POST', '/alerts/acknowledge', { ids: [id] })).status,
  ).toBe(404)
  expect((await world.send(people.reader, 'GET', '/alerts')).status).toBe(403)
  // a repairer without machines sees none, and may not handle
  expect((await world.send(people.repairer, 'GET', '/alerts')).body.total).toBe(0)
  expect(
    (await world.send(people.repairer, 'POST', '/alerts/close', { ids: [id], remark: 'x' })).status,
  ).toBe(403)
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, 1, 907, 'REPAIRER')`,
  )
  const [row] = (await world.send(people.repairer, 'GET', '/alerts?keyword=HD000001')).body.list
  expect(row).toMatchObject({ rtuNumber: 'HD000001', can: { acknowledge: false, close: false } })
  expect((await world.send(people.operator, 'GET', '/alerts/stats')).body).toEqual({
    open: 1,
    acknowledged: 0,
  })
  await world.send(people.operator, 'POST', '/alerts/acknowledge', { ids: [id], remark: '去看看' })
  expect(
    await world.rows(
      `select after->>'state' as state from operation_logs
        where action = 'alerts.acknowledge' and after is not null`,
    ),
  ).toEqual([{ state: 'ACKNOWLEDGED' }])
})
