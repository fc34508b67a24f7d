import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { merchantStates, providers } from '../payment-channels/rules.ts'
import { configErrors, findings, secretFindings, secretNames, usualCapBp } from './rules.ts'

const Provider = z.enum(providers)
const State = z.enum(merchantStates).meta({
  tones: { UNTESTED: 'warn', ACTIVE: 'online', DISABLED: 'locked', ERROR: 'fault' },
})
const outOfRange = bi('手续费率超出范围', 'The rate is out of range')
const number = z.string().trim()
const merchantNo = number.regex(/^[0-9A-Za-z]{0,32}$/, bi('格式不正确', 'Wrong format')).default('')

const fields = {
  merchantName: f.text(60, bi('商户名称不能为空', 'The merchant needs a name')),
  systemId: f.text(32, bi('系统号不能为空', 'The system number is required')),
  userName: f.text(40, bi('用户名不能为空', 'The user name is required')),
  provider: Provider.default('SIMULATOR'),
  mchId: merchantNo,
  subMchId: merchantNo,
  appId: merchantNo,
  feeBp: z
    .number({ error: outOfRange })
    .int(outOfRange)
    .min(0, outOfRange)
    .max(200, outOfRange)
    .default(60),
  splitCapBp: z.number().int().min(0).max(10_000).default(usualCapBp),
  capApproval: z
    .union([f.imageUrl, z.literal('')])
    .default('')
    .meta({ unit: 'image' }),
  collectorKind: z
    .enum(['OPERATOR_MERCHANT', 'SUB_MERCHANT', 'PLATFORM_MERCHANT'])
    .default('OPERATOR_MERCHANT'),
  freezeDays: z.number().int().min(1).max(365).default(180),
  refundFeeReturned: z.boolean().default(true),
  settleBank: f.optionalText(60),
  settleHolder: f.optionalText(60),
}
/** Written, never read; empty: as it is. */
const settleAccount = number
  .regex(/^(\d{8,30})?$/, bi('结算账号格式不正确', 'Not an account number'))
  .default('')

const pem = (max: number) => z.string().trim().max(max).meta({ lines: true }).optional()
const keys = {
  desKey: number
    .regex(
      /^([\x21-\x7e]{8}|[\x21-\x7e]{16}|[\x21-\x7e]{24})?$/,
      bi('DES密钥须为8、16或24位', 'A DES key has 8, 16 or 24 characters'),
    )
    .optional(),
  saltMd5Key: number
    .regex(/^([\x21-\x7e]{8,64})?$/, bi('MD5盐须为8-64位', 'A salt has 8 to 64 characters'))
    .optional(),
  apiV3Key: number
    .regex(/^([\x21-\x7e]{32})?$/, bi('APIv3密钥须为32位', 'An APIv3 key has 32 characters'))
    .optional(),
  /** PEM: ours, and the merchant's certificate of WeChat Pay. */
  privateKey: pem(10_000),
  certificate: pem(10_000),
  /** PEM: what the channel signs with; of WeChat Pay with its id. */
  channelKeyId: number
    .regex(/^(PUB_KEY_ID_\d{10,40})?$/, bi('公钥ID格式不正确', 'Not the id of a public key'))
    .optional(),
  channelKey: pem(10_000),
}
export type Keys = z.output<z.ZodObject<typeof keys>>

type Parsed = z.core.ParsePayload<unknown>
const issue = (c: Parsed, all: readonly { field: string; text: string }[]) => {
  for (const { field, text } of all)
    c.issues.push({ code: 'custom', path: [field], message: text, input: c.value })
}
const NewConfig = z
  .strictObject({
    orgId: z
      .number(bi('请选择运营商', 'Choose the operator'))
      .int()
      .positive()
      .max(Number.MAX_SAFE_INTEGER),
    ...fields,
    settleAccount,
    ...keys,
  })
  .check((c) => issue(c, [...findings(c.value), ...secretFindings(c.value.provider, c.value)]))
const EditConfig = z
  .strictObject({ id: f.id, version: f.version, ...fields, settleAccount })
  .check((c) => issue(c, findings(c.value)))

const Secret = z.strictObject({
  set: z.boolean(),
  /** Its last letters, or those of the print of a public half. */
  tail: z.string(),
  updatedAt: f.instant.nullable(),
})
export const testSteps = [
  'ORDER',
  'QUERY',
  'REFUND',
  'KEYS',
  'CERTIFICATE',
  'CHANNEL',
  'CHANNEL_KEY',
  'CIPHER',
] as const
const Step = z.strictObject({ step: z.enum(testSteps), ok: z.boolean(), note: z.string() })
export type Step = z.infer<typeof Step>

