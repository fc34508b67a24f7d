import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { channelSales, receivers } from '../../../../test/support/channelSales.ts'
import type { ShareLine, StandIn } from '../../../../test/support/payChannels/kit.ts'
import { wechatShareBill } from '../../../../test/support/payChannels/wechatFiles.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { splitSales } from '../../../../test/support/splitSales.ts'
import {
  openWorld,
  place,
  restock,
  rowId,
  type World,
  worldNow,
} from '../../../../test/support/world.ts'
import { createRandom } from '../../../seed/random.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { enterMerchant } from '../../payment-channels/server/merchants.ts'
import { splitFaults } from '../../payment-channels/server/splitSimulator.ts'
import { billFaults, strayShares } from '../../payments/server/faults.ts'
import { providers } from '../../payments/server/providers.ts'
import { accrue } from '../../splits/server/accrue.ts'
import { returnKind } from '../../splits/server/returns.ts'
import { beginDue, splitKind } from '../../splits/server/send.ts'
import { reconciliation } from '../contract.ts'
import { shareOf } from '../rules.ts'
import { askForBills, billKind } from './billRun.ts'
import { crossDays } from './crossDays.ts'
import { reconcileDay } from './run.ts'

/** Bills of shares: of a channel that misbehaves, broken on purpose, fetched, uploaded, treated. */
const seed = process.env.MODEL_SEED ?? String(Date.now() % 1_000_000)
const rounds = Number(process.env.T17_RUNS ?? 300) > 300 ? 40 : 4
let world: World
let wechat: StandIn
let merchant: number
let now = worldNow.getTime()
let tokens: Record<'one' | 'two', string>
beforeAll(async () => {
  wechat = await openWechatPay(() => new Date(now))
  world = await openWorld({
    now: () => new Date(now),
    config: { WECHAT_PAY_BASE: wechat.base },
  })
  await world.sql('delete from split_debts')
  await world.sql('delete from reconciliation_differences')
  await splitSales(world, 'OWN')
  await channelSales(world)
})
afterAll(async () => {
  await world?.close()
  wechat?.close()
})
beforeEach(async () => {
  splitFaults.clear()
  billFaults.clear()
  strayShares.clear()
  await signIn()
})
/** Hours go by in these tests. */
const signIn = async () => {
  tokens = {
    one: await world.login('PLATFORM_FULL'),
    two: await world.login('ROLE_SUPER_ADMIN'),
  }
}
const pass = (seconds: number) => {
  now += seconds * 1000
}
const works = async () => {
  await runDue(world.app, splitKind(world.app))
  await runDue(world.app, returnKind(world.app))
}
async function refund(orderNum: string): Promise<void> {
  const [unit] = await world.sql<{ id: number }>(
    `select id::int from order_units where order_num = $1 and refund_state is null limit 1`,
    [orderNum],
  )
  const token = await world.login('ROLE_FULL')
  await world.call(
    orders.refund,
    { orderNum, unitIds: [unit?.id], reason: 'OTHER', remark: '测试' },
    { token },
  )
  while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  await accrue(world.app)
}
/** Some sales whose shares are due an hour later and go out through a channel of such moods. */
async function sold(random: ReturnType<typeof createRandom>, count: number): Promise<string[]> {
  const made: string[] = []
  await restock(world, rowId('OWN', 1), 15)
  for (let n = 0; n < count; n += 1) made.push(await world.sell('OWN', ['OK', 'OK']))
  await accrue(world.app)
  pass(3601)
  await beginDue(world.app)
  for (const orderNum of made)
    if (random.chance(0.6))
      splitFaults.set(`${orderNum}-S1`, [
        random.pick(['DROPPED', 'LOST', 'LATE', 'SHORT', 'UNCLEAR'] as const),
      ])
  await works()
  pass(random.int(30, 7200))
  for (let n = 0; n < 4; n += 1) {
    await works()
    pass(3600)
  }
  for (const orderNum of made) if (random.chance(0.4)) await refund(orderNum)
  for (let n = 0; n < 4; n += 1) {
    await works()
    pass(3600)
  }
  return made
}
const compared = async () => {
  while (await runDue(world.app, billKind(world.app)));
}
/** The bill of every day of these tests, asked for and compared. */
async function billed(): Promise<void> {
  for (let day = shanghaiDay(worldNow); day < shanghaiDay(new Date(now)); day = addDays(day, 1)) {
    const asked = { configId: null, billDate: day, billType: 'SPLIT' as const }
    const { status, body } = await world.call(reconciliation.fetch, asked, { token: tokens.one })
    expect(status, JSON.stringify(body)).toBe(200)
  }
  await compared()
}
type Row = { id: number; version: number; kind: string; subject: string; gap: number }
const open = (configId: number | null = null): Promise<Row[]> =>
  world.sql<Row>(
    `select id::int, version, kind, subject, (local_amount - other_amount)::int as gap
      from reconciliation_differences where part = 'SPLIT' and state in ('OPEN','HANDLING')
        and config_id is not distinct from $1 order by kind, subject`,
    [configId],
  )
