import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Route } from '@playwright/test'
import { type Env, test } from './flow.ts'

type Lane = {
  id: number
  roadIndex: number
  productStock: number
  roadCapacity: number
  reserved: number
  traceRequired: boolean
  status: string
}
type Flow = { reason: string; changeTotal: number; afterChangeTotal: number; occurTime: string }

/**
 * What a phone did without the network is added to what happened meanwhile, and never written over
 * it.
 */
test('a visit without the network: what was counted and put in, and what was sold meanwhile, both hold', async ({
  env,
}) => {
  const { token } = await env.account('replenisher')
  const get = async <T>(url: string) =>
    (await (await fetch(env.base + url, { headers: { authorization: token } })).json()) as T
  const { device, lane, price } = await findLane(env, get)
  const flows = async () =>
    (
      await get<{ list: Flow[] }>(
        `/api/stock-flows?deviceId=${device.id}&cargoRoad=${lane.roadIndex}&pageSize=50`,
      )
    ).list
  const { page, context } = await env.open({
    username: 'replenisher',
    width: 390,
    path: `/stock/replenish?keyword=${device.rtuNumber}&need=ALL`,
  })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  // what the phone keeps is there
  await page.waitForFunction(() => navigator.serviceWorker.controller)
  await page.locator('article').first().getByRole('button', { name: '开始补货' }).click()
  await page.getByLabel('机器编号', { exact: true }).fill(device.rtuNumber.slice(-4))
  await press('开始作业')
  const everyLane = () => page.getByRole('button', { name: /^全部/ }).click()
  await everyLane()
  await page.locator(`#lane-${lane.id}`).waitFor()
  await expect(page.getByText(/^已同步/)).toBeVisible()

  await context.setOffline(true)
  const card = page.locator(`#lane-${lane.id}`)
  await card.getByRole('button', { name: `盘点 ${lane.roadIndex}`, exact: true }).click()
  const counted = Number(
    await card.getByLabel(`盘点 ${lane.roadIndex}`, { exact: true }).inputValue(),
  )
  const since = new Date()
  await card.getByRole('button', { name: `补货 ${lane.roadIndex} 增加` }).click()
  await expect(page.getByText('离线 · 待上传 1')).toBeVisible()
  await page.reload()
  await everyLane()
  await expect(card.getByLabel(`补货 ${lane.roadIndex}`, { exact: true })).toHaveValue('+1')
  await buy(env, device.rtuNumber, lane.roadIndex, price)
  await expect
    .poll(async () => (await flows()).some((flow) => isSale(flow, since)), { timeout: 20_000 })
    .toBe(true)
  await press('下一步')
  await press('下一步')
  await press('提交补货')
  await expect(page.getByText('已保存，将在联网后自动上传')).toBeVisible()
  assert.ok(
    (await flows()).every((flow) => flow.reason !== 'REFILL' || new Date(flow.occurTime) < since),
  )

  // the answer to what is sent first is lost: the same comes again
  let answers: { state: string }[] = []
  const lose = async (route: Route) => {
    const response = await route.fetch()
    answers = ((await response.json()) as { ops: { state: string }[] }).ops
    await route.abort('connectionreset')
  }
  await page.route(/\/ops$/, lose, { times: 1 })
  const again = page.waitForResponse((response) => /\/ops$/.test(response.url()) && response.ok())
  await context.setOffline(false)
  const second = ((await (await again).json()) as { ops: { state: string }[] }).ops
  assert.deepEqual(
    answers.map(({ state }) => state),
    ['APPLIED', 'APPLIED'],
  )
  assert.deepEqual(
    second.map(({ state }) => state),
    ['DUPLICATE', 'DUPLICATE'],
  )
  // sold within a minute and a half of the count: somebody says that it was after it
  await expect(page.getByText('部分入账', { exact: true })).toBeVisible()
  await expect(page.getByText(/^已同步/)).toBeVisible()
  const { list } = await get<{ list: { id: number; roadIndex: number; kind: string }[] }>(
    `/api/replenishment-conflicts?deviceId=${device.id}`,
  )
  const near = list.find(({ roadIndex }) => roadIndex === lane.roadIndex)
  assert.equal(near?.kind, 'VEND_NEAR')
  const settled = await fetch(`${env.base}/api/replenishment-conflicts/${near?.id}/resolve`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ choice: 'AFTER', reason: '' }),
  })
  assert.equal(settled.status, 200, await settled.text())

  const all = await flows()
  assert.deepEqual(
    all
      .filter(({ reason, occurTime }) => reason === 'REFILL' && new Date(occurTime) >= since)
      .map(({ changeTotal }) => changeTotal),
    [1],
  )
  // that word is about all sales near the count, also those of other customers just before it
  const sold = all
    .filter((flow) => isSale(flow, new Date(since.getTime() - 90_000)))
    .reduce((sum, { changeTotal }) => sum - changeTotal, 0)
  assert.ok(sold >= 1)
  assert.equal(all[0]?.afterChangeTotal, counted - sold + 1)
  await expect
    .poll(async () => {
      const { list } = await get<{ list: Lane[] }>(`/api/replenishment-lanes?laneId=${lane.id}`)
      return list[0]?.productStock === (await flows())[0]?.afterChangeTotal
    })
    .toBe(true)
  await context.close()
})

