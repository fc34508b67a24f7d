import assert from 'node:assert/strict'
import { test } from './flow.ts'

type Machine = { id: number; rtuNumber: string }
type Plan = {
  version: number
  floors: {
    roads: {
      id: number
      productId: number | null
      price: number | null
      retailPrice: number | null
    }[]
  }[]
}

/**
 * A machine is filled by mouse and keyboard, priced, copied to another one after a look at what
 * would happen, and that is taken back.
 */
test('lanes are filled, priced, copied to another machine and put back', async ({ env }) => {
  const { token } = await env.account('super')
  const get = async <T>(url: string) =>
    (await (await fetch(env.base + url, { headers: { authorization: token } })).json()) as T
  const post = async <T>(url: string, body: object) =>
    (await (
      await fetch(env.base + url, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as T
  // two machines nobody buys from; numbers of their own, so that the flow may run twice
  const { list: types } = await get<{ list: { id: number; kind: string }[] }>(
    '/api/device-types?pageSize=50',
  )
  const { list: orgs } = await get<{ list: { id: number; kind: string }[] }>(
    '/api/organisations/options',
  )
  const site = {
    typeId: types.find((type) => type.kind === 'GENERAL')?.id,
    kind: 'GENERAL',
    county: '440305',
    address: '科技路1号',
    dropSensor: true,
  }
  const start = `LANE${Date.now() % 1_000_000}`
  const machine = async (n: number): Promise<Machine> => {
    const rtuNumber = `${start}${n}`
    const { id } = await post<{ id: number }>('/api/devices', {
      ...site,
      rtuNumber,
      nickname: rtuNumber,
      orgId: orgs.find((org) => org.kind === 'OPERATOR')?.id,
    })
    await post(`/api/devices/${id}/lanes`, { version: 0, levels: [{ columns: 4 }, { columns: 4 }] })
    return { id, rtuNumber }
  }
  const [source, target] = [await machine(1), await machine(2)]
  assert.ok(source.id && target.id)
  const lanes = async (id: number) =>
    (await get<Plan>(`/api/devices/${id}/lanes`)).floors.flatMap((floor) => floor.roads)
  const { page, context } = await env.open({
    username: 'super',
    path: `/device/device-list/cargo-road/${source.id}`,
  })
  const [first, second] = await lanes(source.id)
  const card = (lane: typeof first) => page.locator(`[data-lane="${lane?.id}"]`)
  await page.locator('[data-product]').first().dragTo(card(first))
  await card(first).and(page.locator('[data-draft="true"]')).waitFor()
  await card(first).click()
  await page.keyboard.press('Control+c')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+v')
  await card(second).and(page.locator('[data-draft="true"]')).waitFor()
  await page.keyboard.press('Control+z')
  await card(second).and(page.locator('[data-draft="false"]')).waitFor()
  await page.keyboard.press('Control+y')
  await card(second).and(page.locator('[data-draft="true"]')).waitFor()
  const price = page.getByLabel('售价', { exact: true })
  const list0 = Number(await page.getByLabel('零售价', { exact: true }).inputValue())
  await price.fill(String(list0 + 1))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '保存 2 个货道' }).click()
  await page.getByText('售价不能高于零售价').first().waitFor()
  await price.fill(list0.toFixed(2))
  await page.getByRole('button', { name: '保存 2 个货道' }).click()
  await page.getByText('保存成功').first().waitFor()
  const [one, two] = await lanes(source.id)
  assert.ok(one?.productId && one.productId === two?.productId)
  assert.deepEqual([one.price, two?.price], [Math.round(list0 * 100), Math.round(list0 * 100)])

  // taken out in the panel, and put back
  await card(first).click()
  const panel = page.getByRole('complementary', { name: '已选 1 个货道' })
  await panel.getByRole('combobox').click()
  await panel.locator('.ant-select').hover()
  await panel.locator('.ant-select-clear').click()
  await card(first).and(page.locator('[data-empty="true"]')).waitFor()
  await card(first).focus()
  await page.keyboard.press('Control+z')
  await card(first).and(page.locator('[data-draft="false"]')).waitFor()

  await page.getByRole('button', { name: '复制到其他机器' }).click()
  await page.getByRole('searchbox', { name: '机器编号 / 名称' }).fill(target.rtuNumber)
  await page.getByRole('checkbox', { name: target.rtuNumber }).check()
  await page.getByRole('button', { name: '试运行' }).click()
  await page.getByText('将写入 2 个货道').waitFor()
  assert.equal((await lanes(target.id)).filter((lane) => lane.productId).length, 0)
  await page.getByRole('button', { name: '写入 1 台机器' }).click()
  await page.getByText('将覆盖 1 台机器共 2 个货道的设置。').waitFor()
  await page.getByRole('button', { name: '写入', exact: true }).click()
  await page.getByText('复制成功，共 1 台').waitFor()
  assert.deepEqual(
    (await lanes(target.id)).slice(0, 2).map((lane) => lane.productId),
    [one.productId, one.productId],
  )
  await page.getByRole('button', { name: /^撤销（/ }).click()
  await page.getByRole('button', { name: '撤销', exact: true }).click()
  await page.getByText('已撤销 1 台，0 台保持现状').waitFor()
  assert.equal((await lanes(target.id)).filter((lane) => lane.productId).length, 0)
  await context.close()
})
