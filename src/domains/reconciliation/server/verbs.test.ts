import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { enterMerchant } from '../../payment-channels/server/merchants.ts'
import { reconciliation } from '../contract.ts'
import { billKind } from './billRun.ts'
import { closeDays } from './closing.ts'

/** Bills asked for and uploaded by hand, and what becomes of their differences. */
let world: World
let channel: Awaited<ReturnType<typeof openWechatPay>>
let configId: number
let tokens: Record<'finance' | 'other' | 'admin', string>
const day = '2026-11-19'
beforeAll(async () => {
  channel = await openWechatPay(() => worldNow)
  world = await openWorld({ config: { WECHAT_PAY_BASE: channel.base } })
  configId = await enterMerchant(world.app, { orgId: place.OWN, ...channel.merchant })
  configsChanged(world.app)
  tokens = {
    finance: await world.login('ROLE_FINANCE'),
    other: await world.login('ROLE_FULL'),
    admin: await world.login('ROLE_ADMIN'),
  }
})
afterAll(async () => {
  await world?.close()
  channel?.close()
})

const fetchBill = (config: number | null, token = tokens.finance, billDate = day) =>
  world.call(reconciliation.fetch, { configId: config, billDate }, { token })
const runs = async (token = tokens.finance) =>
  (
    await world.call(
      reconciliation.runs,
      { part: 'BILL', from: day, to: day, pageSize: 200 },
      { token },
    )
  ).body.list as { id: number; configId: number; state: string; open: number; lastError: string }[]
const mine = async () => (await runs()).find((run) => run.configId === configId)
const upload = async (id: number, bytes: Buffer, token = tokens.finance) => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), 'bill.csv')
  const request = new Request('http://a', { method: 'POST', body: form })
  const answer = await world.http.inject({
    method: 'POST',
    url: `/api/finance/recon-runs/${id}/bill-file`,
    headers: {
      authorization: token,
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  })
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
}
const head =
  '交易时间,公众账号ID,商户号,微信订单号,商户订单号,交易状态,微信退款单号,商户退款单号,退款状态,申请退款金额,手续费,订单金额'
const line = (tradeNo: string, amount = '3.50', mchId = '1900000109') =>
  [
    ...['2026-11-19 14:00:00', 'wxd678efhh567hg6787'.replace('hh', 'h'), mchId, tradeNo],
    ...[`HD${tradeNo}`, 'SUCCESS', '0', '0', '', '0.00', '0.02000', amount],
  ]
    .map((value) => `\`${value}`)
    .join(',')
const bill = (rows: readonly string[], said = rows.length) =>
  [head, ...rows, '总交易单数,应结订单总金额', `\`${said},\`1.00`].join('\r\n')
const kinds = async () =>
  (
    await world.sql<{ kind: string }>(
      `select kind from reconciliation_differences where day = $1 and config_id = $2
        and state = 'OPEN' order by kind, subject`,
      [day, configId],
    )
  ).map(({ kind }) => kind)

test('a bill is asked for again: the run is there before it', async () => {
  channel.bill.absent = true
  const { status, body } = await fetchBill(configId)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({ state: 'WAITING', can: { run: true, upload: true } })
  await runDue(world.app, billKind(world.app))
  expect(await mine()).toMatchObject({ state: 'FETCHING' })
  channel.bill.absent = false
})

test('of others nothing is asked for, nor of a day that is not over', async () => {
  const [foreign] = await world.sql<{ id: number }>(
    'select id from payment_configs where org_id = $1 limit 1',
    [place.SIBLING],
  )
  expect((await fetchBill(Number(foreign?.id))).status).toBe(404)
  // the simulator is the platform's
  expect((await fetchBill(null)).status).toBe(404)
  expect((await fetchBill(configId, tokens.finance, '2026-11-21')).body).toMatchObject({
    error: 'reconciliation.noRun',
  })
})

test.each([
  ['a wrong total', bill([line('42000001')], 2), 'reconciliation.noFile'],
  [
    'cut off',
    bill([line('42000001')])
      .split('\n')
      .slice(0, 2)
      .join('\n'),
    'reconciliation.noFile',
  ],
  ['no bill at all', '<html></html>', 'reconciliation.noFile'],
  [
    'of another merchant',
    bill([line('42000001', '3.50', '1900009999')]),
    'reconciliation.otherMerchant',
  ],
])('a file with %s is refused', async (_, text, error) => {
  const run = await mine()
  const { body } = await upload(run?.id ?? 0, Buffer.from(text))
  expect(body).toMatchObject({ error })
  expect(await kinds()).toEqual([])
})

