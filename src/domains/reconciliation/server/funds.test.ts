import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAlipay } from '../../../../test/support/payChannels/alipay.ts'
import type { FlowLine, StandIn } from '../../../../test/support/payChannels/kit.ts'
import { wechatFlow } from '../../../../test/support/payChannels/wechatFiles.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { openWorld, place, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { notYetOf } from '../../ledger/server/owed.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import type { FundLine } from '../../payment-channels/server/channels.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { enterMerchant } from '../../payment-channels/server/merchants.ts'
import { simulated } from '../../payments/server/bills.ts'
import { billFaults } from '../../payments/server/faults.ts'
import { balancesOf, keepFunds, simulatedFunds } from '../../payments/server/funds.ts'
import { providers } from '../../payments/server/providers.ts'
import { reconciliation } from '../contract.ts'
import { billKind, settleImport } from './billRun.ts'
import { reconcileDay, reconcilePart } from './run.ts'

/** Fund flows: fetched, uploaded, held against channel money, and what they settle. */
let world: World
let channels: Record<'WECHAT' | 'ALIPAY', StandIn>
const ids = {} as Record<'WECHAT' | 'ALIPAY', number>
let tokens: Record<'one' | 'two', string>
const day = '2026-11-19'
beforeAll(async () => {
  channels = {
    WECHAT: await openWechatPay(() => worldNow),
    ALIPAY: await openAlipay(() => worldNow),
  }
  world = await openWorld({
    config: { WECHAT_PAY_BASE: channels.WECHAT.base, ALIPAY_GATEWAY: `${channels.ALIPAY.base}/` },
  })
  for (const name of ['WECHAT', 'ALIPAY'] as const)
    ids[name] = await enterMerchant(world.app, { orgId: place.OWN, ...channels[name].merchant })
  configsChanged(world.app)
  await world.sql('delete from reconciliation_differences')
  tokens = {
    one: await world.login('PLATFORM_FULL'),
    two: await world.login('ROLE_SUPER_ADMIN'),
  }
})
afterAll(async () => {
  await world?.close()
  channels?.WECHAT.close()
  channels?.ALIPAY.close()
})

const ask = (configId: number | null, billDate = day) =>
  world.call(reconciliation.fetch, { configId, billDate, billType: 'FUND' }, { token: tokens.one })
async function fetched(configId: number | null, billDate = day): Promise<void> {
  const { status, body } = await ask(configId, billDate)
  expect(status, JSON.stringify(body)).toBe(200)
  while (await runDue(world.app, billKind(world.app)));
}
const days = (configId: number | null) =>
  world.sql(
    `select to_char(day, 'MM-DD') as day, state, lines, opening::int, closing::int
      from payment_bill_days where config_id is not distinct from $1 and bill_type = 'FUND'
        and day >= '2026-11-17' and fetched_at is not null order by day`,
    [configId],
  )
type Row = { id: number; version: number; kind: string; gap: number; day: string }
const open = (configId: number | null): Promise<Row[]> =>
  world.sql<Row>(
    `select id::int, version, kind, (local_amount - other_amount)::int as gap,
        to_char(day, 'MM-DD') as day
      from reconciliation_differences where config_id is not distinct from $1
        and part = 'FUND' and state in ('OPEN','HANDLING') order by day`,
    [configId],
  )
const line = (name: string, type: string, amount: number, more: Partial<FlowLine> = {}) => ({
  ...{ name, type, amount, ...more },
})

test.each([['WECHAT'], ['ALIPAY']] as const)(
  '%s: what nobody booked is a difference, until two people of the platform have corrected it',
  async (name) => {
    channels[name].bill.opening = 5000
    channels[name].bill.flow = [line('充值', '充值', 300), line('其他', '扣款', -50)]
    await fetched(ids[name])
    expect(await days(ids[name])).toEqual([
      { day: '11-19', state: 'DONE', lines: 2, opening: 5000, closing: 5250 },
    ])
    const [row, ...others] = await open(ids[name])
    // our books have nothing of it, the opening of the first flow neither
    expect([row, others]).toMatchObject([{ kind: 'BALANCE', gap: -5250, day: '11-19' }, []])
    const { id, version } = row as Row
    const resolved = await world.call(
      reconciliation.resolve,
      { id, version, treatment: 'CORRECTED', reason: '期初余额' },
      { token: tokens.one },
    )
    expect(resolved.body).toMatchObject({ state: 'REVIEW' })
    const given = { id, version: version + 1 }
    const agreed = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.call(reconciliation.approve, given, { token: tokens.two }),
      ),
    )
    expect(agreed.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    // booked today, about that day: the flow agrees now, and the day after it too
    channels[name].bill.opening = 5250
    channels[name].bill.flow = []
    await fetched(ids[name])
    channels[name].bill.opening = 5000
    channels[name].bill.flow = [line('充值', '充值', 300), line('其他', '扣款', -50)]
    await fetched(ids[name])
    channels[name].bill.flow = []
    await fetched(ids[name], '2026-11-20')
    expect(await open(ids[name])).toEqual([])
    expect((await days(ids[name])).at(-1)).toMatchObject({ day: '11-20', closing: 5250, lines: 0 })
    expect(await checkInvariants(world.ownerUrl)).toEqual([])
  },
)

