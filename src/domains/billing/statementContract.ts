import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { statementCodes, voucherTypes } from './rules.ts'

export const statementErrors = defineErrors('statements', {
  notOver: [422001, '该月尚未结束，不能出具对账单', 'The month is not over'],
  making: [409001, '对账单正在生成，请稍候', 'It is being made'],
  notIssued: [404001, '该月对账单尚未出具', 'There is no statement of this month yet'],
})

export const month = z
  .string({ error: bi('请选择月份', 'Choose the month') })
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, bi('月份格式错误', 'Not a month'))
  .meta({ description: 'month in Asia/Shanghai, YYYY-MM' })

/** What a statement says; money in fen, of each account on its own side. */
export const Content = z.strictObject({
  orgName: z.string(),
  orgCode: z.string(),
  accounts: z.array(
    z.strictObject({
      code: z.enum(statementCodes),
      opening: f.signedFen,
      closing: f.signedFen,
      moves: z.array(
        z.strictObject({ type: z.enum(voucherTypes), debit: f.fen, credit: f.fen, count: f.count }),
      ),
    }),
  ),
  /** Versions under which shares were given to it or taken back. */
  strategies: z.array(
    z.strictObject({
      name: z.string(),
      versionNo: z.number().int(),
      mode: z.enum(['CHANNEL', 'SUB_MERCHANT', 'LEDGER']),
      ratioBp: z.number().int(),
      isCollector: z.boolean(),
    }),
  ),
  /** Of its own machines. */
  sales: z.strictObject({
    price: f.fen,
    refundment: f.fen,
    fee: f.signedFen,
    orders: f.count,
    refundOrders: f.count,
  }),
  withdrawals: z.array(
    z.strictObject({
      no: z.string(),
      requestedAt: f.instant,
      paidAt: f.instant.nullable(),
      amount: f.fen,
      state: z.string(),
    }),
  ),
  /** Made in the month. */
  debts: z.array(
    z.strictObject({ orderNum: z.string(), createdAt: f.instant, amount: f.fen, rest: f.fen }),
  ),
})
export type Content = z.infer<typeof Content>

export const StatementRow = z.strictObject({
  id: f.id,
  orgId: f.id,
  month,
  versionNo: z.number().int(),
  state: z
    .enum(['WAITING', 'DONE', 'FAILED'])
    .meta({ tones: { WAITING: 'paid', DONE: 'success', FAILED: 'fault' } }),
  /** Empty: the first of the month. */
  issuedBy: z.string(),
  createTime: f.instant,
})
export type StatementRow = z.infer<typeof StatementRow>

export const statementEndpoints = {
  statements: read('billing:export', {
    path: '/finance/statements',
    summary: 'Issued statements of an organisation and month, the newest version first',
    input: z.strictObject({ orgId: f.id, month }),
    output: z.strictObject({ list: z.array(StatementRow) }),
  }),
  issueStatement: write('billing:export', {
    path: '/finance/statements',
    summary:
      'Issue a statement, a further version when there is one; its file is at /finance/statements/{orgId}/{month}',
    audit: 'billing.issueStatement',
    errors: [statementErrors.notOver, statementErrors.making],
    input: z.strictObject({ orgId: f.id, month }),
    output: StatementRow,
  }),
}
