import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openWorld,
  picture,
  place,
  restock,
  rowId,
  type World,
  worldNow,
} from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { listenSmtp } from '../../alerts/server/testWorld.ts'
import { sweepPictures } from '../../files/server/unused.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { providers } from '../../payments/server/providers.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { invoices } from '../contract.ts'
import { fileLimit } from '../rules.ts'
import { mailKind } from './mail.ts'
import { openReds } from './reds.ts'

let world: World
const clock = { now: worldNow.getTime() }
const token: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(clock.now) })
  await restock(world, rowId('OWN', 1), 100)
  for (const name of ['ROLE_FULL', 'ROLE_FINANCE', 'ROLE_ADMIN', 'PLATFORM_FULL'])
    token[name] = await world.login(name)
})
afterAll(() => world?.close())
const as = (who = 'ROLE_FULL') => ({ token: token[who] })

const whole = { address: '科苑路15号', phone: '0755-1', bank: '招行', bankAccount: '6222021234' }
let n = 0
const title = async (change: object = {}) => {
  n += 1
  const fields = { title: `抬头${n}`, taxNo: '91440300MA5FKX2P7Q', ...whole, ...change }
  return world.call(invoices.createTitle, fields, as())
}
const titleId = async (change: object = {}): Promise<number> => (await title(change)).body.id
const ask = (sourceNos: string[], id: number, change: object = {}, who?: string) =>
  world.call(invoices.create, { titleId: id, sourceNos, ...change }, as(who))
type Step = 'approve' | 'cancel' | 'reject' | 'issue' | 'red' | 'send'
const act = async (what: Step, id: number, more = {}, who?: string) => {
  const [row] = await world.sql<{ version: number }>('select version from invoices where id = $1', [
    id,
  ])
  return world.call(invoices[what], { id, version: row?.version, ...more }, as(who))
}
const errors = (body: { errors: { field: string; message: string }[] }) =>
  body.errors.map(({ field, message }) => [field, message])
const state = async (id: number) =>
  (await world.sql<{ state: string }>('select state from invoices where id = $1', [id]))[0]?.state

const pdf = Buffer.from('%PDF-1.7\n…\n%%EOF\n')
const upload = async (bytes: Buffer, name = 'a.pdf', who = 'ROLE_FULL') => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), name)
  const request = new Request('http://a', { method: 'POST', body: form })
  const answer = await world.http.inject({
    method: 'POST',
    url: '/api/finance/invoice-files',
    headers: {
      authorization: token[who] as string,
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  })
  return { status: answer.statusCode, body: answer.json() }
}
const file = async (who?: string): Promise<string> => (await upload(pdf, 'a.pdf', who)).body.file
const download = (id: number, who = 'ROLE_FULL') =>
  world.http.inject({
    method: 'GET',
    url: `/api/finance/invoices/${id}/file`,
    headers: { authorization: token[who] as string },
  })
let numbers = 0
const next = () => {
  numbers += 1
  return numbers
}
const issuedNo = () => `2644200000${String(next()).padStart(10, '0')}`
/** Asked for, agreed and issued. */
const issued = async (order: string, change: object = {}) => {
  const { body } = await ask([order], await titleId(), change)
  await act('approve', body.id)
  const answer = await act('issue', body.id, { issuedNo: issuedNo(), file: await file() })
  expect(answer.body.state).toBe('ISSUED')
  return answer.body
}
const giveBack = async (orderNum: string) => {
  const answer = await world.call(
    orders.refund,
    { orderNum, all: true, reason: 'USER_REQUEST' },
    as(),
  )
  expect(answer.status).toBe(200)
  await runDue(world.app, refundKind(world.app, providers(world.app)))
}