test('what the channel paid to the bank of its collector is booked once, when he is owed it', async () => {
  const wechat = channels.WECHAT.bill
  wechat.opening = 5250
  wechat.flow = [line('充值/提现', '提现', -1000)]
  const notYet = () => world.system((ctx) => notYetOf(ctx, place.OWN))
  const before = await notYet()
  await fetched(ids.WECHAT, '2026-11-20')
  // nobody owes him so much: it waits, and the balance says so
  expect(await open(ids.WECHAT)).toMatchObject([{ kind: 'BALANCE', gap: 1000 }])
  const owes = async (fen: number) =>
    world.system(async (ctx) => {
      const { post } = await import('../../ledger/server/post.ts')
      const of = { orderId: null, orderNum: null, configId: null }
      const entries = [
        { account: '2001' as const, amount: fen },
        { account: '2002' as const, amount: -fen },
      ]
      post(ctx, [{ ...of, key: `adj:T${fen}`, type: 'V12', orgId: place.OWN, entries }])
    })
  await owes(1500)
  await Promise.all(Array.from({ length: 5 }, () => settleImport(world.app)))
  const vouchers = await world.sql(
    `select k.key, to_char(k.fact_day, 'MM-DD') as fact, a.code, e.amount::int
      from ledger_voucher_keys k join ledger_entries e on e.voucher_id = k.voucher_id
      join ledger_accounts a on a.id = e.account_id where k.key like 'st:%' order by a.code`,
  )
  const key = `st:${ids.WECHAT}:202611200`
  expect(vouchers).toEqual([
    { key, fact: '11-20', code: '1001', amount: -1000 },
    { key, fact: '11-20', code: '2002', amount: 1000 },
  ])
  await fetched(ids.WECHAT, '2026-11-20')
  expect(await open(ids.WECHAT)).toEqual([])
  // it lets go of nothing that the platform holds back until orders are done
  expect(await notYet()).toBe(before)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  // what his own merchants collected is held back as far as his bank has not got it
  const collected = (fen: number) =>
    world.sql(
      `insert into bill_shares (org_id, owner_id, device_id, config_id, provider, pay_type, grain,
        day, share, ordered_share) values (3, 3, $1, $2, 'WECHAT', 'WECHAT', 'MONTH', '2026-11-01', $3, 0)
      on conflict (device_id, grain, day, config_id, provider, pay_type, owner_id, org_id)
        do update set share = excluded.share`,
      [rowId('OWN', 1), ids.WECHAT, fen],
    )
  await collected(700)
  expect(await notYet()).toBe(before)
  await collected(1200)
  expect(await notYet()).toBe(before + 200)
})

test('the simulator makes its own flow of its trades, and says it when money is missing', async () => {
  const sold = '2026-11-20'
  await reconcileDay(world.app, sold, true)
  await fetched(null, sold)
  expect(await open(null)).toEqual([])
  billFaults.set(sold, 'BALANCE')
  await fetched(null, sold)
  billFaults.clear()
  expect(await open(null)).toMatchObject([{ kind: 'BALANCE', gap: 100 }])
  await fetched(null, sold)
  expect(await open(null)).toEqual([])
})

