import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { categories, categoriesApi, type Env, openList, refresh, test } from './flow.ts'

/**
 * The browser's platform under impatient people, lost answers, several tabs and the keyboard (T23,
 * T24); see also network.spec.ts.
 */
const png = picture(64)

/** A square PNG of one colour. */
function picture(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 2], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, 0x7a)])
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

async function api(
  env: Env,
  url: string,
  options: { method?: string; body?: unknown } = {},
): Promise<{ status: number; body: unknown }> {
  const { token } = await env.account('super')
  const response = await fetch(env.base + url, {
    method: options.method ?? 'GET',
    headers: { authorization: token, 'content-type': 'application/json' },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
  return { status: response.status, body: await response.json() }
}

const unique = (): string =>
  `T${Date.now().toString(36)}${Math.floor(Math.random() * 1296).toString(36)}`

/** Fills what a new product needs; the category is chosen by keyboard. */
async function fillProduct(page: Page, name: string): Promise<void> {
  await page.locator('[id$="_name"]').fill(name)
  await page.locator('[id$="_model"]').fill('1 x')
  await page.locator('[id$="_categoryId"]').focus()
  await page
    .locator('.ant-select-open')
    .waitFor({ timeout: 1500 })
    .catch(() => page.keyboard.press('ArrowDown'))
  await page.locator('.ant-select-item-option').first().waitFor()
  await page.keyboard.press('Enter')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png })
  await page.locator('#page-content img[src*="files/"]').first().waitFor()
  await page.locator('[id$="_costPrice"]').fill('1.00')
  await page.locator('[id$="_retailPrice"]').fill('2.00')
}

test('a form sent twice by an impatient person is sent once', async ({ env }) => {
  const { page } = await openList(env, categories, { shared: true })
  let sent = 0
  await page.route(categoriesApi, async (route) => {
    if (route.request().method() === 'POST') {
      sent += 1
      await sleep(400)
    }
    await route.continue()
  })
  await page.getByRole('button', { name: '新增分类' }).click()
  await page.getByRole('dialog').locator('[id$="_name"]').fill(unique())
  const save = page.getByRole('dialog').getByRole('button', { name: '保存' })
  await save.dblclick()
  await page
    .getByRole('dialog')
    .locator('[id$="_name"]')
    .press('Enter')
    .catch(() => undefined)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(sent, 1)
  await page.close()
})

test('a lost answer keeps the form; sending again reuses the key and happens once', async ({
  env,
}) => {
  const { page } = await env.open({
    username: 'super',
    path: '/product/product-manage/create',
    shared: true,
  })
  await page.locator('[id$="_name"]').waitFor()
  const name = unique()
  await fillProduct(page, name)
  const keys: (string | undefined)[] = []
  await page.route(/\/api\/products$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await page.getByText('网络请求错误').first().waitFor()
  assert.equal(await page.locator('[id$="_name"]').inputValue(), name)
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await page.waitForURL((url) => url.pathname === '/product/product-manage')
  assert.equal(keys.length, 2)
  assert.ok(keys[0] && keys[0] === keys[1], String(keys))
  const found = (await api(env, `/api/products?keyword=${name}`)).body as { total: number }
  assert.equal(found.total, 1)
  await page.close()
})

test('a picture is uploaded and shown; what is no picture is refused at once', async ({ env }) => {
  const { page } = await env.open({
    username: 'super',
    path: '/product/product-manage/create',
    shared: true,
  })
  const field = page.locator('input[type=file]').first()
  await field.waitFor({ state: 'attached' })
  await field.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await page.getByText('只能上传 jpg、png 格式').waitFor()
  await field.setInputFiles({
    name: 'big.png',
    mimeType: 'image/png',
    buffer: Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]),
  })
  await page.getByText('图片大小不能超过2M').waitFor()
  await field.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png })
  const shown = page.locator('#page-content img[src*="files/"]').first()
  await shown.waitFor()
  await page.waitForFunction(
    () =>
      (document.querySelector('#page-content img[src*="files/"]') as HTMLImageElement)
        .naturalWidth > 0,
  )
  await page.getByRole('button', { name: '移除' }).first().click()
  await shown.waitFor({ state: 'detached' })
  await page.close()
})

test('a newer build is announced and can be put off', async ({ env }) => {
  const { page, context } = await env.open({ username: 'super', path: '/404' })
  await page.clock.install()
  await page.route('**/version.json', (route) => route.fulfill({ json: { build: 'another' } }))
  await page.goto(env.base + categories)
  await page.locator('tr[data-row-key]').first().waitFor()
  await page.clock.fastForward(5 * 60_000 + 1000)
  await page.getByText('系统已更新，刷新后使用新版本').waitFor()
  await page.getByRole('button', { name: '稍后' }).click()
  await page.getByText('系统已更新').waitFor({ state: 'detached' })
  await context.close()
})

test('one tab reads the event stream, both show changes, and the other takes over when it closes', async ({
  env,
}) => {
  const { page: first, context } = await openList(env)
  const streams: string[] = []
  context.on('request', (request) => {
    if (request.url().endsWith('/api/me/events'))
      streams.push(request.frame().page() === first ? 'first' : 'second')
  })
  const second = await context.newPage()
  await second.goto(env.base + categories)
  await second.locator('tr[data-row-key]').first().waitFor()
  const before = unique()
  await api(env, '/api/product-categories', { method: 'POST', body: { name: before, sort: 0 } })
  await second.getByText(before).first().waitFor()
  assert.ok(!streams.includes('second'))
  streams.length = 0
  await first.close()
  while (streams.length === 0) await sleep(50)
  assert.deepEqual(streams, ['second'])
  await sleep(300)
  const after = unique()
  await api(env, '/api/product-categories', { method: 'POST', body: { name: after, sort: 0 } })
  // The row that came by itself is tinted for a moment.
  await second.locator('tr[class*=changed]', { hasText: after }).waitFor()
  await sleep(1200)
  assert.equal(await second.locator('tr[class*=changed]').count(), 0)
  await context.close()
})

