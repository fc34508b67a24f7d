import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from './flow.ts'

type Line = { orderNum?: string; unit?: number; result?: string; amount?: number; rtu?: string }

/**
 * A purchase the fleet made is in orders, stock, ledger and dashboard, and the open page shows it
 * without a reload.
 */
test('a purchase by the fleet appears in orders, stock, money and dashboard', async ({ env }) => {
  const { token } = await env.account('super')
  const get = async <T>(url: string) =>
    (await (await fetch(env.base + url, { headers: { authorization: token } })).json()) as T
  const { page, context } = await env.open({ username: 'super', path: '/order/order-list' })
  const before = await get<{ today: { orders: number } }>('/api/dashboard/summary')
  const drop = await untilDrop(path.join(env.dataDir, 'fleet-record.jsonl'))
  const orderNum = drop.orderNum as string
  await until(
    async () =>
      (await get<{ orderStatus: string }>(`/api/orders/${orderNum}`)).orderStatus === 'SUCCESS' ||
      undefined,
  )
  // the open list moves by itself; at this pace the order may have scrolled on, so it is then
  // looked up
  const firstRow = page.locator('tr[data-row-key]').first()
  const top = await firstRow.getAttribute('data-row-key')
  await until(async () => (await firstRow.getAttribute('data-row-key')) !== top || undefined)
  await page.goto(`${env.base}/order/order-list?keyword=${orderNum}`)
  await page.locator(`tr[data-row-key="${orderNum}"]`).waitFor()
  const order = await get<{
    units: { vendState: string }[]
    payment: { state: string; amount: number }
    actuallyAmount: number
    deviceNum: string
  }>(`/api/orders/${orderNum}`)
  assert.equal(order.payment.state, 'SUCCESS')
  assert.equal(order.payment.amount, order.actuallyAmount)
  assert.equal(order.deviceNum, drop.rtu)
  const flows = await get<{ list: { orderNum: string | null; changeTotal: number }[] }>(
    `/api/stock-flows?orderNum=${orderNum}`,
  )
  assert.equal(flows.list.length, order.units.filter((u) => u.vendState === 'SUCCESS').length)
  assert.ok(flows.list.every((flow) => flow.changeTotal === -1))
  const after = await get<{ today: { orders: number } }>('/api/dashboard/summary')
  assert.ok(after.today.orders > before.today.orders || after.today.orders > 0)
  await page.goto(`${env.base}/order/order-details/${orderNum}`)
  await page.getByText('出货成功').filter({ visible: true }).first().waitFor()
  await context.close()
})

async function untilDrop(file: string): Promise<Line> {
  const start = existsSync(file) ? readFileSync(file, 'utf8').length : 0
  return until(async () => {
    if (!existsSync(file)) return undefined
    const lines = readFileSync(file, 'utf8')
      .slice(start)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
    return lines.find((line) => line.result === 'OK' && line.unit === 1)
  })
}

async function until<T>(ask: () => Promise<T | undefined>, seconds = 60): Promise<T> {
  for (let n = 0; n < seconds * 4; n += 1) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(250)
  }
  throw new Error(`nothing within ${seconds} s`)
}
