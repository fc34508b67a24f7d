import assert from 'node:assert/strict'
import { test } from './flow.ts'

/** The route-guard table of product/core.md, the language, and sessions that end. */
test('guard: without a token everything leads to /login and back', async ({ env }) => {
  const { page, context } = await env.open({ path: '/order/order-list' })
  await page.waitForURL(
    (url) => url.pathname === '/login' && url.searchParams.get('redirect') === '/order/order-list',
  )
  await page.goto(`${env.base}/404`)
  await page.getByText('抱歉').waitFor()
  assert.equal(new URL(page.url()).pathname, '/404')
  await page.goto(`${env.base}/no-such-page`)
  await page.waitForURL((url) => url.pathname === '/404')
  await context.close()
})

test('guard: with a token /login and / lead home, a page not in the menu to /404', async ({
  env,
}) => {
  const { page, context } = await env.open({ username: 'replenisher', path: '/login' })
  await page.waitForURL((url) => url.pathname === '/home')
  await page.goto(`${env.base}/`)
  await page.waitForURL((url) => url.pathname === '/home')
  await page.goto(`${env.base}/device/device-list`)
  await page.getByText('或您没有访问该页面的权限').waitFor()
  await context.close()
})

test('guard: a failed user fetch and damaged menus remove the token and say so', async ({
  env,
}) => {
  const { page, context } = await env.open({ username: 'operator', path: '/404' })
  await page.route('**/auth/user', (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/json',
      body: '{"code":500001,"message":"x"}',
    }),
  )
  await page.goto(`${env.base}/home`)
  await page.waitForURL((url) => url.pathname === '/login')
  await page.getByText('获取用户信息失败').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('Authorization')), null)
  await page.unroute('**/auth/user')
  const { token } = await env.account('operator')
  const real = await (
    await fetch(`${env.base}/auth/user`, { headers: { authorization: token } })
  ).json()
  await page.route('**/auth/user', (route) =>
    route.fulfill({ json: { ...real, menus: { not: 'an array' } } }),
  )
  await page.evaluate((t) => localStorage.setItem('Authorization', t), token)
  await page.goto(`${env.base}/home`)
  await page.getByText('无法解析用户权限菜单').waitFor()
  assert.equal(new URL(page.url()).pathname, '/login')
  await context.close()
})

test('the language switch changes texts, stays, and reaches server messages', async ({ env }) => {
  const { page, context } = await env.open({ path: '/login' })
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN')
  await page.getByText('English').click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByLabel('Username', { exact: true }).fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('wrong password 1')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Wrong username or password').waitFor()
  await context.close()
})

test('a session that was ended elsewhere logs out once, with one message', async ({ env }) => {
  const response = await fetch(`${env.base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'finance', password: 'Huodao@2026' }),
  })
  const { token } = (await response.json()) as { token: string }
  const { page, context } = await env.open({ path: '/404' })
  await page.evaluate((t) => localStorage.setItem('Authorization', t), token)
  await page.goto(`${env.base}/home`)
  await page.getByText('今日概览').waitFor()
  await fetch(`${env.base}/auth/logout`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: '{}',
  })
  await page.reload()
  await page.waitForURL((url) => url.pathname === '/login')
  const message = page.getByText('登录已过期，请重新登录')
  await message.first().waitFor()
  assert.equal(await message.count(), 1)
  await context.close()
})

test('scan sign-in: a phone is bound, then opens another browser, once', async ({ env }) => {
  const desk = await env.open({ username: 'tangjiahui', path: '/bindOpenId' })
  const unbound = desk.page.locator('a[href*="/scan?t="]')
  const unbind = desk.page.getByRole('button', { name: '解绑' })
  await unbound.or(unbind).waitFor()
  const phone = await env.open({ path: '/404', width: 390 })
  const read = async (page: typeof desk.page) =>
    phone.page.goto((await page.locator('a[href*="/scan?t="]').getAttribute('href')) as string)
  if (await unbind.isVisible()) {
    await unbind.click()
    await desk.page.getByLabel('密码').fill('Huodao@2026')
    await desk.page.getByRole('dialog').getByRole('button', { name: '解绑' }).click()
  }
  await unbound.waitFor()
  await read(desk.page)
  await phone.page.getByLabel('微信昵称').fill('小唐')
  await phone.page.getByRole('button', { name: '继续' }).click()
  await phone.page.getByRole('button', { name: '确认' }).click()
  await desk.page.getByText('小唐').waitFor()
  const fresh = await env.open({ path: '/login?mode=scan' })
  await read(fresh.page)
  await fresh.page.getByText('已扫码，请在手机上确认').waitFor()
  await phone.page.getByRole('button', { name: '确认' }).click()
  await fresh.page.waitForURL((url) => url.pathname === '/home')
  for (const { context } of [desk, phone, fresh]) await context.close()
})

test('a forgotten password: code from the demo inbox, new password, signed in with it', async ({
  env,
}) => {
  const { page, context } = await env.open({ path: '/login' })
  await page.getByRole('button', { name: '忘记密码' }).click()
  await page.getByLabel('用户名', { exact: true }).fill('zhaolina')
  await page.getByLabel('手机号码').fill('13602537755')
  const before = (await inbox(env.base))[0]
  await page.getByRole('button', { name: '获取验证码' }).click()
  await page.getByText('验证码已发送').waitFor()
  let code = before
  for (let i = 0; i < 40 && code === before; i += 1) {
    await page.waitForTimeout(250)
    code = (await inbox(env.base))[0]
  }
  const next = `Fresh pass ${Date.now()}`
  await page.getByLabel('验证码', { exact: true }).fill(code as string)
  await page.getByLabel('新密码').fill(next)
  await page.getByLabel('确认密码').fill(next)
  await page.locator('button[type=submit]').click()
  await page.getByText('密码重置成功，请重新登录').waitFor()
  await page.getByLabel('用户名', { exact: true }).fill('zhaolina')
  await page.getByLabel('密码', { exact: true }).fill(next)
  await page.locator('button[type=submit]').click()
  await page.waitForURL((url) => url.pathname === '/home')
  await context.close()
})

/** Codes in the developer inbox, latest first. */
const inbox = async (base: string): Promise<string[]> =>
  [...(await (await fetch(`${base}/dev/inbox`)).text()).matchAll(/验证码 (\d{6})/g)].map(
    (m) => m[1] as string,
  )