const isSale = ({ changeTotal, reason, occurTime }: Flow, since: Date) =>
  changeTotal < 0 && !/COUNT|RETURN/.test(reason) && new Date(occurTime) >= since

type Get = <T>(url: string) => Promise<T>
type Task = { id: number; rtuNumber: string; draftId: number | null }
type Offer = { roadIndex: number; price: number; available: boolean }

/** A lane that sells, with goods in it and room for one or two more. */
async function findLane(env: Env, get: Get) {
  const { list } = await get<{ list: Task[] }>(
    '/api/replenishment-tasks?need=ALL&status=online&pageSize=20',
  )
  for (const device of list.filter(({ draftId }) => draftId === null)) {
    const response = await fetch(`${env.base}/mobile/devices/${device.rtuNumber}/lanes`)
    const { list: offers } = (await response.json()) as { list: Offer[] }
    const lanes = await get<{ list: Lane[] }>(
      `/api/replenishment-lanes?deviceId=${device.id}&pageSize=200`,
    )
    for (const lane of lanes.list) {
      const offer = offers.find((one) => one.roadIndex === lane.roadIndex && one.available)
      const room = lane.roadCapacity - lane.productStock
      if (offer && lane.productStock >= 4 && !lane.reserved && !lane.traceRequired)
        if (room === 1 || room === 2) return { device, lane, price: offer.price }
    }
  }
  throw new Error('no lane of the replenisher sells and has room')
}

/** A customer at the machine, and his money. */
async function buy(env: Env, rtuNumber: string, roadIndex: number, price: number): Promise<void> {
  const post = async (url: string, body: object) => {
    const response = await fetch(env.base + url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as {
      orderNum: string
      outTradeNo: string
      payableAmount: number
    }
  }
  const {
    orderNum,
    outTradeNo,
    payableAmount: amount,
  } = await post('/mobile/orders', {
    rtuNumber,
    items: [{ roadIndex, count: 1, price }],
    payType: 'WECHAT',
    clientId: randomUUID(),
    consumer: '',
  })
  // the record of what customers paid, which the books are compared with in the end (crash.spec.ts)
  const record = path.join(env.dataDir, 'fleet-record.jsonl')
  appendFileSync(record, `${JSON.stringify({ orderNum, outTradeNo, amount })}\n`)
  const notice = {
    eventId: randomUUID(),
    outTradeNo,
    tradeNo: randomUUID(),
    amount,
    paidAt: new Date().toISOString(),
  }
  const key = readFileSync(path.join(env.dataDir, 'sim-pay.key'), 'utf8').trim()
  const { eventId, tradeNo, paidAt } = notice
  const sign = createHmac('sha256', key)
    .update(`${eventId}|${outTradeNo}|${tradeNo}|${amount}|${paidAt}`)
    .digest('hex')
  await post('/pay/simulator/notify', { ...notice, sign })
}
