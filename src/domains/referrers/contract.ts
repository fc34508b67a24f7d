import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { receiveKinds, receiverStates, referrerErrors } from './rules.ts'

const Status = z
  .enum(['ENABLED', 'DISABLED'])
  .meta({ tones: { ENABLED: 'online', DISABLED: 'locked' } })
const Kind = z.enum(receiveKinds)
const wrongMobile = bi('手机号不合法', 'Not a valid mobile number')
const outOfRange = bi('默认比例须在0–30%之间', 'The share is between 0 and 30 %')

const fields = {
  referrerName: f.text(20, bi('推荐人姓名不能为空', 'The referrer needs a name')),
  linkedOrgId: f.id.nullable().default(null),
  /** Machines that he brought, of the organisation that he introduced or below his own. */
  deviceIds: f.ids().max(500, bi('最多500台设备', 'At most 500 machines')).default([]),
  defaultBp: z
    .number({ error: outOfRange })
    .int(outOfRange)
    .min(0, outOfRange)
    .max(3000, outOfRange)
    .default(0),
  receiveKind: Kind.default('PERSONAL'),
  validUntil: f.day.nullable().default(null),
  remark: f.optionalLines(200),
}
const mobile = z
  .string({ error: wrongMobile })
  .trim()
  .regex(/^1[3-9]\d{9}$/, wrongMobile)
const idName = z.string().trim().max(30).default('')
const needsName = bi('个人接收方须填写证件姓名', 'A personal receiver has the name of his papers')
type Person = { readonly receiveKind: string; readonly idName: string }
const named = ({ receiveKind, idName }: Person) => receiveKind !== 'PERSONAL' || idName !== ''
export const NewReferrer = z
  .strictObject({ orgId: f.id.optional(), ...fields, mobile, idName })
  // with the other faults of the form, not when those are mended
  .refine(named, {
    path: ['idName'],
    error: needsName,
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
/** Number and name of the papers are written, not read: empty leaves them. */
export const EditReferrer = z.strictObject({
  id: f.id,
  version: f.version,
  ...fields,
  mobile: z.union([mobile, z.literal('')], wrongMobile).default(''),
  idName,
})

export const ReferrerRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  receiveKind: Kind,
  mobile: z.string(),
  idName: z.string(),
  orgId: f.id,
  orgName: z.string(),
  linkedOrgName: z.string(),
  /** The machines that are named, else those of the organisation that he introduced. */
  deviceCount: f.count,
  receiverState: z
    .enum(receiverStates)
    .meta({ tones: { UNBOUND: 'warn', BOUND: 'online', NOT_NEEDED: 'closed' } }),
  /** What shares of sales gave him, less what went back. */
  earned: f.signedFen,
  /** What he is owed, less what he owes. */
  unpaid: f.signedFen,
  status: Status,
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type ReferrerRow = z.infer<typeof ReferrerRow>

const one = { id: f.id, version: f.version }
/** 32 bytes as letters. */
const code = z.string().regex(/^[\w-]{43}$/, bi('二维码已失效', 'This code is over'))

export const referrers = {
  list: read('referrer:read', {
    path: '/finance/referrers',
    summary: 'Referrers; the whole mobile number finds one',
    input: listQuery(
      {
        id: f.id.optional(),
        referrerName: z.string().trim().max(20).optional(),
        mobile: z.string().trim().max(11).optional(),
        status: Status.optional(),
        linkedOrgId: f.id.optional(),
        ...rangeFields,
      },
      ['createTime', 'referrerName', 'defaultBp'],
      '-createTime',
    ),
    output: page(ReferrerRow),
    export: 'referrer:export',
  }),
  options: read('referrer:read', {
    path: '/finance/referrers/options',
    summary: 'Referrers to choose from: at most fifty, and the chosen one',
    input: z.strictObject({
      id: f.id.optional(),
      keyword: z.string().trim().max(20).optional(),
      /** Of the own organisation alone. */
      own: z.boolean().optional(),
    }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({
          id: f.id,
          referrerName: z.string(),
          mobile: z.string(),
          orgName: z.string(),
        }),
      ),
    }),
  }),
  create: write('referrer:create', {
    path: '/finance/referrers',
    summary: 'Add a referrer',
    audit: 'referrers.create',
    errors: [referrerErrors.mobileTaken, referrerErrors.otherDevice],
    input: NewReferrer,
    output: ReferrerRow,
  }),
  update: write('referrer:update', {
    method: 'PUT',
    path: '/finance/referrers/{id}',
    summary: 'Change a referrer; one who is another person binds anew',
    audit: 'referrers.update',
    errors: [referrerErrors.mobileTaken, referrerErrors.otherDevice],
    input: EditReferrer,
    output: ReferrerRow,
  }),
  setStatus: write('referrer:update', {
    method: 'PUT',
    path: '/finance/referrers/{id}/status',
    summary: 'Enable or disable a referrer',
    audit: 'referrers.setStatus',
    input: z.strictObject({ ...one, status: Status }),
    output: ReferrerRow,
  }),
  remove: write('referrer:delete', {
    method: 'DELETE',
    path: '/finance/referrers/{id}',
    summary: 'Delete a referrer whom nothing names',
    audit: 'referrers.remove',
    errors: [referrerErrors.inUse],
    input: z.strictObject(one),
    output: f.done,
  }),
  bindQrcode: write('referrer:update', {
    path: '/finance/referrers/{id}/bind-qrcode',
    summary: 'A code that binds the phone that scans it; the ones before it are over',
    audit: 'referrers.bindQrcode',
    // whoever scans it is paid
    fresh: true,
    errors: [referrerErrors.noPerson],
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({ url: z.string(), expireTime: f.instant }),
  }),
  look: write('open', {
    path: '/mobile/referrer-codes/look',
    summary: 'Whose code this is, in part, and where the phone says who it is',
    audit: { none: 'nothing is changed' },
    scope: 'system',
    guessable: true,
    errors: [referrerErrors.codeOver, referrerErrors.unavailable],
    input: z.strictObject({ code }),
    output: z.strictObject({
      name: z.string(),
      orgName: z.string(),
      /** Null: no visit is needed, the demo makes somebody up. */
      authorizeUrl: z.string().nullable(),
    }),
  }),
  bind: write('open', {
    path: '/mobile/referrer-codes/bind',
    summary: 'Bind this phone’s account, once',
    audit: 'referrers.bind',
    scope: 'system',
    guessable: true,
    errors: [referrerErrors.codeOver, referrerErrors.unavailable],
    input: z.strictObject({ code, oauthCode: z.string().max(200).optional() }),
    output: z.strictObject({ name: z.string() }),
  }),
}