test('the sentences of the forms', async () => {
  const wrong = { title: '', taxNo: '123', email: 'x', phone: 'call me', bankAccount: '1' }
  expect(errors((await title(wrong)).body).sort()).toEqual([
    ['bankAccount', '账号格式不正确'],
    ['email', '邮箱格式不正确'],
    ['phone', '电话格式不正确'],
    ['taxNo', '税号格式不正确'],
    ['title', '抬头不能为空'],
  ])
  const id = await titleId({ bank: '' })
  const own = [world.orderNum('OWN')]
  expect(errors((await ask([], id)).body)).toEqual([['sourceNos', '请选择订单或账单']])
  expect(errors((await ask(own, id, { kind: 'SPECIAL' })).body)).toEqual([
    ['titleId', '专票信息不完整'],
  ])
  // amounts are not the asker's to say
  for (const amount of [0, -1, 1, 1e15])
    expect((await ask(own, id, { amount })).body.errors[0].message).toContain('不支持的字段')
})

test('what others sold and their titles are not there; those below file for themselves', async () => {
  const id = await titleId()
  for (const [nos, title] of [
    [[world.orderNum('SIBLING')], id],
    [[world.orderNum('OWN'), world.orderNum('SIBLING')], id],
    [[world.orderNum('CHILD')], id],
    [['20261121999999999999'], id],
    [[world.orderNum('OWN')], rowId('SIBLING', 1)],
    [['202610-1'], id],
  ] as const)
    expect((await ask([...nos], title)).status, String(nos)).toBe(404)
  expect((await ask([world.orderNum('CHILD')], rowId('CHILD', 1))).body.error).toBe(
    'invoices.notOwn',
  )
  expect((await title({ orgId: place.CHILD })).body.error).toBe('invoices.notOwn')
  expect(
    (await world.call(invoices.offers, { source: 'ORDERS', orgId: place.CHILD }, as())).status,
  ).toBe(403)
  expect(
    (await world.call(invoices.offers, { source: 'ORDERS', orgId: place.SIBLING }, as())).status,
  ).toBe(404)
})

test('an order is offered by the end of its number, and by the whole of it however old', async () => {
  const offers = async (keyword: string) =>
    (await world.call(invoices.offers, { source: 'ORDERS', keyword }, as())).body.list.map(
      (one: { no: string }) => one.no,
    )
  const no = await world.sell('OWN', ['OK'])
  expect(await offers(no.slice(-6))).toEqual([no])
  expect(await offers(no)).toEqual([no])
  const was = clock.now
  clock.now += 91 * 86_400_000
  token.ROLE_FULL = await world.login('ROLE_FULL')
  expect([await offers(no.slice(-6)), await offers(no)]).toEqual([[], [no]])
  clock.now = was
  token.ROLE_FULL = await world.login('ROLE_FULL')
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
  const id = await titleId()
  const order = await world.sell('OWN', ['OK', 'OK'])
  const offers = async () =>
    (await world.call(invoices.offers, { source: 'ORDERS' }, as())).body.list.map(
      ({ no }: { no: string }) => no,
    )
  expect(await offers()).toContain(order)
  const all = await Promise.all(Array.from({ length: 10 }, () => ask([order], id)))
  const made = all.filter(({ status }) => status === 200)
  expect(made).toHaveLength(1)
  expect(
    new Set(all.filter(({ status }) => status !== 200).map((one) => one.body.message)),
  ).toEqual(new Set(['可开票金额不足']))
  expect(await offers()).not.toContain(order)
  const [paid] = await world.sql<{ paid: number; invoiced: number }>(
    `select o.paid_amount as paid, s.invoiced from orders o
      join invoice_sources s on s.source_no = o.order_num where o.order_num = $1`,
    [order],
  )
  expect(Number(paid?.invoiced)).toBe(Number(paid?.paid))
  const { id: made1, amount, taxAmount } = made[0]?.body ?? {}
  expect([amount, taxAmount]).toEqual([Number(paid?.paid), Math.round((amount * 1300) / 11_300)])
  // taken back, it may be asked for again
  expect((await act('cancel', made1)).body.state).toBe('CANCELLED')
  expect((await act('cancel', made1)).body.message).toBe('当前状态不能执行该操作')
  expect(await offers()).toContain(order)
  expect((await ask([order], id)).status).toBe(200)
})

