import assert from 'node:assert/strict'
import type { Page, Route } from '@playwright/test'
import { categories, categoriesApi, type Env, openList, refresh, test } from './flow.ts'

const overlayGone = async (page: Page) => assert.equal(await page.locator('.hd-overlay').count(), 0)

/**
 * Answers the list with `reply` after it was shown once, and expects `message` beside the rows,
 * which stay.
 */
async function afterFailure(
  env: Env,
  lang: 'zh-CN' | 'en',
  reply: (route: Route) => Promise<void>,
  message: string,
): Promise<void> {
  const { page } = await openList(env, categories, { lang, shared: true })
  const rows = await page.locator('tr[data-row-key]').count()
  await page.route(categoriesApi, reply)
  await refresh(page, lang === 'en' ? 'Refresh' : '刷新')
  await page.getByRole('alert').filter({ hasText: message }).waitFor()
  assert.equal(await page.locator('tr[data-row-key]').count(), rows)
  await overlayGone(page)
  await page.unroute(categoriesApi)
  await page.getByRole('button', { name: lang === 'en' ? 'Retry' : '重试', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: message }).waitFor({ state: 'detached' })
  await page.close()
}

const failures: readonly {
  name: string
  lang: 'zh-CN' | 'en'
  reply: (route: Route) => Promise<void>
  message: string
}[] = [
  {
    name: '500',
    lang: 'zh-CN',
    reply: (route) =>
      route.fulfill({
        status: 500,
        json: { code: 500001, error: 'common.unexpected', message: '系统错误甲', requestId: 'r1' },
      }),
    message: '系统错误甲',
  },
  {
    name: '503 of a proxy',
    lang: 'en',
    reply: (route) =>
      route.fulfill({
        status: 503,
        contentType: 'text/html',
        body: '<h1>Service Unavailable</h1>',
      }),
    message: 'The system is busy, try again later',
  },
  {
    name: 'HTML instead of JSON',
    lang: 'zh-CN',
    reply: (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<html>portal</html>' }),
    message: '请求被拦截',
  },
  {
    name: 'code as text',
    lang: 'en',
    reply: (route) =>
      route.fulfill({ status: 200, json: { code: '422001', message: 'No such thing' } }),
    message: 'No such thing',
  },
  {
    name: 'no network',
    lang: 'en',
    reply: (route) => route.abort('internetdisconnected'),
    message: 'Network request error',
  },
]

/** A list under everything a network can do to it (T23). */
for (const { name, lang, reply, message } of failures) {
  test(`a list under ${name} keeps its rows, says so and recovers`, ({ env }) =>
    afterFailure(env, lang, reply, message))
}

test('a list that gets no answer gives up with a message', async ({ env }) => {
  const { page, context } = await env.open({ username: 'super', path: '/404' })
  // The specification's 100 s, a hundred times faster.
  await page.addInitScript(() => {
    const real = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = (ms) => real(ms === 100_000 ? 1000 : ms)
  })
  await page.goto(env.base + categories)
  await page.locator('tr[data-row-key]').first().waitFor()
  await page.route(categoriesApi, () => undefined)
  await refresh(page)
  await page.getByRole('alert').filter({ hasText: '请求超时' }).waitFor()
  await overlayGone(page)
  await context.close()
})
