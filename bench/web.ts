import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext } from '@playwright/test'
import { type Browser, type CDPSession, chromium } from '@playwright/test'
import { build } from 'vite'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'
import { buildWeb, keepOlder } from '../src/server/webBuild.ts'

/**
 * What a first visit costs: a fresh browser with an empty cache, CPU four times slower, 9 Mbit/s
 * down, 1.5 up, 60 ms there and back ("fast 4G"). Bytes are what the network saw (headers
 * included), product pictures apart; the budget of one kind is about its bodies. And what the order
 * list costs the same browser after a release that changed the page itself, its words and the
 * platform's list.
 */
const network = { latency: 60, downloadThroughput: 9_000_000 / 8, uploadThroughput: 1_500_000 / 8 }
const slower = 4
const quiet = 1000
type Visit = {
  name: string
  path: string
  signedIn: boolean
  budget: { kinds: readonly string[]; kB: number }
}
const orders = { path: '/order/order-list', signedIn: true }
const pages: readonly Visit[] = [
  { name: 'login', path: '/login', signedIn: false, budget: { kinds: ['js'], kB: 140 } },
  {
    name: 'product categories',
    path: '/product/product-category',
    signedIn: true,
    budget: { kinds: [], kB: 400 },
  },
  { name: 'orders', ...orders, budget: { kinds: [], kB: 400 } },
]
const second: Visit = { name: 'orders, after a release', ...orders, budget: { kinds: [], kB: 60 } }
const changed = /domains\/orders\/(web\/OrderList\.tsx|locale\.ts)$|\/src\/web\/ListPage\.tsx$/
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
    ' ',
  )

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
await buildWeb(console.log)
const webDir = path.join(dataDir, 'web')
cpSync('dist/web', webDir, { recursive: true })
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
let broken = 0
try {
  await migrate(server.url)
  const config = loadConfig({
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    RATE_LIMIT: '1000000',
  })
  await install({ databaseUrl: server.url, config, log: () => {} })
  const app = await openApp(config, 'bench')
  const http = await buildApi(app, webDir)
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const base = `http://127.0.0.1:${port}`
  const signIn = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'Huodao@2026' }),
  })
  const { token } = (await signIn.json()) as { token: string }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: flags,
  })
  try {
    let last: BrowserContext | undefined
    for (const page of pages) {
      await last?.close()
      last = await visitor(browser, page.signedIn ? token : null)
      broken += await measure(last, base, page)
    }
    if (last) {
      await release()
      broken += await measure(last, base, second)
    }
  } finally {
    await browser.close()
  }
  await http.close()
  await closeApp(app)
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exitCode = broken ? 1 : 0

/** The next build in the place of this one. */
async function release(): Promise<void> {
  const next = path.join(dataDir, 'next')
  const touch = {
    name: 'release',
    transform: (code: string, id: string) =>
      changed.test(id) ? `${code}\nglobalThis.release = 2` : null,
  }
  process.env.NODE_ENV = 'production'
  await build({
    configFile: 'src/apps/web/vite.config.ts',
    root: 'src/apps/web',
    logLevel: 'warn',
    plugins: [touch],
    build: { outDir: next },
  })
  keepOlder(webDir, next)
  rmSync(webDir, { recursive: true })
  renameSync(next, webDir)
}

async function visitor(browser: Browser, token: string | null): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript(observe, token)
  return context
}

/** One visit; prints it and answers 1 when its budget is broken. */
async function measure(context: BrowserContext, base: string, page: Visit): Promise<number> {
  const tab = await context.newPage()
  const cdp = await context.newCDPSession(tab)
  const bytes = await countBytes(cdp)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', { offline: false, ...network })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await tab.goto(base + page.path, { waitUntil: 'commit' })
  const ready = page.signedIn ? 'tr[data-row-key]' : 'form button[type=submit]'
  await tab.locator(ready).first().waitFor({ timeout: 60_000 })
  const shown = await tab.evaluate(() => performance.now())
  await sleep(quiet + 1500)
  const found = await tab.evaluate(() => (window as unknown as { seen: Seen }).seen)
  const total = Object.values(bytes.byKind).reduce((sum, size) => sum + size, 0)
  const counted =
    page.budget.kinds.length > 0
      ? page.budget.kinds.reduce((sum, kind) => sum + (bytes.bodies[kind] ?? 0), 0)
      : total
  const over = counted > page.budget.kB * 1000
  console.log(`\n${page.name} (${page.path})`)
  console.log(
    `  ${Object.entries(bytes.byKind)
      .map(([kind, size]) => `${kind} ${kb(size)}`)
      .join(
        ', ',
      )}; ${bytes.requests()} requests, in all ${kb(total)} kB, pictures of products apart ${kb(bytes.pictures())}`,
  )
  console.log(
    `  first paint ${found.fcp.toFixed(0)} ms, largest ${found.lcp.toFixed(0)} ms, interactive ${interactive(found.tasks, shown).toFixed(0)} ms (${page.signedIn ? 'first row' : 'form'} visible ${shown.toFixed(0)} ms), longest task ${Math.max(0, ...found.tasks.map((task) => task.length)).toFixed(0)} ms`,
  )
  console.log(
    `  budget ${page.budget.kB} kB of ${page.budget.kinds.join('+') || 'everything'}: ${kb(counted)} kB, ${over ? 'BROKEN' : 'kept'}`,
  )
  await tab.close()
  return over ? 1 : 0
}

type Seen = { fcp: number; lcp: number; tasks: { start: number; length: number }[] }

/** Runs in the page before anything of ours. */
function observe(token: string | null): void {
  if (token) localStorage.setItem('Authorization', token)
  const seen: Seen = { fcp: 0, lcp: 0, tasks: [] }
  Object.assign(window, { seen })
  const watch = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
    })
  watch('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') seen.fcp = entry.startTime
  })
  watch('largest-contentful-paint', (entry) => {
    seen.lcp = entry.startTime
  })
  watch('longtask', (entry) => {
    seen.tasks.push({ start: entry.startTime, length: entry.duration })
  })
}

/** The content is there and the last long task before a quiet second is over. */
function interactive(tasks: Seen['tasks'], shown: number): number {
  let end = shown
  for (const { start, length } of tasks) {
    if (start > end + quiet) break
    end = Math.max(end, start + length)
  }
  return end
}

async function countBytes(cdp: CDPSession) {
  const kinds = new Map<string, string>()
  const heads = new Map<string, number>()
  const bodies: Record<string, number> = {}
  const byKind: Record<string, number> = {}
  let pictures = 0
  cdp.on('Network.responseReceived', ({ requestId, response, type }) => {
    const kind = /\/files\//.test(response.url)
      ? 'picture'
      : ((
          { Document: 'html', Script: 'js', Stylesheet: 'css', Font: 'font' } as Record<
            string,
            string
          >
        )[type] ?? (/json/.test(response.mimeType) ? 'json' : 'other'))
    kinds.set(requestId, kind)
    heads.set(requestId, response.encodedDataLength)
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'other'
    const body = encodedDataLength - (heads.get(requestId) ?? 0)
    if (kind !== 'picture') bodies[kind] = (bodies[kind] ?? 0) + body
    if (kind === 'picture') pictures += encodedDataLength
    else byKind[kind] = (byKind[kind] ?? 0) + encodedDataLength
  })
  return { byKind, bodies, requests: () => kinds.size, pictures: () => pictures }
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1)
}
