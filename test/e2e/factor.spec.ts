import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type Env, test } from './flow.ts'

const username = 'hejunjie'

async function signIn(env: Env) {
  const { page, context } = await env.open({ path: '/login' })
  await page.getByLabel('用户名', { exact: true }).fill(username)
  await page.getByLabel('密码', { exact: true }).fill('Huodao@2026')
  await page.keyboard.press('Enter')
  return { page, context }
}
const codesOf = (page: Page) => page.getByRole('dialog').locator('ol code').allTextContents()

test('two-step sign-in: set up, asked at the sign-in and before an act that matters, and taken back by the link in the message', async ({
  env,
}) => {
  const { page, context } = await env.open({ username, path: '/info' })
  await page.getByRole('button', { name: '设置两步验证' }).click()
  const dialog = page.getByRole('dialog')
  const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
  const { Secret, TOTP } = await import('otpauth')
  await dialog.locator('#factor-code').fill('000000')
  await page.getByRole('button', { name: '开启' }).click()
  await dialog.getByText('验证码错误或已失效').waitFor()
  await dialog
    .locator('#factor-code')
    .fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
  await page.getByRole('button', { name: '开启' }).click()
  await page.getByText('恢复码', { exact: true }).first().waitFor()
  await dialog.locator('ol code').first().waitFor()
  const [first = '', second = '', third] = await codesOf(page)
  assert.ok(third && first !== second)
  await page.getByRole('button', { name: '已保存' }).click()
  await page.getByText('剩余恢复码 10 个').waitFor()

  const { page: other, context: elsewhere } = await signIn(env)
  await other.getByRole('heading', { name: '两步验证' }).waitFor()
  await other.locator('#code').fill('111111')
  await other.keyboard.press('Enter')
  await other.getByText('验证码错误或已失效').waitFor()
  await other.locator('#code').fill(first)
  await other.keyboard.press('Enter')
  await other.waitForURL((url) => url.pathname === '/home')
  await elsewhere.close()

  // as if this page had been open for long: the server asks once
  let asked = 0
  await page.route('**/api/me/second-factor/off', (route) =>
    asked++ === 0
      ? route.fulfill({
          status: 403,
          json: { code: 403010, error: 'common.proofNeeded', message: '请先验证身份' },
        })
      : route.continue(),
  )
  await page.locator('button.ant-btn-dangerous', { hasText: '关闭' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '关闭', exact: true }).click()
  await page.locator('#proof').fill('222222')
  await page.getByRole('button', { name: '验证并继续' }).click()
  await page.getByText('验证码错误或已失效').waitFor()
  await page.locator('#proof').fill(second)
  await page.getByRole('button', { name: '验证并继续' }).click()
  await page.getByText('两步验证已关闭').waitFor()
  assert.equal(asked, 2)

  // the first of the two messages: back to how it was before it was switched on
  let links: string[] = []
  while (links.length < 2) {
    const inbox = await (await fetch(`${env.base}/dev/inbox`)).text()
    links = [
      ...inbox.matchAll(new RegExp(`账号${username}于[^<]*?mode=undo#([\\w-]{43})`, 'g')),
    ].map((found) => found[1] as string)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await page.goto(`${env.base}/login?mode=undo#${links.at(-1)}`)
  await page.getByRole('button', { name: '撤销变更' }).click()
  await page.getByText(`账号 ${username} 的变更已撤销`).waitFor()
  await page.getByRole('button', { name: '重置密码' }).click()
  await page.getByRole('heading', { name: '重置密码' }).waitFor()
  await context.close()
  const { page: late, context: over } = await signIn(env)
  await late.getByText('用户名或密码错误').waitFor()
  await over.close()
})
