import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, picture, place, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { claim, runDue } from '../../../server/work.ts'
import { post } from '../../ledger/server/post.ts'
import { payoutAccounts } from '../../payout-accounts/contract.ts'
import { withdrawals } from '../contract.ts'
import { attempt, type Due, transferKind } from './pay.ts'
import { transferFaults } from './simulator.ts'

/** What is asked for is set aside, what is paid is paid once, and what is not comes back. */
let world: World
let tokens: Record<'finance' | 'other' | 'admin' | 'super' | 'clerk' | 'sibling', string>
let now = worldNow
const org = place.OWN
beforeAll(async () => {
  world = await openWorld({ now: () => now })
  tokens = {
    finance: await world.login('ROLE_FINANCE'),
    other: await world.login('ROLE_FULL'),
    admin: await world.login('ROLE_ADMIN'),
    super: await world.login('ROLE_SUPER_ADMIN'),
    clerk: await world.login('PLATFORM_FULL'),
    sibling: await world.login('ROLE_RTU_AGENT'),
  }
})
afterAll(() => world?.close())
beforeEach(async () => {
  now = worldNow
  transferFaults.clear()
  await world.sql(
    `update withdrawals set state = 'CANCELLED', returned_at = now(), next_at = null
      where org_id = $1 and state = 'PENDING'`,
    [org],
  )
  await world.sql('delete from withdrawals where org_id = $1', [org])
  await world.sql('update payout_accounts set removed_at = now() where org_id = $1', [org])
  // the shares of the world's own sale are had
  await world.sql(`update split_orders set state = 'DONE', done_at = now() where state = 'READY'`)
})

let facts = 0
/** Shares of sales that are over. */
const earn = (amount: number, orgId = org) =>
  world.system(async (ctx) => {
    facts += 1
    post(ctx, [
      {
        ...{ key: `al:test:${facts}`, type: 'V3', orgId, orderId: null, orderNum: null },
        configId: null,
        entries: [
          { account: '2001', amount },
          { account: '2002', amount: -amount },
        ],
      },
    ])
  })
const owe = (amount: number) =>
  world.system(async (ctx) => {
    facts += 1
    post(ctx, [
      {
        ...{ key: `sr:test:${facts}`, type: 'V7', orgId: org, orderId: null, orderNum: null },
        configId: null,
        entries: [
          { account: '1101', amount },
          { account: '2001', amount: -amount },
        ],
      },
    ])
  })
const balances = async (orgId = org) =>
  Object.fromEntries(
    (
      await world.sql<{ code: string; balance: string }>(
        'select code, balance from ledger_balances where org_id = $1 and balance > 0',
        [orgId],
      )
    ).map(({ code, balance }) => [code, Number(balance)]),
  )
