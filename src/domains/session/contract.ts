import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { person } from '../../shared/person.ts'
import { bi } from '../../shared/text.ts'
import { Admitted, factorEndpoints, factorErrors } from './factorContract.ts'
import { newPassword } from './passwordField.ts'

export { factorErrors } from './factorContract.ts'
export { newPassword }

export const sessionErrors = defineErrors('session', {
  wrongCredentials: [401001, '用户名或密码错误', 'Wrong username or password'],
  wrongOldPassword: [400002, '原密码错误', 'The old password is wrong'],
  passwordRepeated: [
    400003,
    '新密码不能与最近使用过的密码相同',
    'The new password was used recently',
  ],
  passwordHasName: [400004, '密码不能包含用户名', 'The password must not contain the username'],
  passwordCommon: [400005, '密码过于常见，请更换', 'The password is too common'],
  passwordShort: [400006, '密码长度不足，请按规则设置', 'The password is too short'],
  wrongCode: [400007, '验证码错误或已过期', 'The code is wrong or has expired'],
  wrongPassword: [400008, '密码错误', 'The password is wrong'],
  serviceMissing: [
    400009,
    '请填写客服电话和详细地址',
    'Fill in the customer service phone and the street address',
  ],
  codeTooSoon: [429002, '请{seconds}秒后再获取验证码', 'You can get another code in {seconds} s'],
  codeLimit: [429003, '验证码获取次数过多，请稍后再试', 'Too many codes, try again later'],
  ambiguousPhone: [
    409006,
    '该手机号对应多个账号，请输入用户名',
    'Several accounts have this number, enter the username',
  ],
  smsUnavailable: [422004, '短信服务未开通，请使用其他方式', 'SMS is not set up, use another way'],
  scanUnavailable: [
    422005,
    '扫码登录未开通，请使用其他方式',
    'Scan sign-in is not set up, use another way',
  ],
  notBound: [
    422006,
    '该微信未绑定账号，请先用账号登录后在扫码绑定中绑定',
    'This WeChat is bound to no account: sign in by account first, then bind it',
  ],
  boundElsewhere: [409004, '该微信已绑定其他账号', 'This WeChat is bound to another account'],
  alreadyBound: [
    422007,
    '当前账号已绑定微信，请先解绑',
    'A WeChat is bound already, unbind it first',
  ],
  scanOver: [
    409007,
    '二维码已失效，请刷新后重新扫码',
    'This QR code is over, refresh it and scan again',
  ],
  badIdentity: [
    403003,
    '身份校验失败，请重新扫码',
    'The phone could not be recognised, scan again',
  ],
  identityDown: [
    503002,
    '微信服务暂时不可用，请稍后再试',
    'WeChat cannot be reached, try again later',
  ],
})

const longest = 128
const tooLong = bi('密码不能超过128个字符', 'At most 128 characters')
const typedPassword = z
  .string({ error: bi('请输入密码', 'Enter your password') })
  .refine((p) => p.trim() !== '', bi('请输入密码', 'Enter your password'))
  .max(longest, tooLong)
const username = f.signInName(f.text(200, bi('请输入用户名', 'Enter your username')))
const smsCode = z
  .string({ error: bi('请输入验证码', 'Enter the code') })
  .regex(/^\d{6}$/, bi('请输入6位验证码', 'The code has 6 digits'))
const repeat = z
  .string({ error: bi('请再次输入新密码', 'Repeat the new password') })
  .max(longest, tooLong)
const differ = { path: ['repeat'], message: bi('两次输入的密码不一致', 'The two passwords differ') }
const uuid = z.uuid(bi('格式不正确', 'Wrong format'))
const secret = z.string().regex(/^[\w-]{43}$/)
const channel = z.enum(['qr', 'sms'])
const missing = (what: string) => ({
  path: [what],
  message:
    what === 'phone' ? bi('请输入手机号码', 'Enter a mobile number') : bi('不能为空', 'Required'),
})

export const ChangePassword = z
  .strictObject({
    oldPassword: z
      .string({ error: bi('请输入原密码', 'Enter the old password') })
      .min(1, bi('请输入原密码', 'Enter the old password'))
      .max(longest, tooLong),
    password: newPassword,
    repeat,
  })
  .refine((v) => v.password === v.repeat, differ)

export const EditProfile = z.strictObject({
  realName: f.text(30, bi('请输入真实姓名', 'Enter your real name')),
  consumerPhone: z
    .string()
    .trim()
    .regex(
      /^$|^(1[3-9]\d{9}|0\d{2,3}-?\d{7,8}(-\d{1,6})?|[48]00-?\d{3}-?\d{4}|95\d{3,6}|12\d{3})$/,
      bi('号码不合法', 'Not a valid number'),
    )
    .default(''),
  img: z
    .string({ error: bi('请上传头像', 'Upload your picture') })
    .min(1, bi('请上传头像', 'Upload your picture'))
    .pipe(f.imageUrl),
  address: f.optionalText(100),
  version: f.version,
})

