import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type Env, test } from './flow.ts'

const first = 'Erster Tag 2026'
const later = 'Zweiter Tag 2026'

/** The main task of organisations and users: a new operator works, adds somebody, and stops him. */
test('organisations: created with its principal, who adds a user and stops him, and he stays out', async ({
  env,
}) => {
  const stamp = Date.now().toString(36)
  const org = `走查运营 ${stamp}`
  const principal = `chief.${stamp}`
  const clerk = `clerk.${stamp}`
  const { page, context } = await env.open({
    username: 'super',
    path: '/organ/organ-manage/create?parentId=2',
  })
  await choose(page, '机构类型', '运营商')
  await page.getByLabel('机构名称').fill(org)
  await page.getByLabel('用户名').fill(principal)
  await fillPerson(page, '郑立')
  // what an operator gets by itself does not reach users: the template role for his own subtree
  // does
  await choose(page, '角色', '机构管理员')
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await page.getByText('保存成功').waitFor()
  await page.goto(`${env.base}/organ/organ-manage?name=${encodeURIComponent(org)}`)
  await page.getByRole('row').filter({ hasText: principal }).waitFor()
  await context.close()

  const desk = await signIn(env, principal, first)
  // the first password is somebody else's: nothing goes on before it is changed
  await desk.page.waitForURL((url) => url.pathname === '/pwd')
  await desk.page.getByLabel('原密码').fill(first)
  await desk.page.getByLabel('新密码').fill(later)
  await desk.page.getByLabel('确认密码').fill(later)
  const changed = desk.page.waitForResponse(
    (answer) => answer.request().method() !== 'GET' && answer.url().includes('password'),
  )
  await desk.page.keyboard.press('Enter')
  assert.equal((await changed).status(), 200)
  await desk.context.close()

  const own = await signIn(env, principal, later)
  await own.page.waitForURL((url) => url.pathname === '/home')
  await own.page.goto(`${env.base}/organ/organ-user`)
  await own.page.getByRole('button', { name: '添加用户' }).click()
  const dialog = own.page.getByRole('dialog')
  await dialog.getByLabel('用户名').fill(clerk)
  await choose(own.page, '机构', org)
  await fillPerson(own.page, '吴小满')
  await choose(own.page, '角色', '补货员')
  await dialog.getByText('首次登录须修改密码').waitFor()
  await dialog.getByRole('switch').click()
  await dialog.getByRole('button', { name: '保存', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = own.page.getByRole('row').filter({ hasText: clerk })
  await row.waitFor()

  const phone = await signIn(env, clerk, first)
  await phone.page.waitForURL((url) => url.pathname === '/home')
  await row.getByRole('switch').click()
  await own.page.getByRole('dialog').locator('button').last().click()
  await row.getByText('禁用').waitFor()
  // his open session ends without his doing, and his right password opens nothing
  await phone.page.waitForURL((url) => url.pathname === '/login')
  await phone.context.close()
  const again = await signIn(env, clerk, first)
  await again.page.getByText('用户名或密码错误').waitFor()
  assert.equal(new URL(again.page.url()).pathname, '/login')
  await again.context.close()
  await own.context.close()
})

async function signIn(env: Env, username: string, password: string) {
  const opened = await env.open({ path: '/login' })
  await opened.page.getByLabel('用户名', { exact: true }).fill(username)
  await opened.page.getByLabel('密码', { exact: true }).fill(password)
  await opened.page.getByRole('button', { name: '登录', exact: true }).click()
  return opened
}

/** What every account asks for besides its name, place and roles. */
async function fillPerson(page: Page, name: string): Promise<void> {
  const text = (label: string) => page.getByRole('textbox', { name: label, exact: true })
  await text('真实姓名').fill(name)
  for (const field of await page.locator('input[type=password]').all()) await field.fill(first)
  await text('联系电话').fill('13800138000')
  await text('客服电话').fill('400-800-1234')
  await text('街道地址').fill('科苑路15号')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'face.png', mimeType: 'image/png', buffer: pixel })
  await page.locator('button[id$="_avatar"]').waitFor({ state: 'detached' })
}

/** Opens a select and takes one of its words, of a list or a tree. */
async function choose(page: Page, label: string, word: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).last().click()
  await page
    .locator('.ant-select-item-option, .ant-select-tree-title')
    .filter({ hasText: word })
    .last()
    .click()
  // away from a select of several, which stays open; Escape would ask whether to leave the dialog
  await page.locator('h1, .ant-modal-title').last().click()
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
