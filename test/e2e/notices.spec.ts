import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { addDays, shanghaiDay } from '../../src/shared/instants.ts'
import { test } from './flow.ts'

/** What reaches people without a reload, and what leaves the house as a file. */
test('an announcement reaches the operator it is for: his bell counts it and the message opens, without a reload', async ({
  env,
}) => {
  const title = `今晚停机 ${Date.now()}`
  const reader = await env.open({ username: 'operator', path: '/downloads' })
  const bell = reader.page.getByRole('button', { name: /^消息，\d+\+? 条未读$/ })
  const counted = async () =>
    Number.parseInt((await bell.getAttribute('aria-label'))?.match(/\d+/)?.[0] ?? '', 10)
  await bell.waitFor()
  await reader.page.evaluate(() => Object.assign(window, { same: true }))

  const { page, context } = await env.open({
    username: 'super',
    path: '/log/issue-notice/IssueAnnouncement',
  })
  await page.getByLabel('公告标题').fill(title)
  await page.getByRole('textbox', { name: '正文编辑器' }).fill('请在 22:00 前完成补货')
  await page.getByText('指定范围').click()
  await page.getByRole('combobox', { name: '用户', exact: true }).click()
  await page.locator('.ant-select-item-option').first().waitFor()
  await page.keyboard.type('operator')
  await page.getByTitle(/\(operator\)$/).click()
  await page.keyboard.press('Escape')
  await page.getByText('将送达 1 名用户').waitFor()
  const before = await counted()
  await page.getByRole('button', { name: '发布', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: '发布', exact: true }).click()
  await page.getByText(title).first().waitFor()
  await context.close()

  await reader.page.getByRole('button', { name: `消息，${before + 1} 条未读` }).waitFor()
  await bell.click()
  await reader.page.getByRole('link', { name: title }).click()
  await reader.page.getByRole('dialog').getByText('请在 22:00 前完成补货').waitFor()
  await reader.page.getByRole('button', { name: `消息，${before} 条未读` }).waitFor()
  assert.equal(await reader.page.evaluate(() => 'same' in window), true)
  await reader.context.close()
})

test('the operation log is exported in the background and the file holds its rows', async ({
  env,
}) => {
  // a month: how many rows the last seven days have depends on the hour
  const today = shanghaiDay(new Date())
  const { page, context } = await env.open({
    username: 'admin',
    path: `/log/operate-log?module=products&from=${addDays(today, -30)}&to=${today}`,
  })
  // leaving at once would take the request along
  const asked = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.ok(),
  )
  await page.getByRole('button', { name: /^导出/ }).first().click()
  await asked
  await page.goto(`${env.base}/downloads`)
  const row = page.locator('tr[data-row-key]').filter({ hasText: '操作日志' }).first()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: '下载' }).click(),
  ])
  assert.match(file.suggestedFilename(), /\.xlsx$/)
  const bytes = await readFile(await file.path())
  assert.equal(bytes.subarray(0, 2).toString(), 'PK')
  assert.ok(bytes.length > 4000, `${bytes.length} bytes`)
  await context.close()
})
