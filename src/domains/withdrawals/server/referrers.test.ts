import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, place, restock, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { payoutAccounts } from '../../payout-accounts/contract.ts'
import { openPayee } from '../../payout-accounts/server/accounts.ts'
import { verifyDay } from '../../reconciliation/server/run.ts'
import { referrers } from '../../referrers/contract.ts'
import { bindPhone } from '../../referrers/server/people.ts'
import { seal } from '../../referrers/server/queries.ts'
import { splits } from '../../splits/contract.ts'
import { accrue, foldDues } from '../../splits/server/accrue.ts'
import { withdrawals } from '../contract.ts'
import { mostAMonth } from '../rules.ts'
import { monthOf, payeeHash } from './months.ts'
import { transferKind } from './pay.ts'

/** A referrer's share of sales is paid to him: asked for by his organisation, agreed to by others. */
let world: World
const now = worldNow.getTime()
let [his, hers] = [0, 0]
let tokens: Record<'finance' | 'admin' | 'agent' | 'sibling', string>
const openid = 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o'

const made = async (orgId: number, name: string) => {
  const sealed = seal(world.app, 'id_name', orgId, name).toString('hex')
  const [row] = await world.sql<{ id: number }>(
    `insert into referrers (org_id, referrer_name, mobile, mobile_hash, mobile_shown, receive_kind,
      id_name) values ($1, $2, '\\x00', decode(md5($2), 'hex'), '139****0000', 'PERSONAL',
      decode($3, 'hex')) returning id::int`,
    [orgId, name, sealed],
  )
  return row?.id as number
}
/** Sales of his organisation whose shares are due. */
const sell = async (n: number) => {
  for (let i = 0; i < n; i += 1) await world.sell('OWN', ['OK'])
  await accrue(world.app)
}
const due = () =>
  world.sql(`update split_orders set state = 'DONE', done_at = now(),
  fail_reason = null where state = 'READY'`)
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  await world.sql('delete from split_debts')
  his = await made(place.OWN, '张三丰')
  hers = await made(place.PARENT, '李四')
  await splitSales(world, 'OWN', 'HOUR', [his, hers])
  await world.sql(
    `insert into settings (org_id, key, value) values ($1, 'funds.minWithdrawal', '10'),
      ($1, 'funds.withdrawalsPerDay', '10')`,
    [place.PLATFORM],
  )
  tokens = {
    finance: await world.login('ROLE_FINANCE'),
    admin: await world.login('ROLE_ADMIN'),
    agent: await world.login('ROLE_RTU_AGENT'),
    sibling: await world.login('ROLE_FULL'),
  }
  await sell(4)
})
afterAll(() => world?.close())

const funds = async (referrerId = his, token = tokens.finance) =>
  world.call(withdrawals.funds, { referrerId }, { token })
const standing = async () =>
  Object.fromEntries(
    (
      await world.sql<{ key: string; fen: number }>(
        `select code || coalesce(' ' || referrer_id, '') as key, balance::int as fen
          from ledger_balances where org_id = $1 and balance > 0`,
        [place.OWN],
      )
    ).map(({ key, fen }) => [key, fen]),
  )
const agree = async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  expect(await verifyDay(world.app, '2026-11-21')).toEqual([])
}
const rested = () =>
  world.sql(`update payout_accounts set changed_at = changed_at - interval '24 hours'
    where referrer_id is not null`)
const bank = { method: 'BANK' as const, bankName: '招商银行', accountNo: '6222020200112233445' }
type Answer = { status: number; body: Record<string, unknown> & { id: number; version: number } }
const ask = (
  amount: number,
  accountId: number,
  { referrerId = his, token = tokens.finance } = {},
): Promise<Answer> =>
  world.call(
    withdrawals.create,
    { amount, accountId, referrerId },
    { token, headers: { 'idempotency-key': randomUUID() } },
  )
const act = (
  verb: 'approve' | 'reject' | 'cancel' | 'retry' | 'offlinePaid',
  { id, version }: { id: number; version: number },
  more: object = {},
  token = tokens.admin,
): Promise<Answer> => world.call(withdrawals[verb], { id, version, ...more } as never, { token })
const optionsOf = async (referrerId: number, token = tokens.finance) =>
  (await world.call(payoutAccounts.options, { referrerId }, { token })).body.list as {
    id: number
  }[]
const phone = () =>
  bySystem(world.app, (ctx) =>
    bindPhone(ctx, { id: his, orgId: place.OWN, openid, holder: '张三丰' }),
  )