test('many refusals of the session at once log out once, with one message', async ({ env }) => {
  const { page, context } = await openList(env, '/order/order-list')
  let reloads = 0
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) reloads += 1
  })
  await page.route(/\/api\//, (route) =>
    route.fulfill({ status: 401, json: { code: 110003, error: 'session.unknown', message: 'x' } }),
  )
  // a live update may have been faster than the hand
  await refresh(page).catch(() => undefined)
  await page.waitForURL((url) => url.pathname === '/login')
  const message = page.getByText('登录已过期，请重新登录')
  await message.first().waitFor()
  assert.equal(await message.count(), 1)
  assert.ok(reloads <= 2, `${reloads} navigations`)
  assert.equal(new URL(page.url()).searchParams.get('redirect'), '/order/order-list')
  await context.close()
})

test('keyboard alone: from the list into a detail and back, a filter, the menu, a dialog', async ({
  env,
}) => {
  const { page } = await openList(env, '/order/order-list', { shared: true })
  const link = page.locator('tr[data-row-key] a').first()
  await link.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/order-details/)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type('订单列表')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === '/order/order-list')
  const filter = page.getByRole('combobox', { name: '支付方式' })
  await filter.focus()
  await page.keyboard.press('ArrowDown')
  await page.locator('.ant-select-item-option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/payType=/)
  const group = page.getByRole('menuitem', { name: '商品管理' })
  await group.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/product\//)
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.close()
})

test('what opens loads at the first touch: select, dates, menus, columns, user menu', async ({
  env,
}) => {
  const { page } = await openList(env, '/stock/waste', { shared: true })
  await page.locator('nav[aria-label=分页] [role=combobox]').click()
  await page.locator('.ant-select-item-option', { hasText: '50' }).click()
  await page.waitForURL(/pageSize=50/)
  await page.locator('.ant-picker').first().click()
  await page.locator('.ant-picker-dropdown').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '密度' }).click()
  await page.getByRole('menuitem', { name: '紧凑' }).click()
  await page.locator('[data-rows][data-density=compact]').waitFor()
  await page.getByRole('button', { name: '列设置' }).click()
  await page.locator('.ant-popover').getByRole('checkbox').first().waitFor()
  await page.getByRole('button', { name: '用户菜单' }).click()
  await page.getByRole('menuitem', { name: '退出登录' }).click()
  await page.getByRole('dialog').getByText('确定退出登录？').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: '取消' }).click()
  await page.close()
})

test('with reduced motion, what opens stands beside what opened it', async ({ env }) => {
  const { page } = await openList(env, '/stock/waste', { shared: true })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const opens = [
    [page.locator('nav[aria-label=分页] [role=combobox]'), '.ant-select-dropdown'],
    [page.locator('.ant-picker').first(), '.ant-picker-dropdown'],
    [page.getByRole('button', { name: '用户菜单' }), '.ant-dropdown'],
  ] as const
  for (const [opener, opened] of opens) {
    await opener.click()
    await page.waitForFunction(
      (selector) => {
        const box = [...document.querySelectorAll(selector)].at(-1)?.getBoundingClientRect()
        return (
          box &&
          box.height > 0 &&
          box.left >= 0 &&
          box.top >= 0 &&
          box.right <= innerWidth &&
          box.bottom <= innerHeight
        )
      },
      opened,
      { timeout: 5000 },
    )
    await page.keyboard.press('Escape')
  }
  await page.close()
})

test('a part that cannot be loaded leaves the page as it is, and the next try gets it', async ({
  env,
}) => {
  const { page, context } = await openList(env, '/stock/waste')
  const parts = '**/assets/parts-*'
  await page.route(parts, (route) => route.abort())
  const search = page.getByRole('search').getByRole('textbox').first()
  await search.fill('2026')
  await page.getByRole('button', { name: '密度' }).click()
  await page.getByText('页面资源加载失败').first().waitFor()
  assert.equal(await search.inputValue(), '2026')
  await page.unroute(parts)
  await page.getByRole('button', { name: '密度' }).click()
  await page.getByRole('menuitem', { name: '紧凑' }).waitFor()
  await context.close()
})

test('on a phone, going back from a form asks first: staying keeps what was typed, leaving goes where it meant to', async ({
  env,
}) => {
  const { page, context } = await openList(env, '/product/product-manage', { width: 390 })
  await page.locator('button.ant-btn-primary').first().click()
  await page.waitForURL(/product-manage\/create/)
  await page.locator('[id$="_name"]').fill('半个名字')
  await page.goBack().catch(() => null)
  await page.getByRole('dialog').getByRole('button', { name: '继续编辑' }).click()
  assert.equal(await page.locator('[id$="_name"]').inputValue(), '半个名字')
  assert.match(page.url(), /create/)
  await page.goBack().catch(() => null)
  await page.getByRole('dialog').getByRole('button', { name: '离开' }).click()
  await page.waitForURL((url) => url.pathname === '/product/product-manage')
  await context.close()
})
