import { defineErrors, type ErrorDef } from '../../shared/errors.ts'

export const payoutErrors = defineErrors('payoutAccounts', {
  otherHolder: [
    422430,
    '户名须与机构登记名称一致',
    'The holder must be the registered name of the organisation',
  ],
  wrongNumber: [422431, '账号格式不正确', 'Not an account number of this kind'],
  bankNeeded: [422432, '请输入开户银行', 'Enter the bank'],
  notOwn: [422433, '只能管理本机构的收款账户', 'Only accounts of your own organisation'],
  otherPerson: [
    422435,
    '户名须与推荐人证件姓名一致',
    'The holder must be the name of the referrer’s papers',
  ],
  papersNeeded: [422436, '请先填写推荐人证件姓名', 'The referrer needs the name of his papers'],
  scanned: [
    422437,
    '推荐人的微信由本人扫码绑定',
    'A referrer’s WeChat is bound by scanning his code',
  ],
  tooMany: [422434, '收款账户不能超过{n}个', 'At most {n} payout accounts'],
})

export const methods = ['BANK', 'WECHAT', 'ALIPAY'] as const
export type Method = (typeof methods)[number]
export const mostAccounts = 10
/** A new or changed account waits so long before money goes there. */
export const restHours = 24

/** Brackets, spaces and letters of either width are one name. */
const plain = (name: string): string => name.normalize('NFKC').replace(/\s+/g, '').toLowerCase()
export const sameName = (a: string, b: string): boolean => plain(a) === plain(b)

const numbers: Record<Method, RegExp> = {
  BANK: /^\d{8,30}$/,
  /** An openid. */
  WECHAT: /^[\w-]{16,64}$/,
  /** What somebody signs in with there. */
  ALIPAY: /^(1[3-9]\d{9}|[\w.+-]{1,40}@[\w-]{1,40}(\.[\w-]{1,20}){1,3})$/,
}
const wrongNumber = (method: Method, account: string): boolean => !numbers[method].test(account)

/** What may be seen of it. */
export function masked(account: string): string {
  const [name = '', host] = account.split('@')
  return host ? `${name.slice(0, 1)}****@${host}` : `****${account.slice(-4)}`
}

/** A person shows the first letter of his name. */
export const shownHolder = (name: string): string => `${[...name][0] ?? ''}**`

/** Digits of a bank account as people write them, in groups. */
export const bare = (account: string): string => account.normalize('NFKC').replace(/\s+/g, '')

type Facts = { holder: string; orgName: string; changedAt: Date }
type AccountState = 'USABLE' | 'RESTING' | 'MISMATCH'
/** The name of an organisation may change after its account was entered. */
export function accountState({ holder, orgName, changedAt }: Facts, now: Date): AccountState {
  if (!sameName(holder, orgName)) return 'MISMATCH'
  return now.getTime() < changedAt.getTime() + restHours * 3_600_000 ? 'RESTING' : 'USABLE'
}

/** Whose account it is: an organisation by its registered name, or a person by that of his papers. */
export type Owner = { readonly name: string; readonly person: boolean }
export type Entered = { method: Method; holder: string; bankName: string; accountNo: string }
/** What is wrong with an account, and at which field. */
export function findings(
  entered: Entered,
  owner: Owner,
): { field: keyof Entered; error: ErrorDef }[] {
  const { method, holder, bankName, accountNo } = entered
  return [
    ...(sameName(holder, owner.name)
      ? []
      : [
          {
            field: 'holder' as const,
            error: owner.person ? payoutErrors.otherPerson : payoutErrors.otherHolder,
          },
        ]),
    ...(owner.person && method === 'WECHAT'
      ? [{ field: 'method' as const, error: payoutErrors.scanned }]
      : []),
    ...(method === 'BANK' && !bankName
      ? [{ field: 'bankName' as const, error: payoutErrors.bankNeeded }]
      : []),
    ...(wrongNumber(method, accountNo)
      ? [{ field: 'accountNo' as const, error: payoutErrors.wrongNumber }]
      : []),
  ]
}
