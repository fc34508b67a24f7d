import assert from 'node:assert/strict'
import { type Browser, type BrowserContext, test as base, type Page } from '@playwright/test'

/** The whole product as `npm start` runs it (product.ts), driven by a real browser. */
export type Env = {
  base: string
  dataDir: string
  browser: Browser
  /** Signs in over the API; one session per account and five minutes. */
  account(username: string): Promise<{ token: string }>
  /**
   * A page of a fresh browser profile, signed in when an account is named. Collects CSP violations
   * and page errors. `shared`: a profile together with other flows like it, so that the scripts
   * come from its cache; such a flow closes its page, not the context.
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

/**
 * A flow gets the running product; what no page may ever do is checked when a worker's flows are
 * over.
 */
export const test = base.extend<object, { env: Env }>({
  env: [
    async ({ browser }, use) => {
      const violations = new Set<string>()
      await use(environment(browser, violations))
      assert.deepEqual(
        [...violations],
        [],
        'no violation of the content security policy, no page error',
      )
    },
    { scope: 'worker' },
  ],
})

function environment(browser: Browser, violations: Set<string>): Env {
  const { E2E_BASE: address, E2E_DATA_DIR: dataDir } = process.env as {
    E2E_BASE: string
    E2E_DATA_DIR: string
  }
  const tokens = new Map<string, { token: string; since: number }>()
  const profiles = new Map<string, BrowserContext>()
  async function account(username: string) {
    const known = tokens.get(username)
    // a session that is ten minutes old is asked who it is before an act that matters
    if (known && Date.now() - known.since < 300_000) return { token: known.token }
    const response = await fetch(`${address}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'Huodao@2026' }),
    })
    const { token } = (await response.json()) as { token: string }
    tokens.set(username, { token, since: Date.now() })
    return { token }
  }
  return {
    base: address,
    dataDir,
    browser,
    account,
    async open({
      username,
      lang = 'zh-CN',
      width = 1440,
      path: target = '/',
      theme = 'light',
      shared = false,
    } = {}) {
      const token = username ? (await account(username)).token : null
      const profile = shared ? [username, lang, theme, width].join() : ''
      const known = profiles.get(profile)
      const context =
        known ??
        (await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 900 } }))
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
      page.on('pageerror', (error) => violations.add(`${page.url()}: ${error}`))
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text()))
          violations.add(`${page.url()}: ${message.text()}`)
      })
      await page.goto(address + target)
      return { page, context }
    },
  }
}

/** The list that several flows look at. */
export const categories = '/product/product-category'
export const categoriesApi = /\/api\/product-categories(\?|$)/

export async function openList(
  env: Env,
  path = categories,
  options: Parameters<Env['open']>[0] = {},
) {
  const opened = await env.open({ username: 'super', path, ...options })
  await opened.page.locator('tr[data-row-key], article').first().waitFor()
  return opened
}

export const refresh = (page: Page, name = '刷新') =>
  page.getByRole('button', { name, exact: true }).click({ timeout: 5000 })