describe('what may be had', () => {
  test('nothing before his shares are due, then all of it, and nothing that others collected', async () => {
    const owed = (await standing())[`2004 ${his}`] as number
    expect(owed).toBeGreaterThan(10)
    const early = (await funds()).body
    expect(early).toMatchObject({ balance: owed, reserve: owed, available: 0, underWay: 0 })
    await due()
    expect((await funds()).body).toMatchObject({ balance: owed, reserve: 0, available: owed })
    await foldDues(world.app)
    expect((await funds()).body).toMatchObject({ available: owed })
    await agree()
    // as if merchants of others had taken it
    const [own] = await world.sql<{ id: number }>(
      'select id::int from payment_configs where org_id = $1 limit 1',
      [place.OWN],
    )
    const taken = (config: number | null) =>
      world.sql('update referrer_dues set config_id = $1 where referrer_id = $2', [config, his])
    await taken(own?.id as number)
    expect((await funds()).body).toMatchObject({ reserve: owed, available: 0 })
    await taken(null)
    await agree()
  })

  test('his organisation’s people alone, and those who read referrers', async () => {
    expect((await funds(hers)).body.error).toBe('common.notFound')
    expect((await funds(his, tokens.agent)).body.error).toBe('common.notFound')
    expect(await optionsOf(hers)).toEqual([])
  })
})

describe('where it goes', () => {
  test('a bank account bears the name of his papers, and shows its first letter', async () => {
    const create = (more: object) =>
      world.call(
        payoutAccounts.create,
        { ...bank, referrerId: his, holder: '张三丰', ...more },
        {
          token: tokens.finance,
          headers: { 'idempotency-key': randomUUID() },
        },
      )
    expect((await create({ holder: '机构OWN' })).body.error).toBe('payoutAccounts.otherPerson')
    expect((await create({ referrerId: hers })).body.error).toBe('common.notFound')
    const typed = await create({ method: 'WECHAT', bankName: '', accountNo: openid })
    expect(typed.body.error).toBe('payoutAccounts.scanned')
    const { body } = await create({})
    expect(body).toMatchObject({ holder: '张**', referrerName: '张三丰', state: 'RESTING' })
    const [row] = await world.sql<{ account: Buffer; holder: string }>(
      'select account, holder from payout_accounts where id = $1',
      [body.id],
    )
    const place_ = { orgId: place.OWN, method: 'BANK' as const, referrerId: his }
    expect(
      openPayee(world.app, { ...place_, holder: '', account: row?.account as Buffer }),
    ).toEqual({
      account: bank.accountNo,
      holder: '张三丰',
    })
    expect((await ask(10, body.id)).body.error).toBe('withdrawals.accountRests')
    // edited as it was shown
    const edit = { ...bank, id: body.id, version: 1, holder: '张**', accountNo: body.accountNo }
    const kept = await world.call(payoutAccounts.update, edit, { token: tokens.finance })
    expect(kept.body).toMatchObject({ holder: '张**', accountNo: body.accountNo })
    await rested()
    // of him, not of the organisation or of another
    const mixed = await world.call(
      withdrawals.create,
      { amount: 10, accountId: body.id },
      { token: tokens.finance, headers: { 'idempotency-key': randomUUID() } },
    )
    expect(mixed.body.error).toBe('withdrawals.accountNeeded')
  })

  test('the phone that scans his code is his account at WeChat', async () => {
    const token = tokens.finance
    const { body } = await world.call(referrers.bindQrcode, { id: his }, { token })
    const code = new URL(body.url).searchParams.get('k') as string
    expect((await world.call(referrers.bind, { code })).status).toBe(200)
    const { body: list } = await world.call(payoutAccounts.list, { referrerId: his }, { token })
    expect(list.list).toContainEqual(
      expect.objectContaining({
        ...{ method: 'WECHAT', holder: '张**', state: 'RESTING' },
        can: { update: false, delete: false },
      }),
    )
    const one = list.list.find(({ method }: { method: string }) => method === 'WECHAT')
    const gone = await world.call(payoutAccounts.remove, { id: one.id, version: 1 }, { token })
    expect(gone.body.error).toBe('payoutAccounts.scanned')
  })
})

