import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive, isPostmaster, readState } from './cluster.ts'
import { type EmbeddedPostgres, startPostgres } from './embedded.ts'

const folder = mkdtempSync(join(tmpdir(), 'hd-'))
const dataDir = join(folder, 'postgres')
const log = () => {}
const opened: EmbeddedPostgres[] = []

async function start() {
  const server = await startPostgres({ dataDir, log })
  opened.push(server)
  return server
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end().catch(() => {})
  }
}

async function eventually(check: () => boolean | Promise<boolean>) {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await check()) return
    await sleep(50)
  }
  throw new Error('It did not happen within 10 s.')
}

async function startInChild() {
  const module = new URL('./embedded.ts', import.meta.url).href
  const code = `import { startPostgres } from ${JSON.stringify(module)}
    const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, log() {} })
    console.log(server.pid()); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, postmaster: Number(line) }
}

beforeAll(async () => {
  const first = await start()
  await ask(first.url, 'create table kept(n int)')
  await first.stop()
})
afterAll(async () => {
  for (const server of opened) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('keeps data and port over a stop, is durable, and asks for a password', async () => {
  const server = await start()
  expect(server.url).toBe(opened[0]?.url)
  expect(await ask(server.url, 'select count(*)::int from kept')).toBe(0)
  expect(await ask(server.url, 'show fsync')).toBe('on')
  expect(await ask(server.url, 'show timezone')).toBe('UTC')
  const wrong = server.url.replace(/:[0-9a-f]+@/, ':wrong@')
  await expect(ask(wrong, 'select 1')).rejects.toThrow(/password/)
  await server.stop()
  expect(isAlive(server.pid())).toBe(false)
})

test('returns on the same port after kill -9 of the server', async () => {
  const server = await start()
  await ask(server.url, 'insert into kept values (1)')
  const killed = server.pid()
  process.kill(killed, 'SIGKILL')
  await eventually(
    () => server.pid() !== killed && ask(server.url, 'select true').then(Boolean, () => false),
  )
  expect(await ask(server.url, 'select count(*)::int from kept')).toBe(1)
  await server.stop()
  expect(isAlive(server.pid())).toBe(false)
})

test('two starts at once share one server, which the last one stops', async () => {
  const [one, two] = await Promise.all([start(), start()])
  expect(one.pid()).toBe(two.pid())
  await one.stop()
  expect(await ask(two.url, 'select 1')).toBe(1)
  await two.stop()
  expect(isAlive(two.pid())).toBe(false)
})

test('stops when its parent is killed', async () => {
  const { child, postmaster } = await startInChild()
  child.kill('SIGKILL')
  await eventually(() => !isPostmaster(postmaster, dataDir))
})

test('adopts a server whose parent was killed, and brings it back when it dies', async () => {
  const { child, postmaster } = await startInChild()
  const server = await start()
  child.kill('SIGKILL')
  await once(child, 'exit')
  await sleep(300)
  expect(server.pid()).toBe(postmaster)
  process.kill(postmaster, 'SIGKILL')
  await eventually(
    () => server.pid() !== postmaster && ask(server.url, 'select true').then(Boolean, () => false),
  )
  await server.stop()
  expect(isAlive(server.pid())).toBe(false)
})

test('a recycled process number does not block the start, a taken port moves', async () => {
  const port = Number(readFileSync(join(dataDir, 'huodao/port'), 'utf8'))
  writeFileSync(
    join(dataDir, 'postmaster.pid'),
    [process.pid, dataDir, 1, port, '', '127.0.0.1', '0 0', 'ready'].join('\n'),
  )
  const stranger = createServer().listen(port, '127.0.0.1')
  await once(stranger, 'listening')
  const server = await start()
  expect(readState(dataDir)?.port).not.toBe(port)
  expect(await ask(server.url, 'select 1')).toBe(1)
  await server.stop()
  stranger.close()
})

test('comes back by itself when what kept it from recovering is over', async () => {
  const said: string[] = []
  const server = await startPostgres({ dataDir, log: (line) => said.push(line) })
  opened.push(server)
  const killed = server.pid()
  // as a full disk does: it dies, and recovery dies as well
  renameSync(join(dataDir, 'global/pg_control'), join(dataDir, 'global/pg_control.away'))
  process.kill(killed, 'SIGKILL')
  await eventually(() =>
    said.some((line) => /does not come back, trying on: .*could not find/.test(line)),
  )
  renameSync(join(dataDir, 'global/pg_control.away'), join(dataDir, 'global/pg_control'))
  await eventually(
    () => server.pid() !== killed && ask(server.url, 'select true').then(Boolean, () => false),
  )
  await server.stop()
  expect(isAlive(server.pid())).toBe(false)
})

test('stops also when its folder is gone, at once', async () => {
  const server = await start()
  renameSync(dataDir, `${dataDir}.gone`)
  const began = Date.now()
  await server.stop()
  expect(isAlive(server.pid())).toBe(false)
  expect(Date.now() - began).toBeLessThan(5000)
  renameSync(`${dataDir}.gone`, dataDir)
})

test('refuses a folder of another major version', async () => {
  const version = join(dataDir, 'PG_VERSION')
  const real = readFileSync(version)
  writeFileSync(version, '15\n')
  await expect(start()).rejects.toThrow(/belongs to PostgreSQL 15/)
  writeFileSync(version, real)
})
