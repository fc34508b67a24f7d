import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Debian's Mosquitto: a broker that is not ours, and machines that are nothing but its command line
 * clients.
 */

const needed = ['/usr/sbin/mosquitto', '/usr/bin/mosquitto_pub', '/usr/bin/mosquitto_sub']

export function needMosquitto(): void {
  const missing = needed.filter((path) => !existsSync(path))
  if (missing.length > 0)
    throw new Error(
      `Missing: ${missing.join(', ')}. ".ci/run" installs them; by hand: apt-get install --no-install-recommends mosquitto mosquitto-clients`,
    )
}

export type Broker = { reload(): void; stop(): Promise<void> }

/**
 * The broker with the configuration that docs/operations.md shows, on other ports and with these
 * files.
 */
export async function startMosquitto(
  folder: string,
  files: string,
  ports: { machines: number; gateways: number },
): Promise<Broker> {
  const shown = /```conf\n([\s\S]+?)```/.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? ''
  const conf = shown
    .replaceAll('/etc/mosquitto/huodao/', `${files}/`)
    .replace('listener 1883 0.0.0.0', `listener ${ports.machines} 127.0.0.1`)
    .replace('listener 1884', `listener ${ports.gateways}`)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'mosquitto.conf')
  writeFileSync(path, `${conf}\nuser ${userInfo().username}\n`)
  const child = spawn('/usr/sbin/mosquitto', ['-c', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => {
    said = `${said}${data}`.slice(-4000)
  })
  for (let tries = 0; !(await answers(ports.gateways)); tries += 1) {
    if (tries > 200 || child.exitCode !== null) throw new Error(`mosquitto does not start: ${said}`)
    await sleep(20)
  }
  return { reload: () => child.kill('SIGHUP'), stop: () => ended(child, 'SIGTERM') }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = createConnection(port, '127.0.0.1')
      .once('connect', () => done(Boolean(socket.destroy())))
      .once('error', () => done(false))
  })

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill(signal)
  await gone
}

/** How a client signs in. `id` is the machine number unless a test means mischief. */
export type Login = { port: number; rtu: string; secret: string; id?: string }
const args = ({ port, rtu, secret, id = rtu }: Login) => [
  '-h',
  '127.0.0.1',
  '-p',
  String(port),
  '-i',
  id,
  '-u',
  rtu,
  '-P',
  secret,
  '-q',
  '1',
]

/** One run of `mosquitto_pub`; what it printed and how it ended. */
export function publish(
  login: Login,
  topic: string,
  body: object,
  version = '311',
): Promise<{ code: number | null; out: string }> {
  return new Promise((done) => {
    const child = spawn('/usr/bin/mosquitto_pub', [
      ...args(login),
      '-V',
      version,
      '-t',
      topic,
      '-m',
      JSON.stringify(body),
    ])
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        out += data
      })
    child.once('close', (code) => done({ code, out }))
  })
}

export type Message = { kind: string; topic: string; body: Record<string, unknown> }
export type Listener = {
  readonly messages: readonly Message[]
  /** Everything the program says about its connection. */
  log(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** `mosquitto_sub` on these topics; resolves when the broker has answered the subscription. */
export async function listen(
  login: Login,
  topics: readonly string[],
  will: readonly string[] = [],
): Promise<Listener> {
  const words = [
    ...args(login),
    '-V',
    '311',
    ...topics.flatMap((topic) => ['-t', topic]),
    ...will,
    '-d',
    '-F',
    '=> %t %p',
  ]
  // it keeps its lines back as long as nobody reads them on a terminal
  const child = spawn('/usr/bin/stdbuf', ['-oL', '/usr/bin/mosquitto_sub', ...words])
  const messages: Message[] = []
  let said = ''
  let rest = ''
  child.stderr.on('data', (data) => {
    said += data
  })
  child.stdout.on('data', (data) => {
    const lines = `${rest}${data}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, topic = '', body = ''] = /^=> (\S+) (.*)$/.exec(line) ?? []
      if (topic) messages.push({ topic, kind: topic.split('/')[3] ?? '', body: JSON.parse(body) })
      else said += `${line}\n`
    }
  })
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => ended(child, signal)
  for (let tries = 0; !/SUBACK/.test(said); tries += 1) {
    if (tries > 250 || child.exitCode !== null) {
      await stop()
      throw new Error(`mosquitto_sub: ${said}`)
    }
    await sleep(20)
  }
  return { messages, log: () => said, stop }
}