describe('how he is paid', () => {
  test('by hand: two people, his money and not his organisation’s', async () => {
    const before = await standing()
    const owed = before[`2004 ${his}`] as number
    const [{ id }] = (await optionsOf(his)) as [{ id: number }]
    expect((await ask(owed + 1, id)).body.error).toBe('withdrawals.tooMuch')
    const asked = (await ask(owed - 10, id)).body
    expect(asked).toMatchObject({ referrerId: his, referrerName: '张三丰', holder: '张**' })
    expect((await ask(10, id)).body.error).toBe('withdrawals.pending')
    expect(await standing()).toEqual({
      ...before,
      [`2004 ${his}`]: 10,
      [`2005 ${his}`]: owed - 10,
    })
    expect((await funds()).body).toMatchObject({ available: 10, underWay: owed - 10 })
    // whoever asked for it does not decide, nor do people of the organisation
    expect((await act('approve', asked, {}, tokens.sibling)).status).toBe(403)
    const approved = (await act('approve', asked)).body
    expect(approved).toMatchObject({ state: 'APPROVED' })
    const payee = await world.call(withdrawals.payee, { id: asked.id }, { token: tokens.admin })
    expect(payee.body).toMatchObject({ holder: '张三丰', account: bank.accountNo })
    const voucher = 'files/00000000-0000-4000-8000-0000000000aa.png'
    await world.sql(
      `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
        select 1, id, 'IMAGE', 'image/png', 10, 'x', $1 from users where username = 'ROLE_ADMIN'`,
      [voucher],
    )
    const paid = await act('offlinePaid', approved, { voucher, fee: 0 })
    expect(paid.body).toMatchObject({ state: 'PAID' })
    expect(await standing()).toEqual({ ...before, [`2004 ${his}`]: 10 })
    const { body } = await world.call(referrers.list, { id: his }, { token: tokens.finance })
    expect(body.list[0]).toMatchObject({ earned: owed, unpaid: 10 })
    await agree()
  })

  test('by WeChat: refused it comes back and may be asked for again in its month', async () => {
    await restock(world, 3001, 20)
    await sell(6)
    await due()
    await phone()
    await rested()
    const wechat = await world.sql<{ id: number }>(`select id::int from payout_accounts
      where referrer_id = ${his} and method = 'WECHAT' and removed_at is null`)
    const id = wechat[0]?.id as number
    const before = await standing()
    const payee = payeeHash(world.app, openid)
    const months = () =>
      world.sql<{ amount: number }>('select amount::int from referrer_months where payee = $1', [
        payee,
      ])
    const first = (await ask(10, id)).body
    expect(await months()).toEqual([{ amount: 10 }])
    expect((await act('reject', first, { reason: '资料不符' })).status).toBe(200)
    expect(await months()).toEqual([{ amount: 0 }])
    expect(await standing()).toEqual(before)
    // the month is full but for eleven
    await world.sql(`update referrer_months set amount = $1 where payee = $2 and month = $3`, [
      mostAMonth - 11,
      payee,
      monthOf(new Date(now)),
    ])
    expect((await ask(12, id)).body.error).toBe('withdrawals.monthFull')
    expect(await standing()).toEqual(before)
    const second = (await ask(11, id)).body
    expect((await act('approve', second)).status).toBe(200)
    while (await runDue(world.app, transferKind(world.app)));
    const [row] = await world.sql<{ state: string }>(
      'select state from withdrawals where id = $1',
      [second.id],
    )
    expect(row).toEqual({ state: 'PAID' })
    expect(await months()).toEqual([{ amount: mostAMonth }])
    expect((await ask(10, id)).body.error).toBe('withdrawals.monthFull')
    await agree()
  })

  test('ten at once: one is asked for', async () => {
    const id = (await optionsOf(his)).at(-1)?.id as number
    const available = (await funds()).body.available as number
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(available, id)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    await act(
      'cancel',
      answers.find(({ status }) => status === 200)?.body as never,
      {},
      tokens.finance,
    )
    expect(await checkInvariants(world.ownerUrl)).toEqual([])
  })

  test('another name of the papers is another person: nothing goes to the one before', async () => {
    const id = (await optionsOf(his)).at(-1)?.id as number
    const asked = (await ask(10, id)).body
    const [{ version }] = (await world.sql<{ version: number }>(
      'select version from referrers where id = $1',
      [his],
    )) as [{ version: number }]
    const person = { referrerName: '张三丰', receiveKind: 'PERSONAL' as const, idName: '王五' }
    const changed = await world.call(
      referrers.update,
      { id: his, version, ...person },
      { token: tokens.finance },
    )
    expect(changed.body).toMatchObject({ receiverState: 'UNBOUND' })
    expect(await optionsOf(his)).toEqual([])
    expect((await act('approve', asked)).body.error).toBe('withdrawals.holderChanged')
    expect((await act('cancel', asked, {}, tokens.finance)).status).toBe(200)
  })
})

test('his split orders and debts are found by him', async () => {
  const of = (referrerId: number) =>
    world.call(splits.list, { referrerId }, { token: tokens.finance })
  expect((await of(his)).body.list.length).toBeGreaterThan(0)
  await world.sql('delete from split_debts')
  const [none] = [await made(place.OWN, createHash('md5').update('x').digest('hex').slice(0, 4))]
  expect((await of(none)).body.list).toEqual([])
  const debts = await world.call(splits.debts, { referrerId: his }, { token: tokens.finance })
  expect(debts.body.list).toEqual([])
})