test('asked, agreed, issued, reversed; refused and asked again', async () => {
  const id = await titleId()
  const order = await world.sell('OWN', ['OK'])
  const made = (await ask([order], id, { kind: 'SPECIAL' })).body
  expect([made.state, made.can.decide, made.items.length]).toEqual(['PENDING', true, 1])
  const paper = { issuedNo: issuedNo(), file: await file() }
  expect((await act('issue', made.id, paper)).status).toBe(409)
  expect((await act('reject', made.id, { reason: '' })).body.errors[0].message).toBe(
    '请填写驳回原因',
  )
  expect((await act('reject', made.id, { reason: '税号有误' })).body).toMatchObject({
    ...{ state: 'REJECTED', reason: '税号有误' },
  })
  const again = (await ask([order], id)).body
  expect((await act('approve', again.id)).body.state).toBe('ISSUING')
  expect((await act('approve', again.id)).status).toBe(409)
  // what the tax office does not take is refused as well
  expect((await act('reject', again.id, { reason: '税务局不受理' })).body.state).toBe('REJECTED')
  const third = (await ask([order], id)).body
  await act('approve', third.id)
  const answer = await act('issue', third.id, { ...paper, taxRateBp: 300 })
  const { amount } = third
  expect(answer.body).toMatchObject({
    ...{ state: 'ISSUED', issuedNo: paper.issuedNo, taxRateBp: 300 },
    taxAmount: Math.round((amount * 300) / 10_300),
  })
  expect((await ask([order], id)).body.error).toBe('invoices.overAmount')
  expect((await act('red', third.id, { redNo: paper.issuedNo })).body.errors[0].field).toBe('redNo')
  expect((await act('red', third.id, { redNo: issuedNo() })).body.state).toBe('RED')
  expect((await ask([order], id)).status).toBe(200)
})

test('a number is registered once, and a file belongs to one invoice', async () => {
  const one = await issued(await world.sell('OWN', ['OK']))
  const { body } = await ask([await world.sell('OWN', ['OK'])], await titleId())
  await act('approve', body.id)
  const [mine] = await world.sql<{ file: string }>('select file from invoices where id = $1', [
    one.id,
  ])
  const issue = async (more: object) =>
    (await act('issue', body.id, { issuedNo: issuedNo(), file: await file(), ...more })).body
  expect((await issue({ issuedNo: one.issuedNo })).message).toBe('发票号码已登记')
  expect((await issue({ file: mine?.file })).message).toBe('该文件已用于其他发票')
  // somebody else's, a picture, one that was never there
  expect((await issue({ file: await file('ROLE_FINANCE') })).error).toBe('common.notFound')
  expect((await issue({ file: picture('OWN') })).errors[0].message).toBe('请先上传发票文件')
  expect((await issue({ file: 'files/../../etc/passwd.pdf' })).errors[0].field).toBe('file')
  expect((await issue({ file: undefined })).errors[0].message).toBe('请先上传发票文件')
  expect(await state(body.id)).toBe('ISSUING')
})

test.each([
  ['a page', () => Buffer.from('<html>%PDF-1.7'), 415, '只支持pdf或ofd格式'],
  ['a zip', () => Buffer.from('PK\u0003\u0004 and so on'), 400, '文件已损坏，无法读取'],
  ['half a pdf', () => Buffer.from('%PDF-1.7'), 400, '文件已损坏，无法读取'],
  ['nothing', () => Buffer.alloc(0), 415, '只支持pdf或ofd格式'],
  [
    '8 MiB and a byte',
    () => Buffer.concat([pdf, Buffer.alloc(fileLimit + 1 - pdf.length, 10)]),
    413,
    '文件不能超过8M',
  ],
] as const)('%s is no file of an invoice', async (_name, bytes, status, message) => {
  const kept = async () => (await world.sql(`select 1 from uploads where kind = 'FILE'`)).length
  const before = await kept()
  const answer = await upload(bytes(), 'invoice.pdf')
  expect([answer.status, answer.body.message, await kept()]).toEqual([status, message, before])
})

