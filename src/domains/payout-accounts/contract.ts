import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { methods, payoutErrors } from './rules.ts'

const State = z
  .enum(['USABLE', 'RESTING', 'MISMATCH'])
  .meta({ tones: { USABLE: 'online', RESTING: 'warn', MISMATCH: 'fault' } })

const fields = {
  method: z.enum(methods, bi('请选择提现方式', 'Choose how money is paid out')),
  holder: f.text(60, bi('请输入户名', 'Enter the holder')),
  bankName: f.optionalText(60),
  /** In an answer masked; what is sent back masked stays as it is. */
  accountNo: f.text(120, bi('请输入账号', 'Enter the account')),
}
export const NewAccount = z.strictObject({
  ...fields,
  /** Of a referrer of the own organisation; null: of the organisation itself. */
  referrerId: f.id.nullable().default(null),
})
export const EditAccount = z.strictObject({ id: f.id, version: f.version, ...fields })

export const AccountRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  method: z.enum(methods),
  orgId: f.id,
  orgName: z.string(),
  referrerId: f.id.nullable(),
  /** Empty: the organisation’s own. */
  referrerName: z.string(),
  state: State,
  /** From when on money may go there. */
  usableTime: f.instant,
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type AccountRow = z.infer<typeof AccountRow>

const errors = [
  payoutErrors.otherHolder,
  payoutErrors.wrongNumber,
  payoutErrors.bankNeeded,
  payoutErrors.notOwn,
  payoutErrors.otherPerson,
  payoutErrors.scanned,
]

export const payoutAccounts = {
  list: read('payout-account:read', {
    path: '/finance/payout-accounts',
    summary: 'Where organisations are paid; numbers are masked',
    input: listQuery(
      {
        orgId: f.id.optional(),
        referrerId: f.id.optional(),
        method: z.enum(methods).optional(),
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(AccountRow),
  }),
  options: read('payout-account:read', {
    path: '/finance/payout-accounts/options',
    summary: 'Accounts that may be used now: of the own organisation, or of a referrer of hers',
    input: z.strictObject({ referrerId: f.id.optional() }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({
          id: f.id,
          method: z.enum(methods),
          bankName: z.string(),
          accountNo: z.string(),
        }),
      ),
    }),
  }),
  create: write('payout-account:update', {
    path: '/finance/payout-accounts',
    summary: 'Add an account of the own organisation; it rests for a day',
    audit: 'payoutAccounts.create',
    idempotent: true,
    fresh: true,
    errors: [...errors, payoutErrors.tooMany, payoutErrors.papersNeeded],
    input: NewAccount,
    output: AccountRow,
  }),
  update: write('payout-account:update', {
    method: 'PUT',
    path: '/finance/payout-accounts/{id}',
    summary: 'Change an account; it rests for a day again',
    audit: 'payoutAccounts.update',
    fresh: true,
    errors,
    input: EditAccount,
    output: AccountRow,
  }),
  remove: write('payout-account:update', {
    method: 'DELETE',
    path: '/finance/payout-accounts/{id}',
    summary: 'Remove an account; what was asked for already is paid there',
    audit: 'payoutAccounts.remove',
    fresh: true,
    errors: [payoutErrors.notOwn, payoutErrors.scanned],
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}
