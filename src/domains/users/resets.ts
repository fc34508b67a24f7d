import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'

export const resetErrors = defineErrors('users', {
  resetHandled: [409001, '该申请已处理', 'This request was handled already'],
  resetRankTooHigh: [
    403001,
    '不能操作同级或更高级别的用户',
    'You cannot act on people of an equal or higher rank',
  ],
})

export const resetStates = ['PENDING', 'DONE', 'REJECTED', 'EXPIRED'] as const
/** A request nobody answered for a day is no longer one. */
export const resetHours = 24

export const ResetRow = z.strictObject({
  id: f.id,
  userId: f.id,
  username: z.string(),
  realName: z.string(),
  operatorName: z.string(),
  phone: z.string(),
  createTime: f.instant,
  method: z.enum(['SMS', 'ADMIN']),
  state: z
    .enum(resetStates)
    .meta({ tones: { PENDING: 'warn', DONE: 'success', REJECTED: 'closed', EXPIRED: 'offline' } }),
  handlerName: z.string(),
  handledTime: f.instant.nullable(),
  remark: z.string(),
  can: z.strictObject({ reset: z.boolean(), reject: z.boolean() }),
})
export type ResetRow = z.infer<typeof ResetRow>

export const resetEndpoints = {
  passwordResets: read('user:reset-password', {
    path: '/password-resets',
    summary: 'Requests for a new password of people below the actor',
    input: listQuery(
      {
        keyword,
        state: z.enum(resetStates).optional(),
        method: z.enum(['SMS', 'ADMIN']).optional(),
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(ResetRow),
  }),
  rejectReset: write('user:reset-password', {
    path: '/password-resets/{id}/reject',
    summary: 'Refuse a request',
    audit: 'users.rejectReset',
    errors: [resetErrors.resetHandled, resetErrors.resetRankTooHigh],
    input: z.strictObject({ id: f.id, reason: f.lines(200, bi('请填写拒绝原因', 'Say why')) }),
    output: f.done,
  }),
}