test('a file goes to the two organisations concerned and to nobody else', async () => {
  const made = await issued(await world.sell('OWN', ['OK']))
  const answer = await download(made.id)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf'])
  expect(answer.headers['content-disposition']).toContain(`${made.issuedNo}.pdf`)
  expect(answer.rawPayload.equals(pdf)).toBe(true)
  expect((await download(made.id, 'ROLE_FINANCE')).statusCode).toBe(200)
  // who sees all of it, and did not issue it
  expect((await download(made.id, 'PLATFORM_FULL')).json().error).toBe('invoices.notYours')
  expect((await download(rowId('SIBLING', 1))).statusCode).toBe(404)
  const [row] = await world.sql<{ file: string }>('select file from invoices where id = $1', [
    made.id,
  ])
  // not by its address, as pictures are
  expect((await world.http.inject({ method: 'GET', url: `/${row?.file}` })).statusCode).toBe(404)
  expect(
    (
      await world.sql(
        `select 1 from operation_logs where action = 'invoices.download'
      and resource_id = $1`,
        [String(made.id)],
      )
    ).length,
  ).toBe(2)
})

test('what no invoice takes is swept, what one has stays', async () => {
  const made = await issued(await world.sell('OWN', ['OK']))
  const left = await file()
  const there = async () =>
    (await readdir(world.app.files.folder, { recursive: true })).map((name) => name.slice(3))
  clock.now += 25 * 3_600_000
  await sweepPictures(world.app)
  clock.now += 2 * 3_600_000
  await sweepPictures(world.app)
  clock.now = worldNow.getTime()
  const [row] = await world.sql<{ file: string }>('select file from invoices where id = $1', [
    made.id,
  ])
  const names = await there()
  expect(names).toContain(row?.file.slice('files/'.length))
  expect(names).not.toContain(left.slice('files/'.length))
})

test('a refund before the issue stops it, one after it wants a red invoice once', async () => {
  const id = await titleId()
  const [asked, agreed, out] = [
    await world.sell('OWN', ['OK']),
    await world.sell('OWN', ['OK']),
    await world.sell('OWN', ['OK', 'OK']),
  ]
  const [one, two] = [(await ask([asked], id)).body, (await ask([agreed], id)).body]
  await act('approve', two.id)
  const three = await issued(out)
  for (const order of [asked, agreed, out]) await giveBack(order)
  await openReds(world.app)
  expect([await state(one.id), await state(two.id), await state(three.id)]).toEqual([
    ...['PENDING', 'ISSUING', 'RED_PENDING'],
  ])
  const paper = { issuedNo: issuedNo(), file: await file() }
  expect((await act('approve', one.id)).body.message).toBe('可开票金额不足')
  expect((await act('issue', two.id, paper)).body.message).toBe('可开票金额不足')
  expect((await act('reject', two.id, { reason: '已退款' })).body.state).toBe('REJECTED')
  const told = () => world.sql(`select 1 from messages where title_zh like '发票待红冲：%'`)
  const before = (await told()).length
  expect(before).toBeGreaterThan(0)
  await openReds(world.app)
  expect((await told()).length).toBe(before)
  const { body } = await world.call(invoices.get, { id: three.id }, as())
  expect([body.reason, body.refunds.length]).toEqual(['开票后发生退款', 2])
  expect((await act('send', three.id, { email: 'a@b.cn' })).status).toBe(409)
  expect((await act('red', three.id, { redNo: issuedNo() })).body.state).toBe('RED')
  expect((await ask([out], id)).body.error).toBe('invoices.overAmount')
})

test('a refund and an issue at once: never an issued one that says too much and wants no red', async () => {
  for (let round = 0; round < 3; round += 1) {
    const order = await world.sell('OWN', ['OK'])
    const { body } = await ask([order], await titleId())
    await act('approve', body.id)
    const paper = { issuedNo: issuedNo(), file: await file() }
    const [answer] = await Promise.all([act('issue', body.id, paper), giveBack(order)])
    // a refund that met the issue waits
    await world.sql('update refunds set next_at = $1 where next_at is not null', [worldNow])
    await runDue(world.app, refundKind(world.app, providers(world.app)))
    await openReds(world.app)
    expect(await state(body.id)).toBe(answer.status === 200 ? 'RED_PENDING' : 'ISSUING')
  }
})