/** What is there is taken away, so that each test knows what it has. */
const have = async (amount: number) => {
  const held = await balances()
  for (const code of ['2002', '2003', '1101'] as const) {
    const rest = held[code] ?? 0
    if (rest)
      await world.system(async (ctx) => {
        facts += 1
        const sign = code === '1101' ? -1 : 1
        post(ctx, [
          {
            ...{ key: `adj:test:${facts}`, type: 'V12', orgId: org, orderId: null },
            ...{ orderNum: null, configId: null },
            entries: [
              { account: code, amount: sign * rest },
              { account: '2001', amount: -sign * rest },
            ],
          },
        ])
      })
  }
  if (amount) await earn(amount)
}
const numbers = { BANK: '6222020200112233445', WECHAT: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' } as const
/** An account that may be used. */
const account = async (method: 'BANK' | 'WECHAT' = 'BANK', rested = true) => {
  const { body, status } = await world.call(
    payoutAccounts.create,
    {
      ...{ method, holder: '机构OWN', accountNo: numbers[method] },
      bankName: method === 'BANK' ? '招商银行' : '',
    },
    { token: tokens.finance },
  )
  expect(status, JSON.stringify(body)).toBe(200)
  if (rested)
    await world.sql(
      `update payout_accounts set changed_at = changed_at - interval '24 hours' where id = $1`,
      [body.id],
    )
  return body.id as number
}
type Answer = { status: number; body: Record<string, unknown> & { id: number; version: number } }
const ask = (amount: number, accountId: number, token = tokens.finance): Promise<Answer> =>
  world.call(
    withdrawals.create,
    { amount, accountId },
    { token, headers: { 'idempotency-key': randomUUID() } },
  )
const act = (
  verb: 'approve' | 'cancel' | 'reject' | 'retry' | 'offlinePaid',
  { id, version }: { id: number; version: number },
  token = tokens.admin,
  more: object = {},
): Promise<Answer> => world.call(withdrawals[verb], { id, version, ...more } as never, { token })
const work = () => runDue(world.app, transferKind(world.app))
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
const stateOf = async (id: number) =>
  (
    await world.sql<{ state: string; round: number; next: boolean; version: number; no: string }>(
      `select state, round, next_at is not null as next, version, withdrawal_no as no
        from withdrawals where id = $1`,
      [id],
    )
  )[0]
const sent = async (no: string) =>
  (await world.sql('select 1 from simulated_transfers where withdrawal_no = $1', [no])).length
const keysOf = async (no: string) =>
  (
    await world.sql<{ key: string }>(
      `select key from ledger_voucher_keys where key like 'wd:' || $1 || ':%' order by voucher_id`,
      [no],
    )
  ).map(({ key }) => key.replace(`wd:${no}:`, ''))
/** Asked for and agreed to. */
const approved = async (amount: number, method: 'BANK' | 'WECHAT' = 'WECHAT') => {
  const { body } = await ask(amount, await account(method))
  const no = body.withdrawalNo as string
  return {
    id: body.id,
    no,
    approve: () => act('approve', body),
  }
}

describe('asking', () => {
  test('sets the money aside, once a time', async () => {
    await have(5000)
    const accountId = await account()
    const { status, body } = await ask(3000, accountId)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      ...{ state: 'PENDING', amount: 3000, accountNo: '****3445', orgName: '机构OWN' },
      can: { cancel: true, approve: false, reject: false },
    })
    expect(await balances()).toEqual({ 2002: 2000, 2003: 3000 })
    expect((await ask(1000, accountId)).body).toMatchObject({ error: 'withdrawals.pending' })
    expect(await balances()).toEqual({ 2002: 2000, 2003: 3000 })
    expect((await act('cancel', body, tokens.other)).body).toMatchObject({
      error: 'withdrawals.notApplicant',
    })
    expect((await act('cancel', body, tokens.finance)).body).toMatchObject({ state: 'CANCELLED' })
    expect(await balances()).toEqual({ 2002: 5000 })
  })

  test.each([
    ['more than there is', 5001, 'tooMuch'],
    ['less than the least', 999, 'tooLittle'],
  ])('%s is refused', async (_, amount, error) => {
    await have(5000)
    expect((await ask(amount, await account())).body).toMatchObject({
      error: `withdrawals.${error}`,
    })
    expect(await balances()).toEqual({ 2002: 5000 })
  })

  test('debts and what may still go back are no money', async () => {
    await have(5000)
    await owe(1500)
    const accountId = await account()
    const funds = (await world.call(withdrawals.funds, {}, { token: tokens.finance })).body
    expect(funds).toMatchObject({ balance: 5000, debts: 1500, reserve: 0, available: 3500 })
    expect((await ask(3501, accountId)).body).toMatchObject({ error: 'withdrawals.tooMuch' })
    expect((await ask(3500, accountId)).status).toBe(200)
  })

  test('shares that are not due are no money yet, nor what another merchant collected', async () => {
    await have(5000)
    const read = async () =>
      (await world.call(withdrawals.funds, {}, { token: tokens.finance })).body
    await world.sql(
      `update split_orders set state = 'READY' where state = 'DONE' and org_id = $1`,
      [org],
    )
    const early = await read()
    expect(early.reserve).toBeGreaterThan(0)
    expect(early.available).toBe(5000 - early.reserve)
    expect((await ask(5000 - early.reserve + 1, await account())).body).toMatchObject({
      error: 'withdrawals.tooMuch',
    })
    await world.sql(`update split_orders set state = 'DONE' where state = 'READY'`)
    const [own] = await world.sql<{ id: number }>(
      'select id::int from payment_configs where org_id = $1 limit 1',
      [org],
    )
    await world.sql(
      `insert into bill_shares (org_id, owner_id, device_id, grain, day, config_id, provider,
        pay_type, share) values ($1, $1, 3001, 'MONTH', '2026-11-01', $2, 'WECHAT', 'WECHAT', 700)`,
      [org, own?.id],
    )
    expect(await read()).toMatchObject({ reserve: 700, available: 4300 })
    await world.sql('delete from bill_shares where config_id = $1', [own?.id])
  })

  test('an account rests for a day, and is the own one of this name', async () => {
    await have(5000)
    const resting = await account('BANK', false)
    expect((await ask(1000, resting)).body).toMatchObject({ error: 'withdrawals.accountRests' })
    const rests = (seconds: number) =>
      world.sql('update payout_accounts set changed_at = $2 where id = $1', [
        resting,
        new Date(worldNow.getTime() - seconds * 1000),
      ])
    await rests(86_399)
    expect((await ask(1000, resting)).body).toMatchObject({ error: 'withdrawals.accountRests' })
    await rests(86_400)
    await world.sql(`update organisations set name = '改名' where id = $1`, [org])
    expect((await ask(1000, resting)).body).toMatchObject({ error: 'withdrawals.holderChanged' })
    await world.sql(`update organisations set name = '机构OWN' where id = $1`, [org])
    // of somebody else
    const foreign = await world.sql<{ id: number }>(
      'select id from payout_accounts where org_id = $1 limit 1',
      [place.SIBLING],
    )
    expect((await ask(1000, Number(foreign[0]?.id))).body).toMatchObject({
      error: 'withdrawals.accountNeeded',
    })
    expect((await ask(1000, resting)).status).toBe(200)
  })

  test('of a disabled organisation nothing is asked for; what was asked for is decided', async () => {
    await have(5000)
    const { body } = await ask(1000, await account())
    await world.sql(`update organisations set status = 'DISABLED' where id = $1`, [org])
    try {
      expect((await act('reject', body, tokens.admin, { reason: '停用' })).status).toBe(200)
      expect(await balances()).toEqual({ 2002: 5000 })
    } finally {
      await world.sql(`update organisations set status = 'ENABLED' where id = $1`, [org])
    }
  })

  test('no more than a few a day', async () => {
    await have(5000)
    const accountId = await account()
    for (let i = 0; i < 3; i += 1) {
      const { body } = await ask(1000, accountId)
      expect((await act('cancel', body, tokens.finance)).status).toBe(200)
    }
    expect((await ask(1000, accountId)).body).toMatchObject({ error: 'withdrawals.tooOften' })
  })

  test('fifty at once for the last fen: one gets it', async () => {
    await have(1000)
    const accountId = await account()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        ask(1000, accountId, i % 2 ? tokens.finance : tokens.other),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(await balances()).toEqual({ 2003: 1000 })
  })

  test('what a return takes at the same moment is not there for both', async () => {
    await have(1000)
    const accountId = await account()
    const back = world
      .system(async (ctx) => {
        post(ctx, [
          {
            ...{ key: `sr:race:${randomUUID()}`, type: 'V7', orgId: org, orderId: null },
            ...{ orderNum: null, configId: null },
            entries: [
              { account: '2002', amount: 800 },
              { account: '2001', amount: -800 },
            ],
          },
        ])
      })
      .then(
        () => 1,
        () => 0,
      )
    const [answer, returned] = await Promise.all([ask(1000, accountId), back])
    expect(Number(answer.status === 200) + returned).toBe(1)
    expect([200, 422]).toContain(answer.status)
  })
})