export const ConfigRow = z.strictObject({
  id: f.id,
  orgId: f.id,
  operatorName: z.string(),
  ...f.shown(fields),
  provider: Provider,
  collectorKind: fields.collectorKind.unwrap(),
  capApproval: z.string().meta({ unit: 'image' }),
  /** The last digits; the number is never given back. */
  settleTail: z.string(),
  keys: z.strictObject(
    Object.fromEntries(secretNames.map((name) => [name, Secret])) as Record<
      (typeof secretNames)[number],
      typeof Secret
    >,
  ),
  certSerial: z.string(),
  storeCount: f.count,
  deviceCount: f.count,
  /** The nearest end of the merchant's certificate and of the channel's keys. */
  certUntil: f.instant.nullable(),
  testTime: f.instant.nullable(),
  testSteps: z.array(Step),
  state: State,
  /** Where the channel tells what happened; of one with a driver. */
  callbackUrl: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    delete: z.boolean(),
    renew: z.boolean(),
    test: z.boolean(),
  }),
})
export type ConfigRow = z.infer<typeof ConfigRow>

const one = { id: f.id, version: f.version }
const taken = [configErrors.systemTaken, configErrors.merchantTaken]
const keyErrors = [
  configErrors.badKey,
  configErrors.badCertificate,
  configErrors.notOfKey,
  configErrors.expired,
  configErrors.otherSecrets,
]

export const paymentConfigs = {
  list: read('payment-config:read', {
    path: '/finance/payment-configs',
    summary: 'Companies that receive money; keys only by their tails',
    input: listQuery(
      {
        id: f.id.optional(),
        orgId: f.id.optional(),
        merchantName: z.string().trim().max(60).optional(),
        systemId: z.string().trim().max(32).optional(),
        provider: Provider.optional(),
        state: State.optional(),
      },
      ['createTime', 'merchantName', 'systemId', 'feeBp', 'certUntil', 'testTime'],
      '-createTime',
    ),
    output: page(ConfigRow),
    export: 'payment-config:export',
  }),
  uses: read('payment-config:read', {
    path: '/finance/payment-uses',
    summary: 'How many machines could not be paid without a merchant',
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({ n: f.count }),
  }),
  addresses: read('payment-config:read', {
    path: '/finance/payment-addresses',
    summary: 'From where this server asks channels: their consoles want the list',
    output: z.strictObject({ list: z.array(z.string()) }),
  }),
  create: write('payment-config:create', {
    path: '/finance/payment-configs',
    summary: 'Add a merchant with its first keys; it takes money once it was verified',
    audit: 'paymentConfigs.create',
    fresh: true,
    errors: [...taken, ...keyErrors, configErrors.ownerKind],
    input: NewConfig,
    output: ConfigRow,
  }),
  update: write('payment-config:update', {
    method: 'PUT',
    path: '/finance/payment-configs/{id}',
    summary: 'Change terms; another channel only of one that was never paid, and its keys go',
    audit: 'paymentConfigs.update',
    // of another account, or another channel
    fresh: 'sometimes',
    errors: [...taken, configErrors.unsettled, configErrors.paidBefore, configErrors.stopFirst],
    input: EditConfig,
    output: ConfigRow,
  }),
  secrets: write('payment-config:secret', {
    method: 'PUT',
    path: '/finance/payment-configs/{id}/secrets',
    summary: 'Replace the keys that are given; until they are verified nothing is sold or credited',
    audit: 'paymentConfigs.secrets',
    fresh: true,
    errors: [...keyErrors, configErrors.noSecrets],
    input: z.strictObject({ ...one, ...keys }),
    output: ConfigRow,
  }),
  test: write('payment-config:test', {
    path: '/finance/payment-configs/{id}/test',
    summary: 'Ask the provider: who passes takes money from now on',
    audit: 'paymentConfigs.test',
    errors: [configErrors.activeTaken, configErrors.verifiedElsewhere],
    input: z.strictObject(one),
    output: ConfigRow,
  }),
  stop: write('payment-config:update', {
    path: '/finance/payment-configs/{id}/stop',
    summary: 'Its machines take no money until it is started and verified again',
    audit: 'paymentConfigs.stop',
    errors: [configErrors.wrongState],
    input: z.strictObject(one),
    output: ConfigRow,
  }),
  start: write('payment-config:update', {
    path: '/finance/payment-configs/{id}/start',
    summary: 'A stopped one sells once it was verified again',
    audit: 'paymentConfigs.start',
    errors: [configErrors.wrongState],
    input: z.strictObject(one),
    output: ConfigRow,
  }),
  remove: write('payment-config:delete', {
    method: 'DELETE',
    path: '/finance/payment-configs/{id}',
    summary: 'Remove one that nothing uses; bills, payments and refunds stay its own',
    audit: 'paymentConfigs.remove',
    errors: [configErrors.inUse],
    input: z.strictObject(one),
    output: f.done,
  }),
}