test('who collected the money decides; who only asks does not', async () => {
  const order = await world.sell('OWN', ['OK'])
  // paid to the platform
  const [config] = await world.sql<{ id: number; provider: string }>(
    'select id, provider from payment_configs where org_id = 1 limit 1',
  )
  await world.sql('update payments set config_id = $1, provider = $2 where order_num = $3', [
    ...[config?.id, config?.provider, order],
  ])
  const id = await titleId()
  const made = (await ask([order], id)).body
  expect([made.issuerOrgId, made.can]).toMatchObject([1, { decide: false, cancel: true }])
  expect(made.issuerName).not.toBe('')
  const mixed = await ask([order, await world.sell('OWN', ['OK'])], id)
  expect(mixed.body.error).toBe('invoices.manyIssuers')
  for (const what of ['approve', 'reject'] as const)
    expect((await act(what, made.id, what === 'reject' ? { reason: 'x' } : {})).body.error).toBe(
      'invoices.notIssuer',
    )
  expect((await act('approve', made.id, {}, 'ROLE_ADMIN')).status).toBe(403)
  expect((await act('approve', made.id, {}, 'PLATFORM_FULL')).status).toBe(200)
  const paper = { issuedNo: issuedNo(), file: await file('PLATFORM_FULL') }
  expect((await act('issue', made.id, paper, 'PLATFORM_FULL')).status).toBe(200)
  for (const who of ['ROLE_FULL', 'PLATFORM_FULL'])
    expect((await download(made.id, who)).statusCode).toBe(200)
  // what the own merchant collected is not the platform's to decide about
  const own = (await ask([await world.sell('OWN', ['OK'])], id)).body
  expect((await act('approve', own.id, {}, 'PLATFORM_FULL')).body.error).toBe('invoices.notIssuer')
})

test('fees of a month: what those above took, net of what came back, once the month is over', async () => {
  const row = async (party: number, day: string, share: number, grain = 'MONTH') =>
    world.sql(
      `insert into bill_shares (org_id, owner_id, device_id, grain, day, config_id, provider,
        pay_type, share) values ($1, $2, $3, $4, $5, $6, 'SIMULATOR', 'WECHAT_PAY', $7)`,
      [party, place.OWN, rowId('OWN', 1), grain, day, next(), share],
    )
  await row(1, '2026-10-01', 900)
  await row(1, '2026-10-01', -100)
  await row(1, '2026-10-05', 900, 'DAY')
  await row(2, '2026-10-01', 300)
  await row(place.OWN, '2026-10-01', 5000)
  await row(place.SIBLING, '2026-10-01', 70)
  await row(1, '2026-09-01', -40)
  await row(1, '2026-11-01', 77)
  const offers = async () =>
    (await world.call(invoices.offers, { source: 'SERVICE_FEE' }, as())).body.list.map(
      ({ no, amount }: { no: string; amount: number }) => [no, amount],
    )
  expect(await offers()).toEqual([
    ['202610-2', 300],
    ['202610-1', 800],
  ])
  const id = await titleId()
  const fee = (nos: string[]) => ask(nos, id, { source: 'SERVICE_FEE' })
  for (const no of ['202611-1', '202609-1', '202610-4', '202610-3'])
    expect((await fee([no])).status, no).toBe(404)
  expect((await fee(['202610-1', '202610-2'])).body.error).toBe('invoices.manyIssuers')
  const all = await Promise.all(Array.from({ length: 5 }, () => fee(['202610-1'])))
  const made = all.filter(({ status }) => status === 200)
  expect(made.map(({ body }) => [body.amount, body.taxRateBp, body.issuerOrgId])).toEqual([
    [800, 600, 1],
  ])
  expect(await offers()).toEqual([['202610-2', 300]])
  expect((await act('approve', made[0]?.body.id, {}, 'PLATFORM_FULL')).body.state).toBe('ISSUING')
})