describe('deciding', () => {
  test('two people, three beyond the limit; one of them an administrator', async () => {
    await have(10_000_000)
    const small = (await ask(5_000_000, await account())).body
    // whoever asked may hold the right; the code is the platform's alone
    expect((await act('approve', small, tokens.other)).status).toBe(403)
    expect((await act('approve', small, tokens.clerk)).body).toMatchObject({ state: 'APPROVED' })
    const big = (await ask(5_000_000 - 0, await account())).body
    expect((await act('cancel', big, tokens.finance)).status).toBe(200)
    await earn(5_000_001)
    const third = (await ask(5_000_001, await account())).body
    const once = (await act('approve', third, tokens.super)).body
    expect(once).toMatchObject({ state: 'PENDING', can: { approve: false } })
    expect((await act('approve', once, tokens.super)).body).toMatchObject({
      error: 'withdrawals.samePerson',
    })
    expect((await act('approve', once, tokens.clerk)).body).toMatchObject({
      error: 'withdrawals.secondRank',
    })
    expect((await act('approve', once, tokens.admin)).body).toMatchObject({ state: 'APPROVED' })
  })

  test('two browsers at once: one decides', async () => {
    await have(3000)
    const { body } = await ask(3000, await account())
    const answers = await Promise.all([
      act('approve', body, tokens.admin),
      act('reject', body, tokens.super, { reason: '重复' }),
      act('cancel', body, tokens.finance),
      act('approve', body, tokens.clerk),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { 2002: free = 0, 2003: aside = 0 } = await balances()
    expect(free + aside).toBe(3000)
  })

  test('a transfer by hand has its voucher and its fee', async () => {
    await have(3000)
    const { id, no, approve } = await approved(3000, 'BANK')
    const decided = (await approve()).body
    expect(await work()).toBe(0)
    const seen = await world.call(withdrawals.payee, { id }, { token: tokens.admin })
    expect(seen.body).toMatchObject({ account: numbers.BANK, holder: '机构OWN' })
    expect((await world.call(withdrawals.payee, { id }, { token: tokens.finance })).status).toBe(
      403,
    )
    const foreign = await act('offlinePaid', decided, tokens.admin, { voucher: picture('OWN') })
    expect(foreign.status).toBe(404)
    await world.sql(
      `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
        select 1, id, 'IMAGE', 'image/png', 10, 'x',
          'files/00000000-0000-4000-8000-0000000000aa.png' from users where username = 'ROLE_ADMIN'
        on conflict do nothing`,
    )
    const paid = await act('offlinePaid', decided, tokens.admin, {
      voucher: 'files/00000000-0000-4000-8000-0000000000aa.png',
      fee: 100,
    })
    expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ state: 'PAID', received: 2900 })
    expect(await balances()).toEqual({})
    expect(await keysOf(no)).toEqual(['apply', 'paid'])
  })

  test('of another organisation nothing is seen', async () => {
    await have(3000)
    const { body } = await ask(3000, await account())
    const stranger = await world.login('user-SIBLING')
    const seen = await world.call(withdrawals.list, {}, { token: stranger })
    expect(seen.status).toBe(403)
    expect((await act('cancel', { ...body, id: body.id }, tokens.sibling)).status).not.toBe(200)
  })
})

