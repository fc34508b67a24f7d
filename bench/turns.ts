import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'
import { buildWeb } from '../src/server/webBuild.ts'

/**
 * What turning a page of 20 rows takes in a browser whose CPU is four times slower: from the press
 * of the button to the frame that shows other rows. `node bench/turns.ts --data FOLDER`, a DATA_DIR
 * with the demo or with what `npm run seed -- scale` filled. Fails when a median is over 300 ms.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    /** Pages that are built already. */
    web: { type: 'string' },
    turns: { type: 'string', default: '12' },
    slower: { type: 'string', default: '4' },
  },
})
if (!values.data) throw new Error('--data FOLDER')
const budgetMs = 300
const lists = ['/order/order-list', '/device/device-list']
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
    ' ',
  )
if (!values.web) await buildWeb(console.log)
const server = await startPostgres({ dataDir: path.join(values.data, 'postgres'), log: () => {} })
let broken = 0
try {
  await migrate(server.url)
  const config = loadConfig({
    ...{ DATABASE_URL: server.url, DATA_DIR: values.data, DEMO: '1', LOG_LEVEL: 'error' },
    ...{ RATE_LIMIT: '1000000', SIGN_IN_RATE_LIMIT: '1000000' },
  })
  const app = await openApp(config, 'bench')
  const http = await buildApi(app, values.web ?? 'dist/web')
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const base = `http://127.0.0.1:${port}`
  const signIn = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'super', password: 'Huodao@2026' }),
  })
  const { token } = (await signIn.json()) as { token: string }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: flags,
  })
  try {
    for (const list of lists) await measure(browser, base, token, list)
  } finally {
    await browser.close()
  }
  await http.close()
  await closeApp(app)
} finally {
  await server.stop()
}
process.exit(broken ? 1 : 0)

async function measure(browser: Browser, base: string, token: string, list: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript((value) => localStorage.setItem('Authorization', value), token)
  const page = await context.newPage()
  await page.goto(base + list)
  await page.waitForSelector('tbody tr')
  await page.waitForTimeout(2000) // what comes behind the first rows
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slower) })
  const all: number[] = []
  for (let n = 0; n <= Number(values.turns); n += 1) {
    const took = await turn(page)
    if (n > 0) all.push(took)
    await page.waitForTimeout(400)
  }
  const sorted = all.toSorted((a, b) => a - b)
  const median = sorted[sorted.length >> 1] ?? Number.NaN
  const fine = median <= budgetMs
  if (!fine) broken += 1
  console.log(
    `${fine ? 'ok  ' : 'FAIL'} ${list} turned ${all.length} times at ${values.slower}x: median ${median.toFixed(0)} ms, ${sorted[0]?.toFixed(0)} to ${sorted.at(-1)?.toFixed(0)}; bound ${budgetMs}`,
  )
  await context.close()
}

/** From the press to the frame behind the change of the rows. */
function turn(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const now = document.querySelector('footer nav [aria-current=page]')
        const button = now?.nextElementSibling as HTMLElement | null
        const first = () => document.querySelector('tbody')?.textContent
        if (!button) return reject(new Error('no pages'))
        const was = first()
        const began = performance.now()
        const look = () =>
          first() === was
            ? requestAnimationFrame(look)
            : requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
        button.click()
        requestAnimationFrame(look)
      }),
  )
}