test('money paid in before is invoiced when it came in or when it was spent, never both', async () => {
  const one = await issued(await world.sell('OWN', ['OK']))
  await world.sql('update invoice_items set prepaid_id = 7 where invoice_id = $1', [one.id])
  await world.sql(`insert into invoice_sources values ($1, 'RECHARGE', 'R1', 100)`, [place.OWN])
  const recharge = () =>
    world.sql(
      `insert into invoice_items (invoice_id, org_id, source, source_no, source_at, amount,
        prepaid_id) values ($1, $2, 'RECHARGE', 'R1', now(), 100, 7)`,
      [one.id, place.OWN],
    )
  await expect(recharge()).rejects.toMatchObject({ constraint: 'invoice_items_once' })
  await act('red', one.id, { redNo: issuedNo() })
  await recharge()
})

test('by mail, its file with it; a header in an address or a title is none', async () => {
  const smtp = await listenSmtp('right')
  const order = await world.sell('OWN', ['OK'])
  const evil = { title: '<script>alert(1)</script>甲方', email: '' }
  const { body } = await ask([order], await titleId(evil))
  await act('approve', body.id)
  await act('issue', body.id, { issuedNo: issuedNo(), file: await file() })
  expect((await act('send', body.id)).body.errors[0].message).toBe('邮箱不能为空')
  for (const email of ['a@b.cn\r\nBcc: c@d.cn', 'a@b.cn, c@d.cn', 'a b@c.cn', '@', 'x'.repeat(200)])
    expect((await act('send', body.id, { email })).body.errors[0]).toEqual({
      ...{ field: 'email', message: '邮箱格式不正确' },
    })
  expect((await title({ title: '甲\r\nBcc: c@d.cn' })).body.title ?? '').not.toContain('\n')
  const sent = await act('send', body.id, { email: 'buyer@example.com' })
  expect([sent.body.mailing, sent.body.state]).toEqual([true, 'ISSUED'])
  // it is on its way
  expect((await act('send', body.id)).status).toBe(409)
  await world.sql('delete from alert_mail_servers')
  await runDue(world.app, mailKind(world.app))
  const get = async () => (await world.call(invoices.get, { id: body.id }, as())).body
  expect(await get()).toMatchObject({ state: 'ISSUED', mailing: true, mailError: 'no mail server' })
  await world.sql(
    `insert into alert_mail_servers (org_id, host, port, security, sender, updated_at)
      values ($1, '127.0.0.1', $2, 'NONE', 'fapiao@example.com', now())`,
    [place.OWN, smtp.port],
  )
  await world.sql(`insert into settings (org_id, key, value)
    values (1, 'alarm.privateAddresses', 'true') on conflict (org_id, key) do update set value = 'true'`)
  settingsChanged(world.app)
  expect((await act('send', body.id)).status).toBe(200)
  await runDue(world.app, mailKind(world.app))
  expect(await get()).toMatchObject({ state: 'SENT', mailing: false, mailError: '' })
  const [letter] = smtp.letters
  expect(letter?.to).toEqual(['RCPT TO:<buyer@example.com>'])
  expect(letter?.text).toContain(`filename=${sent.body.issuedNo}.pdf`)
  expect(letter?.text.replaceAll('\n', '')).toContain(pdf.toString('base64'))
  expect(letter?.text).toContain('Content-Type: text/plain')
  expect(letter?.text).not.toContain('text/html')
  // and again
  expect((await act('send', body.id)).body.state).toBe('SENT')
  await runDue(world.app, mailKind(world.app))
  expect(smtp.letters).toHaveLength(2)
  const ids = smtp.letters.map(({ text }) => /Message-ID: (\S+)/i.exec(text)?.[1])
  expect(new Set(ids).size).toBe(2)
  await world.sql('update alert_mail_days set invoices = 500')
  expect((await act('send', body.id)).body.message).toBe('今日发送邮件已达上限')
  smtp.close()
})
