import { defineErrors, type ErrorDef } from '../../shared/errors.ts'

export const referrerErrors = defineErrors('referrers', {
  mobileTaken: [409004, '手机号已存在', 'This mobile number is known already'],
  inUse: [
    409003,
    '推荐人仍在使用，无法删除',
    'This referrer is still in use and cannot be deleted',
  ],
  noPerson: [422420, '仅个人接收方需要绑定微信', 'Only a personal receiver binds an account'],
  otherDevice: [
    422422,
    '设备须属于关联机构，或本机构及其下级',
    'Machines are of the organisation that he introduced, or of his own and those below',
  ],
  codeOver: [
    422421,
    '二维码已失效，请联系发送人重新获取',
    'This code is over: ask for another one',
  ],
  unavailable: [503008, '微信服务暂不可用，请稍后再试', 'WeChat does not answer, try again later'],
})

export const receiveKinds = ['PERSONAL', 'MERCHANT', 'LEDGER'] as const
export const receiverStates = ['UNBOUND', 'BOUND', 'NOT_NEEDED'] as const
/** So long a code that binds a phone counts. */
export const codeMinutes = 30
export const bindable = (kind: (typeof receiveKinds)[number]): ErrorDef | null =>
  kind === 'PERSONAL' ? null : referrerErrors.noPerson
/** `138****8000` */
export const shownMobile = (mobile: string): string =>
  `${mobile.slice(0, 3)}****${mobile.slice(-4)}`
/** The first letter, as people know it: `张**`. */
export const shownName = (name: string): string =>
  name ? `${[...name][0]}${'*'.repeat(Math.max(1, [...name].length - 1))}` : ''
