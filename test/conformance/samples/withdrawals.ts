import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sealAccount } from '../../../src/domains/payout-accounts/server/accounts.ts'
import { place, rowId, type World } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, uploaded, versionOf } from './kit.ts'

const bank = { method: 'BANK', holder: '机构OWN', bankName: '银行', accountNo: '62220202001122' }
const number = () => `TX${String(Math.floor(Math.random() * 1e15)).padStart(16, '0')}`
const user = (name: string) => `(select id from users where username = '${name}')`

/** Money of OWN that may be withdrawn, as the ledger knows it. */
const earn = (world: World, amount: number) =>
  world.system(async (ctx) => {
    const { post } = await import('../../../src/domains/ledger/server/post.ts')
    post(ctx, [
      {
        ...{ key: `al:sample:${randomUUID()}`, type: 'V3', orgId: place.OWN, orderId: null },
        ...{ orderNum: null, configId: null },
        entries: [
          { account: '2001', amount },
          { account: '2002', amount: -amount },
        ],
      },
    ])
  })
/** One that was asked for, with its money set aside. */
async function asked(world: World, state = 'PENDING', applicant = 'ROLE_FINANCE') {
  const { post } = await import('../../../src/domains/ledger/server/post.ts')
  const { setAside } = await import('../../../src/domains/withdrawals/rules.ts')
  await world.sql(
    `update withdrawals set state = 'REJECTED', reason = '让位', returned_at = '2026-11-20'
      where org_id = ${place.OWN} and state = 'PENDING'`,
  )
  const no = number()
  const account = sealAccount(world.app, { orgId: place.OWN, method: 'BANK' }, bank.accountNo)
  const id = await fresh(
    world,
    `insert into withdrawals (org_id, withdrawal_no, amount, account_id, method, holder, bank_name,
      account, account_no, state, requested_by, requested_at, approved_by, returned_at, provider)
    values (${place.OWN}, '${no}', 1000, ${own}, '${state === 'FAILED' ? 'WECHAT' : 'BANK'}',
      '机构OWN', '银行', '\\x${account.toString('hex')}', '****1122', '${state}',
      ${user(applicant)}, '2026-11-20', ${state === 'PENDING' ? 'null' : user('ROLE_ADMIN')},
      ${state === 'FAILED' ? `'2026-11-20', 'SIMULATOR'` : 'null, null'})`,
  )
  await earn(world, 1000)
  if (state !== 'FAILED')
    await world.system(async (ctx) =>
      post(ctx, [setAside({ no, round: 1, orgId: place.OWN, amount: 1000 })]),
    )
  return { id, version: 1 }
}

/** One that its payee has to confirm, and the code that was sent to him. */
async function waiting(world: World) {
  const [{ id }, code] = [
    await asked(world, 'APPROVED', 'ROLE_FULL'),
    randomBytes(32).toString('base64url'),
  ]
  await world.sql(
    `update withdrawals set state = 'CONFIRMING', method = 'WECHAT', provider = 'SIMULATOR',
        confirm_until = '2026-11-22', confirm_hash = decode($2, 'hex') where id = $1`,
    [id, createHash('sha256').update(code).digest('hex')],
  )
  return { id, code }
}

const owner = (where: 'PLATFORM' | 'PARENT' | 'OWN' | 'SIBLING' | 'CHILD') => ({
  id: rowId(where, 1),
  org_id: place[where],
  method: 'BANK' as const,
  holder: `机构${where}`,
  bank_name: `行${where}`,
  account: Buffer.from('00', 'hex'),
  account_no: '****1122',
})

export const withdrawals: DomainSamples = {
  rows: (where) => ({
    payout_accounts: {
      ...owner(where),
      changed_at: '2026-11-01T00:00:00Z',
      created_at: '2026-11-01T00:00:00Z',
    },
    withdrawals: {
      ...owner(where),
      withdrawal_no: `TX${String(rowId(where, 1)).padStart(16, '0')}`,
      amount: 1000,
      account_id: rowId(where, 1),
      remark: `提${where}`,
      state: 'CANCELLED',
      requested_by: rowId(where, 1),
      requested_at: '2026-11-02T00:00:00Z',
      returned_at: '2026-11-02T00:00:00Z',
    },
    simulated_transfers: {
      withdrawal_no: `TX${String(rowId(where, 2)).padStart(16, '0')}`,
      org_id: place[where],
      amount: 1,
      account_no: '****1122',
      state: 'SUCCESS',
      created_at: '2026-11-02T00:00:00Z',
    },
  }),
  fieldIds: { accountId: byRow },
  samples: {
    'payoutAccounts.create': async (world) => {
      // an organisation has ten at most
      await world.sql(
        `update payout_accounts set removed_at = '2026-11-20'
          where org_id = ${place.OWN} and id <> ${own} and removed_at is null`,
      )
      return bank
    },
    'payoutAccounts.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'payout_accounts', own),
      ...bank,
    }),
    'payoutAccounts.remove': async (world) => ({
      id: await fresh(
        world,
        `insert into payout_accounts (org_id, method, holder, bank_name, account, account_no,
          changed_at) values (${place.OWN}, 'BANK', '机构OWN', '银行', '\\x00', '****1122', '2026-11-01')`,
      ),
      version: 1,
    }),
    'withdrawals.create': async (world) => {
      await world.sql(
        `update withdrawals set state = 'REJECTED', reason = '让位', returned_at = '2026-11-20',
          requested_at = '2026-11-01' where org_id = ${place.OWN}
          and (state = 'PENDING' or state = 'REJECTED')`,
      )
      // whatever other samples left it owing
      await earn(world, 1_000_000)
      await world.sql(
        `update payout_accounts set changed_at = '2026-11-01', removed_at = null where id = ${own}`,
      )
      return { amount: 1000, accountId: own }
    },
    'withdrawals.cancel': (world) => asked(world, 'PENDING', 'ROLE_FULL'),
    'withdrawals.approve': (world) => asked(world),
    'withdrawals.reject': async (world) => ({ ...(await asked(world)), reason: '资料不符' }),
    'withdrawals.retry': (world) => asked(world, 'FAILED'),
    'withdrawals.offlinePaid': async (world) => ({
      ...(await asked(world, 'APPROVED')),
      voucher: await uploaded(world),
    }),
    'withdrawals.confirmCode': async (world) => ({ id: (await waiting(world)).id }),
    'withdrawals.lookConfirm': async (world) => ({ code: (await waiting(world)).code }),
    'withdrawals.payee': async (world) => ({ id: (await asked(world, 'APPROVED')).id }),
  },
}
