import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { accountCodes, facts, voucherTypes } from './rules.ts'

export const ledgerErrors = defineErrors('billing', {
  notWaiting: [
    409001,
    '该笔资金已处理或正在退款，不能冲正',
    'This money was dealt with, or is going back: it cannot be reversed',
  ],
  samePerson: [422470, '复核人不能是申请人本人', 'Somebody else has to review it'],
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
  reversesAlready: [409001, '该凭证已冲正或正在冲正', 'This voucher is reversed, or about to be'],
  notReversible: [
    422001,
    '只有调账和待查款项凭证可以冲正',
    'Only adjustments and suspense can be reversed',
  ],
  notByHand: [
    422471,
    '欠款与提现处理中只能由其业务记账',
    'Debts and withdrawals under way are booked by their own acts',
  ],
  sameAccount: [422001, '借方和贷方不能是同一账户', 'Debit and credit are the same account'],
  tooLittle: [422001, '账户余额不足', 'The account does not hold so much'],
  noMerchant: [422001, '该账户不属于收款商户', 'This account belongs to no merchant'],
})

const Account = z.enum(accountCodes, bi('请选择账户', 'Choose the account'))
const Type = z.enum(voucherTypes)

const entry = {
  voucherId: f.id,
  voucherNo: z.string(),
  createTime: f.instant,
  type: Type,
  /** What it books; null: of no kind that is known here. */
  summary: z.enum(facts).nullable(),
  orgId: f.id,
  orgName: z.string(),
  account: Account,
  /** Where channel money or suspense lies; null: the simulator, or no matter. */
  merchantName: z.string().nullable(),
  debit: f.fen.nullable(),
  credit: f.fen.nullable(),
}
export const EntryRow = z.strictObject({
  id: z.string(),
  ...entry,
  /** Of the account, behind this entry, on its own side. */
  balance: f.signedFen,
  /** The number of the order, refund, split or withdrawal it is about. */
  related: z.string(),
  orderNum: z.string().nullable(),
  /** Who had it booked; empty: the system. */
  operator: z.string(),
})
export type EntryRow = z.infer<typeof EntryRow>

export const Voucher = z.strictObject({
  voucherId: f.id,
  voucherNo: z.string(),
  createTime: f.instant,
  type: Type,
  summary: z.enum(facts).nullable(),
  related: z.string(),
  orderNum: z.string().nullable(),
  operator: z.string(),
  reason: z.string(),
  images: z.array(f.imageUrl),
  entries: z.array(
    z.strictObject({
      orgName: z.string(),
      account: Account,
      merchantName: z.string().nullable(),
      debit: f.fen.nullable(),
      credit: f.fen.nullable(),
    }),
  ),
  /** Entries of organisations that the reader does not see are missing. */
  whole: z.boolean(),
  reversedBy: z.string().nullable(),
  can: z.strictObject({ reverse: z.boolean() }),
})
export type Voucher = z.infer<typeof Voucher>

const reason = z
  .string({ error: bi('请填写调账原因', 'Say why') })
  .trim()
  .min(1, bi('请填写调账原因', 'Say why'))
  .min(5, bi('调账原因为5-200个字', 'Five to 200 characters'))
  .max(200, bi('调账原因为5-200个字', 'Five to 200 characters'))
  .meta({ lines: true })
const images = z
  .array(f.imageUrl)
  .max(5, bi('最多上传5张图片', 'At most five pictures'))
  .default([])

export const Adjustment = z.strictObject({
  id: f.id,
  no: z.string(),
  kind: z.enum(['ADJUST', 'REVERSE']),
  debitOrg: z.string().nullable(),
  debitCode: Account.nullable(),
  creditOrg: z.string().nullable(),
  creditCode: Account.nullable(),
  amount: f.fen,
  /** The voucher that is taken back. */
  reverses: z.string().nullable(),
  reason: z.string(),
  images: z.array(f.imageUrl),
  state: z.enum(['PENDING', 'APPROVED', 'REJECTED']).meta({
    tones: { PENDING: 'warn', APPROVED: 'success', REJECTED: 'closed' },
  }),
  askedBy: z.string(),
  createTime: f.instant,
  decidedBy: z.string().nullable(),
  decidedAt: f.instant.nullable(),
  version: f.version,
  can: z.strictObject({ approve: z.boolean(), reject: z.boolean() }),
})
export type Adjustment = z.infer<typeof Adjustment>

