import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { test } from './flow.ts'

type Result = { violations: { id: string; impact: string | null; nodes: { html: string }[] }[] }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What codes lead to: without a router, so a page that asks for one is none. */
const codes = ['/bind-referrer', '/confirm-transfer'].map((path) => `${path}?k=${'A'.repeat(43)}`)
const pages = [
  '/login',
  '/404',
  '/home',
  '/info',
  '/pwd',
  '/device/device-list',
  '/device/device-list?detail=1',
  '/device/device-list/edit/1',
  '/device/device-list/cargo-road/1',
  '/device/device-create',
  '/device/device-category',
  '/product/product-category',
  '/product/product-manage',
  '/product/product-manage/create',
  '/stock/waste',
  '/order/order-list',
  '/log/security-events',
  '/commodityimg?id=34',
  ...codes,
]

/** Pages without the shell, and with it its button for the theme. */
const alone = new Set(['/login', '/404', '/commodityimg?id=34', ...codes])
const phone = new Set([
  '/home',
  '/device/device-list',
  '/order/order-list',
  '/log/security-events',
  '/product/product-manage/create',
  '/commodityimg?id=34',
  ...codes,
])

const colours = ['color-contrast', 'link-in-text-block']

/** Nothing is still loading, and two moments show the same page, or it never rests. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => Object.assign(window, { seen: undefined, times: 0 }))
  await page.waitForFunction(
    () => {
      const held = window as unknown as { seen?: string; times?: number }
      const busy = [...document.querySelectorAll('[aria-busy=true], .hd-overlay')].some((element) =>
        element.checkVisibility(),
      )
      const text = document.querySelector('#page-content, main')?.textContent ?? ''
      const now = busy || text === '' ? '' : `${document.querySelectorAll('*').length} ${text}`
      const rests = now !== '' && held.seen === now
      held.times = rests || now === '' ? 0 : (held.times ?? 0) + 1
      held.seen = now
      return rests || held.times > 8
    },
    undefined,
    { polling: 300 },
  )
}

async function check(page: Page, what: string, only?: readonly string[]): Promise<void> {
  await settled(page)
  // evaluated by the debugger, so the page's own policy stays as it is
  await page.evaluate(axe)
  const options = {
    resultTypes: ['violations'],
    ...(only ? { runOnly: { type: 'rule', values: only } } : {}),
  }
  const result = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as Result
  const serious = result.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
  assert.deepEqual(
    serious.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 160)}`),
    [],
    what,
  )
}

/** The other theme without a reload: what differs there are colours. */
async function darken(page: Page, path: string): Promise<void> {
  if (alone.has(path)) {
    await page.evaluate(() => localStorage.setItem('theme', 'dark'))
    await page.reload()
  } else await page.getByRole('button', { name: '切换为深色' }).dispatchEvent('click') // a drawer may lie over it
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
  // colours fade over
  await page.waitForTimeout(500)
  await page.waitForFunction(
    () =>
      !document
        .getAnimations()
        .some(
          (animation) => animation instanceof CSSTransition && animation.playState === 'running',
        ),
  )
}

/** T24: nothing serious on any page, its contrast in both themes, and at phone width. */
for (const path of pages) {
  test(`axe finds nothing serious on ${path}`, async ({ env }) => {
    const { page } = await env.open({
      ...(path === '/login' ? {} : { username: 'super' }),
      path,
      shared: path !== '/login',
    })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await check(page, `${path} light`)
    if (phone.has(path)) {
      await page.setViewportSize({ width: 390, height: 844 })
      await check(page, `${path} light 390`)
      await page.setViewportSize({ width: 1440, height: 900 })
    }
    await darken(page, path)
    await check(page, `${path} dark`, colours)
    await page.close()
  })
}
