import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import type { ReceiverKind } from '../payment-channels/rules.ts'
import { sameName } from '../payout-accounts/rules.ts'

/** The kind of work that registers them. */
export const receiversName = 'split-receivers'

export const receiverErrors = defineErrors('splitReceivers', {
  partyTaken: [409004, '该分账方已登记接收方', 'This party has a receiver at this merchant'],
  accountTaken: [
    409005,
    '该账号已登记给其他分账方',
    'This account is registered for another party at this merchant',
  ],
  noMerchant: [422500, '请选择收款商户', 'Choose the merchant'],
  wrongParty: [422501, '该机构不能作为分账方', 'This organisation cannot be a party'],
  collects: [422502, '收款方不能登记为接收方', 'The merchant itself is no receiver'],
  wrongAccount: [422503, '账号格式不正确', 'Not an account of this kind'],
  inUse: [
    422504,
    '接收方正在被已发布的策略使用，不能删除',
    'A published strategy pays this receiver: it cannot be deleted',
  ],
  otherHolder: [
    422505,
    '户名必须与分账方的机构名称一致',
    'The holder must be the registered name of the party',
  ],
  onlyPlatform: [
    422506,
    '个人接收方只能由平台登记',
    'Only the platform registers a person for an organisation',
  ],
})

/**
 * Whoever collects the money registers where others are paid: what their channel then says of the
 * name must be theirs, or he could be paid for them. That a person stands for an organisation is
 * the platform's to say.
 */
export const holderFinding = (
  { kind, holderName }: { kind: ReceiverKind; holderName: string },
  partyName: string,
  ofPlatform: boolean,
): ErrorDef | null => {
  if (kind === 'PERSONAL_OPENID') return ofPlatform ? null : receiverErrors.onlyPlatform
  return sameName(holderName, partyName) ? null : receiverErrors.otherHolder
}

export const providers = ['SIMULATOR', 'WECHAT', 'ALIPAY'] as const
export type Provider = (typeof providers)[number]
export const receiverStates = ['NEW', 'REGISTERED', 'FAILED', 'REMOVED'] as const

/** A merchant's number, or the openid of a person; at Alipay its number or his sign-in name. */
const accounts: Record<'WECHAT' | 'ALIPAY', Record<ReceiverKind, RegExp>> = {
  WECHAT: { MERCHANT_ID: /^\d{8,32}$/, PERSONAL_OPENID: /^[\w-]{16,64}$/ },
  ALIPAY: {
    MERCHANT_ID: /^2088\d{12}$/,
    PERSONAL_OPENID: /^(1[3-9]\d{9}|[\w.+-]{1,40}@[\w-]{1,40}(\.[\w-]{1,20}){1,3})$/,
  },
}
export const isAccount = (provider: Provider, kind: ReceiverKind, account: string): boolean =>
  accounts[provider === 'ALIPAY' ? 'ALIPAY' : 'WECHAT'][kind].test(account)

/** What may be seen of a name: its first letter. */
export const shownName = (name: string): string => `${[...name][0] ?? ''}**`
