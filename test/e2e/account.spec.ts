import assert from 'node:assert/strict'
import { type Env, test } from './flow.ts'

const username = 'weijianhua'

async function call(env: Env, token: string | null, method: string, path: string, body?: unknown) {
  const response = await fetch(env.base + path, {
    method,
    headers: { ...(token ? { authorization: token } : {}), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of several endpoints
  return { status: response.status, body: (await response.json()) as any }
}

/** What somebody does about his own account: the first password, his devices, leaving. */
test('a first password comes before anything else; his other devices end by his hand; leaving leaves no way back', async ({
  env,
}) => {
  const { token: chief } = await env.account('super')
  const first = `First pass ${Date.now()}`
  const next = `${first} again`
  const [user] = (await call(env, chief, 'GET', `/api/organ-users?keyword=${username}`)).body.list
  const reset = { password: first, repeat: first, mustChangePassword: true }
  assert.equal(
    (await call(env, chief, 'POST', `/api/organ-users/${user.id}/reset-password`, reset)).status,
    200,
  )

  const { page, context } = await env.open({ path: '/login?redirect=%2Fstock%2Fwaste' })
  const signIn = async (password: string) => {
    await page.getByLabel('用户名', { exact: true }).fill(username)
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }
  await signIn(first)
  await page.getByText('首次登录请修改密码').waitFor()
  const held = await page.evaluate(() => localStorage.getItem('Authorization'))
  assert.equal((await call(env, held, 'GET', '/api/stock-flows')).body.code, 403005)
  await page.getByRole('menuitem', { name: '首页' }).click()
  await page.waitForURL((url) => url.pathname === '/pwd')

  const change = async (old: string) => {
    await page.locator('[id$="_oldPassword"]').fill(old)
    await page.locator('[id$="_password"]').fill(next)
    await page.locator('[id$="_repeat"]').fill(next)
    await page.getByRole('button', { name: '保存', exact: true }).click()
  }
  await change('not it')
  await page
    .locator('.ant-form-item-explain-error')
    .filter({ hasText: '原密码错误' })
    .first()
    .waitFor()
  await change(first)
  await page.getByText('密码已修改，请重新登录').waitFor()
  assert.equal(new URL(page.url()).search, '')
  assert.equal((await call(env, held, 'GET', '/api/me')).body.code, 110004)

  const elsewhere = (await call(env, null, 'POST', '/auth/login', { username, password: next }))
    .body.token
  await signIn(next)
  await page.waitForURL((url) => url.pathname === '/home')
  await page.getByRole('button', { name: '用户菜单' }).click()
  await page.getByRole('menuitem', { name: '个人中心' }).click()
  await page.getByRole('button', { name: '下线', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: '下线' }).click()
  await page.getByText('操作成功').first().waitFor()
  assert.equal((await call(env, elsewhere, 'GET', '/api/me')).body.code, 110004)

  await page.getByRole('button', { name: '用户菜单' }).click()
  await page.getByRole('menuitem', { name: '退出登录' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '退出登录' }).click()
  await page.waitForURL((url) => url.pathname === '/login' && url.search === '')
  assert.equal(await page.evaluate(() => localStorage.getItem('Authorization')), null)
  await context.close()
})
