import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { freePort } from '../support/freePort.ts'

/** End to end: the whole product as `npm start` runs it, on a data folder and ports of its own, driven by a real browser. */
export type Env = {
  base: string
  dataDir: string
  browser: Browser
  /** Signs in over the API; one session per account and five minutes. */
  account(username: string): Promise<{ token: string }>
  /**
   * A page of a fresh browser profile, signed in when an account is named. Collects CSP violations and page errors. `shared`: a profile
   * together with other flows like it, so that the scripts come from its cache; such a flow closes its page, not the context.
   */
  open(options?: {
    shared?: boolean
    username?: string
    lang?: 'zh-CN' | 'en'
    width?: number
    path?: string
    theme?: 'light' | 'dark'
  }): Promise<{ page: Page; context: BrowserContext }>
}
export type Flow = {
  name: string
  /** How long it may take, 150 when it does not say: a browser that hangs must not take the run with it. */
  seconds?: number
  run(env: Env): Promise<void>
}

const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(' ')
/** What no page may ever do; checked after the last flow. */
export const violations: string[] = []

const only = process.argv[2]
const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-e2e-'))
const server = await startProduct()
// names of downloads keep their Chinese only in a locale that can say them
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: flags,
  env: { ...process.env, LC_ALL: 'C.UTF-8' },
})
let passed = 0
const failures: string[] = []
try {
  const env = environment(server.base)
  const files = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.spec.ts'))
    .sort()
  // the flows of a file follow each other; two files at a time, and what kills the server alone at the end
  const together = files.filter((file) => !file.startsWith('zz-'))
  const lane = async () => {
    for (let file = together.shift(); file; file = together.shift()) await runFile(file, env)
  }
  await Promise.all([lane(), lane()])
  for (const file of files.filter((one) => one.startsWith('zz-'))) await runFile(file, env)
  if (violations.length) {
    failures.push('no violation of the content security policy, no page error')
    console.log(`  FAIL  no violation of the content security policy, no page error\n${[...new Set(violations)].join('\n')}`)
  } else passed += 1
} finally {
  await browser.close()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failures.length} failed`)
process.exit(failures.length ? 1 : 0)

async function runFile(file: string, env: Env): Promise<void> {
  const { flows } = (await import(path.join(import.meta.dirname, file))) as { flows: Flow[] }
  for (const flow of flows) {
    if (only && !`${file} ${flow.name}`.includes(only)) continue
    // a browser on a busy machine may be late once; twice is a fault
    const error = (await attempt(flow, env)) && (await attempt(flow, env))
    if (error === null) passed += 1
    else failures.push(flow.name)
  }
}

/** null when the flow went well; prints either way. */
async function attempt(flow: Flow, env: Env): Promise<unknown> {
  const started = Date.now()
  const { seconds = 150 } = flow
  const late = new AbortController()
  try {
    await Promise.race([
      flow.run(env),
      sleep(seconds * 1000, undefined, { signal: late.signal }).then(() => Promise.reject(new Error(`not over after ${seconds} s`))),
    ])
    console.log(`  ok    ${flow.name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
    return null
  } catch (error) {
    console.log(`  FAIL  ${flow.name}\n${error instanceof Error ? error.stack : error}`)
    return error ?? new Error('failed')
  } finally {
    late.abort()
  }
}

function environment(base: string): Env {
  const tokens = new Map<string, { token: string; since: number }>()
  const profiles = new Map<string, BrowserContext>()
  async function account(username: string) {
    const known = tokens.get(username)
    // a session that is ten minutes old is asked who it is before an act that matters
    if (known && Date.now() - known.since < 300_000) return { token: known.token }
    const response = await fetch(`${base}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'Huodao@2026' }),
    })
    const { token } = (await response.json()) as { token: string }
    tokens.set(username, { token, since: Date.now() })
    return { token }
  }
  return {
    base,
    dataDir,
    browser,
    account,
    async open({ username, lang = 'zh-CN', width = 1440, path: target = '/', theme = 'light', shared = false } = {}) {
      const token = username ? (await account(username)).token : null
      const profile = shared ? [username, lang, theme, width].join() : ''
      const known = profiles.get(profile)
      const context = known ?? (await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 900 } }))
      if (profile) profiles.set(profile, context)
      if (!known)
        await context.addInitScript(
          ([t, l, th]) => {
            if (sessionStorage.getItem('e2e')) return
            sessionStorage.setItem('e2e', '1')
            if (t) localStorage.setItem('Authorization', t)
            else localStorage.removeItem('Authorization')
            localStorage.setItem('lang', l as string)
            localStorage.setItem('theme', th as string)
          },
          [token, lang, theme],
        )
      const page = await context.newPage()
      page.on('pageerror', (error) => violations.push(`${page.url()}: ${error}`))
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) violations.push(`${page.url()}: ${message.text()}`)
      })
      await page.goto(base + target)
      return { page, context }
    },
  }
}

async function startProduct(): Promise<{ base: string; stop(): Promise<void> }> {
  const [port, mqttPort] = [await freePort(), await freePort()]
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      DATA_DIR: dataDir,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      FLEET: '40',
      FLEET_PACE: '10',
      LOG_LEVEL: 'error',
      RATE_LIMIT: '10000',
    },
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the product did not start (${code})`)))
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('is ready')) resolve()
      else process.stdout.write(chunk)
    })
  })
  return {
    base: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await gone
    },
  }
}
