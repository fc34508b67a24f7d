import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'
import type { Provider, MerchantState as State } from '../payment-channels/rules.ts'

export const configErrors = defineErrors('paymentConfigs', {
  systemTaken: [409004, '系统号已存在', 'This system number is known already'],
  merchantTaken: [409004, '该商户号已存在', 'This merchant is known already'],
  activeTaken: [
    409004,
    '该机构在此通道已有正常的收款配置，请先停用',
    'The organisation has an active merchant of this channel: stop that one first',
  ],
  inUse: [
    409003,
    '该配置仍在使用，无法移除',
    'This merchant is still in use and cannot be removed',
  ],
  unsettled: [
    422170,
    '存在未结算的订单，不能更换支付通道',
    'There are orders that are not settled: the channel cannot be changed',
  ],
  paidBefore: [
    422171,
    '该配置已有收款记录，请新增收款配置',
    'This merchant has been paid: add another one instead',
  ],
  stopFirst: [422172, '请先停用再更换支付通道', 'Stop it before its channel is changed'],
  ownerKind: [422001, '该机构不能收款', 'This organisation cannot be paid'],
  badKey: [
    422173,
    '密钥不正确：须为2048位以上的RSA密钥（PEM）',
    'Not an RSA key of 2048 bits as PEM',
  ],
  badCertificate: [422174, '证书不正确', 'Not a certificate'],
  notOfKey: [422175, '证书与私钥不匹配', 'The certificate does not belong to the private key'],
  expired: [422176, '证书已过期', 'The certificate has expired'],
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
  verifiedElsewhere: [
    409004,
    '该商户号已由其他机构验证',
    'Another organisation has verified this merchant',
  ],
  otherSecrets: [422177, '该通道没有此密钥', 'This channel has no such key'],
  noSecrets: [400001, '请填写要更新的密钥', 'Enter the keys to replace'],
})

/** Whether it is a channel that we speak to. */
export const hasDriver = (provider: Provider): provider is 'WECHAT' | 'ALIPAY' =>
  provider === 'WECHAT' || provider === 'ALIPAY'

/** From where an act may start, and where it leads. */
export const moves = {
  // one that was never verified sells nothing, and must not seem to have been
  stop: { from: ['ACTIVE', 'ERROR'], to: 'DISABLED' },
  // not as if it were new: its machines would sell for the merchant above it
  start: { from: ['DISABLED'], to: 'ERROR' },
  pass: { from: ['UNTESTED', 'ERROR'], to: 'ACTIVE' },
  fail: { from: ['ACTIVE'], to: 'ERROR' },
  /** Other keys: nobody knows yet what they are worth. */
  renew: { from: ['ACTIVE'], to: 'ERROR' },
} as const satisfies Record<string, { from: readonly State[]; to: State }>
export const canMove = (move: keyof typeof moves, state: State): boolean =>
  (moves[move].from as readonly State[]).includes(state)

/** What a channel signs and opens with; an aggregator alone cannot do without. */
export const secretNames = ['desKey', 'saltMd5Key', 'apiV3Key', 'privateKey', 'channelKey'] as const
export type SecretName = (typeof secretNames)[number]
const secretsOf: Readonly<Record<Provider, readonly SecretName[]>> = {
  SIMULATOR: ['desKey', 'saltMd5Key'],
  WECHAT: ['apiV3Key', 'privateKey', 'channelKey'],
  ALIPAY: ['privateKey', 'channelKey'],
  AGGREGATOR: ['desKey', 'saltMd5Key'],
}
export const takesSecret = (provider: Provider, name: SecretName): boolean =>
  secretsOf[provider].includes(name)

const missing = {
  desKey: bi('DES密钥不能为空', 'The DES key is required'),
  saltMd5Key: bi('MD5盐不能为空', 'The MD5 salt is required'),
  apiV3Key: bi('APIv3密钥不能为空', 'The APIv3 key is required'),
  privateKey: bi('商户私钥不能为空', 'The private key is required'),
  certificate: bi('商户证书不能为空', 'The certificate is required'),
  channelKey: bi('支付宝公钥不能为空', 'The public key of Alipay is required'),
  mchId: bi('商户号不能为空', 'The merchant number is required'),
  appId: bi('AppID不能为空', 'The app id is required'),
  approval: bi(
    '超过30%的分账上限须上传通道批文',
    'Above 30 % the approval of the channel is needed',
  ),
}
type Asked = {
  readonly provider: Provider
  readonly mchId: string
  readonly appId: string
  readonly splitCapBp: number
  readonly capApproval: string
}
type Finding = { readonly field: string; readonly text: string }
/** What a channel cannot do without. */
export const findings = (asked: Asked): Finding[] => {
  const found: Finding[] = []
  if (hasDriver(asked.provider))
    for (const field of ['mchId', 'appId'] as const)
      if (!asked[field]) found.push({ field, text: missing[field] })
  if (asked.splitCapBp > usualCapBp && !asked.capApproval)
    found.push({ field: 'capApproval', text: missing.approval })
  return found
}
/** And of the first keys. */
export const secretFindings = (
  provider: Provider,
  given: { readonly [K in SecretName | 'certificate']?: string | undefined },
): Finding[] => {
  const needed: Readonly<Record<Provider, readonly (SecretName | 'certificate')[]>> = {
    SIMULATOR: [],
    WECHAT: ['apiV3Key', 'privateKey', 'certificate'],
    ALIPAY: ['privateKey', 'channelKey'],
    AGGREGATOR: ['desKey', 'saltMd5Key'],
  }
  return needed[provider].flatMap((field) =>
    given[field] ? [] : [{ field, text: missing[field] }],
  )
}

/** What WeChat Pay and Alipay let a merchant give away without asking. */
export const usualCapBp = 3000
/** Days in which shares must be given out, by what channels say. */
export const freezeDaysOf = (provider: Provider): number => (provider === 'ALIPAY' ? 30 : 180)

/** The end of a key as people tell it apart: never more than a quarter of it. */
export const tailOf = (secret: string): string =>
  secret.slice(secret.length - Math.min(4, Math.floor(secret.length / 4)))

const dayMs = 86_400_000
/** How near the end of a certificate is. */
export const certTone = (until: string | null, now: Date): 'fine' | 'amber' | 'red' => {
  if (until === null) return 'fine'
  const days = (Date.parse(until) - now.getTime()) / dayMs
  return days < 7 ? 'red' : days < 30 ? 'amber' : 'fine'
}
/** People are told a month before, two weeks before, and each day of the last week. */
export const tellsOf = (daysLeft: number): boolean =>
  daysLeft === 30 || daysLeft === 14 || daysLeft < 7

/** The first reason for which a merchant must stay. */
export const removable = (uses: { readonly inUse: boolean }): ErrorDef | null =>
  uses.inUse ? configErrors.inUse : null
export type Identity = {
  readonly provider: Provider
  readonly mchId: string
  readonly appId: string
}
export const sameIdentity = (before: Identity, after: Identity): boolean =>
  (['provider', 'mchId', 'appId'] as const).every((key) => before[key] === after[key])
/** Another channel or another merchant there: only while nobody can have paid it. */
export const identityRule = (
  before: Identity & { readonly state: State },
  after: Identity,
  paid: { readonly unsettled: boolean; readonly ever: boolean },
): ErrorDef | null => {
  if (sameIdentity(before, after)) return null
  if (paid.unsettled) return configErrors.unsettled
  if (paid.ever) return configErrors.paidBefore
  return before.state === 'ACTIVE' ? configErrors.stopFirst : null
}
