import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openWorld,
  place,
  restock,
  rowId,
  type World,
  worldNow,
} from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { dayMs } from '../../../shared/instants.ts'
import { verifyDay } from '../../reconciliation/server/run.ts'
import { billing } from '../contract.ts'
import type { EntryRow } from '../ledgerContract.ts'
import { voucherIdOf, voucherNo } from '../rules.ts'
import { markBalances } from './marks.ts'

let clock = worldNow.getTime()
let world: World
let anna: string
let bert: string
let own: string
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(clock) })
  await enter()
})
/** Two people of the platform, and one of an operator; each has just shown who he is. */
async function enter() {
  const proven = { proven_at: new Date(clock) }
  anna = await world.login('PLATFORM_FULL', proven)
  bert = await world.login('ROLE_SUPER_ADMIN', proven)
  own = await world.login('ROLE_FULL')
}
afterAll(() => world?.close())

const list = async (query: Record<string, unknown> = {}, token = anna) =>
  (await world.call(billing.entries, { pageSize: 200, ...query }, { token })).body as {
    list: EntryRow[]
    total: number
  }
const ask = (more: Record<string, unknown> = {}, token = anna) =>
  world.call(
    billing.adjust,
    {
      ...{ debitOrgId: place.OWN, debitCode: '1003', creditOrgId: place.PARENT },
      ...{ creditCode: '2002', amount: 1234, reason: '补记代理商分成' },
      ...more,
    },
    { token },
  )
const decide = (how: 'approve' | 'reject', id: number, token = bert, version = 1) =>
  world.call(billing[how], { adjustmentId: id, version }, { token })
const owed = async (org: number) =>
  Number(
    (
      await world.sql<{ balance: number }>(
        `select balance from ledger_balances where org_id = $1 and code = '2002'`,
        [org],
      )
    )[0]?.balance ?? 0,
  )

const shownRight = async () => {
  const { rows, days } = await entriesByHand()
  expect(days).toBeGreaterThan(2)
  const range = { from: '2026-11-01', to: '2026-12-31' }
  for (const token of [anna, own]) {
    const { list: shown } = await list(range, token)
    expect(shown.length).toBeGreaterThan(10)
    for (const row of shown) expect([row.id, row.balance]).toEqual([row.id, rows.get(row.id)])
  }
  for (const few of [
    { pageSize: 3, page: 2 },
    { account: '2001', pageSize: 3 },
    { amountMin: 20 },
  ]) {
    const { list: shown } = await list({ ...range, ...few }, own)
    expect(shown, JSON.stringify(few)).toEqual(expect.arrayContaining([expect.anything()]))
    for (const row of shown) expect([few, row.balance]).toEqual([few, rows.get(row.id)])
  }
}
const marks = () =>
  world.sql<{ account_id: string; at: Date }>(
    'select account_id, created_at as at from ledger_marks order by created_at, entry_id',
  )

test('the balance behind each entry is what its account came to, with marks and without', async () => {
  // the world has a sum of a day on which nothing was booked
  await world.sql('delete from ledger_days')
  for (const where of ['OWN', 'CHILD'] as const) await restock(world, rowId(where, 1), 50)
  for (let day = 0; day < 4; day += 1) {
    await world.sell('OWN', ['OK', 'OK'])
    await world.sell('OWN', ['OK'])
    await world.sell('CHILD', ['OK'])
    // half of them behind marks that were there, one act each
    if (day === 1) await markBalances(world.app)
    clock += dayMs / 2
  }
  await enter()
  await shownRight()
  const few = (await marks()).length
  await markBalances(world.app)
  expect((await marks()).length).toBeGreaterThan(few)
  await shownRight()
  expect(await checkInvariants(world.ownerUrl)).toEqual([])

  // what is shown is read from them: a wrong one is seen, here and by the nightly comparison
  const change = (by: number) => world.sql(`update ledger_marks set balance = balance + ${by}`, [])
  await change(1)
  await expect(shownRight()).rejects.toThrow()
  expect((await checkInvariants(world.ownerUrl)).length).toBe(1)
  await change(-1)
  await shownRight()
})

/** Each account from its first entry on, without any sum. */
async function entriesByHand() {
  const all = await world.sql<{
    id: string
    account: string
    code: string
    day: string
    amount: string
  }>(
    `select e.voucher_id || '.' || e.id as id, e.account_id as account, a.code, e.amount,
        (e.created_at at time zone 'Asia/Shanghai')::date::text as day
      from ledger_entries e join ledger_accounts a on a.id = e.account_id
      order by e.created_at, e.id`,
  )
  const sums = new Map<string, number>()
  const rows = new Map<string, number>()
  for (const { id, account, code, amount } of all) {
    const sum = (sums.get(account) ?? 0) + Number(amount)
    sums.set(account, sum)
    rows.set(id, (code.startsWith('1') ? sum : -sum) || 0)
  }
  return { rows, days: new Set(all.map(({ day }) => day)).size }
}

