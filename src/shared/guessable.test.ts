import { describe, expect, test } from 'vitest'
import { newPassword } from '../domains/session/passwordField.ts'
import { isGuessable } from './guessable.ts'

/** Habits, not the words of the rule: what leaks show people to use, here and elsewhere. */
const names =
  `wangwei zhangwei liuwei lina wangfang zhangmin lijing wangjing liqiang zhanglei liuyang wangyong lijun zhangyong wangyan
  lijie zhangjie wangqiang chenjie yangyang wanglei chenchen liming wangming zhangli lili wangli chenwei zhaolei zhouyang huangwei xuli
  sunli mahui zhuhong hujun guoqiang heping linfeng gaofei luoyang zhengwei liangliang xiaoli tangwei wang zhang liu chen yang zhao
  huang zhou woaini nihao mima laopo baobao beijing shanghai zhongguo shenzhen huodao shouhuoji admin password welcome test qwerty abc
  qwe asd zxc a aa qq iloveyou dragon monkey letmein login hello root user master super superman football sunshine princess charlie
  summer spring vending operator p@ssw0rd passw0rd pa55word`.split(/\s+/)
const ends =
  `123456 12345678 123456789 1234567 12345 1234 123123 111111 666666 888888 5201314 520520 1314520 1314521 520 123 2024 2025
  2026 1990 1988 1995 2000 19900101 19881212 20001001 @123 @2026 #123456 !@#123 _123 000000 112233 123321 110 168168`.split(
    /\s+/,
  )
const known =
  `1qaz2wsx 1qaz@wsx 1qaz2wsx3edc q1w2e3r4 1q2w3e4r 1q2w3e4r5t qwer1234 1234qwer asdf1234 zxcv1234 abcd1234 1234abcd a1b2c3d4
  abc12345 a1234567 a12345678 a123456789 1234567a 123456aa aa123456 Aa123456 Aa123456. Abc123456 Qwe123456 qwe12345 qwe123qwe 123qweasd
  123qweasdzxc qazwsx123 1qazxsw2 zaq12wsx zaq1xsw2 12qwaszx q1w2e3r4t5y6 woaini1314 woaini520 5201314a 5201314aa a5201314 woaiwojia1 zidongshouhuo1 woshishen1
  love1314 iloveyou1 password1 password123 Passw0rd P@ssw0rd P@ssw0rd123 Admin123 admin123 admin888 admin@123 Admin@2026 root1234
  test1234 Huodao@2026 huodao2026 huodao123 Huodao123456 wang1234 wang123456 zhang123 li123456 zhangsan123 zhangwei1990 13800138000a
  a13800138000 qq123456 w123456789 asd123456 zxc123456 123456abc 123456qwe 123abc123 abc123abc a1a1a1a1 aaaa1111 1111aaaa abcabc123
  11223344a 88888888a 66666666a 147258369a 0123456789a 987654321a trustno1 letmein1 welcome1 monkey123 dragon123 hello123 michael1
  jordan23 mustang1 charlie1 rush2112 blink182 ncc1701d fuckyou1 agent007 apollo13 gateway1 babylon5 wrinkle1 gordon24`.split(
    /\s+/,
  )
const fits = (password: string) => newPassword.safeParse(password).success
const most = [
  ...new Set([...known, ...names.flatMap((name) => ends.map((end) => name + end))]),
].filter(fits)

describe('isGuessable', () => {
  test('the most used ones that fit the policy, more than three thousand', () => {
    expect(most.length).toBeGreaterThan(3000)
    expect(most.filter((password) => !isGuessable(password))).toEqual([])
    expect(known.filter((password) => !fits(password) && password.length >= 8)).toEqual([])
  })
  test.each([
    ['Lisi@8866', ['lisi']],
    ['xinghe2026', ['xinghe', 'xinghe vending']],
    ['Xinghe-13912345678', ['xinghe', '13912345678']],
    ['zwm1992zwm', ['zwm']],
  ])('%s, near the account', (password, own) => {
    expect(isGuessable(password, own)).toBe(true)
  })
  test.each([
    'Right horse 7',
    'Another 1 horse',
    'Zebra-crossing7',
    'correct horse battery 9',
    'x7Kp2mQ9',
    'vR4tNw8bJq2d',
    '山高月小水落石出 1082',
    '3 cups of green tea at dawn',
    'Pomegranate*41kettle',
  ])('%s passes', (password) => expect(isGuessable(password, ['lisi', 'xinghe'])).toBe(false))
  test('128 signs cost little', () => {
    const began = performance.now()
    for (const password of ['a1'.repeat(64), 'wangli1990'.repeat(12), `1${'x'.repeat(127)}`])
      isGuessable(password)
    expect(performance.now() - began).toBeLessThan(500)
  })
})
