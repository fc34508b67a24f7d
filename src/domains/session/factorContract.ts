import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

/**
 * Showing who one is a second time: the second step of a sign-in, the proof before an act that
 * matters, and the way back.
 */
export const factorErrors = defineErrors('session', {
  wrongFactor: [400010, '验证码错误或已失效', 'The code is wrong or has expired'],
  wrongProof: [400011, '密码错误', 'The password is wrong'],
  proofShut: [
    429005,
    '错误次数过多，身份验证已暂停，请稍后再试',
    'Too many wrong tries: this is shut for a while, try again later',
  ],
  ticketOver: [400012, '本次登录已失效，请重新登录', 'This sign-in has ended, start again'],
  undoOver: [
    422008,
    '链接已使用或已过期。如账号仍有异常，请联系管理员',
    'This link was used or has expired. If something is still wrong, ask your administrator',
  ],
  factorOn: [422009, '两步验证已开启', 'Two-step sign-in is on already'],
  factorOff: [422010, '两步验证未开启', 'Two-step sign-in is off'],
  factorKept: [
    422011,
    '平台要求该账号使用两步验证，不能关闭',
    'Your account must use two-step sign-in',
  ],
})

const token = z.string().regex(/^[\w-]{43}$/, bi('链接不完整', 'The link is not whole'))
const codeText = bi('请输入验证码', 'Enter the code')
/** Six digits of the app, or one of the recovery codes. */
export const factorCode = z
  .string({ error: codeText })
  .trim()
  .min(1, codeText)
  .max(40, bi('格式不正确', 'Wrong format'))
  .regex(/^[\dA-Za-z -]+$/, bi('格式不正确', 'Wrong format'))
const RecoveryCodes = z.strictObject({ recoveryCodes: z.array(z.string()) })

/** What a sign-in answers: a token, or the ticket of its second step. */
export const Admitted = z.union([
  z.strictObject({ token: z.string() }),
  z.strictObject({ factorTicket: z.string(), expiresIn: z.number().int() }),
])

const enter = bi('请输入密码', 'Enter your password')

export const factorEndpoints = {
  passFactor: write('open', {
    path: '/auth/second-factor',
    summary: 'The second step of a sign-in: the ticket of the first one and a code',
    audit: { none: 'login_attempts keeps every try, successful or not' },
    guessable: true,
    errors: [factorErrors.wrongFactor, factorErrors.ticketOver],
    input: z.strictObject({ ticket: token, code: factorCode }),
    output: z.strictObject({ token: z.string() }),
  }),
  undo: write('open', {
    path: '/auth/undo',
    summary:
      'Takes back a change of a way to sign in, by the link in the message about it; ends every session and the password',
    audit: 'session.undo',
    guessable: true,
    errors: [factorErrors.undoOver],
    input: z.strictObject({ token }),
    /**
     * `sms`: a new password comes by the forgotten-password page; otherwise the administrator was
     * asked.
     */
    output: z.strictObject({ username: z.string(), sms: z.boolean() }),
  }),
  prove: write('self', {
    path: '/session/prove',
    summary:
      'Shows that it is still the same person: the code where the second factor is on, else the password',
    audit: 'session.prove',
    guessable: true,
    errors: [factorErrors.wrongFactor, factorErrors.wrongProof, factorErrors.proofShut],
    input: z
      .strictObject({
        password: z.string(enter).min(1, enter).max(128).optional(),
        code: factorCode.optional(),
      })
      .refine((v) => v.password !== undefined || v.code !== undefined, {
        path: ['password'],
        message: enter,
      }),
    output: f.done,
  }),
  factor: read('self', {
    path: '/me/second-factor',
    summary: 'Whether my sign-in has a second step',
    output: z.strictObject({
      on: z.boolean(),
      since: f.instant.nullable(),
      recoveryLeft: z.number().int(),
      /** The platform wants one of this account. */
      required: z.boolean(),
    }),
  }),
  enrolFactor: write('self', {
    path: '/me/second-factor',
    summary:
      'Begin to set it up: a secret for the app, shown this once; nothing counts before confirm',
    audit: 'session.enrolFactor',
    fresh: true,
    errors: [factorErrors.factorOn],
    output: z.strictObject({ secret: z.string(), uri: z.string() }),
  }),
  confirmFactor: write('self', {
    path: '/me/second-factor/confirm',
    summary: 'A code of the app switches it on; answers the recovery codes, this once',
    audit: 'session.confirmFactor',
    fresh: true,
    guessable: true,
    errors: [factorErrors.wrongFactor, factorErrors.factorOn],
    input: z.strictObject({ code: factorCode }),
    output: RecoveryCodes,
  }),
  newRecoveryCodes: write('self', {
    path: '/me/second-factor/recovery-codes',
    summary: 'Ten new recovery codes, shown this once; the old ones end',
    audit: 'session.newRecoveryCodes',
    fresh: true,
    errors: [factorErrors.factorOff],
    output: RecoveryCodes,
  }),
  dropFactor: write('self', {
    path: '/me/second-factor/off',
    summary: 'Switch it off',
    audit: 'session.dropFactor',
    fresh: true,
    errors: [factorErrors.factorOff, factorErrors.factorKept],
    output: f.done,
  }),
}