test('an order, a voucher or a refund is found by its number, whenever it was', async () => {
  const num = world.orderNum('OWN')
  const found = await list({ keyword: num }, own)
  expect(found.list.map((row) => row.type).sort()).toEqual(['V1', 'V1', 'V2', 'V2', 'V6', 'V6'])
  expect(new Set(found.list.map((row) => row.related))).toEqual(new Set([num]))
  const [first] = found.list as [EntryRow]
  expect((await list({ keyword: first.voucherNo }, own)).total).toBe(2)
  const [refund] = await world.sql<{ no: string }>(
    `select refund_no as no from refunds where order_num = $1 and amount > 0`,
    [num],
  )
  expect((await list({ keyword: refund?.no ?? '?' }, own)).list.map((row) => row.type)).toEqual([
    'V6',
    'V6',
  ])
  expect((await list({ keyword: world.orderNum('SIBLING') }, own)).total).toBe(0)
  expect((await list({ account: '1001', type: 'V1', amountMin: 1 }, own)).list[0]).toMatchObject({
    account: '1001',
    credit: null,
  })
  const voucher = await world.call(billing.voucher, { voucherId: first.voucherId }, { token: own })
  expect(voucher.body).toMatchObject({ whole: true, related: num, can: { reverse: false } })
  expect(voucher.body.entries).toHaveLength(2)
})

test('numbers of vouchers are read back', () => {
  expect([voucherIdOf(voucherNo(42)), voucherIdOf('pz42'), voucherIdOf('42')]).toEqual([
    42,
    42,
    null,
  ])
})

test('an adjustment waits for somebody else, then stands in both accounts', async () => {
  const before = await owed(place.PARENT)
  const asked = await ask()
  expect(asked.body).toMatchObject({ state: 'PENDING', can: { approve: false, reject: true } })
  const { id } = asked.body
  expect(await owed(place.PARENT)).toBe(before)
  const self = await decide('approve', id, anna)
  expect([self.status, self.body.message]).toEqual([422, '复核人不能是申请人本人'])
  const unproven = await world.login('ROLE_SUPER_ADMIN', { proven_at: null })
  expect((await decide('approve', id, unproven)).body.error).toBe('common.proofNeeded')
  expect((await decide('approve', id, bert, 2)).body.code).toBe(409001)
  const done = await decide('approve', id)
  expect([done.status, done.body.state]).toEqual([200, 'APPROVED'])
  expect(await owed(place.PARENT)).toBe(before + 1234)
  expect((await decide('approve', id)).body.error).toBe('billing.wrongState')
  const { list: booked } = await list({ type: 'V12' })
  expect(booked).toHaveLength(2)
  expect(booked[0]).toMatchObject({ summary: 'adj', related: asked.body.no })
  // each side sees its own of it
  expect((await list({ type: 'V12' }, own)).list.map((row) => row.account)).toEqual(['1003'])
  const part = await world.call(
    billing.voucher,
    { voucherId: booked[0]?.voucherId },
    { token: own },
  )
  expect(part.body).toMatchObject({ whole: false, reason: '', entries: [{ account: '1003' }] })
})

test('two who agree at once book once', async () => {
  const before = await owed(place.PARENT)
  const { id } = (await ask({ amount: 77 })).body
  const tries = await Promise.all(Array.from({ length: 10 }, () => decide('approve', id)))
  expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect(await owed(place.PARENT)).toBe(before + 77)
})

test('nobody is left with less than nothing', async () => {
  const wanted = { debitOrgId: place.PARENT, debitCode: '2002', creditCode: '1003' }
  const { id } = (await ask({ ...wanted, amount: 99_999_999 })).body
  const refused = await decide('approve', id)
  expect([refused.status, refused.body.error]).toEqual([422, 'billing.tooLittle'])
  expect((await decide('reject', id, anna)).body.state).toBe('REJECTED')
})

