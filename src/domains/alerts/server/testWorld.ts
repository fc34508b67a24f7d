import { once } from 'node:events'
import { createServer as createHttp, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { addDevice, openWorld as openDevices } from '../../devices/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'

/**
 * Organisation 3 with forty machines in one county, a clock that moves, and listeners of our own
 * for what leaves; for tests only.
 */
export type World = Awaited<ReturnType<typeof openWorld>>

export const minute = 60_000

export async function openWorld() {
  const world = await openDevices()
  const clock = { now: Date.parse('2026-11-21T06:00:00Z') }
  Object.assign(world.app, { now: () => new Date(clock.now) })
  await addPermissions(world.sql, [
    'alarm:read',
    'alarm:handle',
    'alarm:export',
    'alarm-rule:read',
    'alarm-rule:update',
  ])
  await grant(
    world.sql,
    [903, 904, 905],
    ['alarm:read', 'alarm:handle', 'alarm-rule:read', 'alarm-rule:update'],
  )
  await grant(world.sql, [907], ['alarm:read'])
  await world.rows('update access_versions set version = version + 1')
  for (let id = 1; id <= 42; id++) await addDevice(world, id, id <= 40 ? 3 : 4)
  const allowPrivate = async (allowed: boolean) => {
    await world.rows(
      `insert into settings (org_id, key, value) values (1, 'alarm.privateAddresses', $1)
        on conflict (org_id, key) do update set value = excluded.value`,
      [String(allowed)],
    )
    settingsChanged(world.app)
  }
  await allowPrivate(true)
  return {
    ...world,
    clock,
    allowPrivate,
    /** Moves the clock and the session of everybody with it. */
    async pass(ms: number) {
      clock.now += ms
      await world.rows(`update sessions set last_seen_at = $1, proven_at = $1, expires_at = $2`, [
        new Date(clock.now),
        new Date(clock.now + 86_400_000),
      ])
    },
    offline: (ids: readonly number[], cause = 'TIMEOUT', secondsAgo = 0) =>
      world.rows(
        `update device_states set online = false, offline_since = $2, offline_cause = $3
          where device_id = any($1::bigint[])`,
        [ids, new Date(clock.now - secondsAgo * 1000), cause],
      ),
    online: (ids: readonly number[]) =>
      world.rows(
        `update device_states set online = true, offline_since = null, offline_cause = null
          where device_id = any($1::bigint[])`,
        [ids],
      ),
    alerts: () =>
      world.rows<{
        id: number
        kind: string
        device_id: number | null
        state: string
        times: number
        close_reason: string | null
        subject: string
      }>('select id, kind, device_id, state, times, close_reason, subject from alerts order by id'),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, looked into by tests
export type Heard = { headers: IncomingHttpHeaders; raw: string; body: any }

/** A webhook receiver; `status` is what it answers next. */
export async function listenHttp() {
  const heard: Heard[] = []
  const state = { status: 200 }
  const server = createHttp((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const raw = Buffer.concat(parts).toString()
      heard.push({ headers: request.headers, raw, body: JSON.parse(raw) })
      response
        .writeHead(state.status, state.status === 302 ? { location: '/again' } : {})
        .end('thank you')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    heard,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close: () => server.close(),
  }
}

export type Letter = { from: string; to: string[]; text: string }
/** The little of SMTP that a mail server answers; `password` is the right one. */
export async function listenSmtp(password: string) {
  const letters: Letter[] = []
  const server = createTcp((socket) => {
    let letter: Letter = { from: '', to: [], text: '' }
    let waiting: 'command' | 'data' = 'command'
    let rest = ''
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 test')
    socket.on('error', () => {})
    socket.on('data', (part) => {
      rest += part.toString()
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (waiting === 'data') {
          if (line !== '.') letter.text += `${line}\n`
          else {
            letters.push(letter)
            letter = { from: '', to: [], text: '' }
            waiting = 'command'
            say('250 taken')
          }
        } else if (line.startsWith('EHLO')) socket.write('250-test\r\n250 AUTH PLAIN\r\n')
        else if (line.startsWith('AUTH PLAIN')) {
          const [, user, given] = Buffer.from(line.slice(11), 'base64').toString().split('\0')
          say(user === 'robot' && given === password ? '235 welcome' : '535 no')
        } else if (line.startsWith('MAIL FROM')) {
          letter.from = line
          say('250 ok')
        } else if (line.startsWith('RCPT TO')) {
          letter.to.push(line)
          say('250 ok')
        } else if (line === 'DATA') {
          waiting = 'data'
          say('354 go on')
        } else if (line === 'QUIT') {
          say('221 bye')
          socket.end()
        } else say('250 ok')
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { letters, port: (server.address() as AddressInfo).port, close: () => server.close() }
}
