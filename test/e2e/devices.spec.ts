import assert from 'node:assert/strict'
import { test } from './flow.ts'

type Machine = { id: number; rtuNumber: string }
type Config = {
  version: number
  config: { tempMax: number }
  sync: { state: string; applied: number }
}
type Plan = {
  floors: {
    roads: {
      id: number
      roadIndex: number
      productId: number | null
      status: string
      productStock: number
      reserved: number
      failedHold: number
    }[]
  }[]
}

/** A simulated machine takes a new limit and drops a piece for nothing, while somebody watches. */
test('a setting goes to a machine until it is in effect, and a test vend drops a piece', async ({
  env,
}) => {
  const { token } = await env.account('super')
  const get = async <T>(url: string) =>
    (await (await fetch(env.base + url, { headers: { authorization: token } })).json()) as T
  const machine = await coolAndStocked(get)
  const { page, context } = await env.open({
    username: 'super',
    path: `/device/device-list?detail=${machine.id}&tab=settings`,
  })
  const before = await get<Config>(`/api/devices/${machine.id}/config`)
  const limit = before.config.tempMax === 12.5 ? 12 : 12.5
  await page.getByRole('button', { name: '修改设置' }).click()
  const highest = page.getByLabel('最高温度')
  await highest.fill('')
  await page.getByRole('dialog').getByRole('button', { name: '保存' }).click()
  await page.getByText('温度不能为空').first().waitFor()
  await highest.fill(String(limit))
  await page.getByRole('dialog').getByRole('button', { name: '保存' }).click()
  await page.getByText('设置成功').first().waitFor()
  await page.getByRole('dialog').getByText('已生效').first().waitFor()
  const after = await get<Config>(`/api/devices/${machine.id}/config`)
  assert.deepEqual(
    [after.config.tempMax, after.sync.state, after.sync.applied],
    [limit, 'APPLIED', after.version],
  )

  await page.getByRole('button', { name: '远程控制' }).click()
  await page.getByRole('menuitem', { name: '测试出货' }).click()
  await page.getByRole('combobox', { name: '货道' }).click()
  await page
    .locator('.ant-select-item-option:not(.ant-select-item-option-disabled)')
    .first()
    .click()
  await page.getByRole('button', { name: '开始测试' }).click()
  await page.getByText('出货成功').last().waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /出货成功|出货失败|结果未知/ })
    .waitFor({ timeout: 20_000 })
  const { latest } = await get<{ latest: { state: string } }>(
    `/api/devices/${machine.id}/test-vend`,
  )
  assert.equal(latest.state, 'SUCCESS')
  await context.close()
})

test('a page below an own menu that needs another right says so, and why', async ({ env }) => {
  const { page, context } = await env.open({ username: 'repairer', path: '/device/alert-rules' })
  await page.getByText('没有查看此页面的权限').waitFor()
  await page.getByText('该页面需要权限').waitFor()
  await context.close()
})

test('a recipient of alerts is waited for, and his link says whether it holds', async ({ env }) => {
  const { page, context } = await env.open({ username: 'operator', path: '/device/alert-rules' })
  await page.getByText('等待确认：duty@example.com').waitFor()
  await context.close()
  const { page: his, context: stranger } = await env.open({
    path: `/login?mode=mail#1.${'A'.repeat(43)}`,
  })
  await his.getByRole('button', { name: '确认接收' }).click()
  await his.getByText('链接无效或已过期').waitFor()
  await his.route('**/api/alert-recipients/confirm', (route) =>
    route.fulfill({ json: { orgName: '星河' } }),
  )
  await his.reload()
  await his.getByRole('button', { name: '确认接收' }).click()
  await his.getByText('已确认，星河 的设备告警将发送到此邮箱').waitFor()
  await stranger.close()
})

/** A connected machine that cools and has something to drop. */
async function coolAndStocked(get: <T>(url: string) => Promise<T>): Promise<Machine> {
  const { list } = await get<{ list: (Machine & { kind: string })[] }>(
    '/api/devices?status=online&lifecycle=OPERATING&hasFault=false&pageSize=50',
  )
  for (const machine of list.filter((one) => one.kind !== 'DRUG')) {
    const [{ refrigeration }, plan] = await Promise.all([
      get<{ refrigeration: boolean }>(`/api/devices/${machine.id}/config`),
      get<Plan>(`/api/devices/${machine.id}/lanes`),
    ])
    const ready = plan.floors
      .flatMap((floor) => floor.roads)
      .some(
        (road) =>
          road.productId &&
          road.status === 'ENABLED' &&
          road.productStock - road.reserved - road.failedHold > 3,
      )
    if (refrigeration && ready) return machine
  }
  throw new Error('no simulated machine cools and has stock')
}