const said = async (configId: number | null = null) =>
  (await open(configId)).map(({ kind, subject }) => `${kind} ${subject}`)

test(`T17 of shares, seed ${seed}: what is broken is found, and nothing else`, {
  timeout: 600_000,
}, async () => {
  const random = createRandom(seed)
  // it is two in the afternoon: some are paid after midnight, some days later
  for (let n = 0; n < rounds; n += 1) await sold(random, 5)
  pass(86_400)
  await signIn()
  await billed()
  expect(await said(), 'nothing false').toEqual([])
  // what was paid on and brought back lies in the balance, whatever day it was heard of
  for (let one = shanghaiDay(worldNow); one < shanghaiDay(new Date(now)); one = addDays(one, 1)) {
    await reconcileDay(world.app, one, true)
    await world.call(
      reconciliation.fetch,
      { configId: null, billDate: one, billType: 'FUND' },
      { token: tokens.one },
    )
  }
  await compared()
  const moved = await world.sql<{ kind: string; days: number }>(
    `select kind, count(distinct day)::int as days from fund_flows where kind like 'SPLIT%'
      group by 1 order by 1`,
  )
  expect(moved.map(({ kind }) => kind)).toEqual(['SPLIT', 'SPLIT_BACK'])
  expect(moved[0]?.days, 'some are paid after midnight').toBeGreaterThan(1)
  expect(
    await world.sql(
      `select day::text, kind, subject, local_amount - other_amount as gap
        from reconciliation_differences where part = 'FUND' and state = 'OPEN' order by day`,
    ),
  ).toEqual([])
  expect(await checkInvariants(world.ownerUrl)).toEqual([])

  const shares = await world.sql<{ no: string; party: number }>(
    `select sent_no as no, max(party_no) as party from split_shares
      where state = 'PAID' group by 1 order by 1`,
  )
  const back = await world.sql<{ no: string }>(
    `select min(return_no) as no from split_returns where state = 'DONE' group by split_id order by 1`,
  )
  const taken = shares.slice()
  const expected: string[] = []
  const kinds = ['LOCAL_ONLY', 'AMOUNT', 'STATUS', 'SPLIT', 'DUPLICATE'] as const
  for (const kind of kinds) {
    const { no, party } = taken.pop() as (typeof shares)[number]
    billFaults.set(no, kind)
    // both parties of a number are broken the same way
    for (const one of [2, party]) {
      if (kind !== 'SPLIT') expected.push(`${kind} ${no}/${one}`)
      else expected.push(`LOCAL_ONLY ${no}/${one}`)
    }
  }
  expect(back.length, 'something came back').toBeGreaterThan(2)
  for (const [i, kind] of (['LOCAL_ONLY', 'AMOUNT', 'DUPLICATE'] as const).entries()) {
    billFaults.set(back[i]?.no ?? '', kind)
    expected.push(`${kind} ${back[i]?.no}/R`)
  }
  const day = shanghaiDay(worldNow)
  const [trade] = await world.sql<{ no: string }>(
    `select provider_trade_no as no from payments where state = 'SUCCESS' limit 1`,
  )
  strayShares.set(day, trade?.no ?? '')
  // one that is split for another business of the merchant is none of ours
  strayShares.set(addDays(day, 1), 'T-OF-ANOTHER-BUSINESS')
  await billed()
  const found = await said()
  const strangers = found.filter((one) => /^(SPLIT|CHANNEL_ONLY) /.test(one))
  expect(strangers.map((one) => one.replace(/\/x.*/, ''))).toEqual([
    `CHANNEL_ONLY STRAY${day}`,
    ...Array(2).fill(
      `SPLIT ${[...billFaults].find(([, kind]) => kind === 'SPLIT')?.[0] ?? 'none'}`,
    ),
  ])
  expect(found.filter((one) => !strangers.includes(one))).toEqual(expected.toSorted())
  // the channel corrects its bill
  billFaults.clear()
  strayShares.clear()
  await billed()
  expect(await said()).toEqual([])
})

