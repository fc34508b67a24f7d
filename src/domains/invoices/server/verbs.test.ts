import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { invoices } from '../contract.ts'
import { openReds } from './jobs.ts'

let world: World
const token: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld({ now: () => worldNow })
  for (const name of ['ROLE_FULL', 'ROLE_FINANCE', 'ROLE_ADMIN'])
    token[name] = await world.login(name)
})
afterAll(() => world?.close())
const as = (who = 'ROLE_FULL') => ({ token: token[who] })

const whole = { address: '科苑路15号', phone: '0755-1', bank: '招行', bankAccount: '6222021234' }
let n = 0
const title = async (change: object = {}) => {
  n += 1
  const fields = { title: `抬头${n}`, taxNo: '91440300MA5FKX2P7Q', ...change }
  return world.call(invoices.createTitle, fields, as())
}
const ask = (orderNums: string[], titleId: number, change: object = {}) =>
  world.call(invoices.create, { titleId, orderNums, ...change }, as())
const act = async (
  what: 'approve' | 'cancel' | 'reject' | 'issue' | 'red',
  id: number,
  more = {},
  who?: string,
) => {
  const [row] = await world.sql<{ version: number }>('select version from invoices where id = $1', [
    id,
  ])
  return world.call(invoices[what], { id, version: row?.version, ...more }, as(who))
}
const errors = (body: { errors: { field: string; message: string }[] }) =>
  body.errors.map(({ field, message }) => [field, message])

test('the sentences of the forms', async () => {
  expect(errors((await title({ title: '', taxNo: '123', email: 'x' })).body)).toEqual([
    ['title', '抬头不能为空'],
    ['taxNo', '税号格式不正确'],
    ['email', '邮箱格式不正确'],
  ])
  const { body } = await title()
  expect(errors((await ask([], body.id)).body)).toEqual([['orderNums', '请选择订单']])
  const special = await ask([world.orderNum('OWN')], body.id, { kind: 'SPECIAL' })
  expect(errors(special.body)).toEqual([['titleId', '专票信息不完整']])
  expect((await ask([world.orderNum('SIBLING')], body.id)).status).toBe(404)
  expect((await ask([world.orderNum('OWN')], rowId('SIBLING', 1))).status).toBe(404)
})

test('one usual title of an organisation', async () => {
  const [first, second] = [await title({ isDefault: true }), await title({ isDefault: true })]
  const { body } = await world.call(invoices.titles, {}, as())
  const usual = body.list.filter((row: { isDefault: boolean }) => row.isDefault)
  expect(usual.map((row: { id: number }) => row.id)).toEqual([second.body.id])
  const twice = await title({ title: first.body.title })
  expect(twice.body.errors[0].message).toBe('该抬头已存在')
})

test('an order stands on one invoice, however many ask at once', async () => {
  const { body } = await title(whole)
  const order = await world.sell('OWN', ['OK', 'OK'])
  const all = await Promise.all(Array.from({ length: 10 }, () => ask([order], body.id)))
  const made = all.filter(({ status }) => status === 200)
  expect(made).toHaveLength(1)
  expect(
    new Set(all.filter(({ status }) => status !== 200).map((one) => one.body.message)),
  ).toEqual(new Set(['可开票金额不足']))
  const [paid] = await world.sql<{ paid: number; invoiced: number }>(
    `select o.paid_amount as paid, s.invoiced from orders o
      join invoice_sources s on s.source_id = o.id where o.order_num = $1`,
    [order],
  )
  expect(Number(paid?.invoiced)).toBe(Number(paid?.paid))
  const { id, amount, taxAmount } = made[0]?.body ?? {}
  expect([amount, taxAmount]).toEqual([Number(paid?.paid), Math.round((amount * 1300) / 11_300)])
  // taken back, it may be asked for again
  expect((await act('cancel', id)).body.state).toBe('CANCELLED')
  expect((await act('cancel', id)).body.message).toBe('当前状态不能执行该操作')
  expect((await ask([order], body.id)).status).toBe(200)
})