test('of somebody else is 404, larger than 8 MB is refused', async () => {
  const run = await mine()
  const sibling = await world.login('user-SIBLING')
  expect((await upload(run?.id ?? 0, Buffer.from('x'), sibling)).status).toBe(403)
  expect((await upload(987_654_321, Buffer.from(bill([line('1')])))).status).toBe(404)
  const { body } = await upload(run?.id ?? 0, Buffer.alloc(8 * 1024 * 1024 + 1, 32))
  expect(body.error).toBe('reconciliation.fileTooLarge')
})

test('in GBK, with a formula: what says something counts, the rest is named', async () => {
  const run = await mine()
  const text = bill([line('42000001'), line('42000002', '=1+1'), line('42000003', '0.10')])
  // as Excel in China writes it
  const gbk = Buffer.from(
    [...text].flatMap((sign) =>
      sign.charCodeAt(0) < 128 ? [sign.charCodeAt(0)] : [...(gbkOf.get(sign) ?? [63])],
    ),
  )
  const { status, body } = await upload(run?.id ?? 0, gbk)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toEqual({ lines: 2, badLines: 1 })
  await runDue(world.app, billKind(world.app))
  expect(await kinds()).toEqual(['BILL_LINE', 'CHANNEL_ONLY', 'CHANNEL_ONLY'])
  expect(await mine()).toMatchObject({ open: 3 })
})
/** Signs of the head in GBK. */
const gbkOf = new Map<string, number[]>()
const decoder = new TextDecoder('gb18030')
for (let a = 0x81; a <= 0xfe; a += 1)
  for (let b = 0x40; b <= 0xfe; b += 1)
    if (b !== 0x7f) {
      const sign = decoder.decode(Uint8Array.of(a, b))
      if (sign.length === 1) gbkOf.set(sign, [a, b])
    }

test('what somebody made up costs a channel so many questions a day, whatever he uploads', async () => {
  const run = await mine()
  const asked = () => channel.calls.filter((name) => name === 'query').length
  const up = async (from: number) => {
    const rows = Array.from({ length: 150 }, (_, i) =>
      line(`7${String(from + i).padStart(7, '0')}`),
    )
    expect((await upload(run?.id ?? 0, Buffer.from(bill(rows)))).status).toBe(200)
    await runDue(world.app, billKind(world.app))
  }
  await up(0)
  const first = asked()
  expect(first).toBeLessThanOrEqual(100)
  await up(1000)
  expect(asked()).toBe(first)
})

test('100,000 lines are read and kept', { timeout: 60_000 }, async () => {
  const run = await mine()
  const rows = Array.from({ length: 100_000 }, (_, i) => line(`9${String(i).padStart(7, '0')}`))
  // short lines, so that it stays below 8 MB
  const text = bill(rows.map((row) => row.replace('`HD', '`')))
  const bytes = Buffer.from(text)
  if (bytes.length > 8 * 1024 * 1024) {
    expect((await upload(run?.id ?? 0, bytes)).status).toBe(413)
    const { body } = await upload(run?.id ?? 0, Buffer.from(bill(rows.slice(0, 50_000))))
    expect(body).toMatchObject({ lines: 50_000, badLines: 0 })
  } else expect((await upload(run?.id ?? 0, bytes)).body).toMatchObject({ lines: 100_000 })
})

test('an upload that dies leaves the bill that was there', async () => {
  const run = await mine()
  const kept = () =>
    world.sql(
      `select min(l.trade_no), max(l.trade_no), count(*), max(d.state) as state, max(d.lines)
        from payment_bill_days d join payment_bills l on l.config_id = d.config_id and l.day = d.day
        where d.day = $1 and d.config_id = $2`,
      [day, configId],
    )
  await world.sql(
    `alter table payment_bills add constraint dies check (trade_no <> 'DIES') not valid`,
  )
  const before = await kept()
  const rows = Array.from({ length: 1500 }, (_, i) => line(`8${String(i).padStart(7, '0')}`))
  const { status } = await upload(run?.id ?? 0, Buffer.from(bill([...rows, line('DIES')])))
  expect([status >= 400, await kept()]).toEqual([true, before])
  await world.sql('alter table payment_bills drop constraint dies')
})