test('which refund got the odd fen of a fee is no difference, what we do not know of is one whole', async () => {
  const orderNum = await world.sell('SIBLING', ['NO_DROP', 'NO_DROP', 'NO_DROP'])
  // one after the other: who comes first gets the smaller share of the fee
  for (const unit of [1, 2]) {
    await world.sql(
      `update refunds set next_at = case unit_no when $2 then '2026-01-01' else '2027-01-01' end::timestamptz
        where order_num = $1 and state = 'PENDING'`,
      [orderNum, unit],
    )
    while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  }
  const given = await world.sql<{ no: string; amount: number; state: string }>(
    'select refund_no as no, amount::int, state from refunds where order_num = $1 order by unit_no',
    [orderNum],
  )
  expect(given.map(({ state }) => state)).toEqual(['SUCCESS', 'SUCCESS', 'PENDING'])
  const today = '2026-11-21'
  const lines = await Array.fromAsync(simulatedFunds(world.app, simulated, today))
  const gap = async (change: (line: FundLine) => FundLine[]) => {
    let balance = (lines[0]?.balance ?? 0) - (lines[0]?.amount ?? 0)
    const told = lines.flatMap(change).map((one) => {
      balance += one.amount
      return { ...one, balance }
    })
    await keepFunds(world.app, simulated, today, told)
    const found = await reconcilePart(world.app, { part: 'FUND', day: today, account: simulated })
    return found.map(({ kind, localAmount, otherAmount }) => [kind, localAmount - otherAmount])
  }
  const [first, second, third] = given as [...typeof given, (typeof given)[number]]
  const feeBack = (no: string | undefined, line: FundLine) =>
    line.kind === 'FEE_BACK' && line.outNo === no
  // shares of a fee of 5 fen: ours 1 and 2; the channel gave the third back before the first
  expect(lines.filter((line) => feeBack(first?.no, line)).map(({ amount }) => amount)).toEqual([1])
  expect(lines.filter((line) => feeBack(second?.no, line)).map(({ amount }) => amount)).toEqual([2])
  expect(await gap((line) => [line])).toEqual([])
  const unknown = { outNo: third?.no ?? '', tradeNo: `R${third?.no}` }
  const turned = (line: FundLine): FundLine[] =>
    feeBack(first?.no, line)
      ? [
          { ...line, ...unknown, kind: 'REFUND', flowNo: 'R3', amount: -(third?.amount ?? 0) },
          { ...line, ...unknown, flowNo: 'FR3', amount: 1 },
          { ...line, amount: 2 },
        ]
      : [line]
  expect(await gap(turned)).toEqual([['BALANCE', (third?.amount ?? 0) - 1]])
  // two fen are no rounding
  expect(await gap((line) => [feeBack(second?.no, line) ? { ...line, amount: 4 } : line])).toEqual([
    ['BALANCE', -2],
  ])
  await world.sql(`delete from reconciliation_differences where day = $1`, [today])
})

const upload = async (configId: number, text: string) => {
  const [run] = await world.sql<{ id: number }>(
    `select id::int from reconciliation_runs where part = 'FUND' and config_id = $1 and day = $2
      and org_id = $3`,
    [configId, day, place.OWN],
  )
  const form = new FormData()
  form.set('file', new Blob([text]), 'flow.csv')
  const request = new Request('http://a', { method: 'POST', body: form })
  const answer = await world.http.inject({
    method: 'POST',
    url: `/api/finance/recon-runs/${run?.id}/bill-file`,
    headers: {
      authorization: tokens.one,
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  })
  return answer.json() as Record<string, unknown>
}
const flow = (rows: FlowLine[]) => wechatFlow(rows, day, 5000)
const own = [line('充值', '充值', 300), line('其他', '扣款', -50)]
test.each([
  ['wrong sums', flow(own).replace('`3.00,`1.0', '`3.01,`1.0'), 'reconciliation.noFile'],
  ['cut off', flow(own).split('\r\n').slice(0, 3).join('\r\n'), 'reconciliation.noFile'],
  [
    'of another merchant',
    flow([line('交易', '交易', 350, { tradeNo: '4200009999' })]),
    'reconciliation.otherMerchant',
  ],
])('an uploaded flow with %s is refused, and the one before it stays', async (_, text, error) => {
  expect(await upload(ids.WECHAT, text)).toMatchObject({ error })
  expect(await days(ids.WECHAT)).toContainEqual(
    expect.objectContaining({ day: '11-19', closing: 5250, lines: 2 }),
  )
})

test('an uploaded flow counts, twice as once; a formula is a line that says nothing', async () => {
  expect(await upload(ids.WECHAT, flow(own))).toEqual({ lines: 2, badLines: 0 })
  expect(await upload(ids.WECHAT, flow(own))).toEqual({ lines: 2, badLines: 0 })
  while (await runDue(world.app, billKind(world.app)));
  expect(await open(ids.WECHAT)).toEqual([])
  const formula = flow(own).replace('`0.50,`52.50', '`=1+1,`52.50')
  expect(await upload(ids.WECHAT, formula)).toEqual({ lines: 1, badLines: 1 })
  while (await runDue(world.app, billKind(world.app)));
  expect((await open(ids.WECHAT)).map(({ kind }) => kind)).toEqual(['BILL_LINE'])
})

test('opening and closing are those that the lines fit, in whatever order they stand', () => {
  const at = (second: number) => new Date(1_000 * second)
  const lines = [
    { at: at(5), amount: -2, balance: 98 },
    { at: at(1), amount: -1, balance: 99 },
    { at: at(5), amount: 1, balance: 100 },
    { at: at(1), amount: 100, balance: 100 },
  ]
  const said = (some: typeof lines) => {
    const balances = balancesOf()
    for (const one of some) balances.see(one)
    return balances.said()
  }
  expect(said(lines)).toEqual({ opening: 0, closing: 98 })
  expect(said(lines.toReversed())).toEqual({ opening: 0, closing: 98 })
  expect(said(lines.with(0, { at: at(5), amount: -3, balance: 98 }))).toBeNull()
  expect(said([])).toBeNull()
})