test('an adjustment is reversed once, by two people; a sale never', async () => {
  const before = await owed(place.PARENT)
  const made = (await ask({ amount: 500 })).body
  await decide('approve', made.id)
  const [entry] = (await list({ keyword: made.no })).list as [EntryRow]
  const { voucherId } = entry
  const take = (id = voucherId, token = anna) =>
    world.call(billing.reverse, { voucherId: id, reason: '金额录入有误' }, { token })
  const tries = await Promise.all(Array.from({ length: 5 }, () => take()))
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  const id = tries.find(({ status }) => status === 200)?.body.id
  expect((await decide('approve', id, anna)).body.error).toBe('billing.samePerson')
  expect((await decide('approve', id)).body.state).toBe('APPROVED')
  expect(await owed(place.PARENT)).toBe(before)
  const reversals = (await list({ reversals: true })).list
  expect(reversals).toHaveLength(2)
  expect((await take(reversals[0]?.voucherId)).body.error).toBe('billing.notReversible')
  expect((await take()).body.error).toBe('billing.reversesAlready')
  const sale = (await list({ type: 'V1' })).list[0]?.voucherId as number
  expect((await take(sale)).body.error).toBe('billing.notReversible')
})

test.each([
  [{ reason: '' }, 'reason', '请填写调账原因'],
  [{ reason: '太短' }, 'reason', '调账原因为5-200个字'],
  [{ amount: 0 }, 'amount', '金额必须大于0'],
  [{ amount: 1.5 }, 'amount', '金额格式错误'],
  [{ creditOrgId: place.OWN, creditCode: '1003' }, 'creditCode', '借方和贷方不能是同一账户'],
  [{ debitOrgId: 987_654 }, 'debitOrgId', undefined],
  [{ debitCode: '9999' }, 'debitCode', '请选择账户'],
  [{ configId: 5 }, 'configId', '该账户不属于收款商户'],
  [{ images: Array(6).fill('files/a.png') }, 'images', '最多上传5张图片'],
  [{ images: ['files/99999999-0000-4000-8000-000000000000.png'] }, 'images', undefined],
] as [Record<string, unknown>, string, string | undefined][])(
  '%j is refused at its field',
  async (wrong, field, message) => {
    const { status, body } = await ask(wrong)
    expect([status >= 400 && status < 500, body.errors?.[0]?.field]).toEqual([true, field])
    if (message) expect(body.errors[0].message).toBe(message)
  },
)

test('an organisation sees what stands where, and the last days', async () => {
  const { body } = await world.call(billing.accounts, {}, { token: own })
  const sums = await world.sql<{ code: string; fen: string }>(
    `select a.code, sum(e.amount) as fen from ledger_entries e
      join ledger_accounts a on a.id = e.account_id where e.org_id = 3 group by 1 order by 1`,
  )
  expect(body.accounts).toEqual(
    sums.map(({ code, fen }) => ({
      account: code,
      balance: Number(fen) * (code.startsWith('1') ? 1 : -1),
    })),
  )
  expect(body.days).toHaveLength(30)
  const pending = body.accounts.find((one: { account: string }) => one.account === '2001')
  expect(body.days.at(-1).pending).toBe(pending.balance)
  expect(body.merchants).toMatchObject([{ configId: null }])
  const other = await world.call(billing.accounts, { orgId: place.SIBLING }, { token: own })
  expect(other.status).toBe(404)
})

test('the badge says what the comparison found', async () => {
  const state = async (token: string) => (await world.call(billing.ledgerState, {}, { token })).body
  expect(await state(anna)).toMatchObject({ balanced: true })
  await world.sql(`insert into reconciliation_differences (org_id, day, part, kind, subject,
      local_amount, other_amount, created_at)
    values (3, '2026-11-20', 'LEDGER', 'VOUCHER_BALANCE', 'x', 1, 0, now())`)
  expect([(await state(anna)).balanced, (await state(own)).balanced]).toEqual([false, false])
})

test('afterwards the books agree', async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  expect(await verifyDay(world.app, '2026-11-21')).toEqual([])
})

test('what is booked by a clock that was set back comes before marks: they are written anew', async () => {
  const before = await marks()
  const last = before.at(-1)?.at as Date
  const now = clock
  clock = last.getTime() - dayMs
  await enter()
  await world.sell('OWN', ['OK'])
  const left = await marks()
  expect(left.length).toBeLessThan(before.length)
  expect(left.every(({ at }) => at.getTime() < clock)).toBe(true)
  clock = now
  await enter()
  await shownRight()
  await markBalances(world.app)
  expect((await marks()).length).toBeGreaterThanOrEqual(before.length)
  await shownRight()
  // an act that is under way may still book what comes before these
  await world.sell('OWN', ['OK', 'OK'])
  const whole = (await marks()).length
  await markBalances(world.app)
  expect((await marks()).length).toBe(whole)
})