test('of one that cannot be asked no bill is asked for, and none keeps a day open', async () => {
  const state = (to: string) =>
    world.sql('update payment_configs set state = $2 where id = $1', [configId, to])
  await state('UNTESTED')
  const { body } = await fetchBill(configId, tokens.finance, '2026-11-16')
  expect(body).toMatchObject({ error: 'reconciliation.noRun' })
  // one that could be had before
  await world.sql(
    `insert into payment_bill_days (org_id, provider, config_id, day, state)
      values ($1, 'WECHAT', $2, '2026-11-16', 'FAILED')`,
    [place.OWN, configId],
  )
  const parts = ['ORDERS', 'PAYMENTS', 'REFUNDS', 'STOCK', 'LEDGER']
  await world.sql(
    `insert into reconciliation_runs (org_id, day, part, finished_at)
      select 1, '2026-11-16', unnest($1::text[]), $2`,
    [parts, worldNow],
  )
  const closed = async () => {
    await closeDays(world.app)
    return (await world.sql(`select from closed_days where day = '2026-11-16'`)).length
  }
  await state('ACTIVE')
  expect(await closed()).toBe(0)
  await state('ERROR')
  expect(await closed()).toBe(1)
})

const difference = async (state = 'OPEN', local = 300) =>
  Number(
    (
      await world.sql<{ id: number }>(
        `insert into reconciliation_differences (org_id, day, part, kind, subject, local_amount,
          other_amount, state, created_at)
        values ($1, '2026-11-18', 'PAYMENTS', 'PAYMENT_LEDGER', $2, $3, 0, $4, $5) returning id`,
        [place.OWN, randomUUID(), local, state, worldNow],
      )
    )[0]?.id,
  )
const step = (
  verb: 'claim' | 'assign' | 'resolve' | 'ignore' | 'approve' | 'reopen',
  input: Record<string, unknown>,
  token = tokens.finance,
) => world.call(reconciliation[verb], input as never, { token })

test('given to somebody who may handle it, and to nobody else', async () => {
  const id = await difference()
  const userOf = async (name: string) =>
    Number(
      (await world.sql<{ id: number }>('select id from users where username = $1', [name]))[0]?.id,
    )
  const given = { id, version: 1, userId: await userOf('user-OWN') }
  expect((await step('assign', given)).body).toMatchObject({ error: 'reconciliation.notTheirs' })
  const foreign = { id, version: 1, userId: await userOf('user-SIBLING') }
  expect((await step('assign', foreign)).body).toMatchObject({ error: 'reconciliation.notTheirs' })
  // who sees some machines does not see what is about none of them
  const some = { id, version: 1, userId: await userOf('ROLE_CLERK') }
  expect((await step('assign', some)).body).toMatchObject({ error: 'reconciliation.notTheirs' })
  const fine = { id, version: 1, userId: await userOf('ROLE_FULL') }
  expect((await step('assign', fine)).body).toMatchObject({
    state: 'HANDLING',
    handler: 'ROLE_FULL',
  })
})

test('beyond the limit somebody else agrees; what is over may be taken up again', async () => {
  const small = { id: await difference('OPEN', 10_000), version: 1, treatment: 'CHECKED' }
  expect((await step('resolve', { ...small, reason: '已核对' })).body).toMatchObject({
    ...{ state: 'RESOLVED', treatment: 'CHECKED', can: { resolve: false, reopen: true } },
  })
  const big = { id: await difference('OPEN', 10_001), version: 1, treatment: 'CORRECTED' }
  const asked = await step('resolve', { ...big, reason: '已核对' })
  expect(asked.body).toMatchObject({ state: 'REVIEW', can: { approve: false } })
  const { id, version } = asked.body as { id: number; version: number }
  expect((await step('approve', { id, version })).body).toMatchObject({
    error: 'reconciliation.samePerson',
  })
  expect((await step('approve', { id, version }, tokens.other)).body).toMatchObject({
    state: 'RESOLVED',
  })
  expect((await step('reopen', { id, version: version + 1 })).body).toMatchObject({ state: 'OPEN' })
})

test('a day closes when all of it is explained', async () => {
  const closed = async () =>
    (await world.sql(`select 1 from closed_days where day = '2026-11-17'`)).length
  for (const part of ['ORDERS', 'PAYMENTS', 'REFUNDS', 'STOCK'])
    await world.sql(
      `insert into reconciliation_runs (org_id, day, part, finished_at)
        values (1, '2026-11-17', $1, $2)`,
      [part, worldNow],
    )
  await closeDays(world.app)
  expect(await closed()).toBe(0)
  await world.sql(
    `insert into reconciliation_runs (org_id, day, part, finished_at)
      values (1, '2026-11-17', 'LEDGER', $1)`,
    [worldNow],
  )
  const id = await difference()
  await world.sql(`update reconciliation_differences set day = '2026-11-17' where id = $1`, [id])
  await closeDays(world.app)
  expect(await closed()).toBe(0)
  await step('resolve', { id, version: 1, treatment: 'CHECKED', reason: '已核对' })
  await closeDays(world.app)
  expect(await closed()).toBe(1)
})