export const SendCode = z
  .strictObject({
    channel,
    purpose: z.enum(['login', 'bind', 'reset', 'changePhone']),
    phone: f.mobile.optional(),
    username: username.optional(),
  })
  .refine((v) => v.channel === 'qr' || v.phone !== undefined, missing('phone'))
  .refine((v) => v.purpose !== 'reset' || v.username !== undefined, {
    path: ['username'],
    message: bi('请输入用户名', 'Enter your username'),
  })
  .refine(
    (v) =>
      (v.channel === 'qr') === ['login', 'bind'].includes(v.purpose) ||
      (v.channel === 'sms' && v.purpose === 'login'),
    {
      path: ['purpose'],
      message: bi('选项不正确', 'Not one of the choices'),
    },
  )

export const Verify = z
  .strictObject({
    channel,
    ticket: uuid.optional(),
    secret: secret.optional(),
    phone: f.mobile.optional(),
    smsCode: smsCode.optional(),
    username: username.optional(),
  })
  .refine(
    (v) => v.channel === 'sms' || (v.ticket !== undefined && v.secret !== undefined),
    missing('ticket'),
  )
  .refine((v) => v.channel === 'qr' || v.phone !== undefined, missing('phone'))
  .refine((v) => v.channel === 'qr' || v.smsCode !== undefined, {
    path: ['smsCode'],
    message: bi('请输入验证码', 'Enter the code'),
  })

export const ResetBySms = z
  .strictObject({ username, phone: f.mobile, smsCode, password: newPassword, repeat })
  .refine((v) => v.password === v.repeat, differ)

export const scanStateNames = ['WAITING', 'SCANNED', 'CONFIRMED', 'REFUSED', 'EXPIRED'] as const
export const scanProblems = ['', 'NOT_BOUND', 'BOUND_ELSEWHERE'] as const

const onPhone = z.strictObject({
  id: uuid,
  identity: z.string().max(1000).describe('what scan-identities issued'),
})
const phoneErrors = [
  sessionErrors.badIdentity,
  sessionErrors.scanOver,
  sessionErrors.scanUnavailable,
]
/** What may be wrong with a new password beyond its form. */
export const newPasswordErrors = [
  sessionErrors.passwordRepeated,
  sessionErrors.passwordHasName,
  sessionErrors.passwordCommon,
  sessionErrors.passwordShort,
]
const SignedIn = z.strictObject({ at: f.instant, ip: z.string(), device: z.string() })

export const Profile = z.strictObject({
  id: f.id,
  username: z.string(),
  realName: z.string(),
  /** Masked: a change goes by a code to the new number. */
  phone: z.string(),
  consumerPhone: z.string(),
  img: z.string(),
  address: z.string(),
  regionCode: z.string(),
  orgName: z.string(),
  roleNames: z.array(z.strictObject({ zh: z.string(), en: z.string() })),
  /** Agents and operators: customers call them and goods are sent to them. */
  serviceRequired: z.boolean(),
  version: f.version,
})