const org = z
  .number({ error: bi('请选择机构', 'Choose the organisation') })
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
export const NewAdjustment = z.strictObject({
  debitOrgId: org,
  debitCode: Account,
  creditOrgId: org,
  creditCode: Account,
  /** The merchant of the account of channel money or suspense; null: the simulator. */
  configId: f.id.nullable().default(null),
  amount: z
    .number({ error: bi('请填写金额', 'Say how much') })
    .int(bi('金额格式错误', 'Not an amount'))
    .min(1, bi('金额必须大于0', 'The amount must be above zero'))
    .max(1_000_000_000_000)
    .meta({ description: 'money in fen', unit: 'fen' }),
  reason,
  images,
})

const step = { adjustmentId: f.id, version: f.version }

export const ledgerEndpoints = {
  entries: read('ledger:read', {
    path: '/finance/ledger-entries',
    summary:
      'Entries of accounts with the balance behind each; the last seven days without a range',
    export: 'ledger:export',
    input: listQuery(
      {
        account: Account.optional(),
        orgId: f.id.optional(),
        type: Type.optional(),
        ...rangeFields,
        keyword,
        amountMin: f.fen.optional(),
        amountMax: f.fen.optional(),
        reversals: z.boolean().default(false),
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(EntryRow),
  }),
  voucher: read('ledger:read', {
    path: '/finance/vouchers/{voucherId}',
    summary: 'A voucher with all its entries that the reader sees',
    input: z.strictObject({ voucherId: f.id }),
    output: Voucher,
  }),
  ledgerState: read('ledger:read', {
    path: '/finance/ledger-state',
    summary: 'Whether debit equals credit, and how many adjustments wait',
    output: z.strictObject({
      balanced: z.boolean(),
      /** The last day that was compared; null: none yet. */
      day: f.day.nullable(),
      waiting: f.count,
    }),
  }),
  adjustments: read('ledger:read', {
    path: '/finance/adjustments',
    summary: 'Adjustments and reversals, decided or not',
    input: listQuery(
      {
        state: z.enum(['PENDING', 'APPROVED', 'REJECTED']).optional(),
        kind: z.enum(['ADJUST', 'REVERSE']).optional(),
        ...rangeFields,
      },
      ['createTime', 'amount'],
      '-createTime',
    ),
    output: page(Adjustment),
  }),
  adjust: write('ledger:adjust', {
    path: '/finance/adjustments',
    summary: 'Ask for an adjustment, which somebody else approves',
    audit: 'billing.adjust',
    idempotent: true,
    errors: [ledgerErrors.sameAccount, ledgerErrors.notByHand, ledgerErrors.noMerchant],
    input: NewAdjustment,
    output: Adjustment,
  }),
  approve: write('ledger:approve', {
    path: '/finance/adjustments/{adjustmentId}/approve',
    summary: 'Agree to an adjustment of somebody else: it is booked',
    audit: 'billing.approve',
    fresh: true,
    errors: [
      ledgerErrors.samePerson,
      ledgerErrors.wrongState,
      ledgerErrors.tooLittle,
      ledgerErrors.notWaiting,
      ledgerErrors.reversesAlready,
    ],
    input: z.strictObject(step),
    output: Adjustment,
  }),
  reject: write('ledger:approve', {
    path: '/finance/adjustments/{adjustmentId}/reject',
    summary: 'Refuse an adjustment; whoever asked may take it back so',
    audit: 'billing.reject',
    errors: [ledgerErrors.wrongState],
    input: z.strictObject(step),
    output: Adjustment,
  }),
  reverse: write('ledger:adjust', {
    path: '/finance/vouchers/{voucherId}/reverse',
    summary: 'Ask for a voucher to be taken back, which somebody else approves',
    audit: 'billing.reverse',
    idempotent: true,
    errors: [ledgerErrors.notReversible, ledgerErrors.notWaiting, ledgerErrors.reversesAlready],
    input: z.strictObject({ voucherId: f.id, reason, images }),
    output: Adjustment,
  }),
}
