import { expect, test } from 'vitest'
import { isAccount, shownName } from './rules.ts'

test('an account is of its channel and kind', () => {
  const openid = 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o'
  for (const [provider, kind, account, right] of [
    ['WECHAT', 'MERCHANT_ID', '1900000109', true],
    ['SIMULATOR', 'MERCHANT_ID', '1900000109', true],
    ['WECHAT', 'MERCHANT_ID', openid, false],
    ['WECHAT', 'PERSONAL_OPENID', openid, true],
    ['WECHAT', 'PERSONAL_OPENID', 'o', false],
    ['ALIPAY', 'MERCHANT_ID', '2088101126765726', true],
    ['ALIPAY', 'MERCHANT_ID', '1900000109', false],
    ['ALIPAY', 'PERSONAL_OPENID', 'boss@example.com', true],
    ['ALIPAY', 'PERSONAL_OPENID', openid, false],
  ] as const)
    expect([account, provider, isAccount(provider, kind, account)]).toEqual([
      ...[account, provider, right],
    ])
})

test('a name is shown by its first letter', () => {
  expect([shownName('张三丰'), shownName('𠮷野')]).toEqual(['张**', '𠮷**'])
})