test('asked, agreed, issued, reversed; refused and asked again', async () => {
  const { body } = await title(whole)
  const order = await world.sell('OWN', ['OK'])
  const made = (await ask([order], body.id, { kind: 'SPECIAL' })).body
  expect([made.state, made.can.decide]).toEqual(['PENDING', true])
  expect((await act('issue', made.id, { issuedNo: '26442000000010000001' })).status).toBe(409)
  expect((await act('reject', made.id, { reason: '税号有误' })).body).toMatchObject({
    ...{ state: 'REJECTED', reason: '税号有误' },
  })
  const again = (await ask([order], body.id)).body
  expect((await act('approve', again.id)).body.state).toBe('ISSUING')
  const issued = await act('issue', again.id, { issuedNo: '26442000000010000001' })
  expect(issued.body).toMatchObject({ state: 'ISSUED', issuedNo: '26442000000010000001' })
  expect((await ask([order], body.id)).body.error).toBe('invoices.overAmount')
  expect((await act('red', again.id, { redNo: '26442000000010000002' })).body.state).toBe('RED')
  expect((await ask([order], body.id)).status).toBe(200)
})

test('a refund before the issue stops it, one after it wants a red invoice', async () => {
  const { body } = await title()
  const refund = async (order: string) => {
    await world.sql(
      `update orders set refunded_amount = paid_amount, pay_state = 'REFUNDED' where order_num = $1`,
      [order],
    )
    await world.sql(
      `insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
        kind, amount, reason, automatic, state, succeeded_at)
      select p.org_id, p.device_id, 'RT' || p.id, p.id, p.order_id, p.order_at, p.order_num,
        'PAYMENT', p.amount, 'OTHER', true, 'SUCCESS', $2 from payments p where p.order_num = $1`,
      [order, worldNow],
    )
  }
  const [before, after] = [await world.sell('OWN', ['OK']), await world.sell('OWN', ['OK'])]
  const [one, two] = [(await ask([before], body.id)).body, (await ask([after], body.id)).body]
  await act('approve', one.id)
  await act('approve', two.id)
  expect((await act('issue', two.id, { issuedNo: '26442000000010000011' })).status).toBe(200)
  await refund(before)
  await refund(after)
  expect((await act('issue', one.id, { issuedNo: '26442000000010000012' })).body.message).toBe(
    '可开票金额不足',
  )
  await openReds(world.app)
  const state = async (id: number) =>
    (await world.sql<{ state: string }>('select state from invoices where id = $1', [id]))[0]?.state
  expect([await state(one.id), await state(two.id)]).toEqual(['ISSUING', 'RED_PENDING'])
  expect(
    (await world.sql(`select 1 from messages where title_zh like '发票待红冲：%'`)).length,
  ).toBeGreaterThan(0)
  await openReds(world.app)
  expect((await act('red', two.id, { redNo: '26442000000010000013' })).body.state).toBe('RED')
})

test('who collected the money decides; who only asks does not', async () => {
  const { body } = await title()
  const order = await world.sell('OWN', ['OK'])
  const made = (await ask([order], body.id)).body
  // paid to the agent above
  await world.sql('update invoices set issuer_org_id = 2 where id = $1', [made.id])
  const seen = await world.call(invoices.list, { requestNo: made.requestNo }, as())
  expect(seen.body.list[0].can).toEqual({ decide: false, issue: false, red: false, cancel: true })
  for (const what of ['approve', 'reject'] as const)
    expect((await act(what, made.id, what === 'reject' ? { reason: 'x' } : {})).status).toBe(403)
  expect((await act('approve', made.id, {}, 'ROLE_ADMIN')).status).toBe(403)
  expect((await act('cancel', made.id)).status).toBe(200)
})
