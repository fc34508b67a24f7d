import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Flow } from './run.ts'

type Result = { violations: { id: string; impact: string | null; nodes: { html: string }[] }[] }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
]

const phone = new Set(['/home', '/device/device-list', '/order/order-list', '/product/product-manage/create'])

/** T24: nothing serious on any page, in both themes, and at phone width. */
export const flows: Flow[] = pages.map((path) => ({
  name: `axe finds nothing serious on ${path}`,
  async run(env) {
    const looks = [
      { theme: 'light', width: 1440 },
      { theme: 'dark', width: 1440 },
      ...(phone.has(path) ? [{ theme: 'light', width: 390 } as const] : []),
    ] as const
    for (const look of looks) {
      const { page, context } = await env.open({ ...(path === '/login' ? {} : { username: 'super' }), path, ...look })
      await page.waitForTimeout(1000)
      // evaluated by the debugger, so the page's own policy stays as it is
      await page.evaluate(axe)
      const result = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as Result
      const serious = result.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
      assert.deepEqual(
        serious.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 160)}`),
        [],
        `${path} ${look.theme} ${look.width}`,
      )
      await context.close()
    }
  },
}))