/** One order with shares at the simulator; the agent's is refused, and was paid all the same. */
async function paidAfterAll(): Promise<string> {
  const is = (what: object) =>
    world.sql(`update simulated_splits set body = $2 where no = $1`, [
      ...[`RCV ${receivers[2]}`, JSON.stringify(what)],
    ])
  await is({ refuses: true })
  await restock(world, rowId('OWN', 1), 5)
  const orderNum = await world.sell('OWN', ['OK'])
  await accrue(world.app)
  pass(3601)
  await beginDue(world.app)
  await works()
  await is({})
  await world.sql(
    `update simulated_splits set body = jsonb_set(body, '{parts,1,state}', '"PAID"')
      where no = $1 || '-S1'`,
    [orderNum],
  )
  pass(86_400)
  await signIn()
  await billed()
  return orderNum
}
const act = (endpoint: typeof reconciliation.approve, { id, version }: Row, token: string) =>
  world.call(endpoint, { id, version }, { token })

test('what the channel paid and our books refused is paid when two of the platform agree', async () => {
  const orderNum = await paidAfterAll()
  const [row] = (await open()) as [Row]
  expect(row).toMatchObject({ kind: 'STATUS', subject: `${orderNum}-S1/3`, gap: -25 })
  const asked = await act(reconciliation.ask as typeof reconciliation.approve, row, tokens.one)
  expect(asked.body).toMatchObject({ answer: 'PAID' })
  await compared()
  const again = { id: row.id, version: asked.body.version, reason: '渠道已付' }
  for (const treatment of ['REFUNDED', 'SUPPLEMENTED'] as const) {
    const refused = await world.call(
      reconciliation.resolve,
      { ...again, treatment },
      { token: tokens.one },
    )
    expect(refused.body.error).toBe('reconciliation.notSuch')
  }
  const wanted = await world.call(
    reconciliation.resolve,
    { ...again, treatment: 'CORRECTED' },
    { token: tokens.one },
  )
  expect(wanted.body).toMatchObject({ state: 'REVIEW' })
  const given = { ...row, version: wanted.body.version }
  expect((await act(reconciliation.approve, given, tokens.one)).body.error).toBe(
    'reconciliation.samePerson',
  )
  const agreed = await Promise.all(
    Array.from({ length: 5 }, () => act(reconciliation.approve, given, tokens.two)),
  )
  expect(agreed.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  expect(
    await world.sql(
      `select s.state, h.state as share, h.sent::int from split_orders s
        join split_shares h on h.split_id = s.id and h.party_no = 3 where s.order_num = $1`,
      [orderNum],
    ),
  ).toEqual([{ state: 'DONE', share: 'PAID', sent: 25 }])
  expect(
    await world.sql(
      `select a.code, e.amount::int as fen from ledger_entries e
        join ledger_accounts a on a.id = e.account_id join ledger_voucher_keys k
          on k.voucher_id = e.voucher_id and k.key = 'so:' || $1 || '-S1:2' order by a.code`,
      [orderNum],
    ),
  ).toEqual([
    { code: '1001', fen: -25 },
    { code: '2002', fen: 25 },
  ])
  await compared()
  expect(await said()).toEqual([])
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})

test('what is only in our books is looked for, then asked after, and corrected against suspense', async () => {
  const [share] = await world.sql<{ no: string; sent: number; day: string }>(
    `select h.sent_no as no, h.sent::int, to_char(q.done_at at time zone 'Asia/Shanghai',
        'YYYY-MM-DD') as day from split_shares h join split_requests q on q.request_no = h.sent_no
      where h.state = 'PAID' and h.party_no = 3 order by q.done_at desc limit 1`,
  )
  const { no, sent } = share as { no: string; sent: number; day: string }
  billFaults.set(no, 'LOCAL_ONLY')
  await billed()
  // the channel itself has it: three days later it says so
  pass(4 * 86_400)
  await signIn()
  await crossDays(world.app)
  await compared()
  const row = (await open()).find(({ subject }) => subject === `${no}/3`) as Row
  expect(row).toMatchObject({ kind: 'LOCAL_ONLY', gap: sent })
  expect(
    await world.sql('select answer from reconciliation_differences where id = $1', [row.id]),
  ).toEqual([{ answer: 'PAID' }])
  // one that it knows nothing of is money that never left
  const wanted = await world.call(
    reconciliation.resolve,
    { id: row.id, version: row.version, treatment: 'CORRECTED', reason: '渠道未付' },
    { token: tokens.one },
  )
  const given = { ...row, version: wanted.body.version }
  expect((await act(reconciliation.approve, given, tokens.two)).body).toMatchObject({
    state: 'RESOLVED',
  })
  expect(
    await world.sql(
      `select a.code, e.amount::int as fen from ledger_entries e
        join ledger_accounts a on a.id = e.account_id join ledger_voucher_keys k
          on k.voucher_id = e.voucher_id and k.key = 'adj:RD' || $1::text order by a.code`,
      [row.id],
    ),
  ).toEqual([
    { code: '1001', fen: sent },
    { code: '2901', fen: -sent },
  ])
  await compared()
  expect((await said()).filter((one) => one.endsWith('/3'))).toEqual([])
})

const day = '2026-11-20'
const line = (no: string, more: Partial<ShareLine> = {}): ShareLine => ({
  ...{ tradeNo: '4200001', no, receiver: receivers[2], amount: 25, ...more },
})
const ofMerchant = () =>
  world.call(
    reconciliation.fetch,
    { configId: merchant, billDate: day, billType: 'SPLIT' },
    { token: tokens.one },
  )
test('a merchant without receivers has no such bill, one with them is asked for it each morning', async () => {
  now = worldNow.getTime()
  await signIn()
  merchant = await enterMerchant(world.app, { orgId: place.OWN, ...wechat.merchant })
  configsChanged(world.app)
  wechat.bill.day = day
  expect((await ofMerchant()).body.error).toBe('reconciliation.noRun')
  await world.sql(
    `insert into payments (org_id, out_trade_no, provider, config_id, provider_trade_no, amount,
      state, paid_at) values ($1, 'HD4200001', 'WECHAT', $2, '4200001', 250, 'SUCCESS', $3)`,
    [place.OWN, merchant, '2026-11-20T06:00:00Z'],
  )
  await channelSales(world, { configId: merchant })
  const types = async () =>
    (
      await world.sql<{ type: string }>(
        `select bill_type as type from payment_bill_days where config_id = $1 and day = $2
          order by id`,
        [merchant, day],
      )
    ).map(({ type }) => type)
  await askForBills(world.app)
  expect(await types()).toEqual(['TRADE', 'FUND', 'SPLIT'])
  wechat.bill.shares = [line('NOBODY-S1'), line('ANOTHER-S1', { tradeNo: '4200009' })]
  await compared()
  expect((await said(merchant)).map((one) => one.replace(/\/x.*/, ''))).toEqual([
    'CHANNEL_ONLY NOBODY-S1',
  ])
  expect(wechat.calls.filter((name) => name === 'shareBill')).not.toHaveLength(0)
  // somebody who has the merchant's keys may have done it
  expect(
    await world.sql(
      `select kind, detail->>'times' as times, detail->>'amount' as amount from security_events
        where detail->>'why' = 'BILL_SHARE'`,
    ),
  ).toEqual([{ kind: 'PAYMENT_MISMATCH', times: '1', amount: '25' }])
  // of the payments that were made for this test alone there is nothing to compare
  await world.sql(`delete from reconciliation_differences where part <> 'SPLIT'`)
})

const upload = async (text: string | Buffer) => {
  const [run] = await world.sql<{ id: number }>(
    `select id::int from reconciliation_runs where part = 'SPLIT' and config_id = $1 and day = $2
      and org_id = $3`,
    [merchant, day, place.OWN],
  )
  const form = new FormData()
  form.set('file', new Blob([text as BlobPart]), 'shares.csv')
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
const own = [
  line('A-S1'),
  line('A-R1', { back: true, amount: 7 }),
  // the rest of a payment, which stays where it is
  line('A-F', { type: '解冻剩余资金', receiver: '1900000109', amount: 200 }),
]
const file = (rows: ShareLine[]) => wechatShareBill(rows, day, '1900000109')
const kept = () =>
  world.sql(
    `select kind, request_no as no, amount::int from split_bills where config_id = $1 and day = $2
      order by id`,
    [merchant, day],
  )
const both = [
  { kind: 'RETURN', no: 'A-R1', amount: 7 },
  { kind: 'SPLIT', no: 'A-S1', amount: 25 },
]
/** Columns in another order, with one more. */
const turned = (text: string) =>
  text
    .split('\r\n')
    .map((row, n) => {
      if (!row || n > own.length) return row
      if (n === 0) return `新列,${row.replace('\ufeff', '').split(',').toReversed().join(',')}`
      return `\`${['新', ...row.slice(1).split(',`').toReversed()].join(',`')}`
    })
    .join('\r\n')
/** GB 18030 of what these files are written with. */
const gbk = (text: string) => {
  const decoder = new TextDecoder('gb18030')
  const bytes = new Map<string, number[]>()
  for (let high = 0x81; high <= 0xfe; high += 1)
    for (let low = 0x40; low <= 0xfe; low += 1)
      bytes.set(decoder.decode(new Uint8Array([high, low])), [high, low])
  return Buffer.from(
    [...text.replace('\ufeff', '')].flatMap((sign) =>
      sign.charCodeAt(0) < 128 ? [sign.charCodeAt(0)] : (bytes.get(sign) ?? [63]),
    ),
  )
}

test('an uploaded bill counts, in whatever order and encoding, twice as once', async () => {
  for (const text of [file(own), file(own), turned(file(own)), gbk(file(own))]) {
    expect(await upload(text)).toEqual({ lines: 2, badLines: 0 })
    expect(await kept()).toEqual(both)
  }
  const formula = file(own).replace('`0.25', '`=0.25+1')
  expect(await upload(formula)).toEqual({ lines: 1, badLines: 1 })
  await compared()
  expect(await said(merchant)).toContain('BILL_LINE SPLIT 2 amount')
  expect(await upload(file(own))).toEqual({ lines: 2, badLines: 0 })
})
const noFile = 'reconciliation.noFile'
test.each([
  ['a wrong total', () => file(own).replace('`2,`2.25', '`2,`2.26'), noFile],
  ['a wrong number of rows', () => file(own).replace('`2,`2.25', '`9,`2.25'), noFile],
  ['its end cut off', () => file(own).split('\r\n').slice(0, 3).join('\r\n'), noFile],
  ['a column missing', () => file(own).replace('分账接收方', '接收'), noFile],
  ['nothing in it', () => '', noFile],
  ['a picture instead', () => Buffer.from('89504e470d0a1a0a', 'hex'), noFile],
  [
    'another merchant',
    () => wechatShareBill(own, day, '1900000999'),
    'reconciliation.otherMerchant',
  ],
])('an uploaded bill with %s is refused, and the one before it stays', async (_, text, error) => {
  expect(await upload(text())).toMatchObject({ error })
  expect(await kept()).toEqual(both)
})
test('a bill of 100,000 lines is too large for a person, and read when the channel is asked', {
  timeout: 120_000,
}, async () => {
  const many = Array.from({ length: 99_999 }, (_, n) => line(`B${n}-S1`, { tradeNo: `T${n}` }))
  expect(await upload(file(many))).toMatchObject({ error: 'reconciliation.fileTooLarge' })
  expect(await kept()).toEqual(both)
  await compared()
  wechat.bill.shares = [...many, line('A-S1')]
  expect((await ofMerchant()).status).toBe(200)
  await compared()
  expect(
    await world.sql(
      `select state, lines, bad_lines as bad from payment_bill_days where config_id = $1
        and day = $2 and bill_type = 'SPLIT'`,
      [merchant, day],
    ),
  ).toEqual([{ state: 'DONE', lines: 100_000, bad: 0 }])
  // those of other businesses of the merchant are read and not kept
  expect(await kept()).toEqual([{ kind: 'SPLIT', no: 'A-S1', amount: 25 }])
})

test.each([
  ['HD1-S1/3', { requestNo: 'HD1-S1', partyNo: 3, isReturn: false }],
  ['HD1-S1-2/10', { requestNo: 'HD1-S1-2', partyNo: 10, isReturn: false }],
  ['RF1-2/R', { requestNo: 'RF1-2', partyNo: null, isReturn: true }],
  ['a/b/xdeadbee', { requestNo: 'a/b', partyNo: null, isReturn: false }],
])('a subject says what it is: %s', (subject, what) => {
  expect(shareOf(subject)).toEqual(what)
})