export const session = {
  login: write('open', {
    path: '/auth/login',
    summary: 'Sign in; the token goes into the Authorization header',
    audit: { none: 'login_attempts keeps every try, successful or not' },
    guessable: true,
    errors: [sessionErrors.wrongCredentials],
    input: z.strictObject({ username, password: typedPassword }),
    output: Admitted,
  }),
  methods: read('open', {
    path: '/auth/methods',
    summary: 'Which ways to sign in are set up here',
    output: z.strictObject({ scan: z.boolean(), sms: z.boolean(), demo: z.boolean() }),
  }),
  loginsend: write('open', {
    path: '/auth/loginsend',
    summary: 'A QR ticket, or a code by SMS; bind and changePhone want a signed-in caller',
    audit: { none: 'scan_tickets and sms_codes keep every one' },
    fresh: 'sometimes',
    guessable: true,
    errors: [
      sessionErrors.codeTooSoon,
      sessionErrors.codeLimit,
      sessionErrors.smsUnavailable,
      sessionErrors.scanUnavailable,
      sessionErrors.alreadyBound,
    ],
    input: SendCode,
    output: z.union([
      z.strictObject({
        ticket: z.string(),
        secret: z.string(),
        qrContent: z.string(),
        expiresIn: z.number().int(),
      }),
      z.strictObject({ sent: z.boolean(), retryAfter: z.number().int() }),
    ]),
  }),
  loginv: write('open', {
    path: '/auth/loginv',
    summary: 'State of a QR ticket, with the token once it is confirmed; or sign in with a code',
    audit: { none: 'login_attempts keeps every sign-in' },
    errors: [sessionErrors.wrongCode, sessionErrors.ambiguousPhone],
    input: Verify,
    output: z.strictObject({
      state: z.enum(scanStateNames).optional(),
      problem: z.enum(scanProblems).optional(),
      token: z.string().optional(),
      /** Instead of the token where a second step follows (/auth/second-factor). */
      factorTicket: z.string().optional(),
      expiresIn: z.number().int().optional(),
    }),
  }),
  scanIdentity: write('open', {
    path: '/auth/scan-identities',
    summary: 'Who a phone is: by WeChat’s OAuth code, or made up in the demo',
    audit: { none: 'an identity alone opens nothing' },
    guessable: true,
    errors: [sessionErrors.scanUnavailable, sessionErrors.identityDown, sessionErrors.badIdentity],
    input: z.strictObject({
      ticket: uuid,
      oauthCode: z.string().min(1).max(200).optional(),
      nickname: z.string().trim().max(30).optional(),
    }),
    output: z.strictObject({
      provider: z.enum(['wechat', 'simulated']),
      authorizeUrl: z.string().nullable(),
      identity: z.string().nullable(),
    }),
  }),
  scan: write('open', {
    path: '/auth/scan-tickets/{id}/scan',
    summary: 'A phone has read the QR code',
    audit: { none: 'the ticket keeps who and when' },
    errors: [...phoneErrors, sessionErrors.notBound, sessionErrors.boundElsewhere],
    input: onPhone,
    output: z.strictObject({
      purpose: z.enum(['LOGIN', 'BIND']),
      username: z.string(),
      ip: z.string(),
      device: z.string(),
    }),
  }),
  confirmScan: write('open', {
    path: '/auth/scan-tickets/{id}/confirm',
    summary: 'The person says yes on the phone',
    audit: 'session.confirmScan',
    errors: [...phoneErrors, sessionErrors.notBound, sessionErrors.boundElsewhere],
    input: onPhone,
    output: f.done,
  }),
  refuseScan: write('open', {
    path: '/auth/scan-tickets/{id}/refuse',
    summary: 'The person says no on the phone',
    audit: { none: 'nothing happens' },
    errors: phoneErrors,
    input: onPhone,
    output: f.done,
  }),
  passwordReset: write('open', {
    path: '/auth/password-reset',
    summary: 'A new password by a code to the phone of the account; ends every session',
    audit: 'session.passwordReset',
    guessable: true,
    errors: [sessionErrors.wrongCode, ...newPasswordErrors],
    input: ResetBySms,
    output: f.done,
  }),
  ...factorEndpoints,
  ...person,
  profile: read('self', {
    path: '/me',
    summary: 'Own record for the personal centre',
    output: Profile,
  }),
  editProfile: write('self', {
    method: 'PUT',
    path: '/me',
    summary: 'Change own record',
    audit: 'session.editProfile',
    errors: [sessionErrors.serviceMissing],
    input: EditProfile,
    output: Profile,
  }),
  changePhone: write('self', {
    path: '/me/phone',
    summary: 'Another contact phone, proven by a code sent to it',
    audit: 'session.changePhone',
    fresh: true,
    errors: [sessionErrors.wrongCode],
    input: z.strictObject({ phone: f.mobile, smsCode }),
    output: Profile,
  }),
  changePassword: write('self', {
    method: 'PUT',
    path: '/me/password',
    summary: 'Change the own password; ends every session of the user',
    audit: 'session.changePassword',
    fresh: 'sometimes',
    errors: [sessionErrors.wrongOldPassword, factorErrors.proofShut, ...newPasswordErrors],
    input: ChangePassword,
    output: f.done,
  }),
  sessions: read('self', {
    path: '/me/sessions',
    summary: 'Where I am signed in, and my last sign-ins',
    output: z.strictObject({
      sessions: z.array(
        z.strictObject({
          id: uuid,
          current: z.boolean(),
          ip: z.string(),
          device: z.string(),
          signedInAt: f.instant,
          lastSeenAt: f.instant,
        }),
      ),
      recent: z.array(SignedIn),
    }),
  }),
  endSession: write('self', {
    method: 'DELETE',
    path: '/me/sessions/{id}',
    summary: 'Sign one device out',
    audit: 'session.endSession',
    fresh: true,
    input: z.strictObject({ id: uuid }),
    output: f.done,
  }),
  endOthers: write('self', {
    method: 'DELETE',
    path: '/me/sessions',
    summary: 'Sign all other devices out',
    audit: 'session.endOthers',
    fresh: true,
    output: f.done,
  }),
  binding: read('self', {
    path: '/me/wechat-binding',
    summary: 'The WeChat bound to me',
    output: z.strictObject({
      bound: z.strictObject({ nickname: z.string(), boundAt: f.instant }).nullable(),
      available: z.boolean(),
    }),
  }),
  unbind: write('self', {
    path: '/me/wechat-binding/unbind',
    summary: 'Take the binding away; a password never travels in an address, so this is no DELETE',
    audit: 'session.unbind',
    fresh: 'sometimes',
    errors: [sessionErrors.wrongPassword, factorErrors.proofShut],
    input: z.strictObject({ password: typedPassword }),
    output: f.done,
  }),
}