describe('paying', () => {
  test('once, under its own number, to the account as it was', async () => {
    await have(3000)
    const { id, no, approve } = await approved(3000)
    await approve()
    expect(await work()).toBe(1)
    expect(await stateOf(id)).toMatchObject({ state: 'PAID', next: false })
    expect(await balances()).toEqual({})
    expect(await sent(no)).toBe(1)
    expect(await keysOf(no)).toEqual(['apply', 'paid'])
    expect(await work()).toBe(0)
  })

  test.each([
    ['the answer gets lost', { pay: ['LOST'] }],
    ['it never arrives', { pay: ['DROPPED', 'DROPPED'] }],
    ['nothing can be asked', { query: ['SILENT', 'SILENT'] }],
    ['it is done late', { pay: ['LATE'] }],
    ['there is no money for a while', { pay: ['SHORT', 'SHORT'] }],
    ['what it says is not signed', { pay: ['UNCLEAR'], query: ['UNCLEAR'] }],
    ['all of it', { pay: ['DROPPED', 'LOST'], query: ['UNCLEAR', 'SILENT'] }],
  ] as const)('%s: paid once', async (_, faults) => {
    await have(3000)
    const { id, no, approve } = await approved(3000)
    transferFaults.set(no, structuredClone(faults) as never)
    await approve()
    for (let i = 0; i < 12 && (await stateOf(id))?.state !== 'PAID'; i += 1) {
      await work()
      // nothing comes back while nobody knows
      if ((await stateOf(id))?.state === 'PAYING') expect(await balances()).toEqual({ 2003: 3000 })
      later(3601)
    }
    expect(await stateOf(id)).toMatchObject({ state: 'PAID' })
    expect(await sent(no)).toBe(1)
    expect(await keysOf(no)).toEqual(['apply', 'paid'])
    expect(await balances()).toEqual({})
  })

  test('killed between the transfer and its mark: paid once', async () => {
    await have(3000)
    const { id, no, approve } = await approved(3000)
    await approve()
    const [piece] = await claim(world.app, transferKind(world.app), 4)
    expect((await attempt(world.app, piece as Due)).state).toBe('SUCCESS')
    // whoever did it is gone before it is written
    later(121)
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'PAID' })
    expect(await sent(no)).toBe(1)
    expect(await keysOf(no)).toEqual(['apply', 'paid'])
  })

  test('two workers at once write it once', async () => {
    await have(3000)
    const { id, no, approve } = await approved(3000)
    await approve()
    const kind = transferKind(world.app)
    const [first] = await claim(world.app, kind, 4)
    later(121)
    const [second] = await claim(world.app, kind, 4)
    const mark = (piece: Due | undefined) =>
      world.system(async (ctx) => {
        await kind.mark(ctx, piece as Due, {
          ...{ state: 'SUCCESS', transferNo: 'x' },
          nextAt: null as never,
        })
      })
    await Promise.all([mark(first), mark(second)])
    expect(await stateOf(id)).toMatchObject({ state: 'PAID' })
    expect(await keysOf(no)).toEqual(['apply', 'paid'])
    expect(await balances()).toEqual({})
  })

  test('refused for good comes back; again it is the same number, and what is there', async () => {
    await have(3000)
    const { id, no, approve } = await approved(3000)
    transferFaults.set(no, { pay: ['REFUSED'] })
    await approve()
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'FAILED', next: false })
    expect(await balances()).toEqual({ 2002: 3000 })
    const failed = { id, version: (await stateOf(id))?.version ?? 0 }
    await owe(1)
    expect((await act('retry', failed)).body).toMatchObject({ error: 'withdrawals.tooMuch' })
    await have(3000)
    expect((await act('retry', failed)).body).toMatchObject({ state: 'PAYING' })
    expect(await balances()).toEqual({ 2003: 3000 })
    // the channel knows this number: it says again what it said
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'FAILED', round: 2 })
    expect(await keysOf(no)).toEqual(['apply', 'back', 'apply:2', 'back:2'])
    expect(await balances()).toEqual({ 2002: 3000 })
    expect(await sent(no)).toBe(1)
  })

  test('the payee has a day to say yes', async () => {
    await have(6000)
    const { id, no, approve } = await approved(3000)
    transferFaults.set(no, { pay: ['CONFIRM'] })
    await approve()
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'CONFIRMING', next: true })
    later(86_300)
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'CONFIRMING' })
    later(200)
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'FAILED' })
    expect(await balances()).toEqual({ 2002: 6000 })
    expect(await keysOf(no)).toEqual(['apply', 'back'])
  })

  test('what is unclear for two days stays on its way, and somebody is told', async () => {
    await have(3000)
    const { id, no, approve } = await approved(3000)
    transferFaults.set(no, { query: Array(100).fill('SILENT') })
    await approve()
    for (let i = 0; i < 60 && (i === 0 || (await stateOf(id))?.next); i += 1) {
      await work()
      later(3601)
    }
    const stuck = await stateOf(id)
    expect(stuck).toMatchObject({ state: 'PAYING', next: false })
    expect(await balances()).toEqual({ 2003: 3000 })
    const told = await world.sql('select 1 from security_events where subject = $1', [no])
    expect(told).toHaveLength(1)
    // by hand it would be paid twice
    tokens.admin = await world.login('ROLE_ADMIN')
    const asked = { id, version: stuck?.version ?? 0 }
    const voucher = 'files/00000000-0000-4000-8000-0000000000aa.png'
    expect((await act('offlinePaid', asked, tokens.admin, { voucher })).body).toMatchObject({
      error: 'withdrawals.wrongState',
    })
    transferFaults.clear()
    expect((await act('retry', asked)).body).toMatchObject({ state: 'PAYING' })
    await work()
    expect(await stateOf(id)).toMatchObject({ state: 'PAID', round: 1 })
    expect(await keysOf(no)).toEqual(['apply', 'paid'])
  })

  test('the account is changed meanwhile: the money goes where it was asked for', async () => {
    await have(3000)
    const accountId = await account('WECHAT')
    const { body } = await ask(3000, accountId)
    await world.sql(`update payout_accounts set account = '\\x00' where id = $1`, [accountId])
    await act('approve', body)
    await work()
    expect(await stateOf(body.id)).toMatchObject({ state: 'PAID' })
  })
})

test('the books agree', async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
