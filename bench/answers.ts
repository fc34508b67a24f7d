import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../src/postgres/embedded.ts'
import { freePort } from '../test/support/freePort.ts'

/**
 * Every read of another checkout, answered by it and by this one from the same rows, byte by byte,
 * as each of the demo's roles. The other fills a database with the demo and answers twice (what
 * differs between the two is of the clock, and left out); then this checkout migrates the same
 * database and answers the same addresses, lists first and then what their rows name. `node
 * bench/answers.ts --with PATH`: no workers, no fleet, nothing writes in between.
 */
type Operation = { parameters: { name: string; in: string; required: boolean }[] }
type Answers = Map<string, string>

const { values } = parseArgs({ options: { with: { type: 'string' } } })
if (!values.with) throw new Error('Against which checkout? --with PATH')
const other = path.resolve(values.with)
const roles =
  'super admin agent operator replenisher repairer sponsor finance campus hospital supplier tenant regulator'.split(
    ' ',
  )
const password = 'Huodao@2026'
const script = path.join(import.meta.dirname, 'load/server.ts')
/** Of a list, so many rows are opened. */
const rowsOpened = 3

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-answers-'))
const postgres = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
try {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    DEMO: '1',
    API_DOCS: '1',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '1000000',
    SIGN_IN_RATE_LIMIT: '1000000',
    PORT: String(port),
    SECRET_KEY: '0'.repeat(64),
    SIM_PAY_KEY: '1'.repeat(64),
  }
  const start = (root: string, part: string): ChildProcess =>
    fork(script, [part], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const serving = async <T>(root: string, work: () => Promise<T>): Promise<T> => {
    const [code] = await once(start(root, 'prepare'), 'exit')
    if (code !== 0) throw new Error(`${root} cannot be prepared`)
    const child = start(root, 'api')
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${root} ended`))),
    ])
    try {
      return await work()
    } finally {
      child.disconnect()
      if (child.exitCode === null) await once(child, 'exit')
    }
  }
  const [paths, tokens] = await serving(other, async () => {
    const { paths } = (await (await fetch(`${address}/openapi.json`)).json()) as {
      paths: Record<string, { get?: Operation }>
    }
    const tokens = new Map<string, string>()
    for (const username of roles) {
      const answer = await fetch(`${address}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
      })
      tokens.set(username, ((await answer.json()) as { token: string }).token)
    }
    return [paths, tokens] as const
  })
  const reads = Object.entries(paths).flatMap(([where, { get }]) => (get ? [where] : []))
  const ask = async (token: string, where: string): Promise<string> => {
    const answer = await fetch(`${address}${where}`, {
      headers: { authorization: token, 'accept-language': 'zh-CN' },
    })
    return `${answer.status} ${(await answer.text()).replace(/"requestId":"[^"]*"/, '')}`
  }
  const asked = new Map<string, readonly string[]>()
  const all = async (): Promise<Answers> => {
    const answers: Answers = new Map()
    for (const [role, token] of tokens) {
      for (const where of asked.get(role) ?? (await addresses(token))) {
        if (!asked.has(role)) asked.set(role, await addresses(token))
        answers.set(`${role} ${where}`, await ask(token, where))
      }
    }
    return answers
  }
  const addresses = async (token: string): Promise<string[]> => {
    const plain = reads.filter((where) => !where.includes('{'))
    const found: string[] = [...plain]
    const keys = new Map<string, Set<string>>()
    for (const where of plain) {
      const rows = rowsOf(await ask(token, where))
      for (const row of rows.slice(0, rowsOpened)) {
        for (const [key, value] of Object.entries(row)) {
          if (typeof value !== 'number' && typeof value !== 'string') continue
          for (const name of [`${where} ${key}`, key]) {
            keys.set(name, (keys.get(name) ?? new Set()).add(String(value)))
          }
        }
      }
    }
    for (const where of reads.filter((one) => one.includes('{'))) {
      const [name = ''] = /(?<=\{)\w+/.exec(where) ?? []
      const above = where.slice(0, where.indexOf('/{'))
      const given = keys.get(`${above} ${name}`) ?? (name === 'id' ? undefined : keys.get(name))
      for (const value of [...(given ?? [])].slice(0, rowsOpened)) {
        const filled = where.replace(`{${name}}`, encodeURIComponent(value))
        if (!filled.includes('{')) found.push(filled)
      }
    }
    return found
  }
  const before = await serving(other, all)
  const again = await serving(other, all)
  const now = await serving(path.resolve('.'), all)
  let same = 0
  let ofTheClock = 0
  const unlike: string[] = []
  for (const [key, answer] of before) {
    const [a, b, c] = [answer, again.get(key) ?? '', now.get(key) ?? ''].map(leaves)
    const moving = new Set(
      [...keysOf(a), ...keysOf(b)].filter((leaf) => a?.get(leaf) !== b?.get(leaf)),
    )
    if (moving.size > 0) ofTheClock += 1
    const changed = [...new Set([...keysOf(a), ...keysOf(c)])].filter(
      (leaf) => !moving.has(leaf) && a?.get(leaf) !== c?.get(leaf),
    )
    if (moving.size === 0 ? answer === now.get(key) : changed.length === 0) same += 1
    else if (changed.length === 0) unlike.push(`${key}: the same values, keys in another order`)
    else
      unlike.push(
        `${key}: ${changed
          .slice(0, 4)
          .map(
            (leaf) =>
              `${leaf} ${String(a?.get(leaf)).slice(0, 60)} -> ${String(c?.get(leaf)).slice(0, 60)}`,
          )
          .join('; ')}${changed.length > 4 ? ` and ${changed.length - 4} more` : ''}`,
      )
  }
  for (const line of unlike) console.log(line)
  const ok = [...before.values()].filter((answer) => answer.startsWith('200')).length
  console.log(
    `${before.size} reads as ${tokens.size} roles, ${ok} of them 200: ${same} the same (${ofTheClock} with figures of the clock left out), ${unlike.length} not`,
  )
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function keysOf(of: Map<string, string> | undefined): string[] {
  return [...(of?.keys() ?? [])]
}

/** The rows of a list or of a bare array. */
function rowsOf(answer: string): Record<string, unknown>[] {
  if (!answer.startsWith('200 ')) return []
  try {
    const body = JSON.parse(answer.slice(4)) as unknown
    const lists = Array.isArray(body) ? [body] : Object.values(body ?? {}).filter(Array.isArray)
    return lists.flat().filter((row) => typeof row === 'object' && row !== null) as Record<
      string,
      unknown
    >[]
  } catch {
    return []
  }
}

/** Every value by its place; what is no JSON is one value. */
function leaves(answer: string): Map<string, string> {
  const found = new Map([['status', answer.slice(0, 3)]])
  const walk = (value: unknown, at: string) => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, `${at}.${key}`)
    } else found.set(at, JSON.stringify(value))
  }
  try {
    walk(JSON.parse(answer.slice(4)), '')
  } catch {
    found.set('text', answer.slice(4))
  }
  return found
}
